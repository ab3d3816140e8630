// Calls and questions that were decided: by whom, with which note, and what came of the call. Those that their run has not
// taken yet stand first, then the newest.

import { verdictWord } from '../../../../src/kernel/verdict-words.ts';
import type { DecidedInfo, UntakenInfo } from '../../../../src/server/protocol.ts';
import { opHref } from '../../app/addresses.ts';
import { cadre } from '../../data/cadre.ts';
import { Icon } from '../../parts/icon.tsx';
import { lookOf } from '../../parts/state.tsx';
import { Moment } from '../../parts/times.tsx';

type Settled = DecidedInfo | UntakenInfo;

export const Decided = ({ of }: { readonly of: readonly Settled[] }) => {
  if (of.length === 0) return null;
  return (
    <section aria-label="Decided">
      <h2>Decided, newest first</h2>
      {of.map((one) => (
        <One key={`${one.run} ${one.path}`} of={one} />
      ))}
    </section>
  );
};

const One = ({ of }: { readonly of: Settled }) => {
  const { run, path, agent, verdict, about } = of;
  const { approved, note, by, answer } = verdict;
  const name = (about as { readonly name?: string } | undefined)?.name ?? 'a question';
  return (
    <a class="approvals-one decided" href={opHref(run, path)}>
      <span class={`approvals-what s-${approved ? 'good' : 'bad'}`}>
        <Icon name={approved ? 'answered' : 'failed'} />
        <strong>{name}</strong>
        <span>{verdictWord(verdict)}</span>
        {by !== undefined && <span class="faint">by {by === cadre()?.you.name ? 'you' : by}</span>}
        <span class="grow" />
        {'decidedAt' in of && <Moment at={of.decidedAt} />}
      </span>
      {(answer ?? note) !== undefined && <span>{answer ?? note}</span>}
      <span class="faint">
        {agent}: {'decidedAt' in of ? cameOf(of) : 'no process works on the run, which takes it first when it goes on'}
      </span>
    </a>
  );
};

/** What came of the call, and then of the run. */
function cameOf({ verdict, call, state, outcome }: DecidedInfo): string {
  const made =
    call === undefined
      ? verdict.approved && verdict.answer === undefined
        ? 'the call was not made'
        : undefined
      : call.state === 'done'
        ? 'the call was made'
        : call.state === 'running'
          ? state === 'running'
            ? 'the call is under way'
            : 'the call is in doubt'
          : `the call ${call.state}`;
  const ran = state === 'ended' && outcome !== undefined ? `the run ${lookOf(outcome).word}` : `the run is ${state}`;
  return [made, ran].filter((part) => part !== undefined).join(', ');
}
