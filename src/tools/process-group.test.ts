import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { isAlive, untilGone } from '../../test/support/alive.ts';
import { ProcessGroup } from './process-group.ts';

let folder: string;
let owner: string;
let shortLived: string;

/** A program of its own that starts a group and prints its processes: something to be killed. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cadre-group-'));
  const bundle = await rolldown({
    input: fileURLToPath(new URL('./process-group.ts', import.meta.url)),
    platform: 'node',
  });
  await bundle.write({ file: join(folder, 'process-group.mjs'), format: 'esm' });
  owner = join(folder, 'owner.mjs');
  await writeFile(
    owner,
    `import { ProcessGroup } from './process-group.mjs';
     const script = 'trap "" TERM HUP INT; sleep 600 & echo $$ $!; while :; do sleep 600; done';
     const group = new ProcessGroup({ command: '/bin/sh', args: ['-c', script], env: { PATH: process.env.PATH } });
     group.leader.stdout.on('data', (chunk) => process.stdout.write(chunk));
     process.on('SIGUSR2', () => group.stop().then(() => process.exit(0)));`,
  );
  shortLived = join(folder, 'short-lived.mjs');
  await writeFile(
    shortLived,
    `import { ProcessGroup } from './process-group.mjs';
     const { writeSync } = process.getBuiltinModule('node:fs');
     const [killed, begun] = process.argv.slice(2);
     const childProcess = process.getBuiltinModule('node:child_process');
     const { spawn } = childProcess;
     const die = () => process.kill(process.pid, 'SIGKILL');
     let leader;
     childProcess.spawn = (...order) => {
       const isGuard = leader !== undefined;
       if (isGuard && killed === 'before') die();
       const child = spawn(...order);
       if (isGuard) die();
       leader = child;
       writeSync(1, String(child.pid));
       return child;
     };
     const script = 'trap "" TERM HUP INT; echo begun > "$1"; while :; do sleep 600; done';
     new ProcessGroup({ command: '/bin/sh', args: ['-c', script, 'sh', begun], env: { PATH: process.env.PATH } });`,
  );
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function started(): Promise<{ child: ChildProcess; pids: readonly number[] }> {
  const child = spawn(process.execPath, [owner], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
  });
  return { child, pids: line.trim().split(' ').map(Number) };
}

test.concurrent.each(['SIGKILL', 'SIGTERM', 'SIGHUP'] as const)(
  'a stubborn group ends when its owner dies of %s',
  async (signal) => {
    const { child, pids } = await started();
    expect(pids.map(isAlive)).toEqual([true, true]);
    child.kill(signal);
    await untilGone(pids);
  },
);

test('a stubborn group is killed when it is stopped', async () => {
  const { child, pids } = await started();
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGUSR2');
  expect(await exit).toBe(0);
  await untilGone(pids);
});

test.each([
  ['before its guard stands', 'before'],
  ['when its guard stands and it was not told to begin', 'after'],
])('a stubborn command does not begin if its owner is killed %s (GROUP-4)', async (_, killed) => {
  const begun = join(folder, `begun-${killed}`);
  const child = spawn(process.execPath, [shortLived, killed, begun], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const [, signal] = await once(child, 'close');
  expect(signal).toBe('SIGKILL');
  const pid = Number(printed);
  onTestFinished(() => void (isAlive(pid) && process.kill(-pid, 'SIGKILL')));
  await untilGone([pid]);
  expect(existsSync(begun)).toBe(false);
});

const env = { PATH: process.env['PATH'] ?? '' };

test('a command reads all that is sent to it, from the first byte, and has the arguments that it was given', async () => {
  const args = ['-c', 'printf "%s|" "$@"; cat', 'sh', '-n', '$HOME "x"', ''];
  const group = new ProcessGroup({ command: 'sh', args, env });
  group.leader.stdin.end('first\n\n\\second');
  let said = '';
  group.leader.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await once(group.leader, 'close');
  expect(said).toBe('-n|$HOME "x"||first\n\n\\second');
  await group.stop();
});

test.each([
  ['a name that PATH does not have', 'no-such-command-here', 'ENOENT'],
  ['a path that is not there', './no-such-file-here', 'ENOENT'],
  ['a file that is no program', fileURLToPath(import.meta.url), 'EACCES'],
])('%s fails as the system says', async (_, command, code) => {
  const group = new ProcessGroup({ command, args: [], env });
  const [error] = await once(group.leader, 'error');
  expect(error).toMatchObject({ code });
  await group.stop();
});

test('a path is seen from the folder that the command starts in', async () => {
  await writeFile(join(folder, 'here.sh'), '#!/bin/sh\npwd -P\n', { mode: 0o755 });
  const cwd = await realpath(folder);
  const group = new ProcessGroup({ command: './here.sh', args: [], env, cwd });
  let said = '';
  group.leader.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await once(group.leader, 'close');
  expect(said).toBe(`${cwd}\n`);
  await group.stop();
});
