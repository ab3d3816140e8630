// Another try of a run: another prompt or other models for one fork of a run, and both sides beside each other.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Address, hrefOf, opHref, runHref } from '../../app/addresses.ts';
import { useKeys } from '../../app/keys.ts';
import { go } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { areAgentsAnswered } from '../../data/run-agents.ts';
import type { RunData } from '../../data/run-data.ts';
import { useRun } from '../../data/runs-in-use.ts';
import { LinkButton } from '../../parts/controls.tsx';
import { Loading, LoadingScreen } from '../../parts/loading.tsx';
import { Empty } from '../../parts/panel.tsx';
import { viewOf } from '../run/run-view.ts';
import { Editor } from './editor.tsx';
import { Keep } from './keep.tsx';
import { Sides } from './sides.tsx';
import { type Trial, useTrial } from './trial.ts';
import { Versus } from './versus.tsx';
import './what-if.css';

interface Props {
  readonly run: string;
  readonly address: Address;
}

export const WhatIfScreen = ({ run, address }: Props) => {
  const data = useRun(run);
  useTitle('What if');
  const loading = data.loading.value;
  if (loading.kind === 'refused') return <NotHere title="This run cannot be read" why={loading.problem.message} />;
  if (loading.kind === 'loading' || loading.behind > 0) return <LoadingScreen />;
  if (data.phase.value !== 'ended')
    return (
      <NotHere
        title="This run has not ended"
        why="Another try begins from what a run did, so it waits for its end."
        run={run}
      />
    );
  const at = address.query['at'] ?? firstCall(data);
  if (at === undefined || viewOf(data).facts.value.at(at) === undefined)
    return (
      <NotHere
        title={at === undefined ? 'This run made no model call' : `This run has no op ${at}`}
        why="Choose an op of the run, and try it otherwise from there."
        run={run}
      />
    );
  return <WhatIf key={at} data={data} at={at} address={address} />;
};

const NotHere = ({ title, why, run }: { readonly title: string; readonly why: string; readonly run?: string }) => (
  <Empty
    title={title}
    actions={
      <LinkButton href={run === undefined ? '/runs' : runHref(run)}>
        {run === undefined ? 'To the runs' : 'To the run'}
      </LinkButton>
    }
  >
    <p>{why}</p>
  </Empty>
);

function firstCall({ events }: RunData): string | undefined {
  const first = events.find((event) => event.type === 'op-start' && event.op.kind === 'model');
  return first?.type === 'op-start' ? first.path : undefined;
}

interface WhatIfProps {
  readonly data: RunData;
  readonly at: string;
  readonly address: Address;
}

const WhatIf = ({ data, at, address }: WhatIfProps) => {
  const trial = useTrial(data, at, address);
  const isLeaving = useTrialKeys(trial);
  const isKnown = trial.agents.size > 0;
  return (
    <div class="full scrolls">
      <Head trial={trial} isLeaving={isLeaving} />
      {isKnown ? <Editor trial={trial} /> : <NoTexts data={data} />}
      <Sides left={data} at={at} shown={trial.shown} />
      {isKnown && <Keep trial={trial} />}
    </div>
  );
};

const NoTexts = ({ data }: { readonly data: RunData }) =>
  areAgentsAnswered(data).value ? (
    <p class="inset soft">The texts of this run’s agents are not known, so there is nothing to change.</p>
  ) : (
    <Loading rows={3} />
  );

/** True after a first Escape that would lose changes. */
function useTrialKeys(trial: Trial): boolean {
  const { data, at, isEdited, experiment } = trial;
  const [isLeaving, setLeaving] = useState(false);
  useEffect(() => setLeaving(false), [experiment]);
  // Bound once, because the keys of what is bound last are asked first: a dialog over this screen.
  const now = useRef(trial);
  now.current = trial;
  const mayLeave = isLeaving || !isEdited;
  useKeys(
    useMemo(
      () => [
        { keys: 'mod+Enter', does: 'run it with the change', run: () => now.current.start() },
        {
          keys: 'Escape',
          does: 'back to the run',
          run: () => (mayLeave ? go(opHref(data.run, at)) : setLeaving(true)),
        },
        { keys: '[', does: 'the try before', run: () => now.current.toTry(-1) },
        { keys: ']', does: 'the next try', run: () => now.current.toTry(1) },
      ],
      [mayLeave],
    ),
  );
  return isLeaving;
}

const Head = ({ trial, isLeaving }: { readonly trial: Trial; readonly isLeaving: boolean }) => {
  const { data, at, shown } = trial;
  const { start } = viewOf(data).facts.value;
  return (
    <header class="line wraps gaps-16 inset paper ruled">
      <div class="grow">
        <div class="line gaps">
          <h1 class="nowrap">What if</h1>
          <span class="soft cut" dir="auto">
            {start?.agent}: {start?.input.text}
          </span>
        </div>
        <p class="small-text soft breaks">
          fork of{' '}
          <a class="link mono" href={runHref(data.run)}>
            {data.run}
          </a>{' '}
          at{' '}
          <a class="op" href={opHref(data.run, at)}>
            {at}
          </a>
          {isLeaving && <span role="alert"> Esc again leaves, and what was changed here is lost.</span>}
        </p>
      </div>
      {shown !== undefined && (
        <>
          <Versus left={data} right={shown} />
          <LinkButton href={hrefOf({ screen: 'diff', left: data.run, right: shown })} icon="diff">
            All differences
          </LinkButton>
        </>
      )}
    </header>
  );
};
