// The faults for a process that may not write a run: who holds it, whether we can know that this process is gone, and
// the way out.

import type { RunId } from '../../journal/event.ts';
import { fail } from '../../kernel/fault.ts';
import type { RunFolder } from './folder.ts';
import { type Holder, isThisProcess } from './holder.ts';
import { type HeldLock, holderOf } from './lock.ts';

export function refuse(run: RunId, { holder, standing }: HeldLock): never {
  const { pid, host, since } = holder;
  const details = { pid, host, since };
  if (standing === 'alive') {
    const way = `Wait for it to end, or end it with: cadre runs cancel ${run}`;
    fail('run/locked', `Run ${run} is being written by ${nameOf(holder)}${sinceText(holder)}. ${way}`, details);
  }
  fail(
    'run/locked',
    `Run ${run} is held by ${nameOf(holder)}${sinceText(holder)}. It cannot be known from here whether it is gone: ${standing.why}. If it is gone, or if you want to stop it from writing: cadre resume ${run} --take-over`,
    { ...details, why: standing.why },
  );
}

/** The fault for a process whose lock was taken from it. */
export function failTakenOver(run: RunId, folder: RunFolder): never {
  const now = holderOf(folder)?.holder;
  const by = now === undefined ? 'another process' : `${nameOf(now)}${sinceText(now)}`;
  fail(
    'run/taken-over',
    `Run ${run} was taken over by ${by}. This process has stopped working on it. What it had under way is not recorded, and the other process may do it again.`,
    now && { pid: now.pid, host: now.host, since: now.since },
  );
}

function nameOf(holder: Holder): string {
  const { pid, host } = holder;
  if (pid === 0) return 'an unknown process';
  if (isThisProcess(holder)) return `this process (${pid})`;
  return host === '' ? `process ${pid}` : `process ${pid} on ${host}`;
}

const sinceText = ({ since }: Holder): string => (since === 0 ? '' : ` since ${new Date(since).toISOString()}`);
