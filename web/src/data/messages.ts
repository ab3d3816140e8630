// What the stream of a run carries, by the names that the page uses.

import type { JournalLine, LiveEvent, RunStateLine } from '../../../src/server/protocol.ts';

/** Where a text was cut, as a JSON pointer into the event, and how many bytes the whole has. */
export type Cut = NonNullable<JournalLine['cut']>[number];
export type JournalMessage = JournalLine;
export type LiveMessage = LiveEvent;
export type StateMessage = RunStateLine;
