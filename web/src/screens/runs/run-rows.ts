// The rows of the list of runs: states, notes, days and choices. Pure: summaries of the server go in, words come out.

import { WITHOUT_REASON } from '../../../../src/kernel/fault.ts';
import type { RunRow } from '../../../../src/server/protocol.ts';
import { limitWords } from '../../../../src/views/limit-words.ts';
import { isUnanswered, refusedNote, runStanding } from '../../../../src/views/runs/run-standing.ts';
import { keyOfRun } from '../../data/listed-runs.ts';
import type { RunCounts } from '../../data/run-counts.ts';

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

/** The one thing that is worth knowing before the run is opened. `asked`: what it asks a person, where that is known. */
export function noteOf(row: RunRow, asked?: string): RunNote | undefined {
  if (row.state === 'running' && row.waiting > 0)
    return { kind: 'person', text: asked === undefined ? 'asks you' : `asks you: ${asked}` };
  if (row.state === 'running' && row.now !== undefined) return { kind: 'live', text: row.now };
  if (row.state === 'running' && row.worker !== undefined) return { kind: 'live', text: `at ${row.worker}` };
  if (row.queued === true) return { kind: 'plain', text: row.queuedWhy ?? 'waits for a worker' };
  if (row.state === 'broken-off') {
    return row.inDoubt > 0 ? { kind: 'plain', text: `${calls(row.inDoubt)} in doubt` } : undefined;
  }
  if (row.outcome !== undefined && row.outcome !== 'answered' && row.fault !== undefined) {
    const words = faultNote(row.fault);
    const stage = row.stage !== undefined && row.stage !== row.agent ? `${row.stage}: ` : '';
    return words === undefined ? undefined : { kind: 'plain', text: stage + words };
  }
  const bad = refusedNote(row);
  if (bad !== undefined) return { kind: row.failedBelow > 0 ? 'warn' : 'refused', text: bad };
  if (row.forkedFrom !== undefined) return { kind: 'fork', text: `of ${row.forkedFrom.run.slice(9, 15)}` };
  if (row.resumes > 0) return { kind: 'plain', text: 'resumed' };
  return row.label === undefined ? undefined : { kind: 'plain', text: row.label };
}

/** A limit in words, any other fault in its own. Undefined: its state says all of it. */
function faultNote({ code, message, limit }: NonNullable<RunRow['fault']>): string | undefined {
  if (limit !== undefined) return limitWords(limit);
  return code === 'cancelled' && message === WITHOUT_REASON ? undefined : message;
}

const calls = (count: number): string => `${count} ${count === 1 ? 'call' : 'calls'}`;

export const tokensOf = ({ tokens }: Pick<RunRow, 'tokens'>): number => tokens.input + tokens.output;

export type ListRow =
  | { readonly kind: 'day'; readonly key: string; readonly day: string }
  | { readonly kind: 'run'; readonly key: string; readonly row: RunRow; readonly isOpen: boolean }
  /** A message of the conversation above it. */
  | { readonly kind: 'message'; readonly key: string; readonly row: RunRow; readonly parent: string }
  | { readonly kind: 'earlier'; readonly key: string; readonly thread: string; readonly count: number };

/** The newest messages of a conversation that are shown below it. */
const SHOWN_MESSAGES = 3;

/**
 * Newest first, each day with a head. `opened`: the messages of the conversations that are open, newest first, as far as
 * they have come.
 */
export function listRows(
  rows: readonly RunRow[],
  dayOf: (at: number) => string,
  opened: ReadonlyMap<string, readonly RunRow[]>,
): readonly ListRow[] {
  const list: ListRow[] = [];
  let day: string | undefined;
  for (const row of rows) {
    const own = dayOf(row.startedAt);
    if (own !== day) list.push({ kind: 'day', key: `day ${own}`, day: own });
    day = own;
    const key = keyOfRun(row);
    const messages = key === row.run ? undefined : opened.get(key);
    list.push({ kind: 'run', key, row, isOpen: messages !== undefined });
    for (const one of messages?.slice(0, SHOWN_MESSAGES) ?? [])
      list.push({ kind: 'message', key: one.run, row: one, parent: key });
    const earlier = Math.max(0, (messages?.length ?? 0) - SHOWN_MESSAGES);
    if (earlier > 0) list.push({ kind: 'earlier', key: `earlier ${key}`, thread: key, count: earlier });
  }
  return list;
}

/** The figures of a row: of its run, or of all messages of its conversation. */
export const figuresOf = (row: RunRow): Pick<RunRow, 'usd' | 'calls' | 'unpriced' | 'atLeast' | 'tokens'> =>
  row.messages ?? row;

/** The words of the filter for what a person chose beside it. */
const CHOICE_WORDS: Readonly<Record<RunChoice, string>> = {
  all: '',
  running: 'state:running -state:person',
  person: 'state:person',
  'broken-off': 'state:broken-off -state:queued',
  unanswered: 'state:unanswered',
};

export const choiceWords = (choice: RunChoice, q: string): string => `${q} ${CHOICE_WORDS[choice]}`.trim();

/** The number of runs of each choice. */
export function choiceCounts({ total, states }: Pick<RunCounts, 'total' | 'states'>): Record<RunChoice, number> {
  const of = (fits: (standing: ReturnType<typeof runStanding>) => boolean): number =>
    Object.entries(states).reduce(
      (sum, [standing, count]) => sum + (fits(standing as ReturnType<typeof runStanding>) ? count : 0),
      0,
    );
  return {
    all: total,
    running: states['running'] ?? 0,
    person: states['person'] ?? 0,
    'broken-off': states['broken-off'] ?? 0,
    unanswered: of(isUnanswered),
  };
}

/** At most two are marked: a third takes the place of the older one. One that is marked again is not any more. */
export const marksWith = (marks: readonly string[], run: string): readonly string[] =>
  marks.includes(run) ? marks.filter((one) => one !== run) : [...marks, run].slice(-2);

/** The two that are compared: the marked ones, or the only one and that with the focus. Words: why there are none. */
export function comparedRuns(
  marks: readonly string[],
  focused: string | undefined,
): readonly [string, string] | { readonly why: string } {
  const [first, second = focused] = marks;
  if (first === undefined) return { why: 'Mark two runs with X, then C compares them.' };
  if (second === undefined || second === first) return { why: 'C needs two different runs: mark another with X.' };
  return [first, second];
}
