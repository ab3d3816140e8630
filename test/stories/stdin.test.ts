// The input of a run from a pipe, as a user gives it.

import { afterAll, expect, test } from 'vitest';
import { folderWith } from '../support/cli.ts';

const folder = folderWith({
  'cadre.yaml': 'providers: {demo: {kind: scripted, script: ./demo.script.yaml}}\ndefaults: {models: [demo/any]}\n',
  'demo.script.yaml': 'agents:\n  echo:\n    - answer: done\n',
  'echo.md': '---\ndescription: Echoes.\n---\nYou echo.\n',
});
afterAll(() => folder.remove());

test('text through a pipe is the input as it is, but for the one line end that closes it', async () => {
  const ran = await folder.cadre(['run', 'echo', '-'], { input: '  indented\n\nlast line  \n\n' });
  expect(ran).toMatchObject({ exit: 0 });
  expect(folder.journal()[0]).toMatchObject({ type: 'run-start', input: { text: '  indented\n\nlast line  \n' } });
});

test('a pipe without text is no input: nothing is run', async () => {
  const ran = await folder.cadre(['run', 'echo'], { input: ' \n' });
  expect(ran.exit).toBe(2);
  expect(ran.stderr).toContain('echo needs an input.');
});
