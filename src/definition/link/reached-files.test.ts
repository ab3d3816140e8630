import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readCadre } from '../load.ts';
import { reachableFrom } from '../reach.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cadre-reached-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const agent = (more = ''): string => `---\ndescription: Does things.\nmodels: openai/x\n${more}---\nYou do things.\n`;
const OTHERS = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`other-${index}.md`, agent()]));
const BROKEN = { 'broken.md': agent('next: nobody\n') };

/** The agents of the folder, as a run of this one reads it. */
async function readFor(only: string, files: Readonly<Record<string, string>>) {
  for (const [file, text] of Object.entries({ ...OTHERS, ...files })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return readCadre(folder, { only });
}

const namesIn = async (only: string, files: Readonly<Record<string, string>>) => [
  ...((await readFor(only, files)).cadre?.agents.keys() ?? []),
];

test('a run in a large folder reads the agents that it reaches, and is not stopped by errors in others', async () => {
  const { cadre, diagnostics, texts } = await readFor('a', {
    ...BROKEN,
    'a.md': agent('next: { to: b, else: ./deep/c.md }\n'),
    'b.md': agent('agents: [agent__d]\n'),
    'deep/c.md': agent('advisors: [../e.md]\n'),
    'd.md': agent('handoff: short\n'),
    'e.md': agent('repeat: { until: f, max: 2 }\n'),
    'f.md': agent(),
    'g.md': agent('router: { destinations: [./more/] }\n'),
    'cadre.yaml': 'aliases: { short: ./g.md, unused: ./other-3.md }\n',
    'more/h.md': agent(),
    'more/i.md': agent('team: { members: [f], supervisor: self }\n'),
  });
  expect(diagnostics).toEqual([]);
  expect([...(cadre?.agents.keys() ?? [])].sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']);
  expect([...texts.keys()].filter((file) => file.startsWith('other'))).toEqual([]);
});

test.each<readonly [why: string, files: Readonly<Record<string, string>>]>([
  ['`*` stands for everybody', { 'a.md': agent('agents: ["*"]\n') }],
  ['a name is not that of a file', { 'a.md': agent('next: b\n'), 'x.md': agent('name: b\n') }],
  ['a file has another name than its agent', { 'a.md': agent('next: b\n'), 'b.md': agent('name: x\n') }],
  [
    'an alias leads to a name that no file has',
    { 'a.md': agent(), 'x.md': agent('name: b\n'), 'cadre.yaml': 'aliases: { s: b }\n' },
  ],
  ['an agent may change files', { 'a.md': agent('next: b\n'), 'b.md': agent('tools: ["files:write"]\n') }],
  ['an agent may run commands', { 'a.md': agent('tools: [shell]\n') }],
  ['a loop is judged by a command', { 'a.md': agent('repeat: { until: { command: "true" }, max: 2 }\n') }],
  [
    'the defaults name an agent for everybody, and it changes files',
    { 'a.md': agent(), 'cadre.yaml': 'defaults: { tools: ["files:write"] }\n' },
  ],
  ['nobody is asked who is there', { 'b.md': agent() }],
])('a run reads the whole folder where %s', async (_, files) => {
  expect((await namesIn('a', files)).length).toBeGreaterThanOrEqual(Object.keys(OTHERS).length);
});

test('a reading of a part says of its agents what a reading of the whole says', async () => {
  const files = { 'a.md': agent('next: b\nmaxTurns: 3\n'), 'b.md': agent('maxTruns: 2\n'), ...BROKEN };
  const part = await readFor('a', files);
  const whole = await readCadre(folder);
  const own = whole.diagnostics.filter(({ file }) => file === 'a.md' || file === 'b.md');
  expect(own.length).toBeGreaterThan(0);
  expect(part.diagnostics).toEqual(own);
  expect(part.filesOf('a')).toEqual(whole.filesOf('a'));
});

test('two files of one name are both read, so the doubt is told', async () => {
  const { diagnostics } = await readFor('a', { 'a.md': agent('next: b\n'), 'b.md': agent(), 'deep/b.md': agent() });
  expect(diagnostics.map(({ code }) => code)).toEqual(['name/duplicate']);
});

test('an agent of a part reaches what it reaches in the whole', async () => {
  const files = { 'a.md': agent('agents: [b, ./deep/]\n'), 'b.md': agent(), 'deep/c.md': agent('next: b\n') };
  const part = (await readFor('a', files)).cadre;
  const whole = (await readCadre(folder)).cadre;
  if (part === undefined || whole === undefined) throw new Error('it has no error');
  expect([...reachableFrom(part, 'a')]).toEqual([...reachableFrom(whole, 'a')]);
  for (const name of part.agents.keys()) expect(part.agents.get(name)).toEqual(whole.agents.get(name));
});
