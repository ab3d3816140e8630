// Describes the process that holds a run, so that a process on any machine can judge whether it is gone.
// HOLDER-1. A process is the same one only if its start time is the same: pids are used again. Where start times are
//           unknown (not Linux) the pid alone decides. A process that is gone never comes back.
// HOLDER-2. A pid means something only in its own process table: one machine, one boot, one pid namespace. "No such pid
//           here" says nothing about a process of another container or another machine.
// HOLDER-3. `dead` means that the process is known to be dead. What cannot be known is `unknown`, with the reason.

import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { codeOf } from './disk.ts';

/** Fields that the system does not tell are empty. */
export interface Holder {
  readonly host: string;
  /** The installation of the operating system: two machines may have the same name. */
  readonly machine: string;
  readonly boot: string;
  readonly namespace: string;
  readonly pid: number;
  /** Clock ticks from the boot to the start of the process. */
  readonly started: string;
  /** Tells this claim from every other, also of the same process. */
  readonly nonce: string;
  /** The time at which it was claimed: milliseconds since 1970. */
  readonly since: number;
}

/** `why` completes the sentence "It cannot be known from here whether it is gone: …". */
export type HolderState = 'alive' | 'dead' | { readonly why: string };

/** This process, with a nonce of its own. */
export const newHolder = (): Holder => ({ ...thisProcess(), nonce: newNonce(), since: Date.now() });

export const newNonce = (): string => randomBytes(6).toString('hex');

export function isThisProcess({ host, boot, namespace, pid, started }: Holder): boolean {
  const me = thisProcess();
  return pid === me.pid && host === me.host && boot === me.boot && namespace === me.namespace && started === me.started;
}

export const holderText = (holder: Holder): string => `${JSON.stringify(holder)}\n`;

/** A lock is written whole, so something else damaged this one, such as a power loss or an edit. */
const UNREADABLE: Holder = {
  host: '',
  machine: '',
  boot: '',
  namespace: '',
  pid: 0,
  started: '',
  nonce: 'unreadable',
  since: 0,
};

/** Reads a holder from the first line: the others are not about the process itself. */
export function parseHolder(text: string): Holder {
  try {
    const found = JSON.parse(text.split('\n', 1)[0] ?? '') as Partial<Holder>;
    const nonce = found.nonce ?? '';
    if (!Number.isInteger(found.pid) || !/^[0-9a-f]{1,32}$/.test(nonce)) return UNREADABLE;
    const { host = '', machine = '', boot = '', namespace = '', pid = 0, started = '', since = 0 } = found;
    return { host, machine, boot, namespace, pid, started, nonce, since };
  } catch {
    return UNREADABLE;
  }
}

export function standingOf(holder: Holder, me: Holder = thisProcess()): HolderState {
  if (holder.pid === 0) return { why: 'its lock file cannot be understood' };
  if (holder.host !== me.host) return { why: `it is on host ${holder.host}, and this is ${me.host}` };
  if (holder.machine !== me.machine) return { why: `it is on another machine that is called ${holder.host} too` };
  if (holder.boot === me.boot && holder.namespace === me.namespace) return standingInMyTable(holder); // HOLDER-2
  if (isRebooted(holder, me)) return 'dead';
  if (holder.boot === me.boot) return { why: 'it is in another pid namespace, such as another container' };
  return { why: 'it is in a container of that name which was started by another boot, perhaps of another machine' };
}

function standingInMyTable(holder: Holder): HolderState {
  if (holder.namespace === '' && process.platform === 'linux') {
    return isRunning(holder) ? 'alive' : { why: 'this system does not tell its pid namespace' };
  }
  return isRunning(holder) ? 'alive' : 'dead';
}

/** The pid namespace of a machine itself, outside of all containers, has this number on every Linux. */
const OF_THE_MACHINE = 'pid:[4026531836]';

/** A name stands for one machine only outside of containers: many containers may have the same name. */
const isRebooted = (holder: Holder, me: Holder): boolean =>
  holder.boot !== '' &&
  me.boot !== '' &&
  holder.boot !== me.boot &&
  holder.namespace === OF_THE_MACHINE &&
  me.namespace === OF_THE_MACHINE;

/** True if the process runs in this process table. */
function isRunning({ pid, started }: Holder): boolean {
  const state = processState(pid);
  if (state === 'gone') return false;
  return state === 'running' || started === '' || state.started === started; // HOLDER-1
}

function processState(pid: number): 'gone' | 'running' | { readonly started: string } {
  const known = linuxState(pid);
  if (known !== undefined) return known;
  try {
    process.kill(pid, 0);
    return 'running';
  } catch (thrown) {
    return codeOf(thrown) === 'ESRCH' ? 'gone' : 'running';
  }
}

/** Read from /proc. A zombie is gone: it only waits for its parent to notice. Undefined if /proc does not tell. */
function linuxState(pid: number) {
  const stat = onLinux(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (stat === '') return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? 'gone' : { started: fields[19] ?? '' };
}

let own: Holder | undefined;
function thisProcess(): Holder {
  if (own !== undefined) return own;
  const state = processState(process.pid);
  own = {
    host: hostname(),
    machine: onLinux(() => readFileSync('/etc/machine-id', 'latin1').trim()),
    boot: onLinux(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()),
    namespace: onLinux(() => readlinkSync('/proc/self/ns/pid')),
    pid: process.pid,
    started: typeof state === 'string' ? '' : state.started,
    nonce: '',
    since: 0,
  };
  return own;
}

/** Empty where the system does not tell. */
function onLinux(read: () => string): string {
  if (process.platform !== 'linux') return '';
  try {
    return read();
  } catch {
    return '';
  }
}
