// The tests that this server runs. Each case takes a turn as a run does; the result is kept in the store of the runs,
// as that of `cadre test` is.

import { runSuite } from '../../agent-tests/suite.ts';
import { testCommand } from '../../agent-tests/test-command.ts';
import { newRunId } from '../../engine/run-id.ts';
import { serversWithAuth } from '../../engine/sign-in/sign-in.ts';
import type { RunStore } from '../../journal/store.ts';
import { faultOf } from '../../kernel/fault.ts';
import type { RunStarter, RunTurn, ServerTests } from '../context.ts';

/** Cases of one start at the same time. */
const AT_ONCE = 8;

interface ServerTestsParts {
  readonly store: RunStore;
  readonly runs: Pick<RunStarter, 'takeTurn'>;
  readonly folder: string;
  log(text: string): void;
  now(): number;
}

export function openServerTests({ store, runs, folder, log, now }: ServerTestsParts): ServerTests {
  const atWork = new Map<string, { readonly stop: AbortController; readonly over: Promise<void> }>();
  return {
    async start({ choice, files }) {
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
          atWork.delete(id);
        });
      atWork.set(id, { stop, over });
      await Promise.race([begun, suite]);
      return id;
    },
    cancel(id) {
      const one = atWork.get(id);
      one?.stop.abort('the tests were cancelled');
      return one !== undefined;
    },
    async close() {
      const all = [...atWork.values()];
      for (const { stop } of all) stop.abort('the server ended');
      await Promise.all(all.map(({ over }) => over));
    },
  };
}

/** The first turn is asked for at once, so that a server whose line is full refuses. The others wait in the line. */
function turnsFor(runs: Pick<RunStarter, 'takeTurn'>, signal: AbortSignal) {
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
