// An event as a store of many machines keeps it: a text, beside the version under which it was written.

import { explainJsonError, MAX_CARRIER_DEPTH, readJson } from '../base/text/json.ts';
import { EVENT_VERSION, type RunEvent, type RunId } from '../journal/event.ts';
import { upcaster } from '../journal/upcast.ts';
import { fail } from '../kernel/fault.ts';

export interface StoredEvent {
  /** Null where a query found no event, or where the text alone says it. */
  readonly seq: number | null;
  readonly version: number;
  readonly body: string;
}

/** `unknown` throws `run/unknown`. */
export type Unknown = (run: RunId) => Promise<never>;

export function eventOf(run: RunId, { seq, version, body }: StoredEvent): RunEvent {
  const event = parsed(run, seq, body);
  if (version === EVENT_VERSION) return event;
  const upcast = upcaster();
  upcast({ type: 'run-resume', seq: 0, at: 0, version }); // what follows it is of that version
  return upcast(event);
}

function parsed(run: RunId, seq: number | null, body: string): RunEvent {
  try {
    return parseEvent(body);
  } catch (thrown) {
    const what = thrown instanceof Error ? thrown.message : String(thrown);
    return fail('journal/corrupt', `Event ${seq} of run ${run} cannot be read: ${what}.`, { run, seq });
  }
}

/** One event as it was written. Throws where it is not an event. */
export function parseEvent(text: string): RunEvent {
  const parsed = readJson(text, MAX_CARRIER_DEPTH);
  if (!parsed.ok) throw new Error(`it ${explainJsonError(parsed)}`);
  const written = parsed.value;
  if (typeof written !== 'object' || written === null || !('seq' in written) || !('type' in written)) {
    throw new Error('it is not an event');
  }
  return written as RunEvent;
}
