// A trial of a run: the changes that are not run yet, the forks that were, and the reason why it cannot be run
// now. The forks stand in the address.

import { useState } from 'preact/hooks';
import type { ForkedRun, ForkRun } from '../../../../src/server/protocol.ts';
import type { Address } from '../../app/addresses.ts';
import { setQuery } from '../../app/router.ts';
import { postJson } from '../../data/api.ts';
import { offline } from '../../data/connection.ts';
import { type RunAgent, runAgents } from '../../data/run-agents.ts';
import type { RunData } from '../../data/run-data.ts';
import { useRun } from '../../data/runs-in-use.ts';
import { lacks } from '../../data/you.ts';
import { useAction } from '../run/actions/asked.tsx';
import { viewOf } from '../run/run-view.ts';
import { type Experiment, forkOf, isBudget } from './experiment.ts';

export interface Trial {
  readonly data: RunData;
  /** The op that the fork begins at. */
  readonly at: string;
  /** As the run had them. */
  readonly agents: ReadonlyMap<string, RunAgent>;
  /** The one whose prompt is shown. */
  readonly agent: string;
  /** Its prompt for the fork. */
  readonly text: string;
  readonly experiment: Experiment;
  readonly fork: ForkRun | undefined;
  /** The reason why it cannot be run now. */
  readonly off: string | undefined;
  /** The reason why the server refused it. */
  readonly refused: string | undefined;
  readonly tries: readonly string[];
  /** The try that stands at the right. */
  readonly shown: string | undefined;
  /** There are changes that were not run. */
  readonly isEdited: boolean;
  choose(agent: string): void;
  change(experiment: Experiment): void;
  reset(): void;
  /** False if there is no such try. */
  toTry(step: number): boolean;
  start(): void;
}

const NOTHING: Experiment = { prompts: {}, models: {}, budget: '' };

export function useTrial(data: RunData, at: string, { query }: Address): Trial {
  const agents = runAgents(data).value;
  const shown = query['with'];
  const tries = (query['tries'] ?? shown ?? '').split(',').filter((one) => one !== '');
  const tried = runAgents(useRun(shown ?? data.run)).value;
  const [agent, choose] = useState(() => agentAt(data, at));
  const [experiment, change] = useState<Experiment>(NOTHING);
  const [ran, setRan] = useState(experiment);
  const promptOf = (name: string): string =>
    experiment.prompts[name] ?? (tried.get(name) ?? agents.get(name))?.system ?? '';
  const prompts = Object.fromEntries([...agents.keys()].map((name) => [name, promptOf(name)]));
  const fork = forkOf({ ...experiment, prompts }, at, agents);
  const { doing, start } = useAction(async () => {
    const made = await postJson<ForkedRun>(`/api/runs/${encodeURIComponent(data.run)}/fork`, fork);
    setRan(experiment);
    setQuery({ at, with: made.run, tries: [...tries, made.run].join(',') });
  });
  const off =
    offline() ??
    lacks('run') ??
    (doing.state === 'sent' ? 'It is under way.' : undefined) ??
    (isBudget(experiment.budget) ? undefined : 'The most it may cost is a number of dollars, as 0.50.') ??
    (fork === undefined ? 'Change the prompt or the model first.' : undefined);
  return {
    data,
    at,
    agents,
    agent,
    experiment,
    fork,
    off,
    tries,
    shown,
    choose,
    change,
    text: promptOf(agent),
    refused: doing.state === 'refused' ? doing.why : undefined,
    isEdited: experiment !== ran && fork !== undefined,
    reset: () =>
      change({ ...NOTHING, prompts: Object.fromEntries([...agents].map(([name, { system }]) => [name, system])) }),
    toTry(step) {
      const next = tries[tries.indexOf(shown ?? '') + step];
      if (next === undefined) return false;
      change(NOTHING); // the text is that of the try
      setRan(NOTHING);
      setQuery({ with: next });
      return true;
    },
    start() {
      if (off === undefined) start();
    },
  };
}

/** The agent that made the call, or that ran the op. */
function agentAt(data: RunData, at: string): string {
  const { facts } = viewOf(data);
  const op = facts.value.at(at)?.op;
  const named = op !== undefined && 'agent' in op ? op.agent : undefined;
  return named ?? facts.value.start?.agent ?? '';
}
