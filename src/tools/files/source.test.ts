import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ToolResult } from '../../kernel/message.ts';
import { NOTHING_SECRET } from '../../kernel/redacted.ts';
import { invoke } from '../invoke.ts';
import { filesSource } from './source.ts';
import { openWorkspace } from './workspace.ts';

let folder: string;
let workspace: string;

const context = { signal: new AbortController().signal, callKey: 'test', progress: () => {}, redactor: NOTHING_SECRET };

async function call(name: string, input: unknown): Promise<ToolResult> {
  const tool = (await filesSource(workspace).tools()).find((one) => one.spec.name === name);
  return await invoke(tool!, { id: '1', name, arguments: input }, context, {
    timeoutMs: 10_000,
    capBytes: 32_768,
    keep: async () => 'kept',
  });
}

async function put(path: string, text: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(workspace, path)), { recursive: true });
  await writeFile(join(workspace, path), text);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cadre-files-'));
  workspace = join(folder, 'workspace');
  await put('notes/today.md', 'Buy milk\nCall Ada\n');
  await put('notes/deep/er/far.md', 'Ada again');
  await put('src/main.ts', 'export const answer = 42;\n');
  await put('long.txt', Array.from({ length: 1200 }, (_, index) => `line ${index + 1}`).join('\n'));
  await put('empty.txt', '');
  await put('picture.png', new Uint8Array([0x89, 0x50, 0, 0, 1]));
  await put('latin1.txt', new Uint8Array([0x63, 0x61, 0x66, 0xe9]));
  await put('slow.txt', `${'a'.repeat(60)}!\n`);
  await put('.env', 'KEY=secret-in-env');
  await put('.env.example', 'KEY=');
  await put('.git/config', 'token = secret-in-git');
  await put('.github/workflow.yml', 'on: push # Ada');
  await put('node_modules/left-pad/index.js', 'Ada');
  await writeFile(join(folder, 'outside.txt'), 'secret-outside');
  await symlink(join(folder, 'outside.txt'), join(workspace, 'leak.txt'));
  await symlink(folder, join(workspace, 'up'));
  await symlink(join(workspace, '.env'), join(workspace, 'innocent.txt'));
  await symlink(join(workspace, 'notes'), join(workspace, 'my-notes'));
  await symlink('loop', join(workspace, 'loop'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('all three tools may be repeated after a crash', async () => {
  const tools = await filesSource(workspace).tools();
  expect(tools.map((tool) => [tool.spec.name, tool.repeat])).toEqual([
    ['list_files', 'safe'],
    ['read_file', 'safe'],
    ['search_files', 'safe'],
  ]);
});

test('a workspace that is no folder is a tool/source fault', async () => {
  await expect(filesSource(join(folder, 'nowhere')).tools()).rejects.toMatchObject({ fault: { code: 'tool/source' } });
  await expect(filesSource(join(folder, 'outside.txt')).tools()).rejects.toMatchObject({
    fault: { code: 'tool/source' },
  });
});

test('a listing names what there is in a fixed order, and does not enter machinery', async () => {
  const { text } = await call('list_files', {});
  expect(text.split('\n')).toEqual([
    '.env  not readable: it may hold secrets',
    '.env.example  4 B',
    '.git/  not entered',
    '.github/  not entered',
    'empty.txt  0 B',
    'innocent.txt  a link',
    'latin1.txt  4 B',
    'leak.txt  a link',
    'long.txt  10.6 KiB',
    'loop  a link',
    'my-notes  a link',
    'node_modules/  not entered',
    'notes/',
    'notes/deep/  1 entry, not shown',
    'notes/today.md  18 B',
    'picture.png  5 B',
    'slow.txt  62 B',
    'src/',
    'src/main.ts  26 B',
    'up  a link',
  ]);
});

test('a listing goes as deep as it is told, below the folder it is told', async () => {
  expect((await call('list_files', { path: 'notes', depth: 1 })).text).toBe(
    'notes/deep/  1 entry, not shown\nnotes/today.md  18 B',
  );
  expect((await call('list_files', { path: 'notes', depth: 9 })).text).toContain('notes/deep/er/far.md  9 B');
});

test('a listing that is too long says so', async () => {
  for (let index = 0; index < 501; index++) await put(`many/${index}.txt`, '');
  const { text } = await call('list_files', { path: 'many' });
  expect(text.split('\n')).toHaveLength(501);
  expect(text).toContain('Only the first 500 entries are shown');
  await rm(join(workspace, 'many'), { recursive: true });
});

test('listing a file says how to read it', async () => {
  expect(await call('list_files', { path: 'long.txt' })).toEqual({
    status: 'error',
    text: '"long.txt" is a file. Read it with read_file.',
  });
});

test('a file is read with its line numbers and total', async () => {
  expect(await call('read_file', { path: 'notes/today.md' })).toEqual({
    status: 'ok',
    text: 'notes/today.md, lines 1 to 2 of 2.\n\nBuy milk\nCall Ada',
  });
});

test('a long file comes in pages that lead to its end', async () => {
  let from = 1;
  const seen: string[] = [];
  for (;;) {
    const { text } = await call('read_file', { path: 'long.txt', from });
    seen.push(...text.split('\n').slice(2));
    const next = /Read on with from: (\d+)/.exec(text)?.[1];
    if (next === undefined) break;
    from = Number(next);
  }
  expect(seen).toHaveLength(1200);
  expect(seen.at(-1)).toBe('line 1200');
});

test('a page keeps under the cap of a result however long its lines are', async () => {
  await put('wide.txt', Array.from({ length: 100 }, () => 'é'.repeat(500)).join('\n'));
  const result = await call('read_file', { path: 'wide.txt' });
  expect(result.text).toMatch(/^wide\.txt, lines 1 to 24 of 100\. Read on with from: 25\./);
  expect(result.handle).toBeUndefined();
});

test('a range beyond the end says how many lines there are', async () => {
  expect((await call('read_file', { path: 'notes/today.md', from: 3 })).text).toContain('has 2 lines');
  expect((await call('read_file', { path: 'empty.txt' })).text).toBe('empty.txt is empty.');
});

test.each([
  ['picture.png', 'is not a text file: it holds zero bytes'],
  ['latin1.txt', 'is not a text file: it is not UTF-8'],
  ['notes', 'is a folder. List it with list_files.'],
  ['notes/todya.md', 'Nearest: notes/today.md.'],
  ['main.ts', 'Nearest: src/main.ts.'],
  ['long.txt/x', 'There is no "long.txt/x"'],
  ['loop', 'leads to itself'],
  ['../outside.txt', 'outside the workspace'],
  ['/etc/passwd', 'outside the workspace'],
  ['notes/../../outside.txt', 'outside the workspace'],
  ['leak.txt', 'leads out of the workspace'],
  ['up/outside.txt', 'leads out of the workspace'],
  ['.env', 'may hold secrets'],
  ['.ENV', 'may hold secrets'],
  ['innocent.txt', 'may hold secrets'],
  ['.git/config', 'may hold secrets'],
  ['a\0b', 'not a usable path'],
  ['x'.repeat(5000), 'not a usable path'],
  ['x'.repeat(300), 'too long'],
])('reading %j is refused with a reason', async (path, reason) => {
  const result = await call('read_file', { path });
  expect(result.status).toBe('error');
  expect(result.text).toContain(reason);
  expect(result.text).not.toContain('secret-');
});

test('a link within the workspace is followed, and an absolute path into it understood', async () => {
  expect((await call('read_file', { path: 'my-notes/today.md' })).status).toBe('ok');
  expect((await call('read_file', { path: join(workspace, 'notes/today.md') })).status).toBe('ok');
  expect((await call('read_file', { path: '.env.example' })).status).toBe('ok');
  expect((await call('read_file', { path: '.github/workflow.yml' })).status).toBe('ok');
});

test('a workspace that is itself reached by a link works like any other', async () => {
  await symlink(workspace, join(folder, 'alias'));
  const opened = await openWorkspace(join(folder, 'alias'));
  expect((await opened.locate(join(folder, 'alias/notes/today.md'))).path).toBe('notes/today.md');
});

test('a file over the limit is refused', async () => {
  await put('huge.txt', new Uint8Array(10 * 1024 * 1024 + 1).fill(97));
  expect((await call('read_file', { path: 'huge.txt' })).text).toContain('larger than 10.0 MiB');
  await rm(join(workspace, 'huge.txt'));
});

test('a folder that is swapped for a link between check and open is noticed', async () => {
  await put('swap/outside.txt', 'harmless');
  const opened = await openWorkspace(workspace);
  const file = await opened.locate('swap/outside.txt');
  await rename(join(workspace, 'swap'), join(workspace, 'swapped'));
  await symlink(folder, join(workspace, 'swap'));
  await expect(opened.read(file, 1000)).rejects.toThrow('was replaced');
  await rm(join(workspace, 'swap'));
});

test('a pipe is refused without waiting for a writer', async () => {
  execFileSync('mkfifo', [join(workspace, 'pipe')]);
  expect((await call('read_file', { path: 'pipe' })).text).toContain('not a regular file');
  await rm(join(workspace, 'pipe'));
});

test.skipIf(process.getuid?.() === 0)('a folder without permission does not stop a listing or a search', async () => {
  await put('private/a.txt', 'Ada');
  await chmod(join(workspace, 'private'), 0o000);
  expect((await call('list_files', {})).text).toContain('private/  may not be read');
  expect((await call('search_files', { query: 'call ada' })).text).toContain('notes/today.md:2');
  await chmod(join(workspace, 'private'), 0o755);
});

test('a search finds lines in any case where the query has no capitals, and says how much it searched', async () => {
  const { text } = await call('search_files', { query: 'ada' });
  expect(text).toContain('2 lines in 2 of');
  expect(text).toContain('notes/today.md:2: Call Ada');
  expect(text).toContain('notes/deep/er/far.md:1: Ada again');
  expect(text).toContain('Files that are not text, not searched: 2.');
  expect((await call('search_files', { query: 'ADA' })).text).toContain('No line matches "ADA"');
});

test('a search never looks into secrets, links or machinery', async () => {
  const { text } = await call('search_files', { query: 'secret-' });
  expect(text).toContain('No line matches');
});

test('a search in one file or folder stays there', async () => {
  expect((await call('search_files', { query: 'ada', path: 'notes/today.md' })).text).toContain(
    '1 line in 1 of 1 file.',
  );
  expect((await call('search_files', { query: 'ada', path: 'src' })).text).toContain('No line matches');
});

test('a search shows at most a hundred lines and says how many there are', async () => {
  const { text } = await call('search_files', { query: 'line', path: 'long.txt' });
  expect(text).toContain('1200 lines in 1 of 1 file');
  expect(text).toContain('The first 100 are shown');
  expect(text.split('\n')).toHaveLength(101);
});

test('special characters are plain text unless regex is set', async () => {
  expect((await call('search_files', { query: 'line 1.$', path: 'long.txt' })).text).toContain('No line matches');
  const { text } = await call('search_files', { query: '^line 1.$', path: 'long.txt', regex: true });
  expect(text).toContain('10 lines in 1');
});

test.each([
  ['(', 'Invalid regular expression'],
  ['a'.repeat(501), 'the limit is 500'],
  ['(a)\\1', 'refers back'],
])('the regular expression %j is refused', async (query, reason) => {
  const result = await call('search_files', { query, path: 'slow.txt', regex: true });
  expect(result.status).toBe('error');
  expect(result.text).toContain(reason);
});

test('a regular expression that would go back for ever is matched in one pass', async () => {
  const { text } = await call('search_files', { query: '^(a+)+$', path: 'slow.txt', regex: true });
  expect(text).toContain('No line matches');
});

test('a long line is shown around its match', async () => {
  await put('minified.js', `${'x'.repeat(5000)}needle${'y'.repeat(5000)}`);
  const { text } = await call('search_files', { query: 'needle', path: 'minified.js' });
  expect(text).toMatch(/minified\.js:1: …x+needley+…/);
  expect(text.length).toBeLessThan(400);
});

/** A workspace with Cadre's own files in it, and what a tool answers there. */
async function withOwnFiles(look: (ask: (name: string, input: unknown) => Promise<ToolResult>) => Promise<void>) {
  const place = await mkdtemp(join(tmpdir(), 'cadre-own-'));
  const root = join(place, 'real');
  const write = async (path: string): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), 'Ada');
  };
  await Promise.all(['cadre.yaml', 'a.md', 'sub/tape.jsonl', 'sub/b.md', 'runs/x/events.jsonl'].map(write));
  await Promise.all(['.cadre/runs/x', 'sub/.cadre/runs/x', 'other/cadre.yaml'].map(write));
  await Promise.all(['a.test.yaml', 'a.test.snapshots.json', 'sub/a.recording.jsonl'].map(write));
  await symlink(root, join(place, 'alias'));
  await symlink('cadre.yaml', join(root, 'link.yaml'));
  await symlink('.', join(root, 'here'));
  const own = ['cadre.yaml', 'sub/tape.jsonl', 'runs', 'later.jsonl'].map((path) => join(place, 'alias', path));
  const source = filesSource(join(place, 'alias'), own);
  await source.tools();
  await write('later.jsonl');
  const limits = { timeoutMs: 10_000, capBytes: 32_768, keep: async () => 'kept' };
  try {
    await look(async (name, input) => {
      const tool = (await source.tools()).find((one) => one.spec.name === name);
      return invoke(tool!, { id: '1', name, arguments: input }, context, limits);
    });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

test('a hidden file is neither listed nor counted nor searched, there from the beginning or not', async () => {
  await withOwnFiles(async (ask) => {
    expect((await ask('list_files', { depth: 1 })).text.split('\n')).toEqual([
      'a.md  3 B',
      'here  a link',
      'link.yaml  a link',
      'other/  1 entry, not shown',
      'sub/  1 entry, not shown',
    ]);
    const { text } = await ask('search_files', { query: 'Ada' });
    expect(text.split('\n').slice(1)).toEqual(['a.md:1: Ada', 'other/cadre.yaml:1: Ada', 'sub/b.md:1: Ada']);
  });
});

test.each([
  'cadre.yaml',
  'link.yaml',
  'here/cadre.yaml',
  'sub/tape.jsonl',
  'CADRE.yaml',
  'runs',
  'runs/x',
  '.cadre/runs/x',
  'a.test.yaml',
  'A.TEST.yaml',
  'a.test.snapshots.json',
  'sub/a.recording.jsonl',
])('a hidden file does not exist under the path %s', async (path) => {
  await withOwnFiles(async (ask) => {
    for (const tool of ['read_file', 'list_files']) {
      const { status, text } = await ask(tool, { path });
      expect(status).toBe('error');
      expect(text).toContain(`There is no "${path}" in the workspace.`);
      expect(text).not.toMatch(/Nearest:.*(cadre\.yaml,|tape|\.cadre|runs)/);
    }
  });
});
