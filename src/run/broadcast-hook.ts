// The hook by which a program sees each broadcast before the team does, and may change or refuse it.
// HOOK-1. What the hook decides is recorded with the broadcast. A replay and a resumed run follow the record and do not
//     ask the hook a second time, in whichever process they are.

import type { RunId } from '../journal/event.ts';
import type { Broadcast, SessionRef, TeamMessage } from '../kernel/effect.ts';
import { faultOf } from '../kernel/fault.ts';
import type { Inboxes } from '../world/state/inboxes.ts';

/** The channel that something is about to be said on. */
interface BroadcastPlace {
  readonly run: RunId;
  /** One for each team at work: the path of its run. */
  readonly channel: SessionRef;
  /** The broadcasts that the team heard so far, in order. */
  readonly transcript: readonly Broadcast[];
}

type BroadcastVerdict =
  | 'pass'
  /** The team hears this instead. */
  | { readonly message: string }
  /** The team does not hear it. Its sender learns why, and may send something else. */
  | { readonly refuse: string };

/**
 * Asked for everything that is said on the channel of a team: by members, by the supervisor, and the notices that a member
 * has left or failed. If the hook throws, the broadcast is refused.
 */
export type BroadcastHook = (saying: TeamMessage, place: BroadcastPlace) => BroadcastVerdict;

/** The inboxes, with the hook before everything that is posted. */
export function withHook(inboxes: Inboxes, hook: BroadcastHook, run: RunId): Pick<Inboxes, 'take' | 'post'> {
  return {
    take: (box) => inboxes.take(box),
    post(channel, saying) {
      const verdict = decided(hook, saying, { run, channel, transcript: inboxes.said(channel) });
      if (verdict === 'pass') return inboxes.post(channel, saying);
      if ('message' in verdict) return inboxes.post(channel, { ...saying, message: verdict.message });
      return { ...inboxes.post(channel, saying), number: 0, refused: verdict.refuse };
    },
  };
}

function decided(hook: BroadcastHook, saying: TeamMessage, place: BroadcastPlace): BroadcastVerdict {
  try {
    const verdict: unknown = hook(saying, place);
    if (isVerdict(verdict)) return verdict;
    return { refuse: 'The hook of the program gave back neither "pass" nor {message} nor {refuse}.' };
  } catch (thrown) {
    return { refuse: `The hook of the program failed: ${faultOf(thrown).message}` };
  }
}

function isVerdict(given: unknown): given is BroadcastVerdict {
  if (given === 'pass') return true;
  if (typeof given !== 'object' || given === null) return false;
  return (
    ('message' in given && typeof given.message === 'string') || ('refuse' in given && typeof given.refuse === 'string')
  );
}
