// An event as a store of many machines keeps it: a text, beside the version under which it was written.

import { EVENT_VERSION, type RunEvent, type RunId } from '../journal/event.ts';
import { upcaster } from '../journal/upcast.ts';
import { fail } from '../kernel/fault.ts';
import { parseEvent } from './file/log.ts';

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
