// Background runs seen from outside, without a model: their status, their end, what they share. Everything is read from
// the journals of a store, so it does not matter which process works on a run, or whether one does.

import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { present } from '../../base/text/present.ts';
import type { RunEvent, RunStart } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import type { ControlMessage } from '../../kernel/control.ts';
import type { RunInput } from '../../kernel/effect.ts';
import { type Fault, fail } from '../../kernel/fault.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import { type OpPath, parentPath, ROOT } from '../../kernel/path.ts';
import {
  type AwaitedRuns,
  isOver,
  runOf,
  type SharedContext,
  type SpawnId,
  type SpawnReport,
  type SpawnState,
} from '../../kernel/spawned.ts';
import { inputAfter } from '../../patterns/spawn/after.ts';
import { readShared } from '../../patterns/spawn/shared-context.ts';
import { coarse } from '../../patterns/spawn/sibling-runs.ts';
import { triggerTraits } from '../../patterns/trigger-traits.ts';
import { AFTER_OTHERS, outsideRuns, readOn, unfinishedOf } from '../../run/outside-runs.ts';
import { newMessage } from '../handle.ts';
import { addressNamed, openStoreAt } from '../store-address.ts';
import { sendControl } from './control-sender.ts';

export interface SubagentRunStatus {
  readonly runId: SpawnId;
  readonly label: string;
  readonly agent: string;
  /** One of the four coarse words, and the exact state. */
  readonly status: 'pending' | 'running' | 'completed' | 'failed';
  readonly state: SpawnState;
  readonly waitingFor: readonly SpawnId[];
  readonly spawnedAt: number;
  readonly beganAt?: number;
  readonly endedAt?: number;
  readonly fault?: Fault;
  readonly outcome?: Outcome;
}

/** The store, its folder, or its address. Without it: CADRE_STORE, else the nearest `.cadre` from here upward. */
type StoreChoice = RunStore | string;

export async function getSubagentRunStatus(runId: SpawnId, where?: StoreChoice): Promise<SubagentRunStatus> {
  const store = await storeAt(where);
  const reading = readOn(runOf(runId), store);
  await reading.go();
  const report = reading.report(runId) ?? fail('run/unknown', `Run ${runOf(runId)} has spawned no ${runId}.`);
  return statusOf(report, store);
}

/** Its status when it has ended, or when the time is over. */
export async function waitForSubagentRunCompletion(
  runId: SpawnId,
  timeoutMs?: number,
  where?: StoreChoice,
): Promise<SubagentRunStatus & { readonly timedOut: boolean }> {
  const store = await storeAt(where);
  const now = await getSubagentRunStatus(runId, store);
  if (isOver(now.state)) return { ...now, timedOut: false };
  const ended = await new Promise<SpawnReport | undefined>((done) => {
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => end(undefined), timeoutMs);
    const stop = outsideRuns(store).watch([runId], (report) => end(report));
    const end = (report: SpawnReport | undefined): void => {
      clearTimeout(timer);
      stop();
      done(report);
    };
  });
  if (ended !== undefined) return { ...(await statusOf(ended, store)), timedOut: false };
  return { ...(await getSubagentRunStatus(runId, store)), timedOut: true };
}

async function statusOf(report: SpawnReport, store: RunStore): Promise<SubagentRunStatus> {
  const { run, label, agent, state, after, waitingFor, spawnedAt, beganAt, endedAt, fault, outcome } = report;
  return {
    runId: run,
    label,
    agent,
    status: coarse(state),
    state,
    waitingFor: state === 'waiting' ? (waitingFor ?? (await unfinishedOf(after, store))) : [],
    spawnedAt,
    ...present({ beganAt, endedAt, fault, outcome }),
  };
}

/** Adds to the shared context of a run that was spawned from outside and still waits. */
export async function storeSharedContext(runId: SpawnId, context: SharedContext, where?: StoreChoice): Promise<void> {
  const store = await storeAt(where);
  const given = readShared(context);
  if ('error' in given) return fail('input/invalid', given.error);
  if (given.references.length > 0) return fail('input/invalid', 'References can be given only when a run is spawned.');
  const { state } = await getSubagentRunStatus(runId, store);
  if (runId !== runOf(runId) || state !== 'waiting')
    return fail('run/finished', `The shared context of ${runId} was fixed when it started: it is ${state}.`);
  await sendControl(runId, newMessage({ kind: 'share-context', context: given.own }), store);
}

/**
 * The shared context that a run was given and inherited; of one that waits for others, what was stored for it. Undefined if it
 * has none, or was spawned by a session and has not started.
 */
