// Tells if processes still run, for tests. One that has ended and that nobody has asked about yet does not.

import { readFileSync } from 'node:fs';
import { vi } from 'vitest';

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !isZombie(pid);
}

export const untilGone = (pids: readonly number[]): Promise<boolean> =>
  vi.waitUntil(() => !pids.some(isAlive), { timeout: 20_000, interval: 20 });

function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return true;
  }
}
