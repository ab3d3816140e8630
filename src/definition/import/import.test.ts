import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { FaultError } from '../../kernel/fault.ts';
import { readCadre } from '../load.ts';
import { readAgentFile } from '../read/agent-file.ts';
import { agentNameOf } from './agent-name.ts';
import { withModels } from './config-models.ts';
import { readForeign } from './foreign-file.ts';
import { importAgents } from './import.ts';
import type { PlannedAgent } from './plan.ts';

const FLEET = fileURLToPath(new URL('../../../test/fixtures/claude', import.meta.url));

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-import-'));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  }
  return folder;
}

const take = (from: string, cadre = folderOf({}), dryRun = false) =>
  importAgents({ from, cadre, to: 'agents', dryRun });
const plannedIn = async (files: Readonly<Record<string, string>>): Promise<readonly PlannedAgent[]> =>
  (await take(folderOf(files), folderOf({}), true)).plan.agents;
const foreign = (frontmatter: string): string => `---\nname: x\ndescription: d\n${frontmatter}\n---\n\nYou work.\n`;
const one = async (frontmatter: string): Promise<PlannedAgent> =>
  (await plannedIn({ 'agents/x.md': foreign(frontmatter) }))[0]!;

/** `name state: models: tools: notes`. */
function rowOf({ name, state, models, tools, agents, spawns, notes }: PlannedAgent): string {
  const called = state === 'new' ? name : `${name} ${state}`;
  const has = [...tools, ...agents.map((agent) => `agent ${agent}`), ...(spawns ? ['spawn'] : [])];
  return [called, models.join(' '), has.join(' '), notes.map(({ kind, what }) => `${kind} ${what}`).join(', ')].join(
    ': ',
  );
}

test('every shape of the fleet is taken over, and nothing is lost without a word', async () => {
  const { plan } = await take(FLEET);
  expect(plan.agents.map(rowOf)).toEqual([
    "ship-s-cook: sonnet: files person: changed Ship's Cook, lost Bash(ls:*), lost model: sonnet[1m], lost permissionMode",
    'quiet: : files web: ',
    'keel-4-8-expert: sonnet: files files:write shell: changed keel-4.8-expert',
    'purser: gale: files agent bosun: changed frontmatter, lost WebSearch, lost sextant-gateway, lost ship-catalog:search, todo model: gale',
    'bosun: sonnet: files files:write shell web: lost WebSearch, lost color',
    'navigator: anthropic/claude-opus-4-5: files files:write shell web: ',
    'bosun same: sonnet: files files:write shell web: lost WebSearch, lost color',
    'captain: : files shell spawn: lost TeamCreate, lost TeamDelete, lost TaskCreate, lost TaskList, lost SendMessage, lost color',
    'lookout: : : ',
    'plugin-navigator: opus: files files:write shell web: changed navigator',
    'signaller: haiku: files files:write mcp:flags/raise mcp:flags/lower: todo mcp:flags',
  ]);
  expect(plan.others.map(({ from, kind }) => `${kind} ${from}`)).toEqual([
    'markdown README.md',
    'markdown categories/sea/README.md',
    'command plugin/commands/log-entry.md',
    'command plugin/commands/weigh-anchor.md',
    'skill plugin/skills/knots/SKILL.md',
    'skill plugin/skills/knots/references/bowline.md',
    'markdown tools/harbour-list/search.md',
  ]);
  expect(plan.unreadable.map(({ from }) => from)).toEqual(['.claude/agents/unclosed.md']);
});

test.each([
  ['', 'Use {{name}}, {{ include "a.md" }} and \\{{include b.md}}.'],
  ['variables: {name: Ada}\n', 'Use {{name}} and {{include a.md}}.'],
])('nothing in a prompt is filled in or included, with cadre.yaml %j', async (config, body) => {
  const cadre = folderOf({ 'cadre.yaml': `${config}defaults: {models: [openai/x]}\n`, 'agents/a.md': 'a part' });
  const source = folderOf({ 'x.md': `---\nname: x\ndescription: d\nmodel: inherit\ntools: Read\n---\n\n${body}\n` });
  await take(source, cadre);
  expect((await readCadre(cadre)).cadre?.agents.get('x')?.system).toBe(body);
});

