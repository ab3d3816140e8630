// cadre init and cadre new, as a stranger uses them: in empty folders, in folders that have things, on machines with and
// without keys.

import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { SCRIPTED_MODEL, STARTER_MODELS } from '../../src/engine/inspect/find-model.ts';
import { listedModel } from '../../src/models/pricing.ts';
import { type Folder, folderWith } from '../support/cli.ts';

const folders: Folder[] = [];
const folder = (files: Readonly<Record<string, string>> = {}): Folder => {
  const made = folderWith(files);
  folders.push(made);
  return made;
};
afterEach(() => {
  for (const one of folders.splice(0)) one.remove();
});

test('two commands lead from an empty folder to an answer', async () => {
  const empty = folder();
  const begun = await empty.cadre(['init', '--model', SCRIPTED_MODEL.model]);
  expect(begun).toMatchObject({ exit: 0, stderr: '' });
  expect(begun.stdout).toContain('Written: helper.md, cadre.yaml, demo.script.yaml, .gitignore\n');
  expect(begun.stdout).toContain('\nNext:\n  cadre run helper "What is in this folder?"\n');
  expect(empty.read('.gitignore')).toContain('.cadre/\n');
  expect(await empty.cadre(['check'])).toMatchObject({ exit: 0, stdout: '' });
  const ran = await empty.cadre(['run', 'helper', 'What is in this folder?']);
  expect(ran).toMatchObject({ exit: 0, stdout: expect.stringContaining('demo.script.yaml') });
  expect(ran.stdout).toContain('helper.md');
});

test.each([
  [['AGENTS.md', 'CLAUDE.md'], 'AGENTS.md'],
  [['CLAUDE.md'], 'CLAUDE.md'],
])('in a folder with %s the agent lists %s among its project files', async (names, listed) => {
  const project = folder(Object.fromEntries(names.map((name) => [name, `Of ${name}: use tabs.\n`])));
  const { stdout } = await project.cadre(['init', '--model', SCRIPTED_MODEL.model]);
  expect(stdout).toContain(`Project file: ${listed} (it stands in the prompt of helper)\n`);
  expect(project.read('helper.md')).toContain(`projectFiles: [${listed}]\n`);
  expect(await project.cadre(['check'])).toMatchObject({ exit: 0, stdout: '' });
  expect(await project.cadre(['run', 'helper', 'What is in this folder?'])).toMatchObject({ exit: 0 });
  expect((await project.cadre(['show', '--why'])).stdout).toContain(`given: project file ${listed}`);
});

test('a link out of the folder is listed by no agent, and without a project file there is no key', async () => {
  const project = folder({ 'CLAUDE.md': 'Use tabs.\n' });
  symlinkSync('/etc/hostname', join(project.path, 'AGENTS.md'));
  await project.cadre(['init', '--model', SCRIPTED_MODEL.model]);
  expect(project.read('helper.md')).toContain('projectFiles: [CLAUDE.md]');
  const empty = folder();
  await empty.cadre(['init', '--model', SCRIPTED_MODEL.model]);
  expect(empty.read('helper.md')).not.toContain('projectFiles');
});

test('a folder that is not there is made, and the next command leads into it', async () => {
  const empty = folder();
  const { stdout } = await empty.cadre(['init', 'my team', '--model', SCRIPTED_MODEL.model], {
    env: { npm_command: 'exec' },
  });
  expect(stdout).toContain("Next:\n  cd 'my team'\n  npx cadre run helper");
  expect(empty.has('my team/helper.md')).toBe(true);
});

test.each([
  ['ANTHROPIC_API_KEY', 'anthropic'],
  ['OPENAI_API_KEY', 'openai'],
  ['GEMINI_API_KEY', 'google'],
  ['GROQ_API_KEY', 'groq'],
])('with %s the model is one of %s, and its key stands in no file', async (variable, provider) => {
  const empty = folder();
  const { stdout } = await empty.cadre(['init'], { env: { [variable]: 'key-of-a-test-0001' } });
  const model = `${provider}/${STARTER_MODELS[provider]}`;
  expect(stdout).toContain(`Model: ${model} (${variable} is set)`);
  expect(empty.read('cadre.yaml')).toContain(`models: ["${model}"]`);
  expect(empty.read('cadre.yaml')).not.toContain('key-of-a-test');
  const { stdout: shown } = await empty.cadre(['models'], { env: { [variable]: 'key-of-a-test-0001' } });
  expect(shown).toMatch(new RegExp(`^helper +${model} .*key set`, 'm'));
});

