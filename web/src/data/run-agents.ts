// The agents that a run was built from: as its journal pins them, not as the files are today. Asked for once for each run.

import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Graph, RunAgents } from '../../../src/server/protocol.ts';
import type { SessionProgress } from '../../../src/views/progress/progress.ts';
import { getJson } from './api.ts';
import type { RunData } from './run-data.ts';

export type RunAgent = RunAgents['agents'][number];

type Prices = RunAgents['prices'];

interface Pinned {
  readonly agents: Signal<ReadonlyMap<string, RunAgent>>;
  readonly prices: Signal<Prices>;
  /** Undefined until it is known, and where the run pins no texts. */
  readonly graph: Signal<Graph | undefined>;
  /** The server has answered, or refused to. */
  readonly isAnswered: Signal<boolean>;
}

const asked = new WeakMap<RunData, Pinned>();

/**
 * The agents by the name that the run's own events use. Empty until they are known, and for a run that pins no texts.
 */
export const runAgents = (data: RunData): ReadonlySignal<ReadonlyMap<string, RunAgent>> => pinnedBy(data).agents;

/** The prices by `provider/model`, as the run names them. */
export const runPrices = (data: RunData): ReadonlySignal<Prices> => pinnedBy(data).prices;

/** False while nobody can say yet if the run pins texts. */
export const areAgentsAnswered = (data: RunData): ReadonlySignal<boolean> => pinnedBy(data).isAnswered;

export const runGraph = (data: RunData): ReadonlySignal<Graph | undefined> => pinnedBy(data).graph;

function pinnedBy(data: RunData): Pinned {
  const known = asked.get(data);
  if (known !== undefined) return known;
  const read: Pinned = {
    agents: signal(new Map()),
    prices: signal({}),
    graph: signal(undefined),
    isAnswered: signal(false),
  };
  asked.set(data, read);
  getJson<RunAgents>(`/api/runs/${encodeURIComponent(data.run)}/agents`)
    .then(
      ({ agents, prices, graph }) => {
        read.agents.value = new Map(agents.map((agent) => [agent.name.slice(agent.prefix.length), agent]));
        read.prices.value = prices;
        read.graph.value = graph;
      },
      () => undefined, // what they would add is left out
    )
    .finally(() => {
      read.isAnswered.value = true;
    });
  return read;
}

/** The number of turns that a session may take: its agent's own limit, or the one that a team gives to its seat. */
export function turnsOf(
  { agent, seat }: Pick<SessionProgress, 'agent' | 'seat'>,
  agents: ReadonlyMap<string, Pick<RunAgent, 'maxTurns' | 'team'>>,
): number | undefined {
  const team = agents.get(seat?.team ?? agent)?.team;
  const own = agents.get(agent)?.maxTurns;
  // An agent that declares a team and has no seat leads it itself.
  return (seat?.role === 'member' ? team?.memberMaxTurns : team?.supervisorMaxTurns) ?? own;
}
