// A folder that holds no agent itself, and cadres below it: every command takes them alike.

import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith } from '../support/cli.ts';

const folders: Folder[] = [];
const folder = (files: Readonly<Record<string, string>>): Folder => {
  const made = folderWith(files);
  folders.push(made);
  return made;
};
afterEach(() => {
  for (const one of folders.splice(0)) one.remove();
});

const agent = (keys = ''): string => `---\ndescription: One.\n${keys}---\nWork.\n`;
const CONFIG = 'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/any] }\n';
const script = (answer: string): string => `any: [{ answer: "${answer}" }]\n`;

const shop = (): Folder =>
  folder({
    'README.md': '# Two desks\n',
    'cadres/billing/cadre.yaml': CONFIG,
    'cadres/billing/s.yaml': script('billed'),
    'cadres/billing/clerk.md': agent(),
    'cadres/billing/payer.md': agent(),
    'cadres/nested/deeper/shipping/cadre.yaml': CONFIG,
    'cadres/nested/deeper/shipping/s.yaml': script('shipped'),
    'cadres/nested/deeper/shipping/clerk.md': agent(),
    'cadres/nested/deeper/shipping/packer.md': agent('agents: [clerk]\n'),
  });

test('check, with and without --json, looks at each of them', async () => {
  const all = shop();
  expect(await all.cadre(['check', 'cadres'])).toMatchObject({
    exit: 0,
    stderr: expect.stringMatching(/2 agents\n.*2 agents\n$/),
  });
  expect(await all.cadre(['check', 'cadres', '--json'])).toMatchObject({ exit: 0, stdout: '[]\n' });
  all.write('cadres/billing/payer.md', agent('agents: [nobody]\n'));
  const { exit, stdout } = await all.cadre(['check', 'cadres', '--json', '--bound']);
  expect(exit).toBe(1);
  const { diagnostics, bounds } = JSON.parse(stdout) as { diagnostics: unknown[]; bounds: Record<string, unknown> };
  expect(diagnostics).toEqual([expect.objectContaining({ code: 'ref/unresolved', file: 'billing/payer.md' })]);
  expect(Object.keys(bounds)).toEqual([
    'billing/clerk',
    'nested/deeper/shipping/clerk',
    'nested/deeper/shipping/packer',
  ]);
});

test('graph and models show each of them, with the cadre before the names', async () => {
  const all = shop();
  const graph = await all.cadre(['graph', 'cadres']);
  expect(graph).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('nested/deeper/shipping/packer\n└─ agents → nested/deeper/shipping/clerk\n'),
  });
  const models = await all.cadre(['models', 'cadres', '--json']);
  const { agents } = JSON.parse(models.stdout) as { agents: { agent: string; ready: boolean }[] };
  expect(agents.map((one) => one.agent)).toEqual([
    'billing/clerk',
    'billing/payer',
    'nested/deeper/shipping/clerk',
    'nested/deeper/shipping/packer',
  ]);
});

test('run finds an agent by its name in any of them, and asks which where two have it', async () => {
  const all = shop();
  expect(await all.cadre(['run', '--dir', 'cadres', 'packer', 'go'])).toMatchObject({ exit: 0, stdout: 'shipped\n' });
  expect(await all.cadre(['run', '--dir', 'cadres', 'billing/clerk', 'go'])).toMatchObject({
    exit: 0,
    stdout: 'billed\n',
  });
  expect(await all.cadre(['help', '--dir', 'cadres', 'payer'])).toMatchObject({ exit: 0 });
  expect(await all.cadre(['run', '--dir', 'cadres', 'clerk', 'go'])).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('Say which, with --dir cadres: billing/clerk, nested/deeper/shipping/clerk.'),
  });
  expect(await all.cadre(['run', '--dir', 'cadres', 'pakcer', 'go'])).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('Did you mean "packer"?'),
  });
});

test('one cadre with errors keeps nobody from running the others, and is named where an agent is not found', async () => {
  const all = shop();
  all.write('cadres/billing/payer.md', agent('agents: [nobody]\n'));
  expect(await all.cadre(['run', '--dir', 'cadres', 'packer', 'go'])).toMatchObject({ exit: 0 });
  expect(await all.cadre(['run', '--dir', 'cadres', 'payer', 'go'])).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('payer cannot run: payer.md has errors. See: cadre check '),
  });
  all.write('cadres/billing/cadre.yaml', 'nothing: here\n');
  expect(await all.cadre(['run', '--dir', 'cadres', 'payer', 'go'])).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('These have errors and were not searched: cadres/billing. See: cadre check cadres'),
  });
});

test('a folder that is not there is an error of every command', async () => {
  const none = folder({});
  for (const args of [
    ['check', 'nope'],
    ['graph', 'nope'],
    ['models', 'nope'],
    ['models', 'nope', '--json'],
    ['run', '--dir', 'nope', 'a', 'b'],
    ['help', '--dir', 'nope', 'a'],
  ]) {
    const { exit, stdout, stderr } = await none.cadre(args);
    expect({ args, exit, told: (stdout + stderr).includes('nope does not exist') }).toEqual({
      args,
      exit: 1,
      told: true,
    });
  }
  expect(await none.cadre(['new', 'a', '--dir', 'nope'])).toMatchObject({ exit: 2 });
});

test('models says what this machine offers in an empty folder, and fails where the check does', async () => {
  const one = folder({ 'cadres.txt': '' });
  const empty = await one.cadre(['models']);
  expect(empty.stderr).toContain('holds no agent');
  expect(empty.exit).toBe(empty.stdout.includes('No model server answers') ? 1 : 0); // as this machine is
  one.write('a.md', agent('agents: [nobody]\n'));
  expect(await one.cadre(['models'])).toMatchObject({ exit: 1, stderr: expect.stringContaining('See: cadre check .') });
});

test('a graph is written in the format of the ending, and in no other', async () => {
  const all = shop();
  for (const [file, begins] of [
    ['g.svg', '<svg'],
    ['g.dot', 'digraph'],
    ['g.mermaid', 'flowchart'],
    ['g.json', '{'],
    ['g.txt', 'clerk'],
  ] as const) {
    expect(await all.cadre(['graph', 'cadres/billing', '-o', file])).toMatchObject({ exit: 0 });
    expect(all.read(file).startsWith(begins), file).toBe(true);
  }
  expect(await all.cadre(['graph', 'cadres/billing', '-o', 'g.png'])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('The file may end in .txt, .mmd, .mermaid, .dot, .gv, .svg, .json.'),
  });
  expect(() => all.read('g.png')).toThrow();
});