test('a second import writes nothing, and says what is there', async () => {
  const cadre = folderOf({});
  await take(FLEET, cadre);
  const before = readFileSync(join(cadre, 'agents/bosun.md'), 'utf8');
  writeFileSync(join(cadre, 'agents/bosun.md'), `${before}\nMy own line.\n`);
  const { plan, change } = await take(FLEET, cadre);
  expect(plan.agents.map(({ state }) => state).filter((state) => state === 'new')).toEqual([]);
  expect(change).toEqual({ kind: 'none' });
  expect(readFileSync(join(cadre, 'agents/bosun.md'), 'utf8')).toContain('My own line.');
});

test('an agent of another file with the same name is not doubled', async () => {
  const cadre = folderOf({ 'desk/x.md': '---\ndescription: d\nmodels: openai/x\n---\nMine.\n' });
  const { plan } = await take(folderOf({ 'x.md': foreign('model: opus') }), cadre);
  expect(plan.agents[0]).toMatchObject({ state: 'taken', as: 'desk/x.md' });
});

test.each([
  ['tools: Read, Grep', ['files'], []],
  ['tools: Write', ['files:write'], []],
  ['tools: "*"', ['files', 'files:write', 'shell', 'web'], []],
  ['model: opus', ['files', 'files:write', 'shell', 'web'], []],
  ['tools: mcp__docs', ['mcp:docs'], ['todo mcp:docs']],
  ['tools: mcp__docs__*', ['mcp:docs'], ['todo mcp:docs']],
  [
    'tools: mcp__my-docs__find_all, mcp__my-docs__get',
    ['mcp:my-docs/find_all', 'mcp:my-docs/get'],
    ['todo mcp:my-docs'],
  ],
  ['tools: Bash(git diff:*), Read', ['files'], ['lost Bash(git diff:*)']],
  ['tools: Bash(git diff:*), Bash, Read(**)', ['shell', 'files'], []],
  ['tools: Nothing, __proto__, constructor', [], ['lost Nothing', 'lost __proto__', 'lost constructor', 'todo tools']],
  ['tools: []', [], []],
  ['disallowedTools: Bash, WebFetch', ['files', 'files:write'], []],
])('%s becomes %j', async (frontmatter, tools, notes) => {
  const planned = await one(frontmatter);
  expect(planned.tools).toEqual(tools);
  expect(planned.notes.map(({ kind, what }) => `${kind} ${what}`)).toEqual(notes);
});

