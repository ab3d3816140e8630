// cadre fork, diff and runs prune through the built command.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunSummary } from '../src/journal/store.ts';
import type { RunDiff } from '../src/views/report/diff.ts';
import { cli } from './crash/support/cli.ts';

let folder: string;
let first: string;
const inStore = (...args: readonly string[]) => cli([...args, '--store', join(folder, 'store')]);
const runs = async () => JSON.parse((await inStore('runs', '--json')).stdout) as readonly RunSummary[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cadre-what-if-'));
  const agents = join(folder, 'lighthouse');
  cpSync(fileURLToPath(new URL('../examples/lighthouse', import.meta.url)), agents, { recursive: true });
  const script = join(agents, 'lighthouse.script.yaml');
  writeFileSync(script, readFileSync(script, 'utf8').replace(/^pace:.*\n/, ''));
  await inStore('run', join(agents, 'detective.md'), 'Who took the oil?', '--quiet');
  first = (await runs())[0]?.run ?? '';
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a fork goes on from an op, and diff says that nothing came of it', async () => {
  const forked = await inStore('fork', first, '--at', '0.4');
  expect(forked).toMatchObject({ code: 0 });
  expect(forked.stdout).toContain('Tobias Wren gave it away');
  expect(forked.stderr).toContain(`forked ${first} at 0.4: 6 events taken over`);
  const diff = await inStore('diff', first, 'last');
  expect(diff).toMatchObject({ code: 0 });
  expect(diff.stdout).toContain('The two runs are the same throughout: 7 steps.');
  expect((await inStore('show', 'last')).stdout).toContain(`from ${first} at 0.4`);
  expect((await inStore('replay', 'last')).stdout).toContain('identical');
});

test('a fork with the agents of another folder parts where they are asked, and diff shows both sides', async () => {
  const other = join(folder, 'other');
  cpSync(join(folder, 'lighthouse'), other, { recursive: true });
  const script = join(other, 'lighthouse.script.yaml');
  writeFileSync(script, readFileSync(script, 'utf8').replace('gave it away', 'drank it'));
  expect((await inStore('fork', first, '--at', '0.7', '--agent-dir', other, '--quiet')).stdout).toContain('drank it');
  const diff = await inStore('diff', first, 'last');
  expect(diff).toMatchObject({ code: 1 });
  expect(diff.stdout).toContain('Same for 6 steps, then different at 0.7, model call of detective, turn 3');
  expect(diff.stdout).toMatch(/left .*gave it away[^]*right .*drank it/);
  const found = JSON.parse((await inStore('diff', first, 'last', '--json')).stdout) as RunDiff;
  expect(found).toMatchObject({ common: 6, parting: { kind: 'answered', path: '0.7', turn: 3 } });
});

test('texts that lead elsewhere leave no run behind', async () => {
  const other = join(folder, 'elsewhere');
  cpSync(join(folder, 'lighthouse'), other, { recursive: true });
  const agent = join(other, 'detective.md');
  writeFileSync(agent, readFileSync(agent, 'utf8').replace(/^tools:.*\n/m, ''));
  const before = (await runs()).length;
  const forked = await inStore('fork', first, '--at', '0.7', '--agent-dir', other);
  expect(forked).toMatchObject({ code: 1, stdout: '' });
  expect(forked.stderr).toContain('lead elsewhere');
  expect(await runs()).toHaveLength(before);
});

test('a fork says what is wrong with an op, a model or a folder', async () => {
  expect((await inStore('fork', first)).code).toBe(2);
  expect((await inStore('fork', first, '--at', '0.5')).stderr).toMatch(
    /has no op 0\.5[^]*0\.5\.0\.0 {2}tool call read_file/,
  );
  expect((await inStore('fork', first, '--at', '0.7', '--model', 'keeper-modle')).stderr).toContain(
    'Did you mean "keeper-model"?',
  );
  expect((await inStore('fork', first, '--at', '0.7', '--agent-dir', '/nowhere')).stderr).toContain('does not exist');
});

test('prune removes what is old enough, says how much that was, and takes what only it used along', async () => {
  const before = await runs();
  expect((await inStore('runs', 'prune')).stderr).toContain('Nothing to remove that is older than 30d');
  const dry = JSON.parse((await inStore('runs', 'prune', '--keep', '1', '--dry-run', '--json')).stdout) as {
    readonly runs: readonly unknown[];
  };
  expect(dry.runs).toHaveLength(before.length - 1);
  const pruned = await inStore('runs', 'prune', '--keep', '1');
  expect(pruned.stderr).toMatch(/runs? and 0 blobs removed: \d+ kB/);
  expect((await runs()).map(({ run }) => run)).toEqual([before[0]?.run]);
  const sizes = await inStore('runs', '--sizes');
  expect(sizes.stdout).toMatch(/EVENTS +SIZE/);
  expect(sizes.stderr).toMatch(/in all: 1 run, .*; \d blobs?, /);
  expect((await inStore('runs', 'prune', '--outcome', 'lost')).stderr).toContain('--outcome takes answered');
  expect((await inStore('runs', 'prune', '--older-than', 'long')).stderr).toContain('--older-than takes a duration');
});
