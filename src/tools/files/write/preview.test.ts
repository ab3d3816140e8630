import { afterEach, expect, test } from 'vitest';
import { knowing, type Writing, writingIn } from '../../../../test/support/writing.ts';
import type { Preview } from '../../../kernel/approval.ts';
import { sha256Of } from './place.ts';

let at: Writing;
afterEach(() => at.remove());

const edit = (path: string, old: string, replacement: string) => ({ path, old_text: old, new_text: replacement });

async function shown(name: string, input: unknown): Promise<Preview & { readonly kind: 'diff' }> {
  const preview = await at.preview(name, input);
  if (typeof preview === 'string' || preview.kind !== 'diff') throw new Error(`no diff: ${JSON.stringify(preview)}`);
  return preview;
}

test('the preview of a change is its diff, and nothing is changed or recorded', async () => {
  at = writingIn({ 'a.txt': 'one\ntwo\n' });
  const preview = await shown('edit_file', edit('a.txt', 'two', '2'));
  expect(preview.paths).toEqual(['a.txt']);
  expect(preview.text).toContain(' one\n-two\n+2');
  expect((await shown('delete_file', { path: 'a.txt' })).text).toContain('deleted file mode');
  expect((await shown('move_file', { path: 'a.txt', to: 'x/b.txt' })).text).toContain('rename to x/b.txt');
  expect((await shown('write_file', { path: 'n.txt', content: 'new\n' })).text).toContain('new file mode');
  expect(at.text('a.txt')).toBe('one\ntwo\n');
  expect(at.intents).toEqual([]);
});

test('nobody is asked about a call that cannot work', async () => {
  at = writingIn({ 'a.txt': 'one\n' });
  expect(await at.preview('edit_file', edit('a.txt', 'none', 'x'))).toMatch(/does not occur/);
  expect(await at.preview('write_file', { path: 'a.txt', content: 'x' })).toMatch(/exists already/);
  expect(await at.preview('move_file', { path: 'none.txt', to: 'b.txt' })).toMatch(/There is no "none.txt"/);
  expect(await at.preview('delete_file', { path: '../x' })).toMatch(/outside the workspace/);
});

test('a call that was approved for another text is refused, but an edit holds wherever its passage stands', async () => {
  at = writingIn({ 'a.txt': 'one\ntwo\n' });
  const { basis } = await shown('write_file', { path: 'a.txt', content: 'x', overwrite: true });
  expect(basis).toBe(sha256Of(Buffer.from('one\ntwo\n')));
  expect((await shown('edit_file', edit('a.txt', 'one', '1'))).basis).toBeUndefined();
  at.put('a.txt', 'zero\none\ntwo\n');
  const how = basis === undefined ? {} : { basis };
  const refused = /has changed since a person approved this call/;
  expect(await at.call('write_file', { path: 'a.txt', content: 'x', overwrite: true }, how)).toMatch(refused);
  expect(await at.call('delete_file', { path: 'a.txt' }, how)).toMatch(refused);
  expect(await at.call('move_file', { path: 'a.txt', to: 'b.txt' }, how)).toMatch(refused);
  expect(await at.call('edit_file', edit('a.txt', 'one', '1'))).toMatch(/^Edited/);
  expect((await shown('write_file', { path: 'n.txt', content: 'x' })).basis).toBe('absent');
});

test('a preview shows no secret, and nothing of a file that is named like one', async () => {
  const secret = 'hunter2-hunter2-hunter2';
  at = writingIn({ 'a.ini': `key=${secret}\nport=1\n`, '.env': 'A=private' }, { allow: ['.env'] });
  const redactor = knowing('KEY', secret);
  const one = JSON.stringify(await at.preview('edit_file', edit('a.ini', 'port=1', 'port=2'), redactor));
  expect(one).toContain('key=[redacted:KEY]');
  expect(one).not.toContain(secret);
  const other = await at.preview('write_file', { path: '.env', content: 'A=2', overwrite: true }, redactor);
  expect(JSON.stringify(other)).not.toContain('private');
});

test('the preview of a large change is cut, and says how much is left out', async () => {
  at = writingIn({ 'a.txt': 'x\n'.repeat(5000) });
  const { text } = await shown('delete_file', { path: 'a.txt' });
  expect(text).toMatch(/… \d+ more lines of the diff are not shown here\.$/);
  expect(text.split('\n').length).toBeLessThanOrEqual(1001);
});
