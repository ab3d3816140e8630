// Prints what a framework is called in the table: its name and version.

const { adapter } = await import(`./adapters/${process.argv[2]}.mjs`);
process.stdout.write(`${adapter.name} ${adapter.version}`, () => process.exit(0));
