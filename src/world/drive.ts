// The driver: pulls a routine, has the world perform what it asks for, and gives it the answers.
// DRIVE-1. The n-th request of a routine at path p is the op p.n, whatever else goes on at the same time.
// DRIVE-2. All parallel branches are settled, then the first throw in source order is raised.
// DRIVE-3. Where enough of them end the others, it is recorded which branches counted before their values are used. A
//          branch that did not count is cancelled, also when the run is resumed.
// DRIVE-4. What an op launches runs on under its path, in the background of the session that launched it, and is
//          stopped by the signal of that background: it may outlast the op, and the op's own deadline.
// DRIVE-5. What a session leaves beside its ops takes no number: a journal of an earlier release, which has none of it,
//          replays all the same.
// DRIVE-6. Branches that take turns begin in their order, as many at once as the routine says. None begins after enough
//          of them have ended. After a stop one more begins, so that an answer says why. A branch that the record knows
//          begins always, so a run that is resumed has no other branches than it had.

import type { Launch, Parallel, Routine, SettledResult } from '../kernel/effect.ts';
import { childPath, type OpPath } from '../kernel/path.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import { type ChildStop, cancelledBy, childStop } from './abort.ts';
import type { Background } from './background.ts';
import type { Op, Scope, Show, World } from './world.ts';

/** The place of a routine that runs. */
export interface RoutinePlace {
  readonly path: OpPath;
  readonly scope: Scope;
  readonly signal: StopSignal;
  /** The background in which launched routines are driven (DRIVE-4). */
  readonly background?: Background | undefined;
  /** Shows what happens to those who watch the run. */
  readonly show?: Show | undefined;
}

export async function drive<Value>(routine: Routine<Value>, place: RoutinePlace, world: World): Promise<Value> {
  let step = routine.next();
  /** The model op of the latest reply. */
  let reply = place.path;
  for (let index = 0; step.done !== true; index++) {
    const asked = step.value;
    const path = asked.kind === 'last-results' ? reply : childPath(place.path, index);
    if (asked.kind === 'last-results') index--; // DRIVE-5
    if (asked.kind === 'model') reply = path;
    const answer =
      asked.kind === 'parallel'
        ? driveParallel(asked, { ...place, path }, world)
        : asked.kind === 'launch'
          ? driveLaunch(asked, { ...place, path }, world)
          : world.perform(asked, openOp(path, place, world));
    step = routine.next(answer instanceof Promise ? await answer : answer);
  }
  return step.value;
}

export const openOp = (path: OpPath, { scope, signal, show }: RoutinePlace, world: World): Op => ({
  path,
  scope,
  signal,
  world,
  since: undefined,
  until: undefined,
  hasBegun: false,
  inDoubt: false,
  record: undefined,
  show,
});

function driveLaunch(
  { effect, routines }: Launch,
  place: RoutinePlace,
  world: World,
): SettledResult | Promise<SettledResult> {
  const { background, path } = place;
  if (background === undefined) throw new Error(`op ${path} launches a routine, and has no background to drive it in`);
  const launch = (answer: SettledResult): SettledResult => {
    routines(answer).forEach((routine, index) => {
      if (routine === undefined) return;
      const { signal } = background;
      background.adopt(drive(routine(), { ...place, signal, path: childPath(path, index) }, world));
    });
    return answer;
  };
  const answer = world.perform(effect, openOp(path, place, world));
  return answer instanceof Promise ? answer.then(launch) : launch(answer);
}

async function driveParallel(parallel: Parallel, place: RoutinePlace, world: World): Promise<readonly unknown[]> {
  const { enough = () => false, concurrent } = parallel;
  if (concurrent !== undefined) return driveInTurn(parallel.branches, { concurrent, enough }, place, world);
  return parallel.enough === undefined ? driveAll(parallel, place, world) : driveUntil(parallel, enough, place, world);
}

async function driveAll(parallel: Parallel, place: RoutinePlace, world: World): Promise<readonly unknown[]> {
  const ends = await Promise.allSettled(
    parallel.branches.map((branch, index) => drive(branch(), { ...place, path: childPath(place.path, index) }, world)),
  );
  return ends.map(valueOrThrow);
}