export async function getSharedContext(runId: SpawnId, where?: StoreChoice): Promise<SharedContext | undefined> {
  return (await sharingOf(runId, where)).shared;
}

/** The context that the run can also read: that of earlier runs of the same session. */
export async function getFamilySharedContext(runId: SpawnId, where?: StoreChoice): Promise<SharedContext | undefined> {
  return (await sharingOf(runId, where)).family;
}

/** The context that the session with this key shares: `<run>:<path>`, as sessions_spawn names it. */
export async function getParentSharedContext(
  sessionKey: string,
  where?: StoreChoice,
): Promise<SharedContext | undefined> {
  const colon = sessionKey.lastIndexOf(':');
  if (colon < 0) return fail('usage', `${sessionKey} is not a session key of the form <run>:<path>.`);
  return (await sharingAt(sessionKey.slice(0, colon), sessionKey.slice(colon + 1), await storeAt(where))).shared;
}

type SharedInput = Pick<RunInput, 'shared' | 'family'>;

async function sharingOf(runId: SpawnId, where: StoreChoice | undefined): Promise<SharedInput> {
  const store = await storeAt(where);
  const reading = readOn(runOf(runId), store);
  await reading.go();
  const report = reading.report(runId) ?? fail('run/unknown', `Run ${runOf(runId)} has spawned no ${runId}.`);
  return sharingAt(runOf(runId), report.session, store);
}

/** The snapshots of the session at a path: its own, or those of the run whose pattern it is part of. */
async function sharingAt(run: string, session: OpPath, store: RunStore): Promise<SharedInput> {
  const inputs = new Map<OpPath, SharedInput & { readonly isHop: boolean }>();
  const events: RunEvent[] = [];
  for await (const event of store.read(run)) {
    events.push(event);
    if (event.type !== 'op-start' || event.op.kind !== 'run') continue;
    const { input, trigger } = event.op;
    inputs.set(event.path, { ...sharedIn(input), isHop: triggerTraits(trigger).isHop });
  }
  inputs.set(ROOT, { ...sharedByRoot(events, await store.control.posted(run)), isHop: false });
  for (let path: OpPath | undefined = session; path !== undefined; path = parentPath(path)) {
    const found = inputs.get(path);
    if (found !== undefined && (found.shared !== undefined || found.family !== undefined || !found.isHop)) return found;
  }
  return {};
}

const sharedIn = ({ shared, family }: SharedInput): SharedInput => present({ shared, family });

/**
 * The context that the run itself shares: for one that started after others, with the values that these brought. While
 * it waits for them, the values that it would start with as far as they are known: those that were stored for it, and
 * its own over them.
 */
function sharedByRoot(events: readonly RunEvent[], posted: readonly ControlMessage[]): SharedInput {
  const first = events[0];
  if (first?.type !== 'run-start') return {};
  if (first.after === undefined) return sharedIn(first.input);
  const waited = events.find((event) => event.type === 'op-end' && event.path === AFTER_OTHERS);
  const given = events.find((event) => event.type === 'fact' && event.key === 'shared-context');
  if (waited === undefined) return { shared: sharedWhileWaiting(first, events, posted) };
  if (waited.type !== 'op-end' || !waited.result.ok) return {};
  const inherited = given?.type === 'fact' ? (given.value as SharedContext) : undefined;
  return sharedIn(inputAfter(first.after, first.input, (waited.result.value as AwaitedRuns).runs, inherited));
}

/** A message counts once the run has recorded it, or as soon as it lies in the queue of a run that nobody works on. */
function sharedWhileWaiting(
  { input }: RunStart,
  events: readonly RunEvent[],
  posted: readonly ControlMessage[],
): SharedContext {
  const taken = events.flatMap((event) =>
    event.type === 'control' && event.refused === undefined ? [event.message] : [],
  );
  const stored = [...taken, ...posted].flatMap((message) =>
    message.kind === 'share-context' ? [message.context] : [],
  );
  return Object.assign({}, ...stored, input.shared) as SharedContext;
}

const storeAt = async (where: StoreChoice | undefined): Promise<RunStore> =>
  typeof where === 'object' ? where : openStoreAt(addressNamed(where ?? usualPlace()), warnProcess);

const warnProcess = (text: string): void => process.emitWarning(text, 'CadreWarning');

function usualPlace(): string {
  const named = process.env['CADRE_STORE'];
  if (named !== undefined && named !== '') return named;
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const place = join(folder, '.cadre');
    if (existsSync(place) && statSync(place).isDirectory()) return place;
    if (dirname(folder) === folder) return resolve('.cadre');
  }
}