test.each([
  ['permissionMode: plan', 'files web', 'files:write, shell', 'lost permissionMode: plan (restriction)'],
  [
    'permissionMode: plan\ntools: Read, Bash, mcp__db__query, Task',
    'files',
    'files:write, shell',
    'lost permissionMode: plan (restriction)',
  ],
  [
    'permissionMode: plan\ntools: Bash',
    '',
    'files:write, shell',
    'lost permissionMode: plan (restriction), todo tools',
  ],
  [
    'permissionMode: onlyOnSundays',
    'files',
    'files:write, shell, web',
    'lost permissionMode: onlyOnSundays (restriction)',
  ],
  ['permissionMode: acceptEdits', 'files files:write shell web', '', 'lost permissionMode'],
  [
    'permission: {edit: deny, bash: {"git push *": deny, "*": ask}}',
    'files shell web',
    'files:write, shell(git push *)',
    '',
  ],
  ['permission: {edit: deny, bash: ask, webfetch: allow}', 'files shell web', 'files:write', ''],
  [
    'permission: {bash: {"*": maybe}, read: allow}',
    'files files:write web',
    'shell',
    'lost permission: bash (restriction)',
  ],
  [
    'permission: {external_directory: deny, todowrite: deny}',
    'files files:write web',
    'shell',
    'lost permission: external_directory (restriction)',
  ],
  ['permission: {"*": deny, read: allow}', 'files', 'files:write, shell, web, person', ''],
  ['permission: {"web*": deny}', 'files files:write shell', 'web', ''],
  ['permission: {frobnicate: deny}', 'files', 'files:write, shell, web', 'lost permission: frobnicate (restriction)'],
  ['permission: deny', '', 'files, files:write, shell, web, person', ''],
  ['permission: ask', 'files files:write shell web', '', ''],
  ['permission: {edit: deny, task: deny}\ntools: [Read, Edit, Task]', 'files', 'files:write', ''],
  [
    'permissions: {deny: ["Bash(rm *)", WebFetch], allow: [Edit]}',
    'files files:write shell',
    'web, shell(rm *)',
    'lost permissions: allow',
  ],
  [
    'permissions: {defaultMode: plan}',
    'files web',
    'files:write, shell',
    'lost permissions: defaultMode: plan (restriction)',
  ],
  ['tools: {write: false, bash: false}', 'files web', 'files:write, shell', ''],
  ['tools: {write: false, "mcp_*": false, bash: true}', 'files shell web', 'files:write', ''],
  ['tools: {"*": false}', '', 'files, files:write, shell, web, person', ''],
  ['disallowedTools: Bash(rm *)', 'files files:write shell web', 'shell(rm *)', ''],
  ['disallowedTools: mcp__db__drop\ntools: mcp__db, Read', 'mcp:db files', 'mcp:db/drop', 'todo mcp:db'],
  ['disallowedTools: mcp__db\ntools: mcp__db__find, Read', 'files', '', ''],
  ['disallowedTools: "mcp__*"\ntools: mcp__db__find, Read', 'files', '', ''],
  ['disallowedTools: Task\ntools: Task, Read', 'files', '', ''],
  ['disallowedTools: Shell', 'files files:write web', 'shell', ''],
  ['disallowedTools: Shell\ntools: Read, Bash', 'files', 'shell', ''],
  [
    'hooks: {PreToolUse: [{matcher: "Bash|Edit", hooks: []}]}',
    'files web',
    'files:write, shell',
    'lost hooks, lost hooks: PreToolUse Bash|Edit (restriction)',
  ],
  [
    'hooks: {PreToolUse: [{hooks: []}]}',
    'files',
    'files:write, shell, web',
    'lost hooks, lost hooks: PreToolUse (restriction)',
  ],
  ['hooks: {Stop: [{hooks: []}]}', 'files files:write shell web', '', 'lost hooks'],
  ['readonly: true', 'files', 'files:write, shell, web', 'lost readonly (restriction)'],
  ['readonly: false', 'files files:write shell web', '', 'lost readonly'],
  ['excluded_tools: [Bash]', 'files', 'files:write, shell, web', 'lost excluded_tools (restriction)'],
  [
    'spawn: true\npermissionMode: plan',
    'files web',
    'files:write, shell',
    'lost spawn (reference), lost permissionMode: plan (restriction)',
  ],
  [
    `tools: Read\ndisallowedTools: "${'*a'.repeat(2000)}"`,
    'files',
    'files:write, shell, web',
    expect.stringContaining('lost disallowedTools: *a*a'),
  ],
])(
  'a restriction is denied, and what cannot be denied in part is left out: %s',
  async (frontmatter, tools, deny, notes) => {
    const planned = await one(frontmatter);
    expect(planned).toMatchObject({ agents: [], spawns: false });
    expect(planned.tools.join(' ')).toBe(tools);
    expect(planned.deny.join(', ')).toBe(deny);
    const told = planned.notes.map(
      ({ kind, what, about }) => `${kind} ${what}${about === undefined ? '' : ` (${about})`}`,
    );
    expect(told.join(', ')).toEqual(notes);
  },
);