async function driveUntil(
  parallel: Parallel,
  enough: (values: readonly unknown[]) => boolean,
  place: RoutinePlace,
  world: World,
): Promise<readonly unknown[]> {
  const signals = parallel.branches.map(() => childStop(place.signal));
  const values: unknown[] = parallel.branches.map(() => undefined);
  const done = new Set<number>();
  const op = openOp(place.path, place, world);
  const recalled = world.perform(parallel, op);
  let counted = countedIn(recalled instanceof Promise ? await recalled : recalled);
  if (counted !== undefined) cancelOthers(signals, counted);

  const ends = await Promise.allSettled(
    parallel.branches.map(async (branch, index) => {
      const { signal } = signals[index] as ChildStop;
      const value = await drive(branch(), { ...place, signal, path: childPath(place.path, index) }, world);
      values[index] = value;
      done.add(index);
      if (counted === undefined && enough(values)) {
        counted = [...done].sort((left, right) => left - right);
        const written = op.record?.parallel(counted); // DRIVE-3
        if (written !== undefined) await written;
        cancelOthers(signals, counted);
      }
    }),
  );
  for (const { unlink } of signals) unlink();
  ends.forEach(valueOrThrow);
  const winners = counted;
  return winners === undefined ? values : values.map((value, index) => (winners.includes(index) ? value : undefined));
}

/** DRIVE-6 */
async function driveInTurn(
  branches: Parallel['branches'],
  { concurrent, enough }: Required<Pick<Parallel, 'concurrent' | 'enough'>>,
  place: RoutinePlace,
  world: World,
): Promise<readonly unknown[]> {
  const op = openOp(place.path, place, world);
  const recalled = await world.perform({ kind: 'parallel', branches, concurrent, enough }, op);
  const before = countedIn(recalled);
  let counted = before;
  const rest = childStop(place.signal);
  if (before !== undefined) rest.signal.abort(NOT_NEEDED);
  const values: unknown[] = branches.map(() => undefined);
  const done: number[] = [];
  const throws = new Map<number, unknown>();
  let next = 0;
  let isTold = false;
  const begins = (index: number): boolean => {
    const known = op.record?.branch(index) ?? 'open';
    if (known !== 'open') return known === 'begun';
    if (counted !== undefined || throws.size > 0 || isTold) return false;
    isTold = place.signal.aborted;
    return true;
  };
  const one = async (index: number): Promise<void> => {
    const signal = before?.includes(index) === true ? place.signal : rest.signal;
    const branch = branches[index] as () => Routine<unknown>;
    values[index] = await drive(branch(), { ...place, signal, path: childPath(place.path, index) }, world);
    done.push(index);
    if (counted !== undefined || !enough(values)) return;
    counted = [...done].sort((left, right) => left - right);
    await op.record?.parallel(counted); // DRIVE-3
    rest.signal.abort(NOT_NEEDED);
  };
  const lane = async (): Promise<void> => {
    for (let index = next++; index < branches.length; index = next++) {
      if (begins(index)) await one(index).catch((thrown: unknown) => throws.set(index, thrown));
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrent, branches.length) }, lane));
  rest.unlink();
  if (throws.size > 0) throw throws.get(Math.min(...throws.keys())); // DRIVE-2
  return counted === undefined ? values : values.map((value, index) => (counted?.includes(index) ? value : undefined));
}

const NOT_NEEDED = cancelledBy('Enough of the others had ended.');

/** The branches that counted by the record. */
const countedIn = (recalled: SettledResult): readonly number[] | undefined =>
  recalled.ok ? ((recalled.value as readonly number[] | null) ?? undefined) : undefined;

function cancelOthers(signals: readonly ChildStop[], counted: readonly number[]): void {
  signals.forEach(({ signal }, index) => {
    if (!counted.includes(index)) signal.abort(cancelledBy('Enough of the others had answered.'));
  });
}

function valueOrThrow(end: PromiseSettledResult<unknown>): unknown {
  if (end.status === 'rejected') throw end.reason;
  return end.value;
}
