// The agents that a run was built from: as its journal pins them, not as the files are today. Asked for once for each run.

import { type ReadonlySignal, signal } from '@preact/signals';
import type { RunAgents } from '../../../src/server/protocol.ts';
import type { SessionProgress } from '../../../src/views/progress.ts';
import { getJson } from './api.ts';
import type { RunData } from './run-data.ts';

export type RunAgent = RunAgents['agents'][number];

const asked = new WeakMap<RunData, ReadonlySignal<ReadonlyMap<string, RunAgent>>>();

/** By the name that the run's own events use. Empty until they are known, and where the run pins no texts. */
export function runAgents(data: RunData): ReadonlySignal<ReadonlyMap<string, RunAgent>> {
  const known = asked.get(data);
  if (known !== undefined) return known;
  const agents = signal<ReadonlyMap<string, RunAgent>>(new Map());
  asked.set(data, agents);
  getJson<RunAgents>(`/api/runs/${encodeURIComponent(data.run)}/agents`).then(
    (read) => {
      agents.value = new Map(read.agents.map((agent) => [agent.name.slice(agent.prefix.length), agent]));
    },
    () => undefined, // what they would add is left out
  );
  return agents;
}

/** How many turns a session may take: its agent's own limit, or the one that a team gives to its seat. */
export function turnsOf(
  { agent, seat }: Pick<SessionProgress, 'agent' | 'seat'>,
  agents: ReadonlyMap<string, Pick<RunAgent, 'maxTurns' | 'team'>>,
): number | undefined {
  const team = agents.get(seat?.team ?? agent)?.team;
  const own = agents.get(agent)?.maxTurns;
  // An agent that declares a team and has no seat leads it itself.
  return (seat?.role === 'member' ? team?.memberMaxTurns : team?.supervisorMaxTurns) ?? own;
}
