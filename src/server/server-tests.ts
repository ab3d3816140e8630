// The tests that this server runs. Each case takes a turn as a run does; the result is kept in the store of the runs,
// as that of `cadre test` is.

import type { FoundFile } from '../agent-tests/find-tests.ts';
import { runSuite } from '../agent-tests/suite.ts';
import type { SuiteBound } from '../agent-tests/suite-bound.ts';
import { type TestChoice, testCommand } from '../agent-tests/test-command.ts';
import { newRunId } from '../engine/run-id.ts';
import { serversWithAuth } from '../engine/sign-in/sign-in.ts';
import type { RunStore } from '../journal/store.ts';
import { faultOf } from '../kernel/fault.ts';
import type { RunStarter } from './run-starter.ts';
import type { RunTurn } from './turns.ts';

/** Tests that may be started. */
export interface TestPlan {
  readonly choice: TestChoice;
  readonly files: readonly FoundFile[];
  readonly bound: SuiteBound;
}

/** Cases of one start at the same time. */
const AT_ONCE = 8;

export class ServerTests {
  readonly #server;
  readonly #atWork = new Map<string, { readonly stop: AbortController; readonly over: Promise<void> }>();

  constructor(server: {
    readonly store: RunStore;
    readonly runs: RunStarter;
    readonly folder: string;
    log(text: string): void;
    now(): number;
  }) {
    this.#server = server;
  }

  /** Gives the id of the result, which is in the store by then. Throws `server/busy` and `server/draining`. */
  async start({ choice, files }: Omit<TestPlan, 'bound'>): Promise<string> {
    const { store, runs, folder, log, now } = this.#server;
    const stop = new AbortController();
    const turns = turnsFor(runs, stop.signal);
    const id = newRunId(now());
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const { models, live, alone, times } = choice;
    const suite = runSuite(files, {
      models,
      live,
      alone,
      times,
      addsAnswers: false,
      update: false,
      atOnce: AT_ONCE,
      keep: { id, command: testCommand(choice), from: folder, storeOf: async () => store, now },
      signInsOf: async (cadre) => (serversWithAuth(cadre).length === 0 ? undefined : store.signIns),
      signal: stop.signal,
      takeTurn: turns.take,
      begun: () => begin(),
      tell: () => undefined,
      warn: log,
    });
    const over = suite
      .then(
        () => undefined,
        (thrown: unknown) => {
          log(`The tests ${id} broke off: ${faultOf(thrown).message}`);
        },
      )
      .finally(() => {
        turns.close();
        this.#atWork.delete(id);
      });
    this.#atWork.set(id, { stop, over });
    await Promise.race([begun, suite]);
    return id;
  }

  /** Ends tests: cases at work are cancelled, those that have not begun are skipped. False if they are not at work here. */
  cancel(id: string): boolean {
    const one = this.#atWork.get(id);
    one?.stop.abort('the tests were cancelled');
    return one !== undefined;
  }

  /** Ends all, and settles when what was done is kept. */
  async close(): Promise<void> {
    const all = [...this.#atWork.values()];
    for (const { stop } of all) stop.abort('the server ended');
    await Promise.all(all.map(({ over }) => over));
  }
}

/** The first turn is asked for at once, so that a server whose line is full refuses. The others wait in the line. */
function turnsFor(runs: RunStarter, signal: AbortSignal) {
  let first: RunTurn | undefined = runs.takeTurn('new');
  const stopped = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return {
    async take(): Promise<() => void> {
      if (signal.aborted) return () => undefined;
      const turn = first ?? runs.takeTurn('resumed');
      first = undefined;
      if (turn.come !== undefined) await Promise.race([turn.come, stopped]);
      return turn.release;
    },
    close(): void {
      first?.release();
    },
  };
}
