// The standing of a run, as a person is told it: one word for its state, its outcome, and what it waits for.

import type { RunStanding } from '../../journal/run-totals.ts';
import type { RunSummary } from '../../journal/store.ts';
import { plural } from '../amounts.ts';

export function runStanding({
  state,
  outcome,
  waiting,
  queued,
}: Pick<RunSummary, 'state' | 'outcome' | 'waiting' | 'queued'>): RunStanding {
  if (state === 'ended') return outcome ?? 'failed';
  if (queued === true) return 'queued';
  if (state === 'broken-off') return 'broken-off';
  return waiting > 0 ? 'person' : 'running';
}

/** It came to an end without an answer. */
export const isUnanswered = (standing: RunStanding): boolean =>
  standing !== 'answered' && standing !== 'running' && standing !== 'person' && standing !== 'queued';

export const standingWord = (standing: RunStanding): string => (standing === 'person' ? 'waits for you' : standing);

/** `2 refused, 1 failed below`: the calls and runs below that came to nothing. Undefined if there are none. */
export function badBelow(counts: {
  readonly refused: number;
  readonly denied?: number;
  readonly failedBelow: number;
}): string | undefined {
  const { refused, denied = 0, failedBelow } = counts;
  const words = [
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(denied > 0 ? [`${denied} denied`] : []),
    ...(failedBelow > 0 ? [`${failedBelow} failed below`] : []),
  ];
  return words.length === 0 ? undefined : words.join(', ');
}

/** `2 calls refused, 1 failed below`: the same, for a line that says nothing else. */
export const refusedNote = ({
  refused,
  failedBelow,
}: Pick<RunSummary, 'refused' | 'failedBelow'>): string | undefined =>
  refused > 0 && failedBelow === 0 ? `${plural(refused, 'call')} refused` : badBelow({ refused, failedBelow });
