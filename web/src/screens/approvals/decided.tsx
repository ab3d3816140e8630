// Calls and questions that were decided: by whom, with which note, and what came of the call. Those that their run has not
// taken yet stand first, then the newest.

import { verdictWord } from '../../../../src/kernel/verdict-words.ts';
import type { DecidedInfo, UntakenInfo } from '../../../../src/server/protocol.ts';
import { askedDetail, toolAskedAbout } from '../../../../src/views/asking/asked-words.ts';
import { approvalHref } from '../../app/addresses.ts';
import type { AskedAt } from '../../data/asked.ts';
import { decidedBy } from '../../parts/asks/settled.tsx';
import { Icon } from '../../parts/icon.tsx';
import { lookOf } from '../../parts/state.tsx';
import { Moment } from '../../parts/times.tsx';

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
  const { asker, agent, verdict, about } = of;
  const { approved, note, by, answer } = verdict;
  const said = answer ?? note;
  return (
    <a
      class="approvals-one decided stack gaps-2 inset choosable small-text ruled"
      href={approvalHref(of)}
      aria-current={isShown ? 'true' : undefined}
    >
      <span class={`line gaps nowrap tinted s-${approved ? 'good' : 'bad'}`}>
        <Icon name={approved ? 'answered' : 'failed'} />
        <strong class="cut">
          <bdi>{toolAskedAbout(about) ?? 'a question'}</bdi>
        </strong>
        <span class="soft">
          {verdictWord(verdict)}
          {decidedBy(by)}
        </span>
        <span class="grow" />
        {'decidedAt' in of && <Moment at={of.decidedAt} />}
      </span>
      <span dir="auto">
        {asker}
        {asker !== agent && `, for ${agent}`} {askedDetail(about)}
      </span>
      <span class="soft" dir="auto">
        {said !== undefined && `“${said}” `}
        {'decidedAt' in of ? cameOf(of) : 'no process works on the run, which takes it first when it goes on'}
      </span>
    </a>
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
