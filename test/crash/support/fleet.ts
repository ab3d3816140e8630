// Workers as processes of their own, on a real Postgres, that can be killed, stopped and cut off.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { built } from '../../support/dist.ts';

const CLOCK = fileURLToPath(new URL('../fixtures/shifted-clock.mjs', import.meta.url));

export interface WorkerProcess {
  readonly name: string;
  readonly child: ChildProcess;
  /** What it has said. */
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
      PATH: process.env['PATH'] ?? '',
      HOME: '/nonexistent',
      NO_COLOR: '1',
      CADRE_STORE: store,
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
