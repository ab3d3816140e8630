// The summary of a run, kept up to date event by event. What a list shows and nothing more: a long input is cut,
// its data is left out, and the journal has both whole.

import type { RunInput } from '../../kernel/effect.ts';
import type { OutcomeKind } from '../../kernel/fault.ts';
import type { RunEvent, RunId } from '../event.ts';
import { callFold, isUnpriced, roundedUsd } from '../spent.ts';
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

/** Counts the events of a run into its tally. */
export interface Tallier {
  readonly tally: GrowingTally;
  /** Bytes are for the store to add. */
  add(event: RunEvent): void;
}

export function tallier(tally: GrowingTally): Tallier {
  const calls = callFold(({ spent, fault }) => {
    if (spent?.usd !== undefined) tally.usd = (tally.usd ?? 0) + spent.usd;
    else if (isUnpriced(spent, fault)) tally.unpriced++;
  });
  return {
    tally,
    add(event) {
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
      calls.add(event);
      tally.inFlight = calls.inFlight;
    },
  };
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
