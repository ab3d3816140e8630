// Runs of the same store, watched from another run or from no run at all: their journals are read on until they end.

import type { RunEnd, RunId, RunStart } from '../journal/event.ts';
import type { RunStore } from '../journal/store.ts';
import { fault, faultOf } from '../kernel/fault.ts';
import { brokenOutcome, isBroken, type Outcome } from '../kernel/outcome.ts';
import { childPath, ROOT } from '../kernel/path.ts';
import { endState, runOf, type SpawnId, type SpawnReport } from '../kernel/spawned.ts';
import type { OutsideRuns } from '../world/state/background-runs/outside-runs.ts';
import { openSpawnRegistry, type SpawnRegistry } from '../world/state/background-runs/spawn-registry.ts';

const EVERY_MS = 250;

interface JournalReading {
  readonly registry: SpawnRegistry;
  /** Reads what was written since. */
  go(): Promise<void>;
  /** The report on the run itself, or on one that it spawned; undefined if there is no such run. */
  report(id: SpawnId): SpawnReport | undefined;
}

/** Reads the journal of one run as far as it is written. */
export function readOn(run: RunId, store: RunStore): JournalReading {
  const registry = openSpawnRegistry();
  let next = 0;
  let first: RunStart | undefined;
  let last: RunEnd | undefined;
  let beganAt: number | undefined;
  return {
    registry,
    async go() {
      for await (const event of store.read(run, next)) {
        next = event.seq + 1;
        registry.add(event);
        if (event.type === 'run-start') first = event;
        if (event.type === 'run-end') last = event;
        if (event.type === 'op-end' && event.path === AFTER_OTHERS) beganAt = event.at;
      }
    },
    report(id) {
      if (id === run) return first && ownReport(first, last, first.after === undefined ? first.at : beganAt);
      const spawned = registry.runs.get(id);
      if (spawned === undefined) return undefined;
      if (spawned.outcome === undefined && last !== undefined) registry.end(id, last.at, endedWith(run));
      return registry.report(spawned, true);
    },
  };
}

/** The path of the op in which a run waits for others: see execute. */
export const AFTER_OTHERS = childPath('1', 0);

const endedWith = (run: RunId): Outcome =>
  brokenOutcome(fault('cancelled', `Run ${run}, which spawned it, has ended.`));

function ownReport(first: RunStart, last: RunEnd | undefined, beganAt: number | undefined): SpawnReport {
  const outcome = last?.outcome;
  const ran = beganAt !== undefined && (outcome === undefined || endState(outcome) !== 'skipped');
  return {
    run: first.run,
    label: first.label ?? first.run,
    agent: first.agent,
    state: outcome !== undefined ? endState(outcome) : beganAt === undefined ? 'waiting' : 'running',
    parent: '',
    session: ROOT,
    after: first.after?.runs.map(({ run }) => run) ?? [],
    spawnedAt: first.at,
    ...(ran && { beganAt }),
    ...(last !== undefined && { endedAt: last.at }),
    ...(outcome !== undefined && isBroken(outcome) && { fault: outcome.fault }),
    ...(outcome !== undefined && { outcome }),
  };
}

/** Those of the runs that have not ended. One that cannot be read is not waited for. */
export async function unfinishedOf(runs: readonly SpawnId[], store: RunStore): Promise<readonly SpawnId[]> {
  const reports = await Promise.all(runs.map((id) => lookAt(id, readOn(runOf(id), store))));
  return runs.filter((_, index) => reports[index]?.outcome === undefined);
}

export function outsideRuns(store: RunStore): OutsideRuns {
  return {
    watch(runs, over) {
      let stopped = false;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const open = new Map(runs.map((id) => [id, readOn(runOf(id), store)]));
      const look = async (): Promise<void> => {
        for (const [id, reading] of open) {
          const report = await lookAt(id, reading);
          if (stopped) return;
          if (report.outcome === undefined) continue;
          open.delete(id);
          over(report);
        }
        if (open.size > 0 && !stopped) timer = setTimeout(() => void look(), EVERY_MS);
      };
      if (open.size > 0) void look();
      return () => {
        stopped = true;
        clearTimeout(timer);
      };
    },
  };
}

/** A run that does not exist or cannot be read counts as one that did not answer. */
async function lookAt(id: SpawnId, reading: JournalReading): Promise<SpawnReport> {
  try {
    await reading.go();
    return reading.report(id) ?? missing(id, `There is no run ${id}.`);
  } catch (thrown) {
    return missing(id, faultOf(thrown).message);
  }
}

function missing(id: SpawnId, why: string): SpawnReport {
  const outcome = brokenOutcome(fault('run/unknown', why));
  const { fault: unknown } = outcome;
  return {
    run: id,
    label: id,
    agent: '',
    state: 'failed',
    parent: '',
    session: '',
    after: [],
    spawnedAt: 0,
    fault: unknown,
    outcome,
  };
}
