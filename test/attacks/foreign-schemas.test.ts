// Schemas that were made to keep the process busy, from an MCP server and from an agent file.

import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { ended, type Folder, folderWith, type Ran } from '../support/cli.ts';

const server = fileURLToPath(new URL('./stdio-server.mjs', import.meta.url));
const folders: Folder[] = [];
afterEach(() => {
  for (const one of folders.splice(0)) one.remove();
});

type Schema = Readonly<Record<string, unknown>>;

/** Each pair doubles the work: a million million steps. */
function chainOfPairs(): Schema {
  const $defs: Record<string, Schema> = { d40: { type: 'string' } };
  for (let at = 0; at < 40; at++) {
    const next = { $ref: `#/$defs/d${at + 1}` };
    $defs[`d${at}`] = { allOf: [next, next] };
  }
  return { type: 'object', properties: { x: { $ref: '#/$defs/d0' } }, $defs };
}

const taking = (x: Schema): Schema => ({ type: 'object', properties: { x } });
const wide = (count: number): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`property-${at}`, { type: 'string', minLength: 1 }]),
  ),
});

/** Ended by us where it does not end by itself, so that nothing is left behind. */
async function cadre(folder: Folder, args: readonly string[]): Promise<Ran> {
  const child = folder.start(args);
  const timer = setTimeout(() => child.kill('SIGKILL'), 50_000);
  child.stdin?.end();
  const ran = await ended(child);
  clearTimeout(timer);
  return ran;
}

async function callWith(inputSchema: Schema, input: unknown): Promise<Ran> {
  const folder = folderWith({
    'tools.json': JSON.stringify([{ name: 'trap', description: 'Traps.', inputSchema }]),
    'cadre.yaml': `providers: { demo: { kind: scripted, script: demo.script.yaml } }
defaults: { models: [demo/any], maxRetries: 1 }
mcpServers:
  m: { command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(server)}, tools.json], cwd: . }
`,
    'keeper.md': '---\ntools: [mcp:m]\n---\nYou keep.\n',
    'demo.script.yaml': `agents:\n  keeper:\n    - call: { trap: ${JSON.stringify(input)} }\n    - answer: "{{last}}"\n`,
  });
  folders.push(folder);
  return await cadre(folder, ['run', 'keeper', 'go']);
}

test.each<[string, Schema, unknown]>([
  ['forty alternations', taking({ pattern: `^${'(a|a)'.repeat(40)}$` }), { x: `${'a'.repeat(39)}!` }],
  [
    'three hundred optional letters',
    taking({ pattern: `^${'a?'.repeat(300)}${'a'.repeat(300)}$` }),
    { x: 'a'.repeat(299) },
  ],
  ['a chain of forty pairs of references', chainOfPairs(), { x: 1 }],
  [
    'a format on many texts of 64 KB',
    taking({ type: 'array', items: { format: 'url' } }),
    { x: Array.from({ length: 20 }, () => `http://${':'.repeat(65_000)}`) },
  ],
])('%s in the schema of a tool end in words, not in silence', async (_what, schema, input) => {
  const { stdout, stderr, exit } = await callWith(schema, input);
  expect(exit, stderr).toBe(0);
  expect(stdout).toMatch(/takes too long on this text|asks too much|must match|must be/);
});

test('a schema of nearly a megabyte is not compiled, and its tool is the server’s to check', async () => {
  const { stdout, stderr, exit } = await callWith(wide(15_000), { 'property-1': 'x' });
  expect(exit, stderr).toBe(0);
  expect(stdout).toContain('called trap');
});

const twoStages = (given: Schema, taken: Schema): Folder => {
  const folder = folderWith({
    'cadre.yaml':
      'providers: { demo: { kind: scripted, script: demo.script.yaml } }\ndefaults: { models: [demo/any] }\n',
    'demo.script.yaml': 'agents: {}\n',
    'first.md': `---\nnext: second\noutput: { format: json, schema: ${JSON.stringify(given)} }\n---\nYou begin.\n`,
    'second.md': `---\ninput: { format: json, schema: ${JSON.stringify(taken)} }\n---\nYou go on.\n`,
  });
  folders.push(folder);
  return folder;
};

test('a regular expression of search_files that would go back for ever ends in words', async () => {
  const folder = folderWith({
    'cadre.yaml':
      'providers: { demo: { kind: scripted, script: demo.script.yaml } }\ndefaults: { models: [demo/any] }\n',
    'keeper.md': '---\ntools: [files]\n---\nYou keep.\n',
    'demo.script.yaml': `agents:\n  keeper:\n    - call: { search_files: { query: "^${'a?'.repeat(120)}${'a'.repeat(120)}$", regex: true } }\n    - answer: "{{last}}"\n`,
    'trap.txt': `${'a'.repeat(119)}\n`.repeat(20),
  });
  folders.push(folder);
  const { stdout, stderr, exit } = await cadre(folder, ['run', 'keeper', 'go']);
  expect(exit, stderr).toBe(0);
  expect(stdout).toMatch(/No line matches|takes too long/);
});

test('four hundred optional letters in the pattern of an agent file do not hold up cadre check', async () => {
  const letters = 'a'.repeat(399);
  const folder = twoStages({ const: letters }, { pattern: `^${'a?'.repeat(400)}${'a'.repeat(400)}$` });
  const { exit } = await cadre(folder, ['check', '.']);
  expect(exit).not.toBeNull();
});

test('a schema of an agent file that is too large is named, and not compiled', async () => {
  const folder = twoStages({ type: 'object' }, { ...wide(3000), $defs: { a: {} }, $ref: '#/$defs/a' });
  const { stdout, stderr, exit } = await cadre(folder, ['check', '.']);
  expect(exit).not.toBe(0);
  expect(stdout + stderr).toContain('its schema holds more than 1000 schemas');
});
