// Calls and questions that were decided: by whom, with which note, and what came of the call. Those that their run has not
// taken yet stand first, then the newest.

import { verdictWord } from '../../../../src/kernel/verdict-words.ts';
import type { DecidedInfo, UntakenInfo } from '../../../../src/server/protocol.ts';
import type { AskedAt } from '../../data/asked.ts';
import { decidedBy } from '../../parts/asks/settled.tsx';
import { lookOf } from '../../parts/state.tsx';
import { Moment } from '../../parts/times.tsx';
import { ApprovalRow } from './row.tsx';

type Settled = DecidedInfo | UntakenInfo;

export const Decided = ({ of, at }: { readonly of: readonly Settled[]; readonly at: AskedAt | undefined }) => {
  if (of.length === 0) return null;
  return (
    <section aria-label="Decided">
      <h2 class="head list-head">Decided</h2>
      {of.map((one) => (
        <One key={`${one.run} ${one.path}`} of={one} isShown={one.run === at?.run && one.path === at.path} />
      ))}
    </section>
  );
};

const One = ({ of, isShown }: { readonly of: Settled; readonly isShown: boolean }) => {
  const { approved, note, by, answer } = of.verdict;
  const said = answer ?? note;
  return (
    <ApprovalRow
      of={of}
      isShown={isShown}
      state={approved ? 'answered' : 'failed'}
      aside={`${verdictWord(of.verdict)}${decidedBy(by)}`}
      time={'decidedAt' in of && <Moment at={of.decidedAt} />}
    >
      <span class="soft" dir="auto">
        {said !== undefined && `“${said}” `}
        {'decidedAt' in of ? cameOf(of) : 'no process works on the run, which takes it first when it goes on'}
      </span>
    </ApprovalRow>
  );
};

/** The result of the call, and then of the run: `done; run answered`. */
function cameOf({ verdict, call, state, outcome }: DecidedInfo): string {
  const made =
    verdict.answer !== undefined || !verdict.approved
      ? undefined
      : call === undefined
        ? 'not made'
        : call.state === 'running'
          ? state === 'running'
            ? 'under way'
            : 'in doubt'
          : call.state === 'asks'
            ? lookOf(call.state).word
            : call.state;
  const ran =
    state === 'ended' && outcome !== undefined
      ? `run ${lookOf(outcome).word}`
      : state === 'running'
        ? 'run goes on'
        : `run ${state}`;
  return [made, ran].filter((part) => part !== undefined).join('; ');
}
