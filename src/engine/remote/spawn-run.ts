// A run that is spawned from outside: it is stored first, and then a process of its own works on it. That process
// outlives the one that asked for the run.

import type { AgentDefinition } from '../../definition/definition.ts';
import type { RunId } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import type { RunInput } from '../../kernel/effect.ts';
import { fail } from '../../kernel/fault.ts';
import { unfinishedOf } from '../../run/outside-runs.ts';
import { labelOf } from '../request.ts';
import type { HandOver } from './hand-over.ts';
import { type SpawnOptions, startAfter } from './start-after.ts';

export interface HandedOverRun {
  readonly run: RunId;
  /** The runs that it waits for: those of `after` that had not ended. */
  readonly waitingFor: readonly RunId[];
}

export async function spawnRun(
  request: SpawnOptions & { readonly agent: AgentDefinition; readonly input: RunInput },
  { store, handOver }: { readonly store: RunStore; readonly handOver: HandOver },
): Promise<HandedOverRun> {
  const { agent, input } = request;
  const label = labelOf(request);
  const { shared, after } = await startAfter(request, store);
  if (after?.include === true && agent.input.format === 'json')
    fail('usage', `${agent.name} takes JSON, so no result can be put before its task.`);
  const waitingFor = await unfinishedOf(after?.runs.map((one) => one.run) ?? [], store);
  const run = await handOver({
    agent: agent.name,
    input: { ...input, ...(shared && { shared }) },
    ...label,
    ...(after && { after }),
  });
  return { run, waitingFor };
}
