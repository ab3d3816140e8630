import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { FileState } from '../../kernel/change.ts';
import type { ChangeState, RecordedChange } from '../../views/changes.ts';
import { type FileNow, planUndo, type UndoReading } from './undo-plan.ts';

const blobs = new Map<string, Uint8Array>();

const fileNow = (text: string): FileNow => {
  const bytes = Buffer.from(text);
  return { bytes, digest: createHash('sha256').update(bytes).digest('hex'), mode: 0o644 };
};

function stateOf(text: string): FileState {
  const { bytes, digest, mode } = fileNow(text);
  blobs.set(digest, bytes);
  return { digest, bytes: bytes.length, mode, kept: digest };
}

const edit = (path: string, state: ChangeState, before: string, after: string): RecordedChange => ({
  kind: 'edit',
  root: '/work',
  path,
  before: stateOf(before),
  after: stateOf(after),
  op: '0.1',
  agent: 'fixer',
  at: 0,
  state,
});

const planFor = (change: RecordedChange, now: FileNow | undefined) => {
  const reading: UndoReading = { now: new Map([[change.path, now]]), blob: async (digest) => blobs.get(digest) };
  return planUndo([change], reading);
};

test('a change in doubt was made if the file is as it would be then', async () => {
  const plan = await planFor(edit('a.txt', 'in-doubt', 'one', 'two'), fileNow('two'));
  expect(plan).toMatchObject({ steps: [{ path: 'a.txt', bytes: Buffer.from('one') }], obstacles: [] });
});

test('a change in doubt was not made if the file is as it was before', async () => {
  const plan = await planFor(edit('a.txt', 'in-doubt', 'one', 'two'), fileNow('one'));
  expect(plan).toMatchObject({ steps: [], obstacles: [] });
});

test.each([
  ['changed', fileNow('three'), 'was changed since'],
  ['removed', undefined, 'was removed since'],
])('a change in doubt whose file was %s since is an obstacle, and not passed over', async (_, now, why) => {
  const plan = await planFor(edit('a.txt', 'in-doubt', 'one', 'two'), now);
  expect(plan).toMatchObject({ steps: [], obstacles: [{ path: 'a.txt', why }] });
});

test('a change that was not made is no obstacle, whatever became of its file', async () => {
  const plan = await planFor(edit('a.txt', 'not-made', 'one', 'two'), fileNow('three'));
  expect(plan).toMatchObject({ steps: [], obstacles: [] });
});
