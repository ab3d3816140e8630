// What a run's folder holds: events.jsonl (the journal), summary.json (a cache for listing, always safe to delete)
// and, while a process is at work on it, lock.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { RunId } from '../event.ts';
import { codeOf } from './disk.ts';
import type { Tally } from './summary.ts';

export interface RunFolder {
  readonly path: string;
  readonly events: string;
  readonly summary: string;
  readonly lock: string;
}

export function runFolder(runs: string, run: RunId): RunFolder {
  const path = `${runs}/${run}`;
  return { path, events: `${path}/events.jsonl`, summary: `${path}/summary.json`, lock: `${path}/lock` };
}

/** True when the folder is new, and so is empty. */
export function makeFolder(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    if (codeOf(thrown) === 'ENOENT') return mkdirSync(path, { recursive: true }) !== undefined;
    throw thrown;
  }
}

export const summaryText = (tally: Tally): string => `${JSON.stringify(tally)}\n`;

/** Best effort: a summary that is missing, torn or stale is computed from the journal again. */
export function writeSummary(folder: RunFolder, tally: Tally): void {
  try {
    writeFileSync(folder.summary, summaryText(tally));
  } catch {
    return;
  }
}

export function readSummary(folder: RunFolder, run: RunId): Tally | undefined {
  try {
    const found = JSON.parse(readFileSync(folder.summary, 'utf8')) as Partial<Tally>;
    const whole =
      found.run === run &&
      typeof found.agent === 'string' &&
      typeof found.input?.text === 'string' &&
      [found.startedAt, found.events, found.bytes].every(Number.isFinite);
    return whole ? (found as Tally) : undefined;
  } catch {
    return undefined;
  }
}
