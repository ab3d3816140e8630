// A worker: takes runs that were left to the workers of a store, and works on them until they end or it is asked to go.
// Agent texts come from the record of a run. Keys, files, scripts and tool servers come from the worker's own folder.
// WORK-1. Whoever may write to the store chooses what a run pinned. A worker uses the cadre.yaml of its own folder: a run
//         that pinned another one is left to others, unless the worker was told to take any.
// WORK-2. A run that cannot go on here is given back and not taken again by this worker. It may go on elsewhere.

import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { isInside } from '../../base/disk/paths.ts';
import { type CadreDefinition, CONFIG_FILE, workspaceOf } from '../../definition/definition.ts';
import type { RunId, RunStart } from '../../journal/event.ts';
import { digest } from '../../journal/fingerprint.ts';
import type { Fleet, RunStore, TakenRun, TakeRequest, WorkerCard } from '../../journal/store.ts';
import { type FaultCode, fail, faultOf } from '../../kernel/fault.ts';
import { fromElsewhere } from '../../run/approver.ts';
import type { Engine } from '../engine.ts';
import { openEngine } from '../open.ts';

interface WorkerOptions {
  readonly store: RunStore;
  readonly cadre: CadreDefinition;
  /** Default: host and process id. */
  readonly name?: string;
  readonly labels: readonly string[];
  /** The number of runs at the same time. */
  readonly most: number;
  /** Only runs that asked one of these. Absent: every agent of the folder that is ready. */
  readonly agents?: readonly string[];
  /** Takes runs whatever cadre.yaml they pinned, and uses what they pinned (WORK-1). */
  readonly anyConfig: boolean;
  /** The root of the tools. Default: the one in cadre.yaml, else the folder. */
  readonly workspace?: string;
  log(text: string): void;
}

/** The pause between two looks for runs whose process is gone, and for others, because a notice of them may fail. */
const LOOK_MS = 250;
/** So long what a run used is kept for the next one of the same folder. */
export const WORKER_IDLE_MS = 60_000;
/** So that a worker does not take all while others are idle. */
const AT_ONCE = 20;

export async function openWorker(options: WorkerOptions) {
  const { store, cadre, labels, most, anyConfig, log } = options;
  const fleet = store.fleet ?? fail('usage', 'A worker needs a store that machines share: --store postgres://…');
  const name = options.name ?? `${hostname()}:${process.pid}`;
  const workspace = existingFolder(options.workspace ?? workspaceOf(cadre));
  const engine = await openEngine(cadre, {
    store,
    approve: fromElsewhere,
    idleMs: WORKER_IDLE_MS,
    ...(options.workspace !== undefined && { workspace: options.workspace }),
    resumed: (start) => acceptedRun(start, engine, { folder: cadre.folder, workspace, anyConfig }),
    warn: log,
  });
  const agents = await readyAgents(engine, options);
  const own = configOf(engine);
  const request: Pick<TakeRequest, 'agents' | 'pinned'> = {
    ...(agents && { agents }),
    ...(!anyConfig && { pinned: own === undefined ? {} : { config: own } }),
  };
  const card: WorkerCard = { name, labels, workspace, most, ...request };
  await fleet.join(card);
  await tellWorkspaces(fleet, name, workspace, log);
  return new Worker({ fleet, engine, card, most, request, log });
}

/** So many of the runs that it gave back stand on the card of a worker. */
const MOST_REFUSED = 20;

class Worker {
  readonly #parts;
  readonly #atWork = new Set<RunId>();
  readonly #refused = new Map<RunId, string>();
  readonly #timer: NodeJS.Timeout;
  readonly #unlisten: () => void;
  #taking: Promise<void> | undefined;
  #isDraining = false;
  #isAsked = false;
  #isLeftAsked = false;

