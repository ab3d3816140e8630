// The summary of a run, kept up to date event by event. What a list shows and nothing more: a long input is cut,
// its data is left out, and the journal has both whole.

import type { RunInput } from '../../kernel/effect.ts';
import type { OutcomeKind } from '../../kernel/fault.ts';
import type { RunEvent, RunId } from '../event.ts';
import { type CallFold, callFold, isUnpriced, roundedUsd } from '../spent.ts';
import type { RunQuery, RunSummary } from '../store.ts';

/** A summary without its state, which is not a matter of the journal alone. */
export interface Tally extends Omit<RunSummary, 'state'> {
  /** Calls that have begun and not ended. They are in doubt if nobody is at work on the run. */
  readonly inFlight: number;
}

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
  unpriced: number;
  inFlight: number;
}

export const INPUT_SHOWN = 280;

export const emptyTally = (run: RunId): GrowingTally => ({
  run,
  agent: '',
  input: { text: '' },
  startedAt: 0,
  events: 0,
  bytes: 0,
  unpriced: 0,
  inFlight: 0,
});

/** What follows the calls of a tally. It is no part of it: a tally is written to the index, and read back. */
const folds = new WeakMap<GrowingTally, { into: GrowingTally; readonly calls: CallFold }>();

/** A copy to count on with; undefined where calls are in flight of which we do not know how they began. */
export function continued(last: Tally): GrowingTally | undefined {
  const fold = folds.get(last as GrowingTally);
  if (fold === undefined && last.inFlight > 0) return undefined;
  const tally = { ...last };
  if (fold === undefined) return tally;
  fold.into = tally;
  folds.set(tally, fold);
  return tally;
}

function callsOf(tally: GrowingTally): CallFold {
  const known = folds.get(tally);
  if (known !== undefined) return known.calls;
  const fold = {
    into: tally,
    calls: callFold((call) => {
      if (call.usd !== undefined) fold.into.usd = (fold.into.usd ?? 0) + call.usd;
      else if (isUnpriced(call)) fold.into.unpriced++;
    }),
  };
  folds.set(tally, fold);
  return fold.calls;
}

/** Counts an event in. Bytes are for the store to add. */
export function tallyEvent(tally: GrowingTally, event: RunEvent): void {
  tally.events++;
  switch (event.type) {
    case 'run-start':
      tally.agent = event.agent;
      tally.input = { text: shorten(event.input.text) };
      tally.startedAt = event.at;
      return;
    case 'run-end':
      tally.endedAt = event.at;
      tally.outcome = event.outcome.kind;
      break;
    case 'op':
    case 'fact':
      return;
    default:
  }
  const calls = callsOf(tally);
  calls.add(event);
  tally.inFlight = calls.inFlight;
}

const shorten = (text: string): string => (text.length > INPUT_SHOWN ? `${text.slice(0, INPUT_SHOWN - 1)}…` : text);

export function summaryOf({ inFlight, usd, ...tally }: Tally, isHeld: () => boolean): RunSummary {
  const state = tally.outcome !== undefined ? 'ended' : isHeld() ? 'running' : 'broken-off';
  const unpriced = tally.unpriced + (state === 'broken-off' ? inFlight : 0);
  return { ...tally, ...(usd !== undefined && { usd: roundedUsd(usd) }), unpriced, state };
}

export const fits = (summary: RunSummary, query: RunQuery): boolean =>
  (query.state === undefined || summary.state === query.state) &&
  (query.agent === undefined || summary.agent === query.agent);

/** Run ids sort by time, so the newest is the greatest. */
export const newestFirst = (left: RunId, right: RunId): number => (left < right ? 1 : left > right ? -1 : 0);
