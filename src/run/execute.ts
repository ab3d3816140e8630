// One run, from its first event to its outcome, on a journal that may already hold a part of it.

import type { AgentDefinition } from '../definition/definition.ts';
import type { Effect, RunInput } from '../kernel/effect.ts';
import { FaultError } from '../kernel/fault.ts';
import { brokenOutcome, type Outcome, type RunOutcome, runOutcome } from '../kernel/outcome.ts';
import { childPath, type OpPath, ROOT } from '../kernel/path.ts';
import type { SharedContext, StartAfter } from '../kernel/spawned.ts';
import { configOf } from '../patterns/record.ts';
import { awaitOthers, inputAfter } from '../patterns/spawn/after.ts';
import { spawnPattern } from '../patterns/spawn/pattern.ts';
import { drive, openOp } from '../world/drive.ts';
import { recorder } from '../world/record/recorder.ts';
import { type AgentBounds, boundedWorld } from '../world/stack/bounded.ts';
import { nestedWorld } from '../world/stack/nested.ts';
import { queuedWorld } from '../world/stack/queued.ts';
import { type OpenIsolation, withIsolation } from '../world/stack/with-isolation.ts';
import { openSessions } from '../world/state/sessions.ts';
import type { Op, Scope, World } from '../world/world.ts';
import type { DrivenRun } from './driven-run.ts';
import { programs } from './program.ts';
import { recordedFacts } from './recorded-facts.ts';

/** `isolate` opens the processes of helpers. Throws only if this process cannot go on with the run: a journal that cannot be written or followed, a defect. */
export async function execute(run: DrivenRun, leaves: World, isolate?: OpenIsolation): Promise<RunOutcome> {
  const { journal } = run;
  const outcome = runOutcome(await rootRun(run, worldsOf(run, leaves, isolate)));
  run.ending?.();
  if (journal.end === undefined) journal.append({ type: 'run-end', outcome });
  await journal.flush();
  return outcome;
}

/** The stack in one place, from the inside out. */
function worldsOf(run: DrivenRun, leaves: World, isolate?: OpenIsolation) {
  const { definition, journal, state, environment, suspension } = run;
  const { maxDepth, concurrency } = definition.config.limits;
  const sessions = openSessions();
  const facts = recordedFacts(run);
  const family = nestedWorld(leaves, programs(run, facts), sessions, state?.backgroundRuns);
  const bounds = {
    maxDepth,
    concurrency,
    of: (agent: string) => boundsFor(definition.agents.get(agent)),
    spentBelow: (path: OpPath) => state?.spent?.below(path) ?? { tokens: 0 },
    now: environment.now,
    workTime: journal.workTime,
  };
  const inner = boundedWorld(isolate === undefined ? family : withIsolation(family, isolate), bounds, sessions);
  const recorded = queuedWorld(recorder(inner, { journal, run: run.start.run, state }));
  const asked = run.asked === undefined ? recorded : heard(recorded, run.asked);
  return { inner, outer: suspension?.around(asked) ?? asked };
}

/** Reports requests to models before they are answered. */
const heard = (world: World, asked: NonNullable<DrivenRun['asked']>): World => ({
  perform(effect, op) {
    if (effect.kind === 'model') asked(effect.request, op.path);
    return world.perform(effect, op);
  },
});

const OUTSIDE: Scope = { agent: '', depth: -1 };

async function rootRun(
  run: DrivenRun,
  {
    inner,
    outer,
  }: {
    /** Performs the root run, which is no op of the record. */
    readonly inner: World;
    /** The world that routines ask. */
    readonly outer: World;
  },
): Promise<Outcome> {
  const { start, journal, signal, show } = run;
  const op: Op = openOp(ROOT, { path: ROOT, scope: OUTSIDE, signal, show }, outer);
  const since = beganAt(run);
  if (since !== undefined) op.since = since;
  try {
    const before = start.after === undefined ? { input: start.input } : await inputAfterOthers(start.after, run, outer);
    if ('outcome' in before) return before.outcome;
    const { end } = journal;
    if (end !== undefined && !journal.isReached(ROOT)) return end.outcome; // RECORD-4, for the run itself
    const effect: Effect = {
      kind: 'run',
      agent: start.agent,
      input: before.input,
      trigger: { kind: 'start' },
      contract: start.contract,
    };
    const settled = await inner.perform(effect, op);
    return settled.ok ? (settled.value as Outcome) : brokenOutcome(settled.fault);
  } catch (thrown) {
    if (thrown instanceof FaultError && !thrown.fault.code.startsWith('journal/')) return brokenOutcome(thrown.fault);
    throw thrown;
  }
}

/** The path at which a run waits for others before its first op. */
const BEFORE: OpPath = '1';

/** The request, with the results of the runs that it starts after. */
async function inputAfterOthers(
  after: StartAfter,
  { start, journal, signal, state }: DrivenRun,
  outer: World,
): Promise<{ readonly input: RunInput } | { readonly outcome: Outcome }> {
  const waited = await drive(awaitOthers(after, start.run), { path: BEFORE, scope: OUTSIDE, signal }, outer);
  if ('outcome' in waited) return waited;
  const key = 'shared-context';
  let shared = journal.fact(key) as SharedContext | undefined;
  if (shared === undefined && !journal.isReplay) {
    shared = state?.shared();
    if (shared !== undefined) journal.append({ type: 'fact', key, value: shared });
  }
  return { input: inputAfter(after, start.input, waited.ended, shared) };
}

/** The moment from which its time counts: a run that waited for others began after the wait. */
function beganAt({ start, journal }: DrivenRun): number | undefined {
  return start.after === undefined ? journal.start?.at : journal.recall(childPath(BEFORE, 0))?.end?.at;
}

/** The file of an agent has its own limits as keys, and those of what it spawns under its pattern. */
function boundsFor(agent: AgentDefinition | undefined): AgentBounds {
  const spawn = agent && configOf(agent, spawnPattern);
  return agent === undefined || spawn === undefined ? (agent ?? {}) : { ...agent, spawn };
}
