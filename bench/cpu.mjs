// The processor time of processes and of everything below them, by what Linux says in /proc. Elsewhere it is not known.

import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second. */
const TICK_MS = 10;

/** Milliseconds, with those of children that have ended. Undefined where the system does not say. */
export function cpuMs(root) {
  const all = processes();
  if (all.size === 0) return undefined;
  const below = new Map();
  for (const [pid, { parent }] of all) below.set(parent, [...(below.get(parent) ?? []), pid]);
  const sum = (pid) => (all.get(pid)?.ms ?? 0) + (below.get(pid) ?? []).reduce((total, one) => total + sum(one), 0);
  return sum(root);
}

function processes() {
  const found = new Map();
  for (const name of listed()) {
    const fields = statOf(name);
    if (fields === undefined) continue;
    const ticks = [11, 12, 13, 14].reduce((total, index) => total + Number(fields[index]), 0);
    found.set(Number(name), { parent: Number(fields[1]), ms: ticks * TICK_MS });
  }
  return found;
}

function listed() {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** The fields after the name, which may hold anything. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined; // it has ended meanwhile
  }
}
