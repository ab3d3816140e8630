// The yard: where background runs wait, queue, work and are reported from. Decides what depends on the moment (who
// is accepted, who has a place, who is over), and every such decision is recorded by whoever asked.
// Y1. Accepting is one synchronous step: limits are counted and taken before anybody else is looked at.
//     What is taken stands in the registry when the event is added, which is part of that step (RECORD-5).
// Y2. A run is over when its end is announced, not before: whoever waits for it finds the announcement made.
// Y3. Cancelling reaches a run wherever it stands, and all that it spawned, and is answered when it has ended.
// Y4. Once a life has failed, nobody waits any more: the failure is raised in every wait, and before the next call.
// Y5. After a graceful stop no run begins: those that wait or queue end as cancelled, those at work are left to finish.

import { setMaxListeners } from 'node:events';
import type { ControlTaken, InstantOp, RunId } from '../../journal/event.ts';
import type { Effect, EffectValues, SessionRef, Settled } from '../../kernel/effect.ts';
import type { StopSignal } from '../../kernel/stop-signal.ts';
import type { Awaited, SpawnId, SpawnReport } from '../../kernel/spawned.ts';
import { abortFault, cancelledBy, nativeSignal, Stop } from '../abort.ts';
import type { Fold } from '../state/projection.ts';
import type { Op } from '../world.ts';
import { accept } from './accept.ts';
import type { Outside } from './outside.ts';
import { type Entry, openRegistry } from './registry.ts';
import { openWaits } from './waits.ts';
import { openWorking } from './working.ts';

export type YardEffect = Extract<
  Effect,
  { kind: 'spawn' | 'await-runs' | 'begin' | 'announce' | 'runs' | 'cancel-runs' | 'send' }
>;
type Of<Kind extends YardEffect['kind']> = Extract<YardEffect, { kind: Kind }>;

/** What the drive of a spawned run's agent is told, and tells. */
export interface Launching {
  /** The signal that this run works under. */
  opened(run: SpawnId, op: Op): StopSignal;
  /** Ends the runs below a session that ends; settles when they have ended. */
  endBelow(session: SessionRef, reason: string): Promise<void>;
  /** Ends every wait with what was thrown (Y4). */
  fail(thrown: unknown): void;
  /** Throws what a life has failed with. */
  raise(): void;
}

export interface Yard extends Launching, Fold {
  perform(effect: YardEffect, op: Op): Settled | Promise<Settled>;
  /** The session of a run that was spawned here and is not over. */
  sessionOf(run: SpawnId): SessionRef | undefined;
  /** A graceful stop (Y5), for one that holds in this process alone. */
  stop(reason: string): void;
}

export interface YardParts {
  readonly run: RunId;
  /** When the run began, by the record, where that was before this process did. */
  readonly since?: number | undefined;
  readonly outside: Outside;
  now(): number;
}

