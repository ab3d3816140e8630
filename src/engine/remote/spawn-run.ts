// A run that is spawned from outside: it is stored first, and then a process of its own works on it. That process
// outlives the one that asked for the run.

import type { AgentDefinition } from '../../definition/definition.ts';
import type { RunId } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import type { RunInput } from '../../kernel/effect.ts';
import { fail } from '../../kernel/fault.ts';
import { unfinishedOf } from '../../run/outside-runs.ts';
import { labelOf } from '../label.ts';
import type { HandOver } from './hand-over.ts';
import { startAfter } from './start-after.ts';

export interface SpawnOptions {
  /** A name for the run: up to 64 letters, digits, spaces, "_", "." and "-". */
  readonly label?: string;
  /** Runs of the same store that it waits for: ids, beginnings of ids, or labels. */
  readonly after?: readonly string[];
  /** Puts what those runs answered before the input. */
  readonly includeResult?: boolean;
  /** The consequence if one of them fails. Default: abort. */
  readonly onFailure?: 'abort' | 'continue';
  /** The time that it waits for them. Default: 30 minutes. */
  readonly afterTimeoutMs?: number;
  /** An object that it shares with the runs that it spawns. `$label` in it refers to the context of another run. */
  readonly context?: unknown;
}

export interface HandedOverRun {
  readonly run: RunId;
  /** The runs that it waits for: those of `after` that had not ended. */
  readonly waitingFor: readonly RunId[];
}

const USUAL_WAIT_MS = 1_800_000;

export async function spawnRun(
  request: SpawnOptions & { readonly agent: AgentDefinition; readonly input: RunInput },
  { store, handOver }: { readonly store: RunStore; readonly handOver: HandOver },
): Promise<HandedOverRun> {
  const { agent, input, includeResult = false, onFailure = 'abort' } = request;
  const label = labelOf(request);
  const { shared, after } = await startAfter(
    {
      after: request.after ?? [],
      include: includeResult,
      onFailure,
      withinMs: request.afterTimeoutMs ?? USUAL_WAIT_MS,
      ...(request.context !== undefined && { context: request.context }),
    },
    store,
  );
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
