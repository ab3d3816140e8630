// `functions: ./tools.mjs` in cadre.yaml: the functions of a program, for the command line too.

import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { loadCadre, tool } from '../src/index.ts';
import { type Folder, folderWith } from './support/cli.ts';

const folders: Folder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

const CONFIG = `providers: { demo: { kind: scripted, script: ./s.yaml } }
defaults: { models: [demo/x] }
functions: ./tools.mjs
`;

const TOOLS = `import { writeFileSync } from 'node:fs';
writeFileSync(new URL('./loaded', import.meta.url), '');
export const stock = {
  name: 'stock',
  description: 'How many are left.',
  parameters: { type: 'object', properties: { article: { type: 'string' } }, required: ['article'] },
  run: ({ article }) => article + ': 3 left',
};
export const VERSION = 7;
`;

const SCRIPT = 'agents: { clerk: [{ call: { stock: { article: lamp } } }, { answer: "{{last}}." }] }\n';
const CLERK = '---\ndescription: Knows the stock.\ntools: [stock]\n---\nLook it up.\n';

function folderOf(files: Readonly<Record<string, string>> = {}): Folder {
  const folder = folderWith({
    'cadre.yaml': CONFIG,
    'tools.mjs': TOOLS,
    's.yaml': SCRIPT,
    'clerk.md': CLERK,
    ...files,
  });
  folders.push(folder);
  return folder;
}

test('the command line has the functions of the file, and its runs replay', async () => {
  const folder = folderOf();
  expect(await folder.cadre(['run', 'clerk', 'Lamps?'])).toMatchObject({ exit: 0, stdout: 'lamp: 3 left.\n' });
  expect(await folder.cadre(['replay', 'last'])).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/^identical/),
  });
  const [start] = folder.journal();
  expect(Object.keys((start as { texts: object }).texts)).toContain('tools.mjs');
});

test('looking at the folder runs nothing of the file', async () => {
  const folder = folderOf();
  for (const command of [['check'], ['models'], ['graph'], ['help', 'clerk']]) {
    expect(await folder.cadre(command)).toMatchObject({ exit: 0 });
  }
  expect(folder.has('loaded')).toBe(false);
});

test('a name that the file does not hold is a warning with the nearest, and the run says it before any call', async () => {
  const folder = folderOf({ 'clerk.md': CLERK.replace('[stock]', '[stick]') });
  const checked = await folder.cadre(['check']);
  expect(checked).toMatchObject({ exit: 0, stdout: expect.stringContaining('warning tool/unseen') });
  expect(checked.stdout).toContain('Did you mean "stock"?');
  const ran = await folder.cadre(['run', 'clerk', 'x']);
  expect(ran.exit).toBe(1);
  expect(ran.stderr).toContain('clerk.md, tools: There is no tool "stick". Did you mean "stock"?');
  expect(folder.journal()).toEqual([]);
});

test.each([
  [
    'export const a = ;',
    'tools.mjs cannot be loaded: SyntaxError: Unexpected token \';\'. "node --check tools.mjs" shows where.',
  ],
  ['\nthrow new Error("no database");', 'tools.mjs cannot be loaded (line 2): no database'],
  ["import 'nowhere-to-be-found';", "tools.mjs cannot be loaded: Cannot find package 'nowhere-to-be-found'"],
  ['export const stock = 3;', 'tools.mjs exports no tool. It exports: stock.'],
  [
    'export const stock = { name: "stock", run() {} };',
    'tools.mjs, export "stock" is not a tool: "stock" has no `description`',
  ],
  ['export default [7];', 'tools.mjs, entry 0 of the default export is not a tool: it is a number'],
  [
    'export default { name: "a b", description: "", run() {} };',
    'tools.mjs, export "default": TypeError: A tool cannot be named',
  ],
  ['export default { name: "stock", description: "", run() {} };', 'neither `parameters` (a JSON Schema) nor `input`'],
  [
    'const one = () => ({ name: "stock", description: "", parameters: {}, run() {} });\nexport default [one(), one()];',
    'tools.mjs exports two tools called "stock". Rename one of them.',
  ],
])('a file that says %j is refused with where and what', async (text, expected) => {
  const folder = folderOf({ 'tools.mjs': text });
  const ran = await folder.cadre(['run', 'clerk', 'x']);
  expect(ran.exit).toBe(1);
  expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain(expected);
  expect(folder.journal()).toEqual([]);
});

test('tools may be a list as the default export, made with tool() or not, in several files', async () => {
  const folder = folderOf({
    'cadre.yaml': CONFIG.replace('./tools.mjs', '[./tools.mjs, lib/more.mjs]'),
    'clerk.md': CLERK.replace('[stock]', '[stock, price]'),
    'lib/more.mjs':
      'export default [{ name: "price", description: "The price.", parameters: { type: "object" }, run: () => 5 }];\n',
    's.yaml': 'agents: { clerk: [{ call: { price: {} } }, { answer: "{{last}} euros" }] }\n',
  });
  expect(await folder.cadre(['run', 'clerk', 'x'])).toMatchObject({ exit: 0, stdout: '5 euros\n' });
});

test('a file outside the folder, a link out of it, and one that is not there are errors of the check', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'cadre-elsewhere-'));
  writeFileSync(join(elsewhere, 'tools.mjs'), TOOLS);
  const folder = folderOf({
    'cadre.yaml': CONFIG.replace('./tools.mjs', '[../tools.mjs, linked.mjs, gone.mjs, notes.txt]'),
  });
  symlinkSync(join(elsewhere, 'tools.mjs'), join(folder.path, 'linked.mjs'));
  const { exit, stdout } = await folder.cadre(['check']);
  rmSync(elsewhere, { recursive: true });
  expect(exit).toBe(1);
  expect(stdout).toContain('which is not in the folder of cadre.yaml');
  expect(stdout).toContain('is a link that leads out of the folder');
  expect(stdout).toContain('there is no file gone.mjs');
  expect(stdout).toContain('which is not a JavaScript file');
});

test('a program has them too, and its own function of the same name comes first', async () => {
  const folder = folderOf();
  const own = tool({ name: 'stock', description: '', parameters: { type: 'object' }, run: () => 'none left' });
  for (const [tools, text] of [
    [[], 'lamp: 3 left.'],
    [[own], 'none left.'],
  ] as const) {
    const cadre = await loadCadre(folder.path, { store: 'memory', tools });
    expect(await (await cadre.run('clerk', 'x')).outcome()).toMatchObject({ kind: 'answered', text });
    await cadre.close();
  }
});

test('a run that is taken up again uses the file of today, and says that it has changed', async () => {
  const folder = folderOf();
  await folder.cadre(['run', 'clerk', 'x']);
  folder.write('tools.mjs', TOOLS.replace('3 left', '2 left'));
  const forked = await folder.cadre(['fork', 'last', '--at', '0.1']);
  expect(forked.stderr).toContain('tools.mjs has changed since run');
  expect(forked.stdout).toContain('lamp: 2 left');
});
