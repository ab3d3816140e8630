// The messages on the stream of a run, by the names that the page uses.

import type { JournalLine, LiveEvent, RunStateLine } from '../../../src/server/protocol.ts';

/** A cut in a text, as a JSON pointer into the event, and the bytes of the whole. */
export type Cut = NonNullable<JournalLine['cut']>[number];
export type JournalMessage = JournalLine;
export type LiveMessage = LiveEvent;
export type StateMessage = RunStateLine;
