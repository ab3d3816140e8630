// A run that is spawned from outside: written down, and then worked on by a process of its own, which outlives whoever
// asked for it.

import { spawn as startProcess } from 'node:child_process';
import type { AgentDefinition } from '../agents/definition.ts';
import type { RunId } from '../journal/event.ts';
import type { RunStore } from '../journal/store.ts';
import type { RunInput } from '../kernel/effect.ts';
import { fail } from '../kernel/fault.ts';
import type { RunRequest } from './engine.ts';
import { ownCommand } from './own-command.ts';
import { startAfter } from './start-after.ts';

export interface SpawnOptions {
  /** A name for the run: up to 64 letters, digits, spaces, "_", "." and "-". */
  readonly label?: string;
  /** Runs of the same store that it waits for: ids, beginnings of ids, or labels. */
  readonly after?: readonly string[];
  /** Puts what those runs answered before the input. */
  readonly includeResult?: boolean;
  /** What happens when one of them fails. Default: abort. */
  readonly onFailure?: 'abort' | 'continue';
  /** How long it waits for them. Default: 30 minutes. */
  readonly afterTimeoutMs?: number;
  /** An object that it shares with the runs that it spawns. `$label` in it refers to the context of another run. */
  readonly context?: unknown;
}

export interface SpawnRequest extends SpawnOptions {
  readonly agent: AgentDefinition;
  readonly input: RunInput;
}

export interface SpawnParts {
  readonly store: RunStore;
  /** The folder of the store: what the other process is told. */
  readonly dir: string;
  /** Writes a run down without working on it. */
  prepare(request: RunRequest): Promise<RunId>;
}

export interface Spawned {
  readonly run: RunId;
  /** The runs that it waits for. */
  readonly waitingFor: readonly RunId[];
}

const LABEL = /^[\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,63}$/u;
const USUAL_WAIT_MS = 1_800_000;

export async function spawnRun(request: SpawnRequest, { store, dir, prepare }: SpawnParts): Promise<Spawned> {
  const { agent, input, label, includeResult = false, onFailure = 'abort' } = request;
  if (label !== undefined && !LABEL.test(label))
    fail('usage', 'A label has up to 64 letters, digits, spaces, "_", "." and "-".');
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
  const worker = ownCommand('runs', 'work') ?? fail('usage', 'Cadre has no built command line: npm run build');
  const run = await prepare({
    agent: agent.name,
    input: { ...input, ...(shared && { shared }) },
    ...(label !== undefined && { label }),
    ...(after && { after }),
  });
  const { command, args } = worker;
  // A group of its own: what ends this process does not end the run.
  startProcess(command, [...args, run, '--store', dir], { detached: true, stdio: 'ignore' }).unref();
  return { run, waitingFor: after?.runs.map((one) => one.run) ?? [] };
}
