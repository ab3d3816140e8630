// One run, from its first event to its outcome, on a journal that may already hold a part of it.

import type { AgentDefinition, CadreDefinition } from '../agents/definition.ts';
import type { RunStart } from '../journal/event.ts';
import type { Journal } from '../journal/journal.ts';
import type { Effect, ModelRequest, RunInput } from '../kernel/effect.ts';
import { FaultError, fault } from '../kernel/fault.ts';
import { broken, type Outcome, type RunOutcome, runOutcome } from '../kernel/outcome.ts';
import { childPath, type OpPath, ROOT } from '../kernel/path.ts';
import type { Services } from '../kernel/session/session-spec.ts';
import type { SharedContext, StartAfter } from '../kernel/spawned.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import { awaitOthers, inputAfter } from '../patterns/spawn/after.ts';
import type { TeamStrategy } from '../patterns/team/strategy.ts';
import { abortFault, anyStop, orAborted } from '../world/abort.ts';
import { bounded } from '../world/bounded.ts';
import { drive, openOp } from '../world/drive.ts';
import { type AgentCall, nested } from '../world/nested.ts';
import { queued } from '../world/queued.ts';
import { recorder } from '../world/record/recorder.ts';
import type { Launching } from '../world/state/background-runs/background-runs.ts';
import type { RecordedSpending } from '../world/state/budgets.ts';
import type { Fold } from '../world/state/projection.ts';
import { openSessions } from '../world/state/sessions.ts';
import type { Suspension } from '../world/suspension.ts';
import { shownWaiting } from '../world/waiting.ts';
import type { Op, Scope, Show, World } from '../world/world.ts';
import { helpersInProcess } from './helper/subagent.ts';
import { type AgentFacts, factsKey, NO_FACTS, type ProgramParts, programs } from './program.ts';
import { usesServers } from './resources/tool-sources.ts';

interface Stage {
  readonly cadre: CadreDefinition;
  readonly services: Services;
  readonly journal: Journal;
  /** Gets each event of an op that is recorded; absent if every answer is recorded already. */
  readonly state?: Fold;
  /** Performs the leaves. */
  readonly leaves: World;
  /** Shows what happens to those who watch the run. */
  readonly show?: Show;
  /** What the drives of spawned runs ask and report to; absent if every answer is recorded already. */
  readonly launching?: Launching;
  readonly signal: StopSignal;
  /** Aborted when a graceful stop is asked for: nothing more is opened then. */
  readonly graceful?: StopSignal;
  /** The shared context that was stored from outside for a run that waits. It gets it once it starts. */
  given?(): SharedContext | undefined;
  /** Holds back what is asked for, once another process is to go on with the run. */
  readonly suspension?: Suspension | undefined;
  /** Called when the run's end is decided, before that is recorded. */
  ending?(): void;
  /** Finds out what a run must know of an agent before it can run it. Opens the agent's tools. */
  facts(agent: AgentDefinition, signal: StopSignal): AgentFacts | Promise<AgentFacts>;
  /** How teams work together. Default: in cycles. */
  readonly strategy?: TeamStrategy | undefined;
  /** Gets every request to a model as it is asked, whether it is answered from the record or not. */
  asked?(request: ModelRequest, path: OpPath): void;
  /** What the record says was spent below a path. */
  spentBelow(path: OpPath): RecordedSpending;
  now(): number;
}

/** Throws only if this process cannot go on with the run: a journal that cannot be written or followed, a defect. */
export async function execute(start: Omit<RunStart, 'seq' | 'at'>, stage: Stage): Promise<RunOutcome> {
  const { journal } = stage;
  const cadre = withModels(stage.cadre, start.models);
  const facts = recordedFacts(stage);
  const sessions = openSessions();
  const inner = bounded(
    nested(
      stage.leaves,
      programs({
        cadre,
        services: stage.services,
        kernel: start.kernel,
        stopAfter: start.stopAfter,
        strategy: stage.strategy,
        facts: shownFacts(facts),
      }),
      helpersInProcess({
        cadre,
        services: stage.services,
        kernel: start.kernel,
        facts: (agent) => facts(agent, { path: ROOT, signal: stage.signal }), // known: its agent runs
      }),
      sessions,
      stage.launching,
    ),
    {
      maxDepth: cadre.config.limits.maxDepth,
      concurrency: cadre.config.limits.concurrency,
      of: (agent) => cadre.agents.get(agent) ?? {},
      spentBelow: stage.spentBelow,
      now: stage.now,
    },
    sessions,
  );
  const asked = heard(queued(recorder(inner, { journal, run: start.run, state: stage.state })), stage.asked);
  const outer = stage.suspension?.around(asked) ?? asked;
  const outcome = runOutcome(await rootRun(start, inner, outer, stage));
  stage.ending?.();
  if (journal.end === undefined) journal.append({ type: 'run-end', outcome });
  await journal.flush();
  return outcome;
}

/** Reports requests to models before they are answered. */
function heard(world: World, asked: Stage['asked']): World {
  if (asked === undefined) return world;
  return {
    perform(effect, op) {
      if (effect.kind === 'model') asked(effect.request, op.path);
      return world.perform(effect, op);
    },
  };
}

/** The cadre with other models for every agent, if the run says so. */
function withModels(cadre: CadreDefinition, models: readonly string[] | undefined): CadreDefinition {
  if (models === undefined) return cadre;
  return { ...cadre, agents: new Map([...cadre.agents].map(([name, agent]) => [name, { ...agent, models }])) };
}

