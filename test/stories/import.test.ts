// cadre import through the built command line, on a fleet of files in every shape that public collections have.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith } from '../support/cli.ts';

const FLEET = fileURLToPath(new URL('../fixtures/claude', import.meta.url));
const folders: Folder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});
const folder = (files: Readonly<Record<string, string>> = {}): Folder => {
  const made = folderWith(files);
  folders.push(made);
  return made;
};

test('agents are written, cadre.yaml gets their models, and what they lose is said', async () => {
  const here = folder({ 'cadre.yaml': '# ours\nlimits: { maxTurns: 50 }\n' });
  const { exit, stdout, stderr } = await here.cadre(['import', FLEET]);
  expect(exit).toBe(1); // one file could not be read
  expect(stderr).toContain('not read: .claude/agents/unclosed.md');
  expect(stdout).toMatch(/^AGENT +FROM +MODEL +TOOLS +WHAT CHANGES\n/);
  expect(stdout).toMatch(/keel-4-8-expert +claude +sonnet .*keel-4\.8-expert: it is called keel-4-8-expert here/);
  expect(stderr).toContain('11 agents found: 10 written to agents, 0 there already, 1 the same as another.');
  expect(stderr).toContain('Not agents: 2 commands, 2 files of skills, 3 other Markdown files');
  expect(stderr).toContain('WebSearch (2): there is no search of the web');
  expect(here.read('cadre.yaml')).toMatch(/^# ours\nlimits: \{ maxTurns: 50 \}\n[^]*sonnet: \{ use: anthropic\/claude/);
  expect(here.read('agents/bosun.md')).toBe(
    '---\nname: bosun\ndescription: Keeps the deck in order.\nmodels: [sonnet]\n' +
      'tools: [files, files:write, shell, web]\n---\n\nYou are the bosun. Report what is broken and mend it.\n',
  );
});

test('--dry-run writes nothing, and --json says everything', async () => {
  const here = folder();
  const { stdout } = await here.cadre(['import', FLEET, '--dry-run', '--json']);
  const told = JSON.parse(stdout) as { agents: { name: string; loses: unknown[] }[]; others: unknown[] };
  expect(told.agents.map(({ name }) => name)).toContain('purser');
  expect(told.others).toHaveLength(7);
  expect(here.has('agents')).toBe(false);
  expect(here.has('cadre.yaml')).toBe(false);
});

test('a second import says what is there, and leaves changed files alone', async () => {
  const here = folder();
  await here.cadre(['import', FLEET]);
  here.write('agents/quiet.md', 'mine\n');
  const { stdout, stderr } = await here.cadre(['import', FLEET]);
  expect(stdout).toMatch(/quiet .*not written: agents\/quiet\.md is there already/);
  expect(stderr).toContain('0 written to agents, 10 there already');
  expect(here.read('agents/quiet.md')).toBe('mine\n');
});

test('an imported agent runs', async () => {
  const here = folder({
    'cadre.yaml':
      'providers: { demo: { kind: scripted, script: ./s.yaml } }\nmodels: { sonnet: { use: demo/m } }\n' +
      'defaults: { models: [sonnet] }\n',
    's.yaml': JSON.stringify({ agents: { lookout: [{ answer: 'Land ahead.' }] } }),
  });
  await here.cadre(['import', FLEET]);
  expect(await here.cadre(['run', 'lookout', 'What do you see?'])).toMatchObject({ exit: 0, stdout: 'Land ahead.\n' });
});

test('a folder without agents, a file, and a model without a provider are refused', async () => {
  const here = folder({ 'theirs/README.md': '# Nothing\n' });
  expect(await here.cadre(['import', 'theirs'])).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('theirs holds no agent'),
  });
  expect((await here.cadre(['import', 'theirs/README.md'])).exit).toBe(1);
  expect((await here.cadre(['import', 'nowhere'])).exit).toBe(2);
  expect(await here.cadre(['import', 'theirs', '--from', 'cursor'])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--from takes claude, copilot, opencode'),
  });
  expect((await here.cadre(['import', 'theirs', '--model', 'fast'])).exit).toBe(2);
  expect((await here.cadre(['import', 'theirs', '--to', '../out'])).exit).toBe(2);
});

