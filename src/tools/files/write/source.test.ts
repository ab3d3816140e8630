import { chmodSync, existsSync, linkSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { knowing, type Writing, writingIn } from '../../../../test/support/writing.ts';
import type { FileChange } from '../../../kernel/change.ts';
import { NOTHING_SECRET } from '../../../kernel/redacted.ts';
import { draftOf } from './place.ts';
import { filesWriteSource } from './source.ts';

let at: Writing;
afterEach(() => at.remove());

const edit = (path: string, old: string, replacement: string) => ({ path, old_text: old, new_text: replacement });

test('after a crash every one of the four tools decides by what it intended', async () => {
  at = writingIn({});
  const source = filesWriteSource(at.path, { own: [], stores: [], allow: [], isAgent: () => false });
  const tools = await source.tools();
  expect(tools.map(({ spec, repeat }) => `${spec.name} ${repeat}`)).toEqual([
    'write_file decided',
    'edit_file decided',
    'delete_file decided',
    'move_file decided',
  ]);
});

test('write_file makes a file with its folders, and says what it intends before', async () => {
  at = writingIn({});
  const told = await at.call(
    'write_file',
    { path: 'a/b/new.txt', content: 'one\ntwo\n' },
    { intending: () => expect(existsSync(join(at.path, 'a'))).toBe(false) },
  );
  expect(told).toBe('Made a/b/new.txt with 2 lines.');
  expect(at.text('a/b/new.txt')).toBe('one\ntwo\n');
  const [change] = at.intents;
  expect(change).toMatchObject({ kind: 'write', root: at.path, path: 'a/b/new.txt', folders: ['a', 'a/b'] });
  expect(change).not.toHaveProperty('before');
  expect(Buffer.from(at.blobs.get(change?.after?.kept ?? '') ?? '').toString()).toBe('one\ntwo\n');
  expect(readdirSync(join(at.path, 'a/b'))).toEqual(['new.txt']);
});

test('write_file replaces a file only when told to, and keeps its mode, line ends and byte order mark', async () => {
  at = writingIn({});
  at.put('run.sh', '\uFEFFone\r\ntwo\r\n', 0o755);
  chmodSync(join(at.path, 'run.sh'), 0o750);
  expect(await at.call('write_file', { path: 'run.sh', content: 'x' })).toMatch(/exists already.*overwrite: true/);
  expect(await at.call('write_file', { path: 'run.sh', content: 'x\ny\nz\n', overwrite: true })).toBe(
    'Replaced run.sh: 2 lines by 3 lines.',
  );
  expect(at.text('run.sh')).toBe('\uFEFFx\r\ny\r\nz\r\n');
  expect(statSync(join(at.path, 'run.sh')).mode & 0o777).toBe(0o750);
});

test('writing the text that is there changes nothing and records nothing', async () => {
  at = writingIn({ 'a.txt': 'same\n' });
  expect(await at.call('write_file', { path: 'a.txt', content: 'same\n', overwrite: true })).toMatch(
    /Nothing was changed/,
  );
  expect(at.intents).toEqual([]);
});

test('edit_file replaces a passage that occurs once', async () => {
  at = writingIn({ 'a.ts': 'const a = 1;\nconst b = 2;\n' });
  expect(await at.call('edit_file', edit('a.ts', 'const b = 2;', 'const b = 3;\nconst c = 4;'))).toBe(
    'Edited a.ts at line 2: 1 line replaced by 2 lines.',
  );
  expect(at.text('a.ts')).toBe('const a = 1;\nconst b = 3;\nconst c = 4;\n');
});

test('edit_file says which line is nearest to a passage that is not there', async () => {
  at = writingIn({ 'a.ts': 'function sum(a, b) {\n\treturn a - b;\n}\n' });
  const told = await at.call('edit_file', edit('a.ts', '  return a - b;', '  return a + b;'));
  expect(told).toContain('old_text does not occur in a.ts. The nearest line is line 2:\n\treturn a - b;\n');
  expect(await at.call('edit_file', edit('a.ts', 'nothing like it at all', 'x'))).toBe(
    'old_text does not occur in a.ts. Read the file again and copy the passage exactly.',
  );
  expect(at.intents).toEqual([]);
});

test('edit_file names the lines of a passage that occurs more than once', async () => {
  at = writingIn({ 'a.txt': 'x\ny\nx\nxx\n' });
  expect(await at.call('edit_file', edit('a.txt', 'x', 'z'))).toMatch(/occurs 4 times in a.txt: on lines 1, 3, 4, 4\./);
  expect(at.text('a.txt')).toBe('x\ny\nx\nxx\n');
});

test.each([
  ['CRLF', 'one\r\ntwo\r\nthree\r\n', 'one\r\n2\r\n2b\r\nthree\r\n'],
  ['LF', 'one\ntwo\nthree\n', 'one\n2\n2b\nthree\n'],
  ['mostly CRLF', 'zero\none\r\ntwo\r\nthree\r\n', 'zero\none\r\n2\r\n2b\r\nthree\r\n'],
])('edit_file keeps the line ends of a file with %s', async (_name, before, after) => {
  at = writingIn({ 'a.txt': before });
  await at.call('edit_file', edit('a.txt', 'one\ntwo\nthree', 'one\n2\n2b\nthree'));
  expect(at.text('a.txt')).toBe(after);
});

test('edit_file keeps mode and byte order mark', async () => {
  at = writingIn({});
  at.put('a.sh', '\uFEFF#!/bin/sh\necho hi\n');
  chmodSync(join(at.path, 'a.sh'), 0o711);
  await at.call('edit_file', edit('a.sh', 'hi', 'ho'));
  expect(at.text('a.sh')).toBe('\uFEFF#!/bin/sh\necho ho\n');
  expect(statSync(join(at.path, 'a.sh')).mode & 0o777).toBe(0o711);
});

test('delete_file and move_file', async () => {
  at = writingIn({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' });
  expect(await at.call('delete_file', { path: 'a.txt' })).toBe('Deleted a.txt.');
  expect(await at.call('delete_file', { path: 'a.txt' })).toMatch(/There is no "a.txt"/);
  expect(await at.call('move_file', { path: 'b.txt', to: 'c.txt' })).toMatch(/"c.txt" exists already/);
  expect(await at.call('move_file', { path: 'b.txt', to: 'x/y/b.txt' })).toBe('Moved b.txt to x/y/b.txt.');
  expect(at.text('x/y/b.txt')).toBe('b');
  expect(existsSync(join(at.path, 'b.txt'))).toBe(false);
  expect(at.intents.map(({ kind, path, to, folders }) => ({ kind, path, to, folders }))).toEqual([
    { kind: 'delete', path: 'a.txt', to: undefined, folders: undefined },
    { kind: 'move', path: 'b.txt', to: 'x/y/b.txt', folders: ['x', 'x/y'] },
  ]);
});

test('errors say what is wrong: a folder, a binary file, a file that is too large, half a character', async () => {
  at = writingIn({ 'dir/a.txt': 'a' });
  at.put('bin', new Uint8Array([1, 0, 2]));
  at.put('big.txt', 'x'.repeat(10 * 1024 * 1024 + 1));
  expect(await at.call('edit_file', edit('dir', 'a', 'b'))).toMatch(/"dir" is a folder/);
  expect(await at.call('write_file', { path: 'dir/', content: '' })).toMatch(/is a folder/);
  expect(await at.call('delete_file', { path: 'dir' })).toMatch(/"dir" is a folder/);
  expect(await at.call('edit_file', edit('bin', 'a', 'b'))).toMatch(/is not a text file: it holds zero bytes/);
  expect(await at.call('edit_file', edit('big.txt', 'a', 'b'))).toMatch(/larger than 10.0 MiB/);
  expect(await at.call('write_file', { path: 'n', content: 'a\0b' })).toMatch(/NUL/);
  expect(await at.call('write_file', { path: 'n', content: 'a\ud800b' })).toMatch(/half of a character/);
  expect(await at.call('write_file', { path: 'dir/a.txt/b', content: '' })).toMatch(/"dir\/a.txt" is a file/);
  expect(await at.call('edit_file', edit('none.txt', 'a', 'b'))).toMatch(/There is no "none.txt".*write_file/);
  expect(at.intents).toEqual([]);
});

test('a link is followed where a file is written, and refused where it is deleted or moved', async () => {
  at = writingIn({ 'real.txt': 'real' });
  symlinkSync('real.txt', join(at.path, 'link.txt'));
  expect(await at.call('edit_file', edit('link.txt', 'real', 'new'))).toMatch(/^Edited real.txt/);
  expect(at.text('real.txt')).toBe('new');
  expect(lstatSync(join(at.path, 'link.txt')).isSymbolicLink()).toBe(true);
  expect(await at.call('delete_file', { path: 'link.txt' })).toMatch(/is a link/);
  expect(await at.call('move_file', { path: 'link.txt', to: 'x.txt' })).toMatch(/is a link/);
});

test('edits of one file at the same time all take effect', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `<${index}>`);
  at = writingIn({ 'a.txt': names.join('\n') });
  await Promise.all(names.map((name, index) => at.call('edit_file', edit('a.txt', name, `[${index}]`))));
  expect(at.text('a.txt')).toBe(names.map((_, index) => `[${index}]`).join('\n'));
  const digests = at.intents.map(({ before, after }) => [before?.digest, after?.digest]);
  for (const [index, [before]] of digests.entries()) if (index > 0) expect(before).toBe(digests[index - 1]?.[1]);
});

test('a file that someone else changes between look and change is left as it is', async () => {
  at = writingIn({ 'a.txt': 'one' });
  const told = await at.call('edit_file', edit('a.txt', 'one', 'two'), { intending: () => at.put('a.txt', 'theirs') });
  expect(told).toMatch(/was changed by someone else at this moment/);
  expect(at.text('a.txt')).toBe('theirs');
  const made = await at.call(
    'write_file',
    { path: 'n.txt', content: 'x' },
    { intending: () => at.put('n.txt', 'theirs') },
  );
  expect(made).toMatch(/was changed by someone else/);
  expect(at.text('n.txt')).toBe('theirs');
  expect(readdirSync(at.path).toSorted()).toEqual(['a.txt', 'n.txt']);
});

/** The intent that a call records before it changes anything; the change is then prevented. */
async function intentOf(name: string, input: unknown): Promise<FileChange> {
  await at.call(name, input, {
    intending: () => {
      throw new Error('the process dies');
    },
  });
  return at.intents.at(-1) as FileChange;
}

test('a call in doubt whose change was not made is made now, and not recorded again', async () => {
  at = writingIn({ 'a.txt': 'one' });
  const intended = await intentOf('edit_file', edit('a.txt', 'one', 'two'));
  expect(at.text('a.txt')).toBe('one');
  expect(await at.call('edit_file', edit('a.txt', 'one', 'two'), { intended })).toMatch(/^Edited a.txt at line 1/);
  expect(at.text('a.txt')).toBe('two');
  expect(at.intents).toHaveLength(1);
});

test('a call in doubt whose change was made is not made again', async () => {
  at = writingIn({ 'a.txt': 'one', 'b.txt': 'b', 'c.txt': 'c' });
  const calls = [
    ['edit_file', edit('a.txt', 'one', 'one and one')],
    ['write_file', { path: 'n.txt', content: 'new' }],
    ['delete_file', { path: 'b.txt' }],
    ['move_file', { path: 'c.txt', to: 'd.txt' }],
  ] as const;
  for (const [name, input] of calls) {
    await at.call(name, input);
    const intended = at.intents.at(-1) as FileChange;
    expect(await at.call(name, input, { intended })).toMatch(/had been done when the process died/);
  }
  expect(at.text('a.txt')).toBe('one and one');
  expect(at.intents).toHaveLength(4);
});

test('a call in doubt removes the draft that it left when the process died', async () => {
  at = writingIn({});
  await at.call('write_file', { path: 'n.txt', content: 'new' });
  const intended = at.intents[0] as FileChange;
  linkSync(join(at.path, 'n.txt'), join(at.path, draftOf('run/1'))); // killed between its two names
  expect(await at.call('write_file', { path: 'n.txt', content: 'new' }, { intended })).toMatch(/had been done/);
  expect(readdirSync(at.path)).toEqual(['n.txt']);
});

test('a call in doubt on a file that someone changed since is not made, and the model is told', async () => {
  at = writingIn({ 'a.txt': 'one', 'm.txt': 'm' });
  const intended = await intentOf('edit_file', edit('a.txt', 'one', 'two'));
  at.put('a.txt', 'one, by someone else');
  expect(await at.call('edit_file', edit('a.txt', 'one', 'two'), { intended })).toMatch(
    /Whether the call took effect is unknown/,
  );
  expect(at.text('a.txt')).toBe('one, by someone else');
  const moving = await intentOf('move_file', { path: 'm.txt', to: 'n.txt' });
  at.put('n.txt', 'theirs');
  expect(await at.call('move_file', { path: 'm.txt', to: 'n.txt' }, { intended: moving })).toMatch(/unknown/);
  expect(at.text('n.txt')).toBe('theirs');
});

test('Cadre’s own files, Git and names of secrets are closed; some of it can be allowed', async () => {
  at = writingIn({ 'agent.md': '---\n---\n', 'cadre.yaml': '', '.env': 'A=1', '.git/config': 'x', 'kept/runs/r': '' });
  mkdirSync(join(at.path, 'kept/blobs'));
  const own = [join(at.path, 'agent.md'), join(at.path, 'cadre.yaml')];
  const isAgent = (path: string, text: string): boolean => path.endsWith('.md') && text.startsWith('---\n');
  const closed = writingIn({}, {});
  closed.remove();
  const rules = { own, stores: [join(at.path, 'mystore')], isAgent };
  const { tools } = filesWriteSource(at.path, { ...rules, allow: [] });
  const open = filesWriteSource(at.path, { ...rules, allow: ['.env', 'agent.md', '**/*.md', '.git/**'] });
  const ask = async (from: typeof open, path: string, content: string): Promise<string> => {
    const tool = (await from.tools()).find(({ spec }) => spec.name === 'write_file');
    const context = {
      signal: new AbortController().signal,
      callKey: 'k',
      progress: () => {},
      redactor: NOTHING_SECRET,
      changes: { keep: async () => 'kept', intend: async (change: FileChange) => void at.intents.push(change) },
    };
    return (tool?.execute({ path, content, overwrite: true }, context) ?? Promise.resolve('')).then(
      String,
      (thrown: Error) => thrown.message,
    );
  };
  const first = { tools, name: '', close: async () => {} };
  for (const path of ['agent.md', 'AGENT.md', 'cadre.yaml', 'sub/Cadre.YAML'])
    expect(await ask(first, path, 'x')).toMatch(/belongs to Cadre itself.*files\.write\.allow/);
  for (const path of ['.env', 'x/.ENV', '.ssh/config', 'id_rsa'])
    expect(await ask(first, path, 'x')).toMatch(/may hold secrets/);
  expect(await ask(first, 'docs/new.md', '---\nname: x\n---\n')).toMatch(/would be an agent file/);
  expect(await ask(first, 'docs/plain.md', '# Title\n')).toMatch(/^Made/);
  for (const one of [first, open]) {
    for (const path of ['.git/hooks/pre-commit', 'sub/.GIT/config', '.gi\u200dt/config'])
      expect(await ask(one, path, 'x')).toMatch(/Git repository's own data/);
    for (const path of ['.cadre/x', 'mystore/runs.jsonl', 'kept/runs/r', 'kept/blobs/b'])
      expect(await ask(one, path, 'x')).toMatch(/store of runs/);
  }
  expect(await ask(open, '.env', 'A=2')).toMatch(/^Replaced/);
  expect(at.intents.at(-1)?.before).not.toHaveProperty('kept');
  expect(await ask(open, 'agent.md', '---\nname: b\n---\n')).toMatch(/^Replaced/);
});

test('texts with secrets are kept redacted, with the replaced part beside them', async () => {
  const secret = 'hunter2-hunter2-hunter2';
  at = writingIn({ 'conf.ini': `key=${secret}\nport=1\n` });
  const redactor = knowing('KEY', secret);
  await at.call('edit_file', edit('conf.ini', 'port=1', 'port=22'), { redactor });
  const change = at.intents[0] as FileChange;
  const texts = [...at.blobs.values()].map((bytes) => Buffer.from(bytes).toString());
  expect(texts.join('\n')).not.toContain(secret);
  expect(Buffer.from(at.blobs.get(change.before?.kept ?? '') ?? '').toString()).toBe('key=[redacted:KEY]\nport=1\n');
  expect(change.before?.kept).not.toBe(change.before?.digest);
  expect(change.back).toMatchObject({ at: Buffer.byteLength(`key=${secret}\nport=`), bytes: 2 });
  expect(Buffer.from(at.blobs.get(change.back?.blob ?? '') ?? '').toString()).toBe('1');
});

test('an edit of a part of a secret leaves nothing of it in the store', async () => {
  const secret = 'hunter2-hunter2-hunter2';
  at = writingIn({ 'conf.ini': `key=${secret}\n` });
  const redactor = knowing('KEY', secret);
  await at.call('write_file', { path: 'conf.ini', content: 'key=hunter2-hu\n', overwrite: true }, { redactor });
  const texts = [...at.blobs.values()].map((bytes) => Buffer.from(bytes).toString());
  expect(texts.some((text) => text.includes('nter2-hunter2'))).toBe(false);
  expect(at.intents[0]).not.toHaveProperty('back');
});

test('a redaction mark is not written into a file in the place of the secret', async () => {
  const secret = 'hunter2-hunter2-hunter2';
  at = writingIn({ 'conf.ini': `key=${secret}\nport=1\n`, 'about.md': 'Secrets become [redacted:KEY].\n' });
  const redactor = knowing('KEY', secret);
  const content = 'key=[redacted:KEY]\nport=2\n';
  expect(await at.call('write_file', { path: 'conf.ini', content, overwrite: true }, { redactor })).toMatch(
    /stands for a secret/,
  );
  expect(await at.call('write_file', { path: 'copy.ini', content }, { redactor })).toMatch(/stands for a secret/);
  expect(await at.call('edit_file', edit('conf.ini', 'key=[redacted:KEY]', 'x'), { redactor })).toMatch(
    /cannot be matched/,
  );
  expect(at.text('conf.ini')).toContain(secret);
  expect(await at.call('edit_file', edit('about.md', 'become', 'are shown as'), { redactor })).toMatch(/^Edited/);
});
