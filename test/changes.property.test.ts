// An undo leaves files as they were, whatever an agent did to them.

import fc from 'fast-check';
import './support/seed.ts';
import { expect, test } from 'vitest';
import { changedFiles, changesOf, type RunEvent } from '../src/index.ts';
import { changingIn, type FileCall, setMode } from './support/changing.ts';

const PATHS = ['a.txt', 'b.txt', 'dir/c.txt', 'dir/deep/d.txt', 'new.txt', 'new/folder/e.txt'];
const path = fc.constantFrom(...PATHS);
const text = fc
  .array(fc.constantFrom('x', 'y\n', 'é\r\n', '\u{1f600}', 'long line of text\n', ' '), { maxLength: 8 })
  .map((parts) => parts.join(''));

const call: fc.Arbitrary<FileCall> = fc.oneof(
  fc.record({ path, content: text, overwrite: fc.boolean() }).map((given) => ({ write_file: given })),
  fc
    .record({ path, old_text: fc.constantFrom('x', 'y\n', 'é', 'START', ' '), new_text: text })
    .map((given) => ({ edit_file: given })),
  path.map((one) => ({ delete_file: { path: one } })),
  fc.record({ path, to: path }).map((given) => ({ move_file: given })),
);

test('undo after any changes gives back every file, mode and folder', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(call, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
      text,
      async (turns, first) => {
        const at = await changingIn({
          'a.txt': `START ${first}`,
          'b.txt': 'x\r\ny\r\n',
          'dir/c.txt': '\uFEFFSTART\n',
          'dir/keep': '',
        });
        try {
          setMode(`${at.folder.path}/work/b.txt`, 0o740);
          const before = at.tree();
          const run = await at.run(...turns);
          const events: RunEvent[] = [];
          for await (const event of at.cadre.store.read(run)) events.push(event);
          const changes = changesOf(events);
          expect(changes.every(({ state }) => state === 'made')).toBe(true);
          const files = changedFiles(changes);
          const { state } = await at.cadre.undo(run);
          expect(state).toBe(changes.length === 0 ? 'nothing' : 'undone');
          expect(at.tree()).toEqual(before);
          expect(files.every(({ before: was, after }) => was !== undefined || after !== undefined)).toBe(true);
          expect((await at.cadre.undo(run)).state).toBe(changes.length === 0 ? 'nothing' : 'already-undone');
        } finally {
          await at.close();
        }
      },
    ),
    { numRuns: 30 },
  );
}, 120_000);
