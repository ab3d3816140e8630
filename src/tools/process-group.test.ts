import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAlive, untilGone } from '../../test/support/alive.ts';

let folder: string;
let owner: string;

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
