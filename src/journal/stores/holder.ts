// Who holds something: a process, told from every other. A file that names one can be judged by whoever finds it.
// H1. A process is the same one only if its start time is: pids are used again. Where start times are unknown
//     (not Linux) the pid alone decides. A process that is gone never comes back.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { codeOf } from './disk.ts';

export interface Holder {
  readonly pid: number;
  /** Boot and clock ticks at which the process began; empty where unknown. */
  readonly started: string;
  /** Tells what it holds from everything else that this process holds. */
  readonly mark: string;
}

/** This process, with a mark of its own. */
export const newHolder = (): Holder => ({
  pid: process.pid,
  started: ownStart(),
  mark: randomBytes(6).toString('hex'),
});

export const holderText = (holder: Holder): string => `${JSON.stringify(holder)}\n`;

/** Undefined where the text names nobody. */
export function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, started, mark } = JSON.parse(text) as Partial<Holder>;
    if (!Number.isInteger(pid) || !/^[0-9a-f]{1,32}$/.test(mark ?? '')) return undefined;
    return { pid: pid as number, started: started ?? '', mark: mark as string };
  } catch {
    return undefined;
  }
}

export function isAlive({ pid, started }: Pick<Holder, 'pid' | 'started'>): boolean {
  const state = processState(pid);
  if (state === 'gone') return false;
  return state === 'alive' || started === '' || state.started === started; // H1
}

type ProcessState = 'gone' | 'alive' | { readonly started: string };

function processState(pid: number): ProcessState {
  const known = linuxState(pid);
  if (known !== undefined) return known;
  try {
    process.kill(pid, 0);
    return 'alive';
  } catch (thrown) {
    return codeOf(thrown) === 'ESRCH' ? 'gone' : 'alive';
  }
}

let own: ProcessState | undefined;
function ownStart(): string {
  own ??= processState(process.pid);
  return typeof own === 'string' ? '' : own.started;
}

/** From /proc. A zombie is gone: it only waits for its parent to hear of it. Undefined where /proc does not tell. */
function linuxState(pid: number): ProcessState | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? 'gone' : { started: `${bootId()}/${fields[19]}` };
  } catch {
    return undefined;
  }
}

let boot: string | undefined;
function bootId(): string {
  return (boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
}
