// What only Cadre does, measured one by one: node --expose-gc extra.mjs <name> [--quick] prints rows as JSON.

import { readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const FOLDER = new URL('extra/', import.meta.url);

export const EXPERIMENTS = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => file.slice(0, -'.mjs'.length))
  .sort();

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [name, quick] = process.argv.slice(2);
  const { measure } = await import(new URL(`${name}.mjs`, FOLDER).href);
  const rows = await measure(quick === '--quick');
  process.stdout.write(`${JSON.stringify(rows)}\n`, () => process.exit(0));
}
