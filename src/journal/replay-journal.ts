// A journal that only remembers. Anything that a program would add to it is a difference from the record, or, if the
// run was broken off, the point up to which it can be followed.

import { FaultError, fail } from '../kernel/fault.ts';
import type { OpPath } from '../kernel/path.ts';
import type { RunEvent, UnstampedEvent } from './event.ts';
import { type Journal, readPast } from './journal.ts';
import { isQuestionBelow } from './question-below.ts';

/** The record ends here, in the middle of the run. */
export class EndOfRecord extends Error {}

export function replayJournal(events: readonly RunEvent[]): Journal & {
  /** Recorded ops that the program did not ask for. */
  unasked(): readonly OpPath[];
} {
  const past = readPast(events);
  const asked = new Set<OpPath>();
  return {
    isReplay: true,
    start: past.start,
    end: past.end,
    recall(path) {
      asked.add(path);
      return past.ops.get(path);
    },
    records: past.ops,
    isPassed: (path) => past.isPassed(path),
    isReached: (path) => past.isReached(path),
    seqOfEnd: (path) => past.ops.get(path)?.end?.seq,
    fact: (key) => past.facts.get(key),
    workTime: (moment) => past.clock.at(moment),
    append(event) {
      if (past.end === undefined) throw new EndOfRecord();
      return fail('journal/divergence', `${nameOf(event)} is not in the record.`, { path: pathOf(event), now: event });
    },
    flush() {},
    unasked: () => [...past.ops.keys()].filter((path) => !asked.has(path) && !isQuestionBelow(path, past.ops)),
  };
}

export const isEndOfRecord = (thrown: unknown): boolean => thrown instanceof EndOfRecord;

const pathOf = (event: UnstampedEvent): OpPath | undefined => ('path' in event ? event.path : undefined);

const nameOf = (event: UnstampedEvent): string => ('path' in event ? `${event.type} of op ${event.path}` : event.type);

export const divergenceOf = (thrown: unknown): FaultError | undefined =>
  thrown instanceof FaultError && thrown.fault.code === 'journal/divergence' ? thrown : undefined;