test('an agent that keeps none of its tools is said, and the exit code is 1 unless that is allowed', async () => {
  const agent = (name: string, keys: string): string => `---\nname: ${name}\ndescription: d\n${keys}\n---\nWork.\n`;
  const here = folder({
    'theirs/agents/seeker.md': agent('seeker', 'tools: WebSearch'),
    'theirs/agents/planner.md': agent('planner', 'permissionMode: plan'),
    'theirs/agents/talker.md': agent('talker', 'tools: []'),
  });
  const dry = await here.cadre(['import', 'theirs', '--dry-run']);
  expect(dry.exit).toBe(1);
  expect(dry.stderr).toContain('name the tools of seeker: nothing that they named is left here.');
  expect(dry.stderr).toContain('2 agents lose a tool, a restriction, a reference or a schema, so the exit code is 1');
  expect(dry.stdout).toMatch(
    /planner +claude +default +files, web +denies files:write, shell; loses permissionMode: plan/,
  );
  expect((await here.cadre(['import', 'theirs', '--allow-loss'])).exit).toBe(0);
  expect(here.read('agents/planner.md')).toContain('tools: [files, web]');
});

test('text of another tool cannot steer the terminal', async () => {
  const here = folder({
    'theirs/agents/x.md':
      '---\nname: "x\\e[2J"\ndescription: d\n"\\e]0;owned\\a": 1\ntools: "\\e[31mRead"\n---\nWork.\n',
  });
  const { stdout, stderr } = await here.cadre(['import', 'theirs']);
  expect(stdout + stderr).not.toContain('\u001b');
  expect(here.has('agents/x-2j.md')).toBe(true);
});

test('a project is imported from its own .claude/agents', async () => {
  const here = folder();
  cpSync(join(FLEET, '.claude'), join(here.path, '.claude'), { recursive: true });
  const { stderr } = await here.cadre(['import', '.claude/agents']);
  expect(stderr).toContain('2 agents found: 2 written to agents');
});

const DIALECTS = fileURLToPath(new URL('../fixtures/import', import.meta.url));

test('a team of Docker Agent is imported from its file, and a line says how to declare its server', async () => {
  const here = folder();
  const { exit, stdout, stderr } = await here.cadre(['import', join(DIALECTS, 'docker/crew.yaml')]);
  expect(exit).toBe(1); // it loses tools
  expect(stdout).toMatch(/crew +docker .*agent cook, agent gunner, router purser/);
  expect(stdout).toContain('duckduckgo: {command: "docker", args: ["mcp", "gateway", "run", "--servers=duckduckgo"]}');
  expect(stderr).toContain('router: root (1): it leads back to this agent');
  expect((await here.cadre(['import', join(DIALECTS, 'docker/crew.yaml'), '--to', 'other', '--allow-loss'])).exit).toBe(
    0,
  );
});

test('an agent that loses nothing but its colour is imported with exit code 0', async () => {
  const here = folder({
    'a/.gemini/agents/x.md': '---\nname: x\ndescription: d\ntools: [read_file]\ncolor: red\n---\nWork.\n',
  });
  expect(await here.cadre(['import', 'a'])).toMatchObject({ exit: 0, stdout: expect.stringContaining('loses color') });
});

test('an imported denial holds in a run, and a recipe asks again until its checks pass', async () => {
  const here = folder({
    'theirs/.opencode/agent/pilot.md':
      '---\ndescription: d\nmodel: demo/m\npermission: {bash: {"git push *": deny}}\n---\nWork.\n',
    'theirs/ask.recipe.yaml':
      'title: Asker\ndescription: d\nprompt: Write it.\nsettings: {goose_model: demo/m}\n' +
      'retry: {max_retries: 1, checks: [{type: shell, command: "test -f never"}]}\n',
    'cadre.yaml':
      'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/m] }\nshell: { sandbox: off }\n' +
      'ignore: ["theirs/**"]\n',
    's.yaml': JSON.stringify({
      agents: {
        pilot: [{ call: { run_command: { command: 'git push origin main' } } }, { answer: 'done' }],
        asker: [{ answer: 'one' }, { answer: 'two' }],
      },
    }),
  });
  expect((await here.cadre(['import', 'theirs'])).exit).toBe(0);
  expect((await here.cadre(['run', 'pilot', 'go', '--approve', 'shell'])).exit).toBe(0);
  expect(JSON.stringify(here.journal())).toContain('The rule \\"shell(git push *)\\" under deny forbids this call');
  const asked = await here.cadre(['run', 'asker', 'go']);
  expect(asked.stderr).toContain('the command that judges the answers (`test -f never`) was not approved');
});
