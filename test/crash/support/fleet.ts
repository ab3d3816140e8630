// Workers, servers and commands as processes of their own, on a real Postgres, that can be killed, stopped and cut off.

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { built } from '../../support/dist.ts';

const CLOCK = fileURLToPath(new URL('../fixtures/shifted-clock.mjs', import.meta.url));

export interface WorkerProcess {
  readonly name: string;
  readonly child: ChildProcess;
  /** The output so far. */
  said(): string;
  /** Settles when it takes runs. */
  readonly ready: Promise<void>;
  readonly gone: Promise<void>;
}

export interface WorkerSetting {
  readonly folder: string;
  readonly store: string;
  readonly name: string;
  /** Its clock is wrong by this much. */
  readonly clockMs?: number;
}

export function startWorkerProcess({ folder, store, name, clockMs }: WorkerSetting): WorkerProcess {
  const before = clockMs === undefined ? [] : ['--import', pathToFileURL(CLOCK).href];
  const child = spawn(process.execPath, [...before, built('cli/main.js'), 'worker', folder, '--name', name], {
    env: {
      ...environment(store),
      ...(clockMs !== undefined && { CADRE_TEST_CLOCK_MS: String(clockMs) }),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  let isReady = (): void => {};
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    if (text.includes('takes runs of')) isReady();
  });
  const gone = new Promise<void>((resolve) => {
    child.once('close', () => {
      isReady();
      resolve();
    });
  });
  return { name, child, said: () => text, ready, gone };
}

export async function kill({ child, gone }: WorkerProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  child.kill(signal);
  await gone;
}

export interface ServerProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** Settles when it has ended, with how it ended if nobody asked for it. */
  readonly gone: Promise<string | undefined>;
}

/** `cadre serve` in front of workers, without a token. */
export async function startServerProcess(folder: string, store: string): Promise<ServerProcess> {
  const args = [built('cli/main.js'), 'serve', folder, '--port', '0', '--no-token', '--workers'];
  const child = spawn(process.execPath, args, { env: environment(store), stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said += part));
  const gone = new Promise<string | undefined>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === 'SIGKILL' ? undefined : `exit ${code}: ${said}`));
  });
  for await (const line of createInterface({ input: child.stdout }))
    return { url: line.replace(/\/$/, ''), child, gone };
  throw new Error(`the server did not start: ${await gone}`);
}

/** Throws if it had ended by itself. */
export async function killServer({ child, gone }: ServerProcess): Promise<void> {
  child.kill('SIGKILL');
  const ended = await gone;
  if (ended !== undefined) throw new Error(`a server ended by itself: ${ended}`);
}

/** One command of the built program: its exit code and what it printed. */
export async function command(
  args: readonly string[],
  store: string,
): Promise<{ readonly code: number; readonly out: string }> {
  const child = spawn(process.execPath, [built('cli/main.js'), ...args], {
    env: environment(store),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (out += part));
  const code = await new Promise<number>((resolve) => child.once('close', (given) => resolve(given ?? -1)));
  return { code, out };
}

const environment = (store: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  NO_COLOR: '1',
  CADRE_STORE: store,
});
