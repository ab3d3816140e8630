// The folder that the tools work in: what cadre.yaml says, what --workspace says, and what a run goes on with in another
// process.

import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith, until } from '../support/cli.ts';

const folders: Folder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

const CONFIG = 'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/m] }\n';
const READER = '---\ndescription: Reads.\ntools: [files]\n---\nYou read.\n';
const READS = JSON.stringify({
  agents: { reader: [{ call: { read_file: { path: 'here.txt' } } }, { answer: '{{last}}' }] },
});

/** A project whose agents lie in `team`, with a file of the same name inside and outside of it. */
function project(config = ''): Folder {
  const folder = folderWith({
    'here.txt': 'the project\n',
    'team/here.txt': 'the team\n',
    'other/here.txt': 'another place\n',
    'team/cadre.yaml': CONFIG + config,
    'team/reader.md': READER,
    'team/s.yaml': READS,
  });
  folders.push(folder);
  return folder;
}

const read = async (folder: Folder, ...more: string[]) => folder.cadre(['run', 'team/reader.md', 'read it', ...more]);

test('tools work in the folder of cadre.yaml, in the one that it names, or in the one that the user names', async () => {
  expect((await read(project())).stdout).toContain('the team');
  expect((await read(project('workspace: ..\n'))).stdout).toContain('the project');
  expect((await read(project('workspace: ..\n'), '--workspace', 'other')).stdout).toContain('another place');
});

test('a workspace that is not there is refused before anything is spent', async () => {
  const asked = await read(project(), '--workspace', 'gone');
  expect([asked.exit, asked.stderr]).toEqual([2, expect.stringContaining('--workspace gone is not a folder')]);
  const configured = await project('workspace: ../gone\n').cadre(['check', 'team']);
  expect(configured.stdout).toContain('workspace/missing');
  expect(configured.exit).toBe(1);
});

const storeOf = (folder: Folder): string => join(folder.path, '.cadre/runs');
const journalOf = (folder: Folder): string => join(storeOf(folder), readdirSync(storeOf(folder))[0]!, 'events.jsonl');

/** Leaves of a run only its first event, as a crash does. */
function breakOff(folder: Folder, change: (start: Record<string, unknown>) => void = () => {}): void {
  const file = journalOf(folder);
  const start = JSON.parse(readFileSync(file, 'utf8').split('\n')[0]!) as Record<string, unknown>;
  change(start);
  writeFileSync(file, `${JSON.stringify(start)}\n`);
}

test('a run goes on in the workspace that it was started with', async () => {
  const folder = project();
  await read(folder, '--workspace', 'other');
  expect(folder.journal()[0]).toMatchObject({ workspace: join(realpathSync(folder.path), 'other') });
  breakOff(folder);
  const resumed = await folder.cadre(['resume']);
  expect(resumed.stdout).toContain('another place');
});

test('a fork may go on in another workspace', async () => {
  const folder = project();
  await read(folder, '--workspace', 'other');
  const forked = await folder.cadre(['fork', 'last', '--at', '0.1', '--workspace', '.']);
  expect(forked.stdout).toContain('the project');
});

test('a run in the background works in the workspace that it was spawned with', async () => {
  const folder = project();
  const spawned = await folder.cadre(['runs', 'spawn', 'team/reader.md', 'read it', '--workspace', 'other']);
  const run = spawned.stdout.trim();
  await until(() => existsSync(journalOf(folder)) && readFileSync(journalOf(folder), 'utf8').includes('"run-end"'));
  expect((await folder.cadre(['show', run, '--transcript'])).stdout).toContain('another place');
});

test('a store cannot choose a workspace outside of where the user works', async () => {
  const folder = project();
  await read(folder, '--workspace', 'other');
  const outside = folderWith({ 'here.txt': 'a secret of another project\n' });
  folders.push(outside);
  breakOff(folder, (start) => (start['workspace'] = outside.path));
  const refused = await folder.cadre(['resume']);
  expect(refused.exit).not.toBe(0);
  expect(refused.stderr).toContain(`workspace: its tools work in ${outside.path}`);
  expect((await folder.cadre(['resume', '--workspace', 'other'])).stdout).toContain('another place');
});

test('agents of .cadre/agents work on the project around them', async () => {
  const folder = folderWith({ 'here.txt': 'the project\n' });
  folders.push(folder);
  mkdirSync(join(folder.path, '.cadre/agents'), { recursive: true });
  folder.write('.cadre/agents/reader.md', READER.replace('---\n', '---\nmodels: demo/m\n'));
  folder.write('cadre.yaml', CONFIG);
  folder.write('s.yaml', READS);
  const ran = await folder.cadre(['run', 'reader', 'read it']);
  expect(ran.stdout).toContain('the project');
  // The folders that the store makes beside the agents are closed to others, and are never read as agents.
  for (const part of ['runs', 'blobs']) expect(statSync(join(folder.path, '.cadre', part)).mode & 0o777).toBe(0o700);
  folder.write('.cadre/runs/intruder.md', READER);
  expect((await folder.cadre(['check', '--json'])).stdout).toBe('[]\n');
  expect((await folder.cadre(['run', 'intruder', 'x'])).stderr).toContain('There is no agent "intruder"');
});
