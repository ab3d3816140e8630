// A person's yes, asked for in a real terminal.

import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith, main } from '../support/cli.ts';
import { closeTerminals, inTerminal, noTerminal } from '../support/terminal.ts';

const missing = noTerminal();
const folders: Folder[] = [];
afterEach(() => {
  closeTerminals();
  for (const folder of folders.splice(0)) folder.remove();
});

const ASKER = '---\ndescription: Asks.\ntools: [files]\napprove: [list_files, read_file]\n---\nYou ask.\n';
const CONFIG =
  'providers: { demo: { kind: scripted, script: ./demo.script.yaml } }\ndefaults: { models: [demo/any] }\n';
/** The sign of a question that is open. */
const OPEN = '◆';

function asking(steps: string): Folder {
  const folder = folderWith({
    'asker.md': ASKER,
    'cadre.yaml': CONFIG,
    'demo.script.yaml': `agents:\n  asker:\n${steps}`,
  });
  folders.push(folder);
  return folder;
}

/** The result of each tool call, in order. */
const results = (folder: Folder): readonly string[] =>
  folder
    .journal()
    .filter((event) => event['type'] === 'op-end' && event['kind'] === 'approval')
    .map((event) => {
      const { value } = event['result'] as { readonly value: { readonly approved: boolean; readonly note?: string } };
      return value.approved ? 'approved' : `denied: ${value.note}`;
    });

test('a key typed before a question is on the screen does not answer it', async (context) => {
  if (missing !== undefined) context.skip(missing);
  const folder = asking(
    '    - calls: [{ list_files: {} }, { read_file: { path: asker.md } }]\n' +
      '    - call: { list_files: {} }\n' +
      '    - answer: done\n',
  );
  const terminal = inTerminal(`${process.execPath} ${main()} run asker go`, folder.path);
  terminal.type('y\r'); // the terminal echoes it: it holds the keys before anything is asked
  await terminal.shown('y\r\n');
  await terminal.shown(OPEN);
  terminal.type('ny\r'); // the rest comes before the next question
  await terminal.shown(OPEN, 2);
  terminal.type('n');
  await terminal.shown(OPEN, 3);
  terminal.type('y');
  const { exit, screen } = await terminal.ended();
  expect(results(folder)).toEqual(['denied: A person said no.', 'denied: A person said no.', 'approved']);
  expect(screen).toContain('done');
  expect(exit).toBe(0);
  expect((await folder.cadre(['replay'])).stdout).toContain('identical');
});

test('Ctrl+C at a question asks for a final answer, and no further question comes', async (context) => {
  if (missing !== undefined) context.skip(missing);
  const folder = asking(
    '    - calls: [{ list_files: {} }, { read_file: { path: asker.md } }]\n    - answer: as far as I got\n',
  );
  const terminal = inTerminal(`${process.execPath} ${main()} run asker go`, folder.path);
  await terminal.shown(OPEN);
  terminal.type('\u0003');
  const { exit, screen } = await terminal.ended();
  expect(results(folder)).toEqual([
    'denied: The person did not answer.',
    'denied: The run is ending, so nobody was asked.',
  ]);
  expect(screen).toContain('stopping: asked for a final answer');
  expect(screen).toContain('as far as I got');
  expect(exit).toBe(0);
});

test('without a terminal nobody is asked, and what comes through stdin approves nothing', async () => {
  const folder = asking('    - call: { list_files: {} }\n    - answer: done\n');
  const { stderr, exit } = await folder.cadre(['run', 'asker', 'go'], { input: 'y\ny\n' });
  expect(stderr).toContain(
    'nobody is there to approve it (--approve files/list_files says yes beforehand, and with --detach',
  );
  expect(results(folder)).toEqual([expect.stringContaining('denied: Nobody is there')]);
  expect(exit).toBe(0);
});