export function openYard({ run: ownRun, since, outside, now }: YardParts): Yard {
  const registry = openRegistry();
  const working = openWorking();
  const waits = openWaits();
  const others = new Map<SpawnId, SpawnReport>();
  const aborts = new Map<SpawnId, Stop>();
  /** Aborted by a graceful stop. */
  const noneBegins = new Stop();

  const abortOf = (run: SpawnId): Stop => {
    const known = aborts.get(run);
    if (known !== undefined) return known;
    const made = new Stop();
    const why = registry.cancelled.get(run);
    if (why !== undefined) made.abort(cancelledBy(why));
    aborts.set(run, made);
    return made;
  };
  const anyOf = (...signals: readonly AbortSignal[]): StopSignal => {
    const any = AbortSignal.any([...signals]);
    setMaxListeners(0, any);
    return any;
  };
  const signalFor = (run: SpawnId, above: StopSignal): StopSignal => anyOf(nativeSignal(above), abortOf(run).native);
  /** For a run that has not begun (Y5). */
  const signalBefore = (run: SpawnId, above: StopSignal): StopSignal =>
    anyOf(nativeSignal(above), abortOf(run).native, noneBegins.native);
  const isOver = (run: SpawnId): boolean => {
    const entry = registry.entries.get(run);
    return entry === undefined ? others.has(run) : entry.outcome !== undefined;
  };
  const report = (run: SpawnId, results: boolean): SpawnReport | undefined => {
    const entry = registry.entries.get(run);
    return entry === undefined ? others.get(run) : registry.report(entry, results);
  };
  const reports = (runs: readonly SpawnId[], results = false): readonly SpawnReport[] =>
    runs.map((run) => report(run, results)).filter((one) => one !== undefined);

  async function awaitRuns(effect: Of<'await-runs'>, op: Op): Promise<Settled<Awaited>> {
    const done = (): boolean => effect.runs.filter(isOver).length >= effect.need;
    const answer = (over: Awaited['over']): Settled<Awaited> => ({
      ok: true,
      value: { over, runs: reports(effect.runs, effect.results) },
    });
    const signal = effect.by === undefined ? op.signal : signalBefore(effect.by, op.signal);
    const foreign = effect.runs.filter((run) => !registry.entries.has(run) && !others.has(run));
    const stop = outside.watch(foreign, (one) => {
      others.set(one.run, one);
      waits.wake();
    });
    const leave = done() ? undefined : pause(effect, op);
    try {
      const deadline = effect.withinMs === undefined ? undefined : beginningOf(effect, op) + effect.withinMs;
      const over = await waits.until(done, { signal, deadline, now });
      await leave?.(signal);
      return answer(over);
    } finally {
      stop();
    }
  }
  /** From when its patience counts. */
  function beginningOf({ by }: Of<'await-runs'>, op: Op): number {
    if (by === ownRun) return since ?? now();
    const spawned = by === undefined ? undefined : registry.entries.get(by);
    return spawned?.spawnedAt ?? op.since ?? now();
  }
  /** A session that waits gives up the place of the run that it is part of, and takes it again after. */
  function pause(effect: Of<'await-runs'>, op: Op): ((signal: StopSignal) => Promise<void>) | undefined {
    const own = effect.by === undefined ? op.scope.spawned?.run : undefined;
    const entry = own === undefined ? undefined : registry.entries.get(own);
    if (entry === undefined) return undefined;
    working.leave(entry.run);
    return async (signal) => {
      let back = false;
      const stop = working.enterAgain(entry, () => {
        back = true;
        waits.wake();
      });
      if ((await waits.until(() => back, { signal, now })) !== 'done') stop(); // ending needs no place
    };
  }
  async function begin({ run, results }: Of<'begin'>, op: Op): Promise<Settled<EffectValues['begin']>> {
    const entry = registry.entries.get(run) as Entry;
    const signal = signalBefore(run, op.signal);
    if (signal.aborted) return { ok: true, value: { began: false, fault: abortFault(signal) } };
    let entered = false;
    const stop = working.enter(entry, () => {
      entered = true;
      waits.wake();
    });
    const over = await waits.until(() => entered, { signal, now });
    if (over !== 'done') {
      stop();
      return { ok: true, value: { began: false, fault: abortFault(signal) } };
    }
    const ended = results === undefined ? undefined : reports(results.filter(isOver), true);
    return { ok: true, value: { began: true, ...(ended && { ended }) } };
  }
  function cancel(run: SpawnId, reason: string): void {
    if (!registry.entries.has(run) || isOver(run)) return;
    if (!registry.cancelled.has(run)) registry.cancelled.set(run, reason);
    abortOf(run).abort(cancelledBy(reason));
  }
  async function endBelow(session: SessionRef, reason: string): Promise<void> {
    const runs = registry.below(session).map(({ run }) => run);
    for (const run of runs) cancel(run, reason);
    await waits.until(() => runs.every(isOver), { now }); // Y3
  }
  async function cancelRuns({ runs, reason }: Of<'cancel-runs'>): Promise<Settled<readonly SpawnReport[]>> {
    for (const run of runs) cancel(run, reason);
    await waits.until(() => runs.every(isOver), { now }); // Y3: no signal, so that it is confirmed in every case
    return { ok: true, value: reports(runs) };
  }
  /** Where a message goes: the inbox has it when the event of that is added. */
  function addressed(run: SpawnId): EffectValues['send'] {
    const entry = registry.entries.get(run);
    if (entry === undefined) return { to: null, state: 'failed' };
    return { to: entry.outcome === undefined ? entry.session : null, state: registry.stateOf(entry) };
  }
  function addInstant({ kind, detail, value }: InstantOp): void {
    if (kind === 'begin') {
      const entry = registry.entries.get((detail as Of<'begin'>).run);
      if (entry !== undefined && (value as EffectValues['begin']).began) working.hold(entry);
    } else if (kind === 'announce') {
      working.leave((detail as Of<'announce'>).run);
      waits.wake(); // Y2
    }
  }
  function addControl({ message, refused }: ControlTaken): void {
    if (refused !== undefined) return;
    if (message.kind === 'stop') noneBegins.abort(cancelledBy(message.reason));
    else if (message.kind === 'cancel' && message.to !== undefined) cancel(message.to, message.reason);
  }
  return {
    perform(effect, op) {
      switch (effect.kind) {
        case 'spawn':
          return { ok: true, value: accept(effect, op, { registry, run: ownRun }) }; // Y1
        case 'await-runs':
          return awaitRuns(effect, op);
        case 'begin':
          return begin(effect, op);
        case 'announce':
          return { ok: true, value: null };
        case 'runs': {
          const below = effect.below === undefined ? [] : registry.below(effect.below).map(({ run }) => run);
          return { ok: true, value: reports(effect.runs ?? below, effect.results) };
        }
        case 'cancel-runs':
          return cancelRuns(effect);
        case 'send':
          return { ok: true, value: addressed(effect.run) };
      }
    },
    add(event) {
      registry.add(event);
      if (event.type === 'op') addInstant(event);
      else if (event.type === 'control') addControl(event);
    },
    sessionOf: (run) => addressed(run).to ?? undefined,
    opened: (run, op) => signalFor(run, op.signal),
    endBelow,
    fail: (thrown) => waits.fail(thrown),
    raise: () => waits.raise(),
    stop: (reason) => noneBegins.abort(cancelledBy(reason)),
  };
}

/** For a replay, where every answer is recorded: nobody waits, and nobody is cancelled but by the record. */
export const nobodyWaits: Launching = {
  opened: (_run, op) => op.signal,
  async endBelow() {},
  fail() {},
  raise() {},
};
