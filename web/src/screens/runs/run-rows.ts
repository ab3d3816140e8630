// The rows of the list of runs: states, notes, days and choices. Pure: summaries of the server go in, words come out.

import type { RunRow } from '../../../../src/server/protocol.ts';
import { usd } from '../../../../src/views/amounts.ts';
import { limitWords } from '../../../../src/views/limit-words.ts';
import { isUnanswered, refusedNote, runStanding } from '../../../../src/views/runs/run-standing.ts';

export const CHOICES = ['all', 'running', 'person', 'broken-off', 'unanswered'] as const;
export type RunChoice = (typeof CHOICES)[number];

export const CHOICE_NAMES: Readonly<Record<RunChoice, string>> = {
  all: 'All',
  running: 'Running',
  person: 'Waits for you',
  'broken-off': 'Broken off',
  unanswered: 'Not answered',
};

export function isChosen(row: RunRow, choice: RunChoice): boolean {
  const standing = runStanding(row);
  if (choice === 'unanswered') return isUnanswered(standing);
  return choice === 'all' || choice === standing;
}

export interface RunNote {
  readonly kind: 'live' | 'person' | 'fork' | 'warn' | 'refused' | 'plain';
  readonly text: string;
}

/** The one thing that is worth knowing before the run is opened. */
export function noteOf(row: RunRow): RunNote | undefined {
  if (row.state === 'running' && row.waiting > 0) return { kind: 'person', text: row.now ?? 'waits for you' };
  if (row.state === 'running' && row.now !== undefined) return { kind: 'live', text: row.now };
  if (row.state === 'running' && row.worker !== undefined) return { kind: 'live', text: `at ${row.worker}` };
  if (row.queued === true) return { kind: 'plain', text: row.queuedWhy ?? 'waits for a worker' };
  if (row.state === 'broken-off') {
    return row.inDoubt > 0 ? { kind: 'plain', text: `${calls(row.inDoubt)} in doubt` } : undefined;
  }
  if (row.outcome !== undefined && row.outcome !== 'answered' && row.fault !== undefined) {
    const stage = row.stage !== undefined && row.stage !== row.agent ? ` at ${row.stage}` : '';
    return { kind: 'plain', text: `${faultWords(row.fault)}${stage}` };
  }
  const bad = refusedNote(row);
  if (bad !== undefined) return { kind: row.failedBelow > 0 ? 'warn' : 'refused', text: bad };
  if (row.forkedFrom !== undefined) return { kind: 'fork', text: `of ${row.forkedFrom.run.slice(9, 15)}` };
  if (row.resumes > 0) return { kind: 'plain', text: 'resumed' };
  return row.label === undefined ? undefined : { kind: 'plain', text: row.label };
}

/** A limit in words, any other fault by its code. */
export const faultWords = ({ code, limit }: NonNullable<RunRow['fault']>): string =>
  limit === undefined ? code : limitWords(limit);

const calls = (count: number): string => `${count} ${count === 1 ? 'call' : 'calls'}`;

export const costOf = ({ usd: known, calls: made, atLeast }: RunRow): string => {
  if (known === undefined) return made === 0 ? '–' : '$?';
  return `${atLeast ? '≥ ' : ''}${usd(known)}`;
};

export const tokensOf = ({ tokens }: RunRow): number => tokens.input + tokens.output;

export type ListRow =
  | { readonly kind: 'day'; readonly key: string; readonly at: number; readonly count: number; readonly cost: string }
  | { readonly kind: 'run'; readonly key: string; readonly row: RunRow };

/** Newest first, each day with its sum. A sum of what is not all known is at least that much. */
export function withDays(rows: readonly RunRow[], dayOf: (at: number) => string): readonly ListRow[] {
  const list: ListRow[] = [];
  for (let from = 0; from < rows.length; ) {
    const day = dayOf(rows[from]!.startedAt);
    let to = from;
    while (to < rows.length && dayOf(rows[to]!.startedAt) === day) to++;
    const own = rows.slice(from, to);
    list.push({ kind: 'day', key: `day ${day}`, at: own[0]!.startedAt, count: own.length, cost: sumOf(own) });
    for (const row of own) list.push({ kind: 'run', key: row.run, row });
    from = to;
  }
  return list;
}

function sumOf(rows: readonly RunRow[]): string {
  const priced = rows.filter((row) => row.usd !== undefined);
  if (priced.length === 0) return rows.some((row) => row.calls > 0) ? '$?' : '–';
  const isLeast = rows.some((row) => row.atLeast || (row.usd === undefined && row.calls > 0));
  return `${isLeast ? '≥ ' : ''}${usd(priced.reduce((sum, row) => sum + (row.usd ?? 0), 0))}`;
}
