// The file tools, in a folder that somebody changes while they look, and that holds stores and files with two names.

import { cpSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { sendMessage, wholeRun, write } from '../../src/journal/store.conformance.ts';
import { NOTHING_SECRET } from '../../src/kernel/redacted.ts';
import { fileStore } from '../../src/stores/file/file-store.ts';
import { hiddenFiles } from '../../src/tools/files/hidden.ts';
import { filesSource } from '../../src/tools/files/source.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { type Folder, folderWith } from '../support/cli.ts';

const made: string[] = [];
let folder: Folder | undefined;
afterEach(() => {
  folder?.remove();
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

const context = { signal: new AbortController().signal, callKey: 'test', progress: () => {}, redactor: NOTHING_SECRET };

/** The answer of a tool, or the message with which it refuses. */
async function ask(tools: readonly Tool[], name: string, input: unknown): Promise<string> {
  const tool = tools.find(({ spec }) => spec.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return Promise.resolve(tool.execute(input, context)).then(String, (thrown: Error) => thrown.message);
}

/** Turns a folder into a link that leads outside and back, as fast as it can, until it is told to end. */
const SWAP = `
  const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
  const { workerData: { place, outside, flag } } = require('node:worker_threads');
  while (Atomics.load(flag, 0) === 0) {
    renameSync(place, place + '.parked');
    symlinkSync(outside, place);
    Atomics.add(flag, 1, 1);
    unlinkSync(place);
    renameSync(place + '.parked', place);
  }
`;

test.runIf(process.platform === 'linux')(
  'a folder that is swapped for a link again and again never shows what lies outside',
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'cadre-swap-'));
    made.push(root);
    const [workspace, outside] = [join(root, 'workspace'), join(root, 'outside')];
    for (const [path, word] of [
      [join(workspace, 'dir'), 'harmless'],
      [outside, 'top-secret'],
    ] as const) {
      mkdirSync(join(path, 'deep'), { recursive: true });
      writeFileSync(join(path, 'note.txt'), `${word} ${word === 'harmless' ? '' : 'and longer'}`);
      writeFileSync(join(path, 'deep', 'note.txt'), word);
      writeFileSync(join(path, `${word}.txt`), word);
    }
    const flag = new Int32Array(new SharedArrayBuffer(8));
    const worker = new Worker(SWAP, { eval: true, workerData: { place: join(workspace, 'dir'), outside, flag } });
    const ended = new Promise((resolve, reject) => worker.on('exit', resolve).on('error', reject));
    const tools = await filesSource(workspace).tools();
    const seen = new Set<string>();
    try {
      for (let round = 0; round < 200; round++) {
        seen.add(await ask(tools, 'read_file', { path: 'dir/note.txt' }));
        seen.add(await ask(tools, 'read_file', { path: 'dir/deep/note.txt' }));
        seen.add(await ask(tools, 'list_files', { path: 'dir', depth: 2 }));
        seen.add(await ask(tools, 'list_files', {}));
        seen.add(await ask(tools, 'search_files', { query: 'e' }));
      }
    } finally {
      Atomics.store(flag, 0, 1);
      await ended;
    }
    expect(Atomics.load(flag, 1)).toBeGreaterThan(0);
    const shown = [...seen];
    expect(shown.some((text) => text.includes('lines 1 to 1 of 1') && text.includes('harmless'))).toBe(true);
    expect(shown.filter((text) => text.includes('top-secret') || text.includes('21 B'))).toEqual([]);
  },
  60_000,
);

const LOOKER = '---\ndescription: Looks.\ntools: [files]\n---\nYou look.\n';
const SCRIPT = `agents:
  looker:
    - { calls: [{ list_files: { depth: 9 } }, { search_files: { query: run-start } }, { search_files: { query: looker } }] }
    - { calls: [{ list_files: { path: runs } }, { list_files: { path: old/runs } }, { read_file: { path: old/runs.jsonl } }, { read_file: { path: runs.jsonl } }] }
    - { answer: done }
`;

/** All that the tools of the last run have answered. */
async function answersOf(at: Folder, args: readonly string[] = []): Promise<string> {
  const ran = await at.cadre(['run', 'looker', 'hi', '--json', ...args]);
  expect(ran.exit).toBe(0);
  const ends = ran.stdout.split('\n').filter((line) => line.includes('"op-end"'));
  const texts = ends.map((line) => (JSON.parse(line) as { result: { value?: { text?: string } } }).result.value?.text);
  return texts.filter((text) => text !== undefined).join('\n');
}

const config = (store = ''): string =>
  `providers: { demo: { kind: scripted, script: ./demo.script.yaml } }\ndefaults: { models: [demo/any] }\n${store}`;

test.each([
  ['the workspace itself', config(), ['--store', '.']],
  ['a folder in it', config(), ['--store', 'data/kept']],
  ['named in cadre.yaml', config('store: { dir: ./data }\n'), []],
  ['reached through a link', config('store: { dir: ./linked }\n'), []],
])('a store that is %s is closed to the file tools', async (_where, yaml, args) => {
  folder = folderWith({ 'cadre.yaml': yaml, 'looker.md': LOOKER, 'demo.script.yaml': SCRIPT });
  mkdirSync(join(folder.path, 'really'));
  symlinkSync('really', join(folder.path, 'linked'));
  await answersOf(folder, args);
  const answers = await answersOf(folder, args);
  expect(answers).toContain('looker.md');
  expect(answers).toContain('There is no "runs.jsonl" in the workspace.');
  expect(answers).toContain('No line matches "run-start"');
  expect(answers).not.toMatch(/events\.jsonl|blobs|control|writers|processes|letters/);
});

test('a store of another run, under any name, is closed to the file tools', async () => {
  folder = folderWith({ 'cadre.yaml': config(), 'looker.md': LOOKER, 'demo.script.yaml': SCRIPT });
  await answersOf(folder);
  cpSync(join(folder.path, '.cadre'), join(folder.path, 'old'), { recursive: true });
  folder.write('old/control/r1.json', 'run-start');
  folder.write('old/readme.txt', 'what else lies there is seen');
  folder.write('work/runs/one.txt', 'runs of something else are seen');
  const answers = await answersOf(folder);
  expect(answers).toContain('old/readme.txt');
  expect(answers).toContain('work/runs/one.txt');
  expect(answers).toContain('There is no "old/runs" in the workspace.');
  expect(answers).toContain('There is no "old/runs.jsonl" in the workspace.');
  expect(answers).toContain('No line matches "run-start"');
  expect(answers).not.toMatch(/events\.jsonl|blobs|control|writers|processes|letters/);
});

test('a second name of a closed file is closed', async () => {
  folder = folderWith({
    '.env': 'KEY=top-secret-1\n',
    '.git/config': 'token = top-secret-2\n',
    'sub/.npmrc': 'token = top-secret-3\n',
    'cadre.yaml': `${config()}# top-secret-4\n`,
    'two.txt': 'a file with two names that is open',
  });
  for (const [closed, open] of [
    ['.env', 'innocent.txt'],
    ['.git/config', 'sub/deep.txt'],
    ['sub/.npmrc', 'sub/rc.txt'],
    ['cadre.yaml', 'copy.txt'],
    ['two.txt', 'sub/two.txt'],
  ] as const) {
    linkSync(join(folder.path, closed), join(folder.path, open));
  }
  const tools = await filesSource(folder.path, [join(folder.path, 'cadre.yaml')]).tools();
  for (const path of ['innocent.txt', 'sub/deep.txt', 'sub/rc.txt', 'copy.txt']) {
    const text = await ask(tools, 'read_file', { path });
    expect(text).toMatch(/is not read: it is the same file as ".+", which may not be read/);
  }
  expect(await ask(tools, 'search_files', { query: 'top-secret' })).toMatch(/^No line matches .* Not readable: 4\.$/);
  expect(await ask(tools, 'read_file', { path: 'sub/two.txt' })).toContain('two names that is open');
});

test('names of keys and credentials are closed to every tool, and source code of such a name is not', async () => {
  const root = mkdtempSync(join(tmpdir(), 'cadre-keys-'));
  made.push(root);
  const closed = ['.envrc', 'tls/server.key', 'ca.pem', 'credentials', 'credentials.json', 'id_ed25519_work', '.netrc'];
  const open = ['credentials.ts', 'id_map.py', 'src/credentials/index.ts'];
  for (const path of [...closed, ...open, 'src/credentials/aws.json']) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), `word ${path}`);
  }
  linkSync(join(root, 'ca.pem'), join(root, 'innocent.txt'));
  const tools = await filesSource(root).tools();
  for (const path of [...closed, 'src/credentials/aws.json', 'innocent.txt'])
    expect(await ask(tools, 'read_file', { path }), path).toMatch(/is not read/);
  for (const path of open) expect(await ask(tools, 'read_file', { path })).toContain(`word ${path}`);
  const found = await ask(tools, 'search_files', { query: 'word' });
  for (const path of open) expect(found).toContain(path);
  expect(found).not.toMatch(/\.envrc|\.key|\.pem|\.json|id_ed25519|netrc|innocent/);
  const listed = await ask(tools, 'list_files', { depth: 5 });
  expect(listed).toContain('credentials.json  not readable: it may hold secrets');
});

test('every part of a store is hidden where the store is the workspace', async () => {
  const root = mkdtempSync(join(tmpdir(), 'cadre-attack-'));
  const store = fileStore(root);
  await write(store, 'r1', wholeRun('r1'));
  await store.list();
  await store.control.post('r1', sendMessage('one'));
  await store.control.pending('r1');
  await store.putIfAbsent('key', 'value');
  await store.blobs.put(new Uint8Array([1]));
  await store.tests.put('t1', { head: 'head', body: 'body' });
  const { isHidden } = await hiddenFiles(root, [root]);
  const parts = readdirSync(root);
  expect(parts).toContain('control-claims');
  expect(parts.filter((part) => !isHidden(join(root, part)))).toEqual([]);
  rmSync(root, { recursive: true });
});
