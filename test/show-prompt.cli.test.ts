// cadre show --prompt: what the prompt of an agent is made of, now and in a run.

import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith } from './support/cli.ts';

let folder: Folder | undefined;
afterEach(() => folder?.remove());

const FILES = {
  'cadre.yaml': `providers: { demo: { kind: scripted, script: s.yaml } }
defaults: { models: [demo/any] }
mcpServers: { shop: { command: "false" } }
`,
  's.yaml': `agents:
  ann: [{ call: { team_broadcast: { message: ready, terminal: true } }, repeat: true }]
any: [{ answer: Done., repeat: true }]
`,
  'AGENTS.md': 'Use tabs.\n',
  'skills/pdf/SKILL.md': '---\nname: pdf\ndescription: For forms.\n---\nFill them.\n',
  'writer.md':
    '---\ndescription: Writes.\ntools: [files]\nprojectFiles: [AGENTS.md]\nskills: {use: true, preload: [pdf]}\n---\nYou write.\n',
  'remote.md': '---\ndescription: Calls.\ntools: [mcp:shop, files/read_file]\n---\nYou call.\n',
  'lead.md': '---\ndescription: Leads.\nteam: { members: [ann], supervisor: self }\n---\nYou lead.\n',
  'ann.md': '---\ndescription: Helps.\nskills: [pdf]\n---\nYou are Ann.\n',
};

interface Shown {
  readonly parts: readonly { readonly source: string; readonly tokens: number; readonly text: string }[];
  readonly tools: readonly { readonly name: string }[];
  readonly tokens: number;
  readonly teams?: readonly { readonly team: string; readonly text: string }[];
  readonly unseen?: readonly string[];
}

const shown = async <Value>(...args: readonly string[]): Promise<Value> => {
  const ran = await folder!.cadre(['show', ...args, '--json']);
  expect(ran.exit, ran.stderr).toBe(0);
  return JSON.parse(ran.stdout) as Value;
};

test('the parts now are those that a run then has, and a run keeps them when files change', async () => {
  folder = folderWith(FILES);
  const now = await shown<Shown>('--prompt', 'writer');
  expect(now.parts.map(({ source }) => source)).toEqual([
    'own text',
    'project file AGENTS.md',
    'skills',
    'skill pdf',
    'tools',
  ]);
  expect(now.parts[0]?.text).toBe('You write.');
  expect(now.parts[3]?.text).toContain('\nFill them.\n');
  expect(now.tools.map(({ name }) => name)).toEqual([
    'list_files',
    'read_file',
    'search_files',
    'read_result',
    'use_skill',
    'final_report',
  ]);
  expect(now.tokens).toBe(now.parts.reduce((sum, { tokens }) => sum + tokens, 0));
  expect((await folder.cadre(['run', 'writer', 'Hello'])).exit).toBe(0);
  folder.write('AGENTS.md', 'Use spaces.\n');
  folder.write('writer.md', FILES['writer.md'].replace('You write.', 'You write well.'));
  const { prompts } = await shown<{ readonly prompts: readonly Shown[] }>('last', '--prompt', 'writer');
  expect(prompts).toEqual([expect.objectContaining({ session: '0', parts: now.parts, tools: now.tools })]);
  const later = await shown<Shown>('--prompt', 'writer');
  expect(later.parts.map(({ text }) => text).join()).toMatch(/You write well\.[^]*Use spaces\./);
});

test('a table says the tokens of each part; a member has the charter of its team', async () => {
  folder = folderWith(FILES);
  const table = await folder.cadre(['show', '--prompt', 'writer']);
  expect(table.stdout).toMatch(
    /^writer, as it would be now\n\nSOURCE +TOKENS +BEGINS WITH\nown text +\d+ +You write\.\n/,
  );
  expect(table.stdout).toMatch(/\ntools +\d+ +list_files \d+, read_file \d+, /);
  expect(table.stdout).toMatch(/\n\d+ tokens in all, estimated\.\n$/);
  const ann = await shown<Shown>('--prompt', 'ann');
  expect(ann.teams).toEqual([
    expect.objectContaining({ team: 'lead', text: expect.stringMatching(/^## CHARTER\n\nYou lead\./) }),
  ]);
  await folder.cadre(['run', 'lead', 'Hello']);
  const { prompts } = await shown<{ readonly prompts: readonly Shown[] }>('last', '--prompt', 'ann');
  expect(prompts[0]?.parts.map(({ source }) => source)).toEqual(['charter', 'own text', 'skills', 'tools']);
  expect(prompts[0]?.parts[0]?.text).toBe(ann.teams?.[0]?.text);
});

test('servers are not started, and what is not there is said', async () => {
  folder = folderWith(FILES);
  const remote = await shown<Shown>('--prompt', 'remote');
  expect(remote.unseen).toEqual(['mcp:shop']);
  expect(remote.tools.map(({ name }) => name)).toContain('read_file');
  const text = await folder.cadre(['show', '--prompt', 'remote']);
  expect(text.stderr).toContain('not looked at: mcp:shop');
  expect(await folder.cadre(['show', '--prompt', 'nobody'])).toMatchObject({ exit: 1, stdout: '' });
  await folder.cadre(['run', 'writer', 'Hello']);
  const none = await folder.cadre(['show', 'last', '--prompt', 'remote']);
  expect(none).toMatchObject({ exit: 2, stdout: '' });
  expect(none.stderr).toContain('remote asked no model in this run. Those that did: writer.');
});
