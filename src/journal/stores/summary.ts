// The summary of a run, kept up to date event by event. What a list shows and nothing more: a long input is cut,
// its data is left out, and the journal has both whole.

import type { RunInput } from '../../kernel/effect.ts';
import type { OutcomeKind } from '../../kernel/fault.ts';
import type { Spent } from '../../kernel/usage.ts';
import type { OpEnd, RunEvent, RunId } from '../event.ts';
import type { RunQuery, RunSummary } from '../store.ts';

/** A summary without its state, which is not a matter of the journal alone. */
export type Tally = Omit<RunSummary, 'state'>;

export interface GrowingTally {
  run: RunId;
  agent: string;
  input: RunInput;
  startedAt: number;
  endedAt?: number;
  outcome?: OutcomeKind;
  events: number;
  bytes: number;
  usd?: number;
}

export const INPUT_SHOWN = 280;

export const emptyTally = (run: RunId): GrowingTally => ({
  run,
  agent: '',
  input: { text: '' },
  startedAt: 0,
  events: 0,
  bytes: 0,
});

/** Counts an event in. Bytes are for the store to add. */
export function tallyEvent(tally: GrowingTally, event: RunEvent): void {
  tally.events++;
  switch (event.type) {
    case 'run-start':
      tally.agent = event.agent;
      tally.input = { text: shorten(event.input.text) };
      tally.startedAt = event.at;
      return;
    case 'attempt':
      return tallySpent(tally, event.spent);
    case 'op-end':
      return tallySpent(tally, spentOf(event));
    case 'run-end':
      tally.endedAt = event.at;
      tally.outcome = event.outcome.kind;
      return;
    default:
  }
}

function tallySpent(tally: GrowingTally, spent: Spent | undefined): void {
  if (spent?.usd !== undefined) tally.usd = (tally.usd ?? 0) + spent.usd;
}

const spentOf = (event: OpEnd): Spent | undefined =>
  event.kind === 'model' && event.result.ok ? (event.result.value as { spent?: Spent }).spent : undefined;

const shorten = (text: string): string => (text.length > INPUT_SHOWN ? `${text.slice(0, INPUT_SHOWN - 1)}…` : text);

export function summaryOf(tally: Tally, isHeld: () => boolean): RunSummary {
  const state = tally.outcome !== undefined ? 'ended' : isHeld() ? 'running' : 'broken-off';
  return { ...tally, state };
}

export const fits = (summary: RunSummary, query: RunQuery): boolean =>
  (query.state === undefined || summary.state === query.state) &&
  (query.agent === undefined || summary.agent === query.agent);

/** Run ids sort by time, so the newest is the greatest. */
export const newestFirst = (left: RunId, right: RunId): number => (left < right ? 1 : left > right ? -1 : 0);