  constructor(parts: {
    readonly fleet: Fleet;
    readonly engine: Engine;
    readonly card: WorkerCard;
    readonly most: number;
    readonly request: Pick<TakeRequest, 'agents' | 'pinned'>;
    log(text: string): void;
  }) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#lookEverywhere(), LOOK_MS);
    this.#unlisten = parts.fleet.onWork(() => this.#look());
    this.#lookEverywhere();
  }

  get name(): string {
    return this.#parts.card.name;
  }

  get atWork(): number {
    return this.#atWork.size;
  }

  /** Takes no more runs, lets calls under way end within this time, and lets go of what it has. */
  async drain(withinMs: number): Promise<void> {
    const { engine } = this.#parts;
    this.#isDraining = true;
    clearInterval(this.#timer);
    this.#unlisten();
    await this.#taking;
    await Promise.all([...this.#atWork].map((run) => engine.suspend(run, withinMs)));
    await engine.close();
  }

  get #isFull(): boolean {
    return this.#atWork.size >= this.#parts.most;
  }

  #lookEverywhere(): void {
    this.#isLeftAsked = true;
    this.#look();
  }

  #look(): void {
    if (this.#isDraining || this.#isFull) return;
    this.#isAsked = true; // what comes after the statement that is under way is taken next
    this.#taking ??= this.#take()
      .catch((thrown: unknown) => this.#parts.log(`no runs could be taken: ${faultOf(thrown).message}`))
      .finally(() => {
        this.#taking = undefined;
        if (this.#isAsked) this.#look();
      });
  }

  async #take(): Promise<void> {
    const isLeftDue = this.#isLeftAsked;
    this.#isLeftAsked = false;
    this.#isAsked = false;
    if (isLeftDue) await this.#takeFrom('left');
    await this.#takeFrom('queue');
  }

  async #takeFrom(from: TakeRequest['from']): Promise<void> {
    const { fleet, request, most } = this.#parts;
    while (!this.#isDraining && !this.#isFull) {
      const free = Math.min(AT_ONCE, most - this.#atWork.size);
      const taken = await fleet.take({ ...request, from, most: free, except: [...this.#refused.keys()] });
      await Promise.all(taken.map((one) => (this.#isDraining ? one.giveBack() : this.#begin(one))));
      if (taken.length < free) return;
    }
  }

  /** Resolves once the run is at work here, or was given back. */
  async #begin(taken: TakenRun): Promise<void> {
    const { engine } = this.#parts;
    const { run } = taken;
    const over = (thrown?: unknown): void => this.#over(run, thrown);
    this.#atWork.add(run);
    try {
      await engine.resume(run, { taken });
      engine.outcome(run).then(() => over(), over);
    } catch (thrown) {
      await taken.giveBack().finally(() => over(thrown));
    }
  }

  #over(run: RunId, thrown: unknown): void {
    const wasFull = this.#isFull;
    this.#atWork.delete(run);
    if (thrown !== undefined) this.#note(run, thrown);
    if (wasFull) this.#look(); // else there was room before, and nothing to take
  }

  /** The reason is shown to whoever looks at the run. */
  #note(run: RunId, thrown: unknown): void {
    const { fleet, card, log } = this.#parts;
    const { code, message } = faultOf(thrown);
    if (PASSING.has(code) || this.#isDraining) return;
    this.#refused.set(run, message); // WORK-2
    log(`run ${run} cannot go on here: ${message}`);
    const refused = [...this.#refused].slice(-MOST_REFUSED).map(([one, why]) => ({ run: one, why }));
    fleet.join({ ...card, refused }).catch((failed: unknown) => log(faultOf(failed).message));
  }
}

/** Faults that say nothing about the run: another process has it, it has ended, or the store was away. */
const PASSING: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'run/locked',
  'run/taken-over',
  'run/finished',
  'run/unknown',
  'store/unreachable',
]);

/** The digest that a run of this folder pins. */
function configOf({ own }: Engine): string | undefined {
  const text = own?.recordable.texts.get(CONFIG_FILE);
  return text === undefined ? undefined : digest(text);
}

/** Throws `usage` for a workspace that this machine does not have. */
export function existingFolder(workspace: string): string {
  if (statSync(workspace, { throwIfNoEntry: false })?.isDirectory() === true) return workspace;
  return fail('usage', `The workspace ${workspace} is not a folder on this machine.`);
}

/** The run as it goes on here: with this folder in place of its own. Throws `config/pinned-only` (WORK-1). */
export function acceptedRun(
  start: RunStart,
  engine: Engine,
  {
    folder,
    workspace,
    anyConfig,
  }: { readonly folder: string; readonly workspace: string; readonly anyConfig: boolean },
): RunStart {
  if (!anyConfig && start.texts[CONFIG_FILE] !== configOf(engine))
    fail(
      'config/pinned-only',
      `It pinned another ${CONFIG_FILE} than ${folder} has. Start it again with this one, or a worker with --any-config.`,
    );
  const { workspace: recorded } = start;
  if (!anyConfig && recorded !== undefined && !isInside(folder, recorded) && !isInside(workspace, recorded))
    fail('config/pinned-only', `Its tools work in ${recorded}, which is not below ${workspace}.`);
  return { ...start, folder };
}

/** The agents whose runs are taken: those that have a key. Undefined for all. Throws if none is left. */
async function readyAgents(engine: Engine, options: WorkerOptions): Promise<readonly string[] | undefined> {
  const { cadre, agents, anyConfig, log } = options;
  for (const one of agents ?? [])
    if (!cadre.agents.has(one)) fail('agent/unknown', `${cadre.folder} has no agent ${one}.`);
  if (anyConfig) return agents;
  const faults = new Map<string, unknown>();
  for (const one of agents ?? cadre.agents.keys()) {
    await engine.own?.resources.ready?.(one)?.catch((thrown: unknown) => void faults.set(one, thrown));
  }
  const [first] = faults.values();
  if (first === undefined) return agents;
  const ready = [...(agents ?? cadre.agents.keys())].filter((one) => !faults.has(one));
  if (ready.length === 0) throw first;
  for (const [one, thrown] of faults) log(`runs of ${one} are left to other workers: ${faultOf(thrown).message}`);
  return ready;
}

/** Files are found on every worker or on none: the database does not carry them. */
async function tellWorkspaces(fleet: Fleet, name: string, workspace: string, log: WorkerOptions['log']): Promise<void> {
  const others = (await fleet.workers()).filter((one) => one.name !== name && one.workspace !== workspace);
  if (others.length === 0) return;
  log(
    `the tools work in ${workspace} here, and elsewhere in ${others.map((one) => `${one.workspace} (${one.name})`).join(', ')}. ` +
      'A run may go on at any of these workers, so all of them need the same files: a shared volume, or the same checkout. ' +
      'engine.writeLabel in cadre.yaml keeps runs that write files on workers with a label.',
  );
}
