// The messages that any process may send to a run. The list is closed. Each message has its own id, so that a message
// that is found twice is taken once.

import type { Verdict } from './effect.ts';
import type { OpPath } from './path.ts';
import type { SharedContext, SpawnId } from './spawned.ts';

interface MessageStamp {
  readonly id: string;
  /** The name of its sender, shown to anyone who asks later. */
  readonly by?: string;
}

/** Every session is asked for its final answer, and nothing new begins. */
interface StopRun extends MessageStamp {
  readonly kind: 'stop';
  readonly reason: string;
}

/** Ends the run at once, or one that it spawned. */
interface CancelRun extends MessageStamp {
  readonly kind: 'cancel';
  readonly to?: SpawnId;
  readonly reason: string;
}

/** A person's message to the session of the run, or of one that it spawned. */
interface SendMessage extends MessageStamp {
  readonly kind: 'send';
  readonly to?: SpawnId;
  readonly text: string;
}

/** A person's answer to the op that waits for it. */
export interface GiveVerdict extends MessageStamp {
  readonly kind: 'verdict';
  readonly op: OpPath;
  readonly approved: boolean;
  readonly note?: string;
  /** A yes that also answers the same question when it is asked again in this run. */
  readonly scope?: 'run';
  /** The answer to a question of `ask_person`. */
  readonly answer?: string;
  /** The digest of what the person was shown, or its first 12 characters or more. Without it the verdict is about the op as it is recorded. */
  readonly seen?: string;
}

export const verdictIn = ({ approved, note, by, scope, answer }: GiveVerdict): Verdict => ({
  approved,
  ...(note !== undefined && { note }),
  ...(by !== undefined && { by }),
  ...(scope !== undefined && { scope }),
  ...(answer !== undefined && { answer }),
});

/** Adds to the shared context of a run that still waits for others. */
interface ShareContext extends MessageStamp {
  readonly kind: 'share-context';
  readonly context: SharedContext;
}

export type ControlMessage = StopRun | CancelRun | SendMessage | GiveVerdict | ShareContext;
