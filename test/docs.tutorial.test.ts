// The tutorial, done as a reader does it: every file of the page is written and every command typed, in the order of the
// page, in one folder that begins empty. What it says is printed must be printed.

import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Folder, folderWith, main } from './support/cli.ts';
import { type Fence, fencesIn, pageText } from './support/fences.ts';

const PAGE = 'docs/start/tutorial.md';
const fences = fencesIn(pageText(PAGE));
const mock = new LLMock({ port: 0 });
let desk: Folder;
/** The folder of the reader: `cd` of one block counts for the next. */
let place = '';
let printed = '';

beforeAll(async () => {
  const request = 'Which file says what this folder is for?';
  const calls = [{ name: 'list_files', arguments: '{"path":"."}' }];
  mock.addFixture({ match: { userMessage: request, turnIndex: 0 }, response: { toolCalls: calls } });
  mock.addFixture({ match: { userMessage: request, turnIndex: 1 }, response: { content: 'helper.md says it.' } });
  await mock.start();
  desk = folderWith({});
  place = join(desk.path, 'home');
  mkdirSync(place);
  command('cadre', `exec "${process.execPath}" "${main()}" "$@"`);
  command('npx', 'exec "$@"'); // what npx does once the package is there
});
afterAll(async () => {
  desk.remove();
  await mock.stop();
});

function command(name: string, line: string): void {
  const file = join(desk.path, 'bin', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${line}\n`);
  chmodSync(file, 0o755);
}

/** A server of the reader's own is the one of this test. */
const written = ({ code }: Fence): string => code.replace('http://127.0.0.1:8080', mock.url);

async function type(commands: string): Promise<string> {
  const env = { PATH: [join(desk.path, 'bin'), process.env['PATH']].join(delimiter), HOME: desk.path };
  const script = `set -e\n${commands}\npwd > "$HOME/place"`;
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { cwd: place, env });
  place = desk.read('place').trim();
  return stdout;
}

/** Times, tokens and numbers of broadcasts differ from run to run, and with them the order of what runs at once. */
const comparable = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/\d[\d.,]*(?:ms|s|k)?/g, '0')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .toSorted();

const steps = fences.map((fence) => ({
  ...fence,
  title: `line ${fence.line}: ${fence.name || fence.code.split('\n')[0]}`,
}));

test.each(steps)('$title', async (fence) => {
  if (fence.language === 'sh') printed = await type(fence.code);
  else if (fence.language === 'text') expect(comparable(printed)).toEqual(comparable(fence.code));
  else if (fence.name === 'helper.md') expect(desk.read(join('home/my-team', fence.name))).toBe(fence.code);
  else writeFileSync(join(place, fence.name), written(fence));
});

test('at the end the agent of the first step still answers', async () => {
  expect(await type('cadre run helper "What is in this folder?"')).toContain('critic.md');
});

test('the check prints the findings that the page shows', async () => {
  const [, said = ''] = /`(0 errors, .*?)`/.exec(pageText(PAGE)) ?? [];
  const here = folderWith({});
  await here.cadre(['init', '--model', 'demo/any']);
  expect(await here.cadre(['check'])).toMatchObject({ exit: 0, stderr: `${said}\n` });
  here.remove();
});

test('the real model was asked, with what the tool found', () => {
  const asked = mock.getRequests().filter(({ path }) => path.endsWith('/chat/completions'));
  expect(asked).toHaveLength(2);
  expect(JSON.stringify(asked.at(-1)?.body)).toContain('helper.md  333 B');
});

test('every block of the page is a step: no fence is left without a language that is tried', () => {
  expect(fences.filter(({ language, name }) => !['sh', 'text'].includes(language) && name === '')).toEqual([]);
  expect(pageText(PAGE).split('\n```').length - 1).toBe(fences.length * 2);
});
