// Calls and questions that were decided, newest first: by whom, with which note, and what came of the call.

import type { DecidedInfo } from '../../../../src/server/protocol.ts';
import { opHref } from '../../app/addresses.ts';
import { Icon } from '../../parts/icon.tsx';
import { lookOf } from '../../parts/state.tsx';
import { Moment } from '../../parts/times.tsx';

export const Decided = ({ of }: { readonly of: readonly DecidedInfo[] }) => {
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

const One = ({ of }: { readonly of: DecidedInfo }) => {
  const { run, path, agent, verdict, decidedAt, about } = of;
  const { approved, note, by, answer } = verdict;
  const name = (about as { readonly name?: string } | undefined)?.name ?? 'a question';
  return (
    <a class="approvals-one decided" href={opHref(run, path)}>
      <span class={`approvals-what s-${approved ? 'good' : 'bad'}`}>
        <Icon name={approved ? 'answered' : 'failed'} />
        <strong>{name}</strong>
        <span>{approved ? (answer === undefined ? 'approved' : 'answered') : 'denied'}</span>
        {by !== undefined && <span class="faint">by {by}</span>}
        <span class="grow" />
        <Moment at={decidedAt} />
      </span>
      {(answer ?? note) !== undefined && <span>{answer ?? note}</span>}
      <span class="faint">
        {agent}: {cameOf(of)}
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
