// Starts and resumes runs for the server and its heads, within the limits of `server` in cadre.yaml.

import type { ServerConfig } from '../definition/definition.ts';
import type { RunRequest } from '../engine/contract.ts';
import type { Engine } from '../engine/engine.ts';
import type { RunId } from '../journal/event.ts';
import { fail } from '../kernel/fault.ts';
import type { ServedAgent } from './served-cadres.ts';
import { type RunTurn, RunTurns } from './turns.ts';

/** A run that is left to workers waits in the store, not for a turn here. */
const NO_TURN: RunTurn = { come: undefined, release() {} };

export class RunStarter {
  /** The workers of the runs that are started and resumed. */
  readonly work: 'here' | 'workers';
  /** The server closes connections itself from now on: a client whose connection ends has not left its run. */
  closesConnections = false;
  readonly #engine: Engine;
  readonly #over: (run: RunId) => void;
  readonly #turns: RunTurns;
  readonly #atWork = new Set<RunId>();
  readonly #told: (() => void)[] = [];
  #isDraining = false;

  /** `over` is told of each run of this process that ends, or that another process has taken. */
  constructor(
    engine: Engine,
    limits: () => Pick<ServerConfig, 'maxRuns' | 'maxWaiting'>,
    { work, over }: { readonly work: 'here' | 'workers'; over(run: RunId): void },
  ) {
    this.work = work;
    this.#engine = engine;
    this.#over = over;
    this.#turns = new RunTurns(limits);
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get atWork(): number {
    return this.#turns.atWork;
  }

  get waiting(): number {
    return this.#turns.waiting;
  }

  /** `waiting`: it begins when its turn comes. Throws `server/busy`, `server/draining`, and what the engine throws. */
  async start(
    { agent, host }: ServedAgent,
    request: Omit<RunRequest, 'agent'>,
    { run: given }: { readonly run?: RunId } = {},
  ): Promise<{ readonly run: RunId; readonly state: 'running' | 'waiting' }> {
    const turn = this.takeTurn('new');
    try {
      const run = await this.#engine.start(
        { ...request, agent: agent.name },
        { cadre: host, ...(given !== undefined && { run: given }), ...(turn.come && { turn: turn.come }) },
      );
      this.#untilOver(run, turn);
      return { run, state: turn.come === undefined ? 'running' : 'waiting' };
    } catch (thrown) {
      turn.release();
      throw thrown;
    }
  }

  /** Takes up a run that was broken off. It may have to wait for its turn. */
  async resume(run: RunId, { takeOver = false }: { readonly takeOver?: boolean } = {}): Promise<void> {
    const turn = this.takeTurn('resumed');
    try {
      await this.#engine.resume(run, { ...(takeOver && { takeOver }), ...(turn.come && { turn: turn.come }) });
      this.#untilOver(run, turn);
    } catch (thrown) {
      turn.release();
      throw thrown;
    }
  }

  /** Takes a turn. Throws `server/draining`, and for new work `server/busy` if the line is full. */
  takeTurn(what: 'new' | 'resumed'): RunTurn {
    if (this.#isDraining)
      fail('server/draining', 'The server is about to end. Ask again when it has started.', { retryAfter: 5 });
    return this.work === 'workers' ? NO_TURN : this.#turns.take(what);
  }

  /** The runs that this process works on, those that wait for their turn among them. */
  left(): readonly RunId[] {
    return [...this.#atWork];
  }

  /** Settles when there are none. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#atWork.size === 0) resolve();
      else this.#told.push(resolve);
    });
  }

  /** Starts nothing from now on. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Gives the turn on when the run is over, however it ends. */
  #untilOver(run: RunId, { release }: RunTurn): void {
    if (this.work === 'workers') return;
    const ended = (): void => {
      release();
      this.#over(run);
      this.#atWork.delete(run);
      if (this.#atWork.size === 0) for (const tell of this.#told.splice(0)) tell();
    };
    this.#atWork.add(run);
    this.#engine.outcome(run).then(ended, ended);
  }
}
