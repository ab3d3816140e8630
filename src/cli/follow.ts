// Follows a run to its end: shows it, passes Ctrl+C on to it, prints only the answer on stdout and everything else on
// stderr, and returns the exit code.

import type { RunHandle } from '../engine/contract.ts';
import type { RunEvent, RunId } from '../journal/event.ts';
import type { AgentName } from '../kernel/effect.ts';
import { type RunOutcome, runOutcome } from '../kernel/outcome.ts';
import { failBrokenOff, whenBrokenOff } from './broken-off.ts';
import type { OpenRun, RunViewOptions } from './open-run.ts';
import { answerElsewhere, beginningsOf, type Elsewhere } from './person/answer-elsewhere.ts';
import { interrupts, listen } from './person/interrupts.ts';
import { tellingQueued } from './queued-notice.ts';
import { exitOf } from './render/ending.ts';
import { RunAccount } from './run-account.ts';
import { notify } from './screen/output.ts';
import type { View } from './view/view.ts';

interface Following {
  readonly agent: AgentName;
  readonly view: View;
  /** A worker works on it: what it waits for is answered from here. */
  readonly elsewhere?: Elsewhere | undefined;
  /** Events from before this process. */
  readonly recorded?: readonly RunEvent[];
  readonly output: 'answer' | 'json';
  readonly quiet: boolean;
  /** The command that shows the run. */
  readonly show: string;
  /** Called before an answer is printed. */
  beforeAnswer?(): void;
  /** Done before the process exits at once. It gets only a moment. */
  leaving?(): Promise<void>;
  /** A last line, if there is something to say. */
  afterwards?(): string | undefined;
}

/** Follows a run that `openRun` has opened the engine for, to its end. `recorded` are the events of one that goes on. */
export async function followOpened(
  run: RunId,
  { engine, view, unusedSteps, elsewhere }: OpenRun,
  {
    agent,
    flag,
    recorded,
    json,
    quiet,
  }: Pick<Following, 'agent' | 'recorded'> &
    Pick<RunViewOptions, 'json' | 'quiet'> & {
      /** The option by which a later command finds its store. */
      readonly flag: string;
    },
): Promise<number> {
  return await follow(engine.handle(run), {
    agent,
    view,
    ...(recorded && { recorded }),
    output: json === true ? 'json' : 'answer',
    quiet: quiet === true,
    show: `cadre show ${run}${flag}`,
    elsewhere,
    leaving: () => engine.flush(),
    afterwards: unusedSteps,
  });
}

export async function follow(handle: RunHandle, following: Following): Promise<number> {
  const { view, recorded = [], output } = following;
  const account = new RunAccount();
  const add = (event: RunEvent): void => {
    account.add(event);
    view.event(event);
  };
  for (const event of recorded) add(event);
  const shown = following.elsewhere && followElsewhere(handle, following, following.elsewhere, add);
  const unwatch = shown?.unwatch ?? handle.watch({ event: add, ...(view.live && { live: view.live }) });
  const pressed = interrupts(handle, view.notice, (exit) => void leaveAtOnce(exit, following));
  const unlisten = listen(pressed);
  let outcome: RunOutcome;
  try {
    outcome = await (shown?.outcome ?? handle.outcome());
  } finally {
    unlisten();
    unwatch();
    view.finish();
  }
  if (output === 'answer') account.tell(outcome, { ...following, endedAt: Date.now() });
  const last = following.afterwards?.();
  if (last !== undefined) notify(last);
  return exitOf(outcome);
}

/** Events are read from the store, all of them: a worker may have begun before we look. */
function followElsewhere(
  handle: RunHandle,
  { view, recorded = [] }: Following,
  elsewhere: Elsewhere,
  add: (event: RunEvent) => void,
): { readonly outcome: Promise<RunOutcome>; unwatch(): void } {
  const leave = new AbortController();
  let isBrokenOff = false;
  const unlook = whenBrokenOff(
    tellingQueued({
      summary: () => elsewhere.summary(handle.run),
      why: elsewhere.queuedWhy,
      tell: view.notice,
    }),
    (found) => {
      isBrokenOff = found;
      if (found) leave.abort();
    },
  );
  const answer = answerElsewhere(handle, elsewhere, view.notice);
  for (const event of beginningsOf(recorded)) answer(event);
  const read = async (): Promise<RunOutcome> => {
    for await (const event of handle.events(recorded.length, leave.signal)) {
      add(event);
      answer(event);
      if (event.type === 'run-end') return runOutcome(event.outcome);
    }
    return isBrokenOff ? failBrokenOff(handle.run) : handle.outcome();
  };
  const unwatchLive = view.live === undefined ? () => {} : handle.watch({ live: view.live });
  const unwatch = (): void => {
    unlook();
    leave.abort();
    unwatchLive();
  };
  return { outcome: read(), unwatch };
}

const MOMENT_MS = 500;

async function leaveAtOnce(exit: number, { leaving, elsewhere }: Following): Promise<void> {
  notify(`left: the run ${elsewhere ? 'goes on at its worker' : 'is broken off where it was, and can be resumed'}`);
  setTimeout(() => process.exit(exit), MOMENT_MS);
  await leaving?.();
  process.exit(exit);
}