test('an agent with any restriction has no right that it would not have without it', async () => {
  const keys = fc.constantFrom(
    'permission',
    'permissions',
    'permissionMode',
    'disallowedTools',
    'hooks',
    'sandbox',
    'denied',
  );
  const names = fc.constantFrom(
    'edit',
    'bash',
    '*',
    'plan',
    'Bash(x)',
    'mcp__db',
    'deny',
    'ask',
    'PreToolUse',
    'unheard',
  );
  const value = fc.oneof(names, fc.array(names, { maxLength: 3 }), fc.dictionary(names, names, { maxKeys: 3 }));
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(keys, value),
      fc.constantFrom('', 'tools: Read, Bash, mcp__db__x, Task'),
      async (extra, tools) => {
        const free = await one(tools);
        const held = await one(
          `${tools}\n${Object.entries(extra)
            .map(([key, what]) => `${key}: ${JSON.stringify(what)}`)
            .join('\n')}`,
        );
        for (const tool of held.tools) expect(free.tools).toContain(tool);
        expect(held.spawns && !free.spawns).toBe(false);
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  ['Task', { agents: [], spawns: true }],
  ['Agent(y)', { agents: ['y'], spawns: false }],
  ['y', { agents: ['y'], spawns: false }],
  ['x', { agents: [], spawns: false }],
])('the tool %s is about agents', async (tool, expected) => {
  const files = { 'agents/x.md': foreign(`tools: ${tool}`), 'agents/y.md': foreign('').replace('name: x', 'name: y') };
  expect((await plannedIn(files))[0]).toMatchObject(expected);
});

test.each([
  ['sonnet', ['sonnet']],
  ['inherit', []],
  ['claude-opus-4-5', ['anthropic/claude-opus-4-5']],
  ['gpt-5', ['openai/gpt-5']],
  ['gemini-2.5-pro', ['google/gemini-2.5-pro']],
  ['local/small', ['local/small']],
  ['sonnet[1m]', ['sonnet']],
  ['???', []],
])('model: %s becomes %j', async (model, models) => {
  expect((await one(`model: "${model}"`)).models).toEqual(models);
});

test.each([
  ['dotnet-4.8', 'dotnet-4-8'],
  ['Review 2.0', 'review-2-0'],
  ['3d-artist', 'agent-3d-artist'],
  ['../../etc/passwd', 'etc-passwd'],
  ['self', 'self-agent'],
  ['agent__x', 'x'],
  ['…', 'agent-unnamed'],
  ['a'.repeat(200), 'a'.repeat(64)],
])('the name %s becomes %s', (written, name) => {
  expect(agentNameOf(written)).toBe(name);
});

test('any name becomes one that an agent may have', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 100 }), (written) => /^[a-z][a-z0-9_-]{0,63}$/.test(agentNameOf(written))),
  );
});

test('a written file is read as the same agent, whatever its texts hold', async () => {
  const texts = fc
    .string({ unit: 'binary', maxLength: 60 })
    .filter((text) => text.trim() !== '' && !text.includes('\r'));
  await fc.assert(
    fc.asyncProperty(texts, texts, async (description, body) => {
      const source = folderOf({
        'agents/x.md': `---\n${JSON.stringify({ name: 'x', description })}\n---\n\n${body}\n`,
      });
      const [planned] = (await take(source, folderOf({}), true)).plan.agents;
      if (planned === undefined) return; // not an agent in its own words
      const read = readAgentFile({ source: { file: 'x.md', text: planned.text }, folder: '/', report: () => {} });
      expect(read.fields.description).toBe(description.trim());
      expect(read.body).toBe(body.trim());
    }),
    { numRuns: 40 },
  );
});

test('frontmatter that is not YAML is read line by line', () => {
  const text = [
    '---',
    'name: purser',
    "description: Triggers on: 'a', 'b': c # not a comment",
    '  and goes on',
    'tools: [Read, Grep]',
    'quoted: "a: b" and more: c',
    '---',
    'Body.',
  ].join('\n');
  const file = readForeign({ file: 'a.md', text });
  expect(file?.isYaml).toBe(false);
  const value = (key: string) => (file?.tree.entries.get(key)?.value as { value?: unknown } | undefined)?.value;
  expect(value('description')).toBe("Triggers on: 'a', 'b': c # not a comment\nand goes on");
  expect(file?.tree.entries.get('tools')?.value).toMatchObject({ items: [{ value: 'Read' }, { value: 'Grep' }] });
});

const WANTED = {
  aliases: new Map([
    ['opus', 'anthropic/o'],
    ['haiku', 'anthropic/h'],
  ]),
  fallback: 'opus',
};

