// The agents that a run was built from: as its journal pins them, not as the files are today. Asked for once for each run.

import { type ReadonlySignal, signal } from '@preact/signals';
import type { RunAgents } from '../../../src/server/protocol.ts';
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
