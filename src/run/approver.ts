// The ways to answer when a run asks a person.

import type { RunId } from '../journal/event.ts';
import { previewOf } from '../kernel/approval.ts';
import type { Verdict } from '../kernel/effect.ts';
import type { OpPath } from '../kernel/path.ts';
import { questionIn } from '../kernel/person.ts';
import { signInIn } from '../kernel/sign-in.ts';

/**
 * Asks a person in this process. Undefined: the call waits for a verdict from elsewhere. The signal is aborted when the
 * run ends, and when the verdict came from elsewhere.
 */
export type Approver = (
  prompt: string,
  about: unknown,
  signal: AbortSignal,
  address: { readonly run: RunId; readonly op: OpPath },
) => Promise<Verdict | undefined>;

/** The approver of a run without a terminal of its own: a person decides with `cadre approvals`. */
export const fromElsewhere: Approver = () => Promise.resolve(undefined);

export const nobodyThere: Approver = async (_prompt, about) => ({
  approved: false,
  absent: true,
  note:
    signInIn(about) !== undefined
      ? 'Nobody is there to sign in.'
      : questionIn(about) === undefined
        ? `Nobody is there to approve it. Run it in a terminal, or with --approve${trustToo(about)}.`
        : NOBODY_ANSWERS,
});

/** The other way out, for a tool that asks by default: those show what a call would do. */
const trustToo = (about: unknown): string =>
  (previewOf(about)?.always ?? previewOf(about) === undefined) ? '' : `, or name it under trust in the agent's file`;

const NOBODY_ANSWERS =
  'Nobody is there to answer. Go on without, or say in your answer what you need to know. ' +
  'A run in a terminal can be asked, and one with --detach waits for cadre approve --answer.';