test.each([
  ['', { models: { opus: { use: 'anthropic/o' }, haiku: { use: 'anthropic/h' } }, defaults: { models: ['opus'] } }],
  ['# only words\n', { defaults: { models: ['opus'] } }],
  [
    'models: {opus: {use: a/b}} # mine\nlimits: {maxTurns: 5}',
    { models: { opus: { use: 'a/b' }, haiku: { use: 'anthropic/h' } } },
  ],
  [
    'models:\n  # the large one\n  opus: {use: a/b}\n\ndefaults: {maxTurns: 3}\n',
    { defaults: { maxTurns: 3, models: ['opus'] } },
  ],
  ['defaults: {models: [a/b]}\n', { defaults: { models: ['a/b'] } }],
])('models are added to %j, and what is there stays with its comments', (text, expected) => {
  const change = withModels(text === '' ? undefined : text, WANTED);
  expect(change.kind).toBe('text');
  const written = (change as { text: string }).text;
  expect(parse(written)).toMatchObject(expected);
  for (const comment of text.match(/#.*/g) ?? []) expect(written).toContain(comment);
});

test('a cadre.yaml that cannot be read is left alone, with the lines to add', () => {
  for (const text of ['a: [', '- a\n', 'models: fast\n', 'just words']) {
    const change = withModels(text, WANTED);
    expect(change.kind, text).toBe('refused');
    expect((change as { lines: string }).lines).toContain('opus: { use: anthropic/o }');
  }
});

test('a cadre.yaml that is a link is not written through', async () => {
  const outside = folderOf({ 'mine.yaml': 'limits: {maxTurns: 5}\n' });
  const cadre = folderOf({ 'a.md': foreign('') });
  symlinkSync(join(outside, 'mine.yaml'), join(cadre, 'cadre.yaml'));
  const { change } = await take(FLEET, cadre);
  expect(change.kind).toBe('refused');
  expect(readFileSync(join(outside, 'mine.yaml'), 'utf8')).toBe('limits: {maxTurns: 5}\n');
});

test('links are not followed, and files that are too large are refused by name', async () => {
  const outside = folderOf({ 'secret.md': foreign('') });
  const source = folderOf({ 'agents/big.md': `---\nname: big\ndescription: d\n---\n${'x'.repeat(2_000_000)}` });
  symlinkSync(join(outside, 'secret.md'), join(source, 'agents/link.md'));
  symlinkSync(outside, join(source, 'agents/folder'));
  const { plan } = await take(source);
  expect(plan.agents).toEqual([]);
  expect(plan.others).toEqual([{ from: 'agents/link.md', kind: 'link' }]);
  expect(plan.unreadable).toEqual([{ from: 'agents/big.md', why: expect.stringContaining('the limit is') }]);
});

test('a folder outside of the cadre is refused as the place to write to', async () => {
  const asked = importAgents({ from: FLEET, cadre: folderOf({}), to: '../elsewhere', dryRun: false });
  await expect(asked).rejects.toThrow(FaultError);
});

test('a file that was written before is not taken for a source', async () => {
  const cadre = folderOf({});
  cpSync(FLEET, join(cadre, 'theirs'), { recursive: true });
  await take(cadre, cadre);
  const { plan } = await take(cadre, cadre);
  expect(plan.agents.every(({ from }) => from.startsWith('theirs/'))).toBe(true);
});

test('the skills of an agent are kept, and their folders are copied to where they are found, overwriting nothing', async () => {
  const skill = (name: string, body: string) => `---\nname: ${name}\ndescription: d\n---\n${body}\n`;
  const source = folderOf({
    'agents/x.md': foreign('tools: Read, Skill\nskills: pdf, csv, own, gone'),
    'plugin/skills/pdf/SKILL.md': skill('pdf', 'theirs'),
    'plugin/skills/pdf/scripts/fill.sh': 'echo',
    'skills/csv/SKILL.md': skill('csv', 'theirs'),
    'skills/own/SKILL.md': skill('own', 'theirs'),
  });
  symlinkSync('/etc/hostname', join(source, 'plugin/skills/pdf/host'));
  const cadre = folderOf({ '.agents/skills/own/SKILL.md': skill('own', 'mine'), 'skills/csv/notes.txt': 'mine' });
  const dry = await take(source, cadre, true);
  expect(existsSync(join(cadre, 'skills/pdf'))).toBe(false);
  const { plan, skills } = await take(source, cadre);
  expect(skills).toEqual(dry.skills);
  expect(skills.map(({ name, state, leftOut }) => `${name} ${state} ${leftOut}`)).toEqual([
    'pdf copied 1',
    'csv there 0',
    'own there 0',
    'gone missing 0',
  ]);
  expect(plan.agents[0]?.notes).toEqual([]);
  expect(readFileSync(join(cadre, 'skills/pdf/SKILL.md'), 'utf8')).toContain('theirs');
  expect(readFileSync(join(cadre, 'skills/pdf/scripts/fill.sh'), 'utf8')).toBe('echo');
  expect(existsSync(join(cadre, 'skills/pdf/host'))).toBe(false);
  expect(existsSync(join(cadre, 'skills/csv/SKILL.md'))).toBe(false);
  expect(readFileSync(join(cadre, 'agents/x.md'), 'utf8')).toMatch(/^skills: \[pdf, csv, own, gone\]$/m);
});