const OUTSIDE: Scope = { agent: '', depth: -1 };

async function rootRun(
  start: Omit<RunStart, 'seq' | 'at'>,
  inner: World,
  outer: World,
  stage: Stage,
): Promise<Outcome> {
  const { signal, show } = stage;
  const op: Op = openOp(ROOT, { path: ROOT, scope: OUTSIDE, signal, show }, outer);
  const since = beganAt(start, stage.journal);
  if (since !== undefined) op.since = since;
  try {
    const before =
      start.after === undefined ? { input: start.input } : await inputAfterOthers(start.after, start, outer, stage);
    if ('outcome' in before) return before.outcome;
    const { end } = stage.journal;
    if (end !== undefined && !stage.journal.isReached(ROOT)) return end.outcome; // RECORD-4, for the run itself
    const effect: Effect = {
      kind: 'run',
      agent: start.agent,
      input: before.input,
      trigger: { kind: 'start' },
      contract: start.contract,
    };
    const settled = await inner.perform(effect, op);
    return settled.ok ? (settled.value as Outcome) : broken(settled.fault);
  } catch (thrown) {
    if (thrown instanceof FaultError && !thrown.fault.code.startsWith('journal/')) return broken(thrown.fault);
    throw thrown;
  }
}

/** The path at which a run waits for others before its first op. */
const BEFORE: OpPath = '1';

/** The request, with the results of the runs that it starts after. */
async function inputAfterOthers(
  after: StartAfter,
  { input, ...start }: Omit<RunStart, 'seq' | 'at'>,
  outer: World,
  { journal, signal, given }: Stage,
): Promise<{ readonly input: RunInput } | { readonly outcome: Outcome }> {
  const waited = await drive(awaitOthers(after, start.run), { path: BEFORE, scope: OUTSIDE, signal }, outer);
  if ('outcome' in waited) return waited;
  const key = 'shared-context';
  let shared = journal.fact(key) as SharedContext | undefined;
  if (shared === undefined && !journal.isReplay) {
    shared = given?.();
    if (shared !== undefined) journal.append({ type: 'fact', key, value: shared });
  }
  return { input: inputAfter(after, input, waited.ended, shared) };
}

/** The moment from which its time counts: a run that waited for others began after the wait. */
function beganAt({ after }: Omit<RunStart, 'seq' | 'at'>, journal: Journal): number | undefined {
  return after === undefined ? journal.start?.at : journal.recall(childPath(BEFORE, 0))?.end?.at;
}

/** Servers that have to start first are shown as what the run waits for. */
function shownFacts(facts: ProgramParts['facts']): ProgramParts['facts'] {
  return (agent, op) => {
    const found = facts(agent, op);
    if (!(found instanceof Promise)) return found;
    const servers = agent.tools.filter((name) => name.startsWith('mcp:')).map((name) => name.replace(/\/.*/, ''));
    if (servers.length === 0) return found;
    return shownWaiting(op.show, { path: op.path, for: 'tools', names: [...new Set(servers)] }, found);
  };
}

/**
 * Facts are found out once for each run and agent, and recorded, because a replay has no tool servers to ask. If that
 * fails, nothing is recorded, and the agent's next run in this run tries again.
 */
function recordedFacts(stage: Stage): ProgramParts['facts'] {
  const known = new Map<string, AgentFacts>();
  const note = (found: AgentFacts, agent: AgentDefinition, key: string): AgentFacts => {
    const before = known.get(key); // two runs of one agent may have waited for the same tools
    if (before !== undefined) return before;
    known.set(key, found);
    if (agent.tools.length > 0 || found.tools.length > 0 || found.contextWindow !== undefined) {
      stage.journal.append({ type: 'fact', key, value: found });
    }
    return found;
  };
  return (agent, op) => {
    const key = factsKey(agent.name);
    const before = known.get(key) ?? (stage.journal.fact(key) as AgentFacts | undefined);
    if (before !== undefined) return before;
    if (stage.journal.isReplay) return NO_FACTS;
    const opens = agent.tools.length > 0;
    const stop = stage.graceful !== undefined && usesServers(agent) ? anyStop(op.signal, stage.graceful) : op.signal;
    if (opens && stop.aborted) return Promise.reject(unopened(new FaultError(abortFault(stop)), agent, op, stage));
    const found = stage.facts(agent, stop);
    if (!(found instanceof Promise)) return note(found, agent, key);
    const finding = opens ? orAborted(found, stop) : found;
    return finding.then(
      (facts) => note(facts, agent, key),
      (thrown: unknown) => Promise.reject(unopened(thrown, agent, op, stage)),
    );
  };
}

/**
 * The record of a fork may hold what an agent did with its tools, and not the tools. It cannot end then as if it had
 * not begun: the caller gets a fault, and the run stays as it is.
 */
function unopened(
  thrown: unknown,
  agent: AgentDefinition,
  { path }: Pick<AgentCall, 'path'>,
  { journal }: Stage,
): unknown {
  if (!(thrown instanceof FaultError) || !journal.isReached(path)) return thrown;
  const why = `${agent.name} cannot go on at op ${path}: ${thrown.fault.message}`;
  return new FaultError(fault('journal/divergence', `${why}\nThe run is kept. Resume it when its tools are there.`));
}
