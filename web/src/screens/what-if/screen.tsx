// Another try of a run: another prompt or other models for one fork of a run, and both sides beside each other.

import { useMemo, useState } from 'preact/hooks';
import type { ForkedRun } from '../../../../src/server/protocol.ts';
import { type Address, hrefOf, opHref, runHref } from '../../app/addresses.ts';
import { useKeys } from '../../app/keys.ts';
import { go, setQuery } from '../../app/router.ts';
import { useTitle } from '../../app/title.ts';
import { postJson, problemOf } from '../../data/api.ts';
import { offline } from '../../data/connection.ts';
import { runAgents } from '../../data/run-agents.ts';
import type { RunData } from '../../data/run-data.ts';
import { useRun } from '../../data/runs-in-use.ts';
import { lacks } from '../../data/you.ts';
import { LinkButton } from '../../parts/controls.tsx';
import { LoadingScreen } from '../../parts/loading.tsx';
import { Empty } from '../../parts/panel.tsx';
import { viewOf } from '../run/run-view.ts';
import { Editor } from './editor.tsx';
import { type Experiment, forkOf } from './experiment.ts';
import { Keep } from './keep.tsx';
import { Sides } from './sides.tsx';
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

/** The agent that made the call, or that ran the op. */
function agentAt(data: RunData, at: string): string {
  const { facts } = viewOf(data);
  const op = facts.value.at(at)?.op;
  const named = op !== undefined && 'agent' in op ? op.agent : undefined;
  return named ?? facts.value.start?.agent ?? '';
}

interface WhatIfProps {
  readonly data: RunData;
  readonly at: string;
  readonly address: Address;
}

const NOTHING: Experiment = { prompts: {}, models: {}, budget: '' };

const WhatIf = ({ data, at, address }: WhatIfProps) => {
  const { run } = data;
  const agents = runAgents(data).value;
  const [experiment, setExperiment] = useState<Experiment>(NOTHING);
  const [agent, setAgent] = useState(() => agentAt(data, at));
  const [sending, setSending] = useState(false);
  const [why, setWhy] = useState<string | undefined>(undefined);
  const [leaves, setLeaves] = useState(false);
  const tries = (address.query['tries'] ?? address.query['with'] ?? '').split(',').filter((one) => one !== '');
  const shown = address.query['with'];
  const tried = runAgents(useRun(shown ?? run)).value;
  const promptOf = (name: string): string =>
    experiment.prompts[name] ?? (tried.get(name) ?? agents.get(name))?.system ?? '';
  const prompts = Object.fromEntries([...agents.keys()].map((name) => [name, promptOf(name)]));
  const fork = forkOf({ ...experiment, prompts }, at, agents);
  const isBadBudget = experiment.budget.trim() !== '' && !(Number(experiment.budget) > 0);
  const off =
    offline() ??
    lacks('run') ??
    (sending ? 'It is under way.' : undefined) ??
    (isBadBudget ? 'The most it may cost is a number of dollars, as 0.50.' : undefined) ??
    (fork === undefined ? 'Change the prompt or the model first.' : undefined);
  const start = (): void => {
    if (fork === undefined || off !== undefined) return;
    setSending(true);
    setWhy(undefined);
    postJson<ForkedRun>(`/api/runs/${encodeURIComponent(run)}/fork`, fork).then(
      (made) => {
        setSending(false);
        setQuery({ at, with: made.run, tries: [...tries, made.run].join(',') });
      },
      (thrown: unknown) => {
        const { message, code } = problemOf(thrown);
        setSending(false);
        setWhy(`${message} (${code})`);
      },
    );
  };
  const toTry = (step: number): boolean => {
    const next = tries[tries.indexOf(shown ?? '') + step];
    if (next === undefined) return false;
    setExperiment(NOTHING); // the text is that of the try
    setQuery({ with: next });
    return true;
  };
  const isEdited = experiment !== NOTHING && shown === undefined && fork !== undefined;
  const leave = (): void => {
    if (isEdited && !leaves) setLeaves(true);
    else go(opHref(run, at));
  };
  useKeys(
    useMemo(
      () => [
        { keys: 'mod+Enter', does: 'run it with the change', run: start },
        { keys: 'Escape', does: 'back to the run', run: leave },
        { keys: '[', does: 'the try before', run: () => toTry(-1) },
        { keys: ']', does: 'the next try', run: () => toTry(1) },
      ],
      [fork, off, shown, tries.length, leaves, isEdited],
    ),
  );
  return (
    <div class="what-if">
      <header class="what-if-head paper ruled">
        <h1>What if</h1>
        <p class="small-text soft breaks">
          fork of{' '}
          <a class="link mono" href={runHref(run)}>
            {run}
          </a>{' '}
          at{' '}
          <a class="op" href={opHref(run, at)}>
            {at}
          </a>
          {leaves && <span role="alert"> Esc again leaves, and what was changed here is lost.</span>}
        </p>
        <span class="grow" />
        {shown !== undefined && (
          <LinkButton href={hrefOf({ screen: 'diff', left: run, right: shown })} icon="diff">
            All differences
          </LinkButton>
        )}
      </header>
      {agents.size === 0 ? (
        <p class="what-if-none soft">The texts of this run’s agents are not known, so there is nothing to change.</p>
      ) : (
        <Editor
          {...{ data, at, agent, text: promptOf(agent), experiment, fork, off, why, tries, shown }}
          onAgent={setAgent}
          onChange={(next) => {
            setLeaves(false);
            setExperiment(next);
          }}
          onReset={() =>
            setExperiment({
              ...NOTHING,
              prompts: Object.fromEntries([...agents].map(([name, { system }]) => [name, system])),
            })
          }
          onTry={toTry}
          onStart={start}
        />
      )}
      <Sides left={data} at={at} shown={shown} />
      {agents.size > 0 && <Keep data={data} at={at} agent={agent} fork={fork} text={promptOf(agent)} />}
    </div>
  );
};
