// Fork: a new run that begins with a part of another one and goes on live, with other models, texts or another budget if asked.
// The part that it takes over stands in the new run's own journal, so that it lives without the run it came from. The new run
// is left as one that was broken off: the caller resumes it.

import type { CadreDefinition } from '../../definition/definition.ts';
import type { AssemblyOptions } from '../../definition/link/assemble.ts';
import { EVENT_VERSION, type RunEvent, type RunId, type RunStart } from '../../journal/event.ts';
import { isGivenFact } from '../../journal/given.ts';
import { asBeginning, eventsBefore } from '../../journal/prefix.ts';
import { refuseEarlierHelpers } from '../../journal/second-version.ts';
import { inSlices } from '../../journal/slices.ts';
import type { RunStore } from '../../journal/store.ts';
import { FaultError } from '../../kernel/fault.ts';
import type { OpPath } from '../../kernel/path.ts';
import { ownerOf } from '../../kernel/subagent.ts';
import { pinTexts } from '../../run/pin-texts.ts';
import { secretsOf } from '../../secrets/configured.ts';
import { redactedCadre } from '../../secrets/redacted-cadre.ts';
import type { RunHandle } from '../contract.ts';
import type { Engine } from '../engine.ts';
import { Handle } from '../handle.ts';
import { readAll, startOf } from '../pinned.ts';
import { agentIn } from '../request.ts';
import { newRunId } from '../run-id.ts';
import { editedCadre, type ForkChanges, modelsOfFork } from './fork-changes.ts';

export interface RunFork {
  readonly run: RunId;
  /** Events taken over, the new run's start counted. */
  readonly events: number;
  /** The agents that it goes on with. */
  readonly cadre: CadreDefinition;
}

export async function forkRun(
  {
    run,
    at,
    workspace,
    ...changes
  }: ForkChanges & {
    readonly run: RunId;
    /** The first op that is not taken over. */
    readonly at: OpPath;
    /** The root of the tools from there on. Default: as in the run itself. Absolute. */
    readonly workspace?: string;
  },
  parts: {
    readonly store: RunStore;
    /** The texts that the new run goes on with. */
    readonly cadre: CadreDefinition;
    /** The run's own cadre, or another one. */
    readonly texts: 'pinned' | 'other';
    /** The names that a program brings, for the check of changed texts. */
    readonly known?: AssemblyOptions;
    now(): number;
  },
): Promise<RunFork> {
  const { store, texts } = parts;
  const recorded = await readAll(run, store);
  const first = startOf(recorded);
  const { at: _at, seq: _seq, label: _label, ...origin } = first;
  const before = await inSlices(eventsBefore(recorded, at));
  refuseEarlierHelpers([first, ...before]);
  const { cadre, edited } = editedCadre(parts.cadre, first.agent, changes, parts.known);
  const models = modelsOfFork(first.models, changes.models, cadre);
  if (texts === 'other') checkAgents(origin, before, cadre);
  const hasOtherTexts = texts === 'other' || edited.length > 0;
  const isChanged = hasOtherTexts || changes.models !== undefined;
  const taken = isChanged ? before.filter((event) => event.type !== 'fact' || isGivenFact(event)) : before; // other facts are found out again: the question of a fork is what its own change does
  const ownTexts = [...new Set([...(texts === 'pinned' ? (first.forkedFrom?.edited ?? []) : []), ...edited])];
  const id = newRunId(parts.now());
  const events = taken.length + 1;
  const start: Omit<RunStart, 'seq' | 'at'> = {
    ...origin,
    version: EVENT_VERSION, // and the kernel of the run that it comes from, because it goes on on that record
    run: id,
    ...(texts === 'other' && { folder: cadre.folder }),
    ...(hasOtherTexts && { texts: await pinTexts(redactedCadre(cadre, secretsOf(cadre)), store) }),
    ...(models && { models }),
    ...(workspace !== undefined && { workspace }),
    forkedFrom: { run, at, events, ...(ownTexts.length > 0 && { edited: ownTexts }) },
  };
  const lease = await store.claim(id, 0);
  try {
    await lease.append(await inSlices(asBeginning(start, first, taken, parts.now())));
  } finally {
    await lease.release();
  }
  return { run: id, events, cadre };
}

/** Works on a new fork. A fork that diverges from the record before its first own call is removed again. */
export async function unlessUnused<Value>(
  { run, events }: Pick<RunFork, 'run' | 'events'>,
  store: RunStore,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof FaultError && thrown.fault.code === 'journal/divergence') {
      const own = (await readAll(run, store)).slice(events);
      if (own.every(({ type }) => type !== 'op-start')) await store.remove(run);
    }
    throw thrown;
  }
}

/** The handle of a fork. The fork is removed if it has nothing to show. */
export function followFork(forked: RunFork, store: RunStore, engine: Engine): RunHandle {
  const handle = engine.handle(forked.run);
  const outcome = unlessUnused(forked, store, () => handle.outcome());
  outcome.catch(() => {}); // the caller of outcome() gets it
  return new Handle(forked.run, engine, { outcome, interrupt: (how, reason) => handle.interrupt(how, reason) });
}

/** Checks that every agent of the part taken over exists. */
function checkAgents(start: Pick<RunStart, 'agent'>, taken: readonly RunEvent[], cadre: CadreDefinition): void {
  const named = taken.flatMap((event) =>
    event.type === 'op-start' && event.op.kind === 'run' ? [ownerOf(event.op.agent)] : [],
  );
  for (const agent of new Set([start.agent, ...named])) agentIn(cadre, agent);
}
