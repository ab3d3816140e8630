// The number of a run's calls that came to nothing: they failed, a person said no, or nobody made them.

import type { RunEvent } from '../../journal/event.ts';
import { opEndState } from '../../journal/op-end-state.ts';
import { previewOf } from '../../kernel/approval.ts';
import type { OpPath } from '../../kernel/path.ts';
import { questionIn } from '../../kernel/person.ts';
import { signInIn } from '../../kernel/sign-in.ts';
import { plural } from '../amounts.ts';
import type { Lineage } from '../lineage.ts';
import { Refusals, type RefusedCall } from '../tree/refusals.ts';

export interface CallTally {
  /** Calls of tools that failed. */
  readonly failed: number;
  /** Calls that a person denied, and those among them that would have changed a file. */
  readonly denied: number;
  readonly changesDenied: number;
  /** Calls that were not made: beyond a limit, with wrong arguments, of a tool that is not there. */
  readonly refused: number;
}

/** `runs` has been given the event already. `tell` gets each call that was refused. */
export function callTallyFold(
  runs: Lineage,
  tell?: (refused: RefusedCall) => void,
): { add(event: RunEvent): void; tally(): CallTally } {
  const tally = { failed: 0, denied: 0, changesDenied: 0, refused: 0 };
  /** The subjects of questions that people have not answered yet. */
  const asked = new Map<OpPath, unknown>();
  const refuse = (refused: RefusedCall): void => {
    tally.refused++;
    tell?.(refused);
  };
  const refusals = new Refusals({ call: refuse }, runs);
  return {
    add(event) {
      refusals.add(event);
      if (event.type === 'op-start' && event.op.kind === 'approval') asked.set(event.path, event.op.about);
      if (event.type !== 'op-end') return;
      const state = opEndState(event);
      if (event.kind === 'tool' && state === 'failed') tally.failed++;
      if (event.kind !== 'approval') return;
      const about = asked.get(event.path);
      asked.delete(event.path);
      if (state !== 'denied' || questionIn(about) !== undefined || signInIn(about) !== undefined) return;
      tally.denied++;
      if (previewOf(about)?.kind === 'diff') tally.changesDenied++;
    },
    tally: () => ({ ...tally }),
  };
}

/** `2 calls refused`, `1 change denied`: nothing for what did not happen. */
export function tallyWords({ failed, denied, changesDenied, refused }: CallTally): readonly string[] {
  const counts = [
    [changesDenied, 'change', 'denied'],
    [denied - changesDenied, 'call', 'denied'],
    [refused, 'call', 'refused'],
    [failed, 'call', 'failed'],
  ] as const;
  return counts.flatMap(([count, noun, verb]) => (count === 0 ? [] : [`${plural(count, noun)} ${verb}`]));
}
