// Starts and resumes runs for the server and its heads, within the limits of `server` in cadre.yaml.

import type { Engine } from '../../engine/engine.ts';
import type { RunId } from '../../journal/event.ts';
import { fail } from '../../kernel/fault.ts';
import type { RunStarter, RunTurn } from '../context.ts';
import { openTurns, type TurnLimits } from './turns.ts';

/** A run that is left to workers waits in the store, not for a turn here. */
const NO_TURN: RunTurn = { come: undefined, release() {} };

export function openRunStarter(
  engine: Engine,
  limits: () => TurnLimits,
  {
    work,
    over,
  }: {
    readonly work: 'here' | 'workers';
    /** Told of each run of this process that ends, or that another process has taken. */
    over(run: RunId): void;
  },
): RunStarter {
  const turns = openTurns(limits);
  const atWork = new Set<RunId>();
  const told: (() => void)[] = [];
  let isDraining = false;
  let closesConnections = false;
  const refuseDraining = (): void => {
    if (isDraining)
      fail('server/draining', 'The server is about to end. Ask again when it has started.', { retryAfter: 5 });
  };
  const takeTurn = (what: 'new' | 'resumed'): RunTurn => (work === 'workers' ? NO_TURN : turns.take(what));
  /** Gives the turn on when the run is over, however it ends. */
  const untilOver = (run: RunId, { release }: RunTurn): void => {
    if (work === 'workers') return;
    const ended = (): void => {
      release();
      over(run);
      atWork.delete(run);
      if (atWork.size === 0) for (const tell of told.splice(0)) tell();
    };
    atWork.add(run);
    engine.outcome(run).then(ended, ended);
  };
  return {
    work,
    get isDraining() {
      return isDraining;
    },
    get closesConnections() {
      return closesConnections;
    },
    closeConnections() {
      closesConnections = true;
    },
    get atWork() {
      return turns.atWork;
    },
    get waiting() {
      return turns.waiting;
    },
    async start({ agent, host }, request, { run: given } = {}) {
      refuseDraining();
      const turn = takeTurn('new');
      try {
        const run = await engine.start(
          { ...request, agent: agent.name },
          { cadre: host, ...(given !== undefined && { run: given }), ...(turn.come && { turn: turn.come }) },
        );
        untilOver(run, turn);
        return { run, state: turn.come === undefined ? 'running' : 'waiting' };
      } catch (thrown) {
        turn.release();
        throw thrown;
      }
    },
    async resume(run, { takeOver } = {}) {
      refuseDraining();
      const turn = takeTurn('resumed');
      try {
        await engine.resume(run, { ...(takeOver === true && { takeOver }), ...(turn.come && { turn: turn.come }) });
        untilOver(run, turn);
      } catch (thrown) {
        turn.release();
        throw thrown;
      }
    },
    takeTurn(what) {
      refuseDraining();
      return takeTurn(what);
    },
    left: () => [...atWork],
    settled: () =>
      new Promise((resolve) => {
        if (atWork.size === 0) resolve();
        else told.push(resolve);
      }),
    drain() {
      isDraining = true;
    },
  };
}