test('a key in .env counts too, and the line of an empty key does not', async () => {
  const empty = folder({ '.env': 'ANTHROPIC_API_KEY=\nMISTRAL_API_KEY=key-of-a-test-0001\n' });
  expect((await empty.cadre(['init'])).stdout).toContain('Model: mistral/');
});

test.each(Object.entries(STARTER_MODELS))('the first model of %s, %s, has a price', async (provider, model) => {
  const listed = await listedModel({ model, at: { provider } });
  expect(listed?.costOf({ input: 1000, output: 1000 })).toBeGreaterThan(0);
});

test('nothing is overwritten: what was there is named and stays, and a second time changes nothing', async () => {
  const mine = { 'cadre.yaml': '# mine\n', '.gitignore': 'dist/\n', 'helper.md': 'Notes of mine.\n' };
  const used = folder(mine);
  const first = await used.cadre(['init', '--model', SCRIPTED_MODEL.model]);
  expect(first.stdout).toContain('Written: demo.script.yaml\n');
  expect(first.stdout).toContain('Left as they are, because they were there: helper.md, cadre.yaml, .gitignore\n');
  expect(first.stdout).toContain('.gitignore needs the lines: .cadre/ and .env');
  expect(first.stdout).toContain('Next:\n  cadre check\n');
  for (const [file, text] of Object.entries(mine)) expect(used.read(file)).toBe(text);
  const again = await used.cadre(['init', '--model', SCRIPTED_MODEL.model]);
  expect(again.exit).toBe(0);
  expect(again.stdout).not.toContain('Written');
});

test('a link in the folder is not written through', async () => {
  const trap = folder({ 'outside.txt': 'Keep me.\n' });
  mkdirSync(join(trap.path, 'team'));
  symlinkSync('../outside.txt', join(trap.path, 'team/helper.md'));
  symlinkSync('../nowhere.txt', join(trap.path, 'team/cadre.yaml'));
  await trap.cadre(['init', 'team', '--model', SCRIPTED_MODEL.model]);
  expect(trap.read('outside.txt')).toBe('Keep me.\n');
  expect(trap.has('nowhere.txt')).toBe(false);
});

test('a folder that cannot be made, and a model that is no model, are refused before anything is written', async () => {
  const used = folder({ file: 'x' });
  expect(await used.cadre(['init', 'file'])).toMatchObject({ exit: 2, stderr: expect.stringContaining('file') });
  expect(await used.cadre(['init', 'a', '--model', 'gpt'])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--model takes provider/model, not "gpt".'),
  });
  expect(used.has('a')).toBe(false);
  const nowhere = await used.cadre(['init', '/proc/nope/deeper']);
  expect(nowhere).toMatchObject({ exit: 2, stderr: expect.stringContaining('cannot be made') });
});

test('folders on the way are made too', async () => {
  const empty = folder();
  expect((await empty.cadre(['init', 'a/b/c', '--model', SCRIPTED_MODEL.model])).exit).toBe(0);
  expect(empty.has('a/b/c/cadre.yaml')).toBe(true);
});

test('new writes a short file, and one with every key for --full', async () => {
  const cadre = folder({ 'cadre.yaml': 'defaults: { models: [openai/gpt-5-mini] }\n' });
  await cadre.cadre(['new', 'clerk']);
  await cadre.cadre(['new', 'judge', '--full']);
  expect(cadre.read('clerk.md').split('\n').length).toBeLessThan(12);
  expect(cadre.read('judge.md')).toContain('maxToolCallsPerTurn:');
  expect(await cadre.cadre(['check'])).toMatchObject({ exit: 0, stdout: '' });
  expect(await cadre.cadre(['new', 'both', '--short', '--full'])).toMatchObject({ exit: 2 });
});
