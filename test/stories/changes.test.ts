// The changes of an agent, through the built command line: shown, taken back, and offered in a chat.

import { spawnSync } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith, main } from '../support/cli.ts';
import { closeTerminals, inTerminal, noTerminal } from '../support/terminal.ts';

let at: Folder;
afterEach(() => {
  closeTerminals();
  at.remove();
});

const hasGit = spawnSync('git', ['--version']).status === 0;

const CALLS =
  '[{ edit_file: { path: work/a.txt, old_text: two, new_text: "2" } }, { write_file: { path: work/new.txt, content: "new\\n" } }]';

const cadre = (trust = 'trust: [files:write]\n'): Folder =>
  folderWith({
    'cadre.yaml': 'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/x] }\n',
    'fixer.md': `---\ndescription: Fixes.\ntools: [files, files:write]\n${trust}---\nYou fix.\n`,
    's.yaml': `agents:\n  fixer:\n    - { calls: ${CALLS} }\n    - { answer: done }\n`,
    'work/a.txt': 'one\ntwo\nthree\n',
  });

test.runIf(hasGit)('show --changes is a patch that git takes', async () => {
  at = cadre();
  at.write('work/a.txt', 'one\r\ntwo\r\nno end');
  await at.cadre(['run', 'fixer', 'go']);
  const { stdout: input } = await at.cadre(['show', '--changes']);
  const apply = (...args: readonly string[]) => spawnSync('git', ['apply', ...args], { cwd: at.path, input }).status;
  expect(apply('-R')).toBe(0);
  expect([at.read('work/a.txt'), at.has('work/new.txt')]).toEqual(['one\r\ntwo\r\nno end', false]);
  expect(apply()).toBe(0);
  expect([at.read('work/a.txt'), at.read('work/new.txt')]).toEqual(['one\r\n2\r\nno end', 'new\n']);
});

test('undo takes a run back where nothing else changed, and says what it did and what it did before', async () => {
  at = cadre();
  await at.cadre(['run', 'fixer', 'go']);
  expect(at.read('work/a.txt')).toBe('one\n2\nthree\n');
  at.write('work/a.txt', 'mine\n');
  const refused = await at.cadre(['undo', 'last']);
  expect(refused).toMatchObject({ exit: 1, stdout: '' });
  expect(refused.stderr).toContain('1 file cannot be restored. Nothing was changed.\n- work/a.txt: was changed since');
  at.write('work/a.txt', 'one\n2\nthree\n');
  expect((await at.cadre(['undo', 'last', '--dry-run'])).stdout).toMatch(/^Would undo 2 files/);
  expect(at.has('work/new.txt')).toBe(true);
  expect(JSON.parse((await at.cadre(['undo', 'last', '--json'])).stdout)).toMatchObject({ state: 'undone' });
  expect([at.read('work/a.txt'), at.has('work/new.txt')]).toEqual(['one\ntwo\nthree\n', false]);
  expect((await at.cadre(['undo', 'last'])).stdout).toMatch(/was undone already/);
  const json = JSON.parse((await at.cadre(['show', '--changes', '--json'])).stdout) as { changes: object[] };
  expect(json.changes).toMatchObject([{ undo: { state: 'done' } }, { undo: { state: 'done' } }]);
  expect((await at.cadre(['show'])).stdout).toMatch(/changed {3}2 files, all undone/);
  expect((await at.cadre(['runs', 'list'])).stdout).toContain('answered');
});

test('a run that was broken off is undone, and is not resumed then', async () => {
  at = cadre();
  at.write('s.yaml', `agents:\n  fixer:\n    - { calls: ${CALLS} }\n    - { answer: done, delay: 60s }\n`);
  const child = at.start(['run', 'fixer', 'go', '--json']);
  await new Promise<void>((resolve) => {
    let seen = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      seen += text;
      if (/"type":"op-start"[^\n]*"turn":2/.test(seen)) resolve();
    });
  });
  expect((await at.cadre(['undo', 'last'])).stderr).toContain('is still at work');
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('close', resolve));
  expect((await at.cadre(['undo', 'last'])).stdout).toMatch(/^Undid 2 files/);
  expect(at.read('work/a.txt')).toBe('one\ntwo\nthree\n');
  expect(await at.cadre(['resume', 'last'])).toMatchObject({ exit: 1, stderr: expect.stringContaining('taken back') });
});

test('/undo of a chat asks whether to take the changes back, and names the command in a pipe', async (context) => {
  at = cadre();
  const piped = await at.cadre(['chat', 'fixer'], { input: 'go\n/undo\n' });
  expect(piped.stderr).toMatch(
    /It changed 2 files: work\/(a|new)\.txt, work\/(a|new)\.txt\. Take that back with: cadre undo \d/,
  );
  expect(at.has('work/new.txt')).toBe(true);
  await at.cadre(['undo', 'last']);
  const no = noTerminal();
  if (no !== undefined) return context.skip(no);
  const terminal = inTerminal(`exec ${process.execPath} ${main()} chat fixer`, at.path);
  await terminal.shown('fixer> ');
  terminal.type('go\r');
  await terminal.shown('fixer> ', 2);
  terminal.type('/undo\r');
  await terminal.shown('Take that back too?');
  terminal.type('y');
  await terminal.shown(' 2 files of run ');
  expect([at.read('work/a.txt'), at.has('work/new.txt')]).toEqual(['one\ntwo\nthree\n', false]);
  await terminal.shown('fixer> ', 3);
  terminal.type('/quit\r');
  expect((await terminal.ended()).exit).toBe(0);
});
