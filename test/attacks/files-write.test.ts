// The tools that change files, in a folder that somebody else changes at the same time, and with paths made to mislead.

import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { draftOf } from '../../src/tools/files/write/place.ts';
import { treeOf } from '../support/changing.ts';
import { type Writing, writingIn } from '../support/writing.ts';

let at: Writing;
afterEach(() => at.remove());

const outsideOf = (workspace: string): string => {
  const outside = join(dirname(workspace), 'outside');
  mkdirSync(outside, { recursive: true });
  return outside;
};

test('no path leads out of the workspace', async () => {
  at = writingIn({ 'in.txt': 'in' });
  const outside = outsideOf(at.path);
  writeFileSync(join(outside, 'victim.txt'), 'theirs');
  symlinkSync(outside, join(at.path, 'folder'));
  symlinkSync(join(outside, 'victim.txt'), join(at.path, 'file.txt'));
  symlinkSync(join(outside, 'not-there.txt'), join(at.path, 'dangling.txt'));
  symlinkSync('loop', join(at.path, 'loop'));
  mkdirSync(join(at.path, 'sub'));
  symlinkSync('../folder', join(at.path, 'sub/chain'));
  const before = treeOf(outside);
  const paths = [
    '../outside/victim.txt',
    'folder/victim.txt',
    'folder/new/deep.txt',
    'sub/chain/victim.txt',
    'sub/../../outside/victim.txt',
    join(outside, 'victim.txt'),
    'file.txt',
    'dangling.txt',
    'loop',
    'loop/x.txt',
    '/etc/passwd',
    'nul\0byte',
    '',
    '.',
    'a'.repeat(300),
    `${'d/'.repeat(3000)}x`,
  ];
  for (const path of paths) {
    const write = await at.call('write_file', { path, content: 'mine', overwrite: true });
    const edit = await at.call('edit_file', { path, old_text: 'theirs', new_text: 'mine' });
    const remove = await at.call('delete_file', { path });
    const move = await at.call('move_file', { path: 'in.txt', to: path });
    const away = await at.call('move_file', { path, to: 'stolen.txt' });
    for (const told of [write, edit, remove, move, away])
      expect(told, path).not.toMatch(/^(Made|Replaced|Edited|Deleted|Moved)/);
  }
  expect(treeOf(outside)).toEqual(before);
  expect(at.intents).toEqual([]);
  expect(existsSync(join(at.path, 'stolen.txt'))).toBe(false);
});

/** Turns a folder into a link that leads outside and back, as fast as it can, until it is told to end. */
const SWAP = `
  const { renameSync, rmSync, symlinkSync, unlinkSync } = require('node:fs');
  const { workerData: { place, outside, flag } } = require('node:worker_threads');
  const make = (it) => {
    for (;;) {
      try {
        return it();
      } catch {
        try {
          rmSync(place, { recursive: true, force: true }); // a call has made the folder while it was away
        } catch {} // and puts something into it
      }
    }
  };
  while (Atomics.load(flag, 0) === 0) {
    renameSync(place, place + '.parked');
    make(() => symlinkSync(outside, place));
    Atomics.add(flag, 1, 1);
    unlinkSync(place);
    make(() => renameSync(place + '.parked', place));
  }
`;

test.runIf(process.platform === 'linux')(
  'a folder that is swapped for a link again and again never lets a change out',
  async () => {
    at = writingIn({ 'dir/note.txt': 'harmless', 'dir/deep/note.txt': 'harmless' });
    const outside = outsideOf(at.path);
    mkdirSync(join(outside, 'deep'));
    for (const file of ['note.txt', 'deep/note.txt']) writeFileSync(join(outside, file), 'harmless');
    const before = treeOf(outside);
    const flag = new Int32Array(new SharedArrayBuffer(8));
    const workerData = { place: join(at.path, 'dir'), outside, flag };
    const worker = new Worker(SWAP, { eval: true, workerData });
    const ended = new Promise((resolve, reject) => worker.on('exit', resolve).on('error', reject));
    const told: string[] = [];
    try {
      for (let round = 0; round < 150; round++) {
        told.push(await at.call('edit_file', { path: 'dir/note.txt', old_text: 'harmless', new_text: 'HARMLESS' }));
        told.push(await at.call('write_file', { path: 'dir/note.txt', content: 'harmless', overwrite: true }));
        told.push(await at.call('write_file', { path: `dir/deep/${round}.txt`, content: 'x' }));
        told.push(await at.call('delete_file', { path: `dir/deep/${round}.txt` }));
        told.push(await at.call('move_file', { path: 'dir/deep/note.txt', to: 'dir/moved.txt' }));
        told.push(await at.call('move_file', { path: 'dir/moved.txt', to: 'dir/deep/note.txt' }));
      }
    } finally {
      Atomics.store(flag, 0, 1);
      await ended;
    }
    expect(Atomics.load(flag, 1)).toBeGreaterThan(0);
    expect(await at.call('write_file', { path: 'dir/last.txt', content: 'x' })).toMatch(/^Made/);
    expect(told).toHaveLength(900);
    expect(treeOf(outside)).toEqual(before);
  },
  60_000,
);

test('a second name of a closed file is not changed, and a changed file leaves its other name alone', async () => {
  at = writingIn({ '.env': 'KEY=1', 'cadre.yaml': 'x: 1', 'open.txt': 'text' }, {});
  linkSync(join(at.path, '.env'), join(at.path, 'innocent.txt'));
  linkSync(join(at.path, 'open.txt'), join(at.path, 'twin.txt'));
  expect(await at.call('edit_file', { path: 'innocent.txt', old_text: 'KEY', new_text: 'X' })).toMatch(
    /the same file as/,
  );
  expect(await at.call('delete_file', { path: 'innocent.txt' })).toMatch(/the same file as/);
  expect(await at.call('edit_file', { path: 'open.txt', old_text: 'text', new_text: 'new' })).toMatch(/^Edited/);
  expect([at.text('open.txt'), at.text('twin.txt'), at.text('.env')]).toEqual(['new', 'text', 'KEY=1']);
});

test.skipIf(process.platform === 'win32')('a path that is not a regular file is not changed', async () => {
  at = writingIn({});
  execFileSync('mkfifo', [join(at.path, 'pipe')]);
  expect(await at.call('write_file', { path: 'pipe', content: 'x', overwrite: true })).toMatch(/not a regular file/);
  expect(await at.call('delete_file', { path: 'pipe' })).toMatch(/not a regular file/);
});

test('a draft that a crash left behind is not followed if it is a link', async () => {
  at = writingIn({ 'a.txt': 'a' });
  const outside = outsideOf(at.path);
  writeFileSync(join(outside, 'victim.txt'), 'theirs');
  // The names of drafts are those of calls: these are the first of this recorder.
  for (let call = 0; call < 4; call++) {
    symlinkSync(join(outside, 'victim.txt'), join(at.path, draftOf(`run/${call}`)));
  }
  expect(await at.call('edit_file', { path: 'a.txt', old_text: 'a', new_text: 'b' })).toMatch(/^Edited/);
  expect(readFileSync(join(outside, 'victim.txt'), 'utf8')).toBe('theirs');
});
