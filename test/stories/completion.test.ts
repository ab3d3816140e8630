// Completion in a real bash: the script that `cadre completion bash` prints is loaded, and asked as a Tab asks it.

import { execFile } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Folder, folderWith, main } from '../support/cli.ts';

let folder: Folder;
beforeAll(async () => {
  folder = folderWith({
    'cadre.yaml': 'providers: { demo: { kind: scripted, script: s.yaml } }\ndefaults: { models: [demo/any] }\n',
    's.yaml': 'any: [{ answer: Done., repeat: true }]\n',
    'clerk.md': '---\ndescription: Serves.\n---\nServe.\n',
    'cashier.md': '---\ndescription: Counts.\n---\nCount.\n',
    'bin/cadre': `#!/bin/sh\nexec "${process.execPath}" "${main()}" "$@"\n`,
  });
  chmodSync(join(folder.path, 'bin/cadre'), 0o755);
  await folder.cadre(['run', 'clerk', 'Hello', '--label', 'morning']);
});
afterAll(() => folder.remove());

/** The words that bash would offer for the last of these. */
async function tab(...words: readonly string[]): Promise<readonly string[]> {
  const script = `eval "$(cadre completion bash)"
COMP_WORDS=(cadre "$@"); COMP_CWORD=$#; _cadre
(( \${#COMPREPLY[@]} == 0 )) || printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { PATH: [join(folder.path, 'bin'), process.env['PATH']].join(delimiter), HOME: folder.path };
  const { stdout } = await promisify(execFile)('bash', ['-c', script, 'bash', ...words], { cwd: folder.path, env });
  return stdout.split('\n').slice(0, -1);
}

test('commands, and commands of commands', async () => {
  expect(await tab('')).toEqual(expect.arrayContaining(['init', 'run', 'show', 'completion']));
  expect(await tab('')).not.toContain('complete-words');
  expect(await tab('sho')).toEqual(['show']);
  expect(await tab('runs', 'sp')).toEqual(['spawn']);
});

test('options of the command, and what their values may be', async () => {
  expect(await tab('run', '--sch')).toEqual(['--schema']);
  expect(await tab('run', '--')).toEqual(expect.arrayContaining(['--file', '--json', '--store', '--help']));
  expect(await tab('run', 'clerk', '--output', '')).toEqual(['json', 'text', 'markdown']);
  expect(await tab('run', '--stop-after', 'ca')).toEqual(['cashier']);
});

test('agents of the folder, also after options', async () => {
  expect(await tab('run', '')).toEqual(['cashier', 'clerk']);
  expect(await tab('run', '--json', '--label', 'x', 'cl')).toEqual(['clerk']);
  expect(await tab('help', 'cas')).toEqual(['cashier']);
});

test('runs by id and label', async () => {
  const offered = await tab('show', '');
  expect(offered).toContain('last');
  expect(offered).toContain('morning');
  expect(offered.filter((one) => /^\d{8}-/.test(one))).toHaveLength(1);
  expect(await tab('diff', 'last', 'mor')).toEqual(['morning']);
});

test('files and texts are left to the shell', async () => {
  expect(await tab('run', 'clerk', '--file', '')).toEqual([]);
  expect(await tab('run', 'clerk', '')).toEqual([]);
});

test('nothing is made by a Tab, and errors stay quiet', async () => {
  const empty = folderWith({ 'bad.md': '---\nnonsense: [\n---\n' });
  const asked = await empty.cadre(['complete-words', '--', 'show', '']);
  const agents = await empty.cadre(['complete-words', '--', 'run', '']);
  const made = empty.has('.cadre');
  empty.remove();
  expect([asked, agents]).toMatchObject([
    { exit: 0, stdout: '', stderr: '' },
    { exit: 0, stdout: '', stderr: '' },
  ]);
  expect(made).toBe(false);
});

test('there is a script for zsh and fish, and another shell is refused by name', async () => {
  for (const shell of ['zsh', 'fish']) {
    expect((await folder.cadre(['completion', shell])).stdout).toContain('cadre complete-words -- ');
  }
  const refused = await folder.cadre(['completion', 'tcsh']);
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('bash, zsh, fish, not for "tcsh"') });
});
