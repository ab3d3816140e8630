// The counts of a run by its journal. Only what the journal has gained since the last counts is read, where they can go on.

import type { RunEvent, RunId } from '../../journal/event.ts';
import { lenientUpcaster } from '../../journal/upcast.ts';
import { parseEvent } from '../stored-event.ts';
import { emptySummary, isAtRest, type RecordedSummary, type SummaryFold, summaryFold } from '../summary.ts';
import type { RunFolder } from './folder.ts';
import { logLines } from './log.ts';

/** The counts, extended by what the journal has gained; unchanged if that is nothing. */
export function caughtUp(
  run: RunId,
  folder: RunFolder,
  last: RecordedSummary | undefined,
  size: number,
): RecordedSummary {
  const found = (last !== undefined && last.bytes < size && continued(last, folder)) || countedAnew(run, folder);
  return last !== undefined && found.events === last.events && found.bytes === last.bytes ? last : found;
}

/** If it has not ended and this process did not count what came before, the run is counted from its beginning. */
function continued(last: RecordedSummary, folder: RunFolder): RecordedSummary | undefined {
  const counter = counters.get(last) ?? (isAtRest(last) ? summaryFold({ ...last }) : undefined);
  return counter !== undefined && isContinued(counter, folder.events) ? snapshot(counter) : undefined;
}

function countedAnew(run: RunId, folder: RunFolder): RecordedSummary {
  const counter = summaryFold(emptySummary(run));
  isContinued(counter, folder.events);
  return snapshot(counter);
}

/** The counters that go on, by the last counts that they gave. */
const counters = new WeakMap<RecordedSummary, SummaryFold>();

function snapshot(counter: SummaryFold): RecordedSummary {
  const tally = { ...counter.tally };
  counters.set(tally, counter);
  return tally;
}

const upcasters = new WeakMap<SummaryFold, (event: RunEvent) => RunEvent>();

/** Lifts what a run of an earlier release has gained. Its first event says the version where it is counted on. */
function upcasterOf(counter: SummaryFold, file: string): (event: RunEvent) => RunEvent {
  const made = upcasters.get(counter);
  if (made !== undefined) return made;
  const upcast = lenientUpcaster();
  upcasters.set(counter, upcast);
  if (counter.tally.bytes === 0) return upcast;
  for (const { text } of logLines(file)) {
    upcast(parseEvent(text));
    break;
  }
  return upcast;
}

/** Counts what follows, up to a line that is damaged or out of order, because a damaged run must not break the list. */
function isContinued(counter: SummaryFold, file: string): boolean {
  const { tally } = counter;
  try {
    const upcast = upcasterOf(counter, file);
    for (const line of logLines(file, tally.bytes)) {
      if (!line.whole) return true;
      const event = parseEvent(line.text);
      if (event.seq !== tally.events || typeof event.at !== 'number') return false;
      counter.add(upcast(event));
      tally.bytes = line.end;
    }
    return true;
  } catch {
    return false;
  }
}
