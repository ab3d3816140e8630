// cadre show --follow: attaches to a run of any process, shows it as cadre run does, and prints its answer. Ctrl+C
// leaves, and the run goes on.

import { whyQueued } from '../../../engine/fleet/queued.ts';
import { openEngine } from '../../../engine/open.ts';
import { pinnedCadre } from '../../../engine/pinned.ts';
import type { RunEvent, RunId, RunStart } from '../../../journal/event.ts';
import type { RunStore, RunSummary } from '../../../journal/store.ts';
import { EXIT, fail } from '../../../kernel/fault.ts';
import { runOutcome } from '../../../kernel/outcome.ts';
import { failBrokenOff, whenBrokenOff } from '../../broken-off.ts';
import { viewFor } from '../../open-run.ts';
import { tellingQueued } from '../../queued-notice.ts';
import { exitOf } from '../../render/ending.ts';
import { RunAccount } from '../../run-account.ts';
import { notify } from '../../screen/output.ts';

export async function followToEnd(
  run: RunId,
  store: RunStore,
  options: { readonly json?: boolean; readonly quiet?: boolean },
): Promise<number> {
  const engine = await openEngine(undefined, { store, warn: notify });
  const start = await startOfRun(run, store);
  const view = await viewFor(await pinnedCadre(start, store), options);
  const account = new RunAccount();
  const leaving = leaveWhen(
    tellingQueued({
      summary: () => engine.summary(run),
      why: async (summary) => (await whyQueued([summary], store)).get(run),
      tell: view.notice,
    }),
  );
  let last: RunEvent = start;
  const unwatch = view.live && engine.watch(run, { live: view.live });
  try {
    for await (const event of engine.events(run, 0, leaving.signal)) {
      account.add(event);
      view.event(event);
      last = event;
    }
  } finally {
    unwatch?.();
    leaving.close();
    view.finish();
    await engine.close();
  }
  if (last.type !== 'run-end') return left(run, leaving.isBrokenOff());
  const outcome = runOutcome(last.outcome);
  const { json, quiet = false } = options;
  if (json !== true) account.tell(outcome, { agent: start.agent, endedAt: last.at, show: `cadre show ${run}`, quiet });
  return exitOf(outcome);
}

function left(run: RunId, isBrokenOff: boolean): number {
  if (isBrokenOff) failBrokenOff(run);
  notify(`left: the run goes on. Attach again with: cadre show ${run} --follow`);
  return EXIT.answered;
}

/** Aborted by Ctrl+C, by SIGTERM, and when no process works on the run any more. */
function leaveWhen(look: () => Promise<RunSummary>): {
  readonly signal: AbortSignal;
  isBrokenOff(): boolean;
  close(): void;
} {
  const leave = new AbortController();
  let isBrokenOff = false;
  const unwatch = whenBrokenOff(look, (found) => {
    isBrokenOff = found;
    leave.abort();
  });
  const interrupted = (): void => leave.abort();
  process.once('SIGINT', interrupted);
  process.once('SIGTERM', interrupted);
  return {
    signal: leave.signal,
    isBrokenOff: () => isBrokenOff,
    close() {
      unwatch();
      process.off('SIGINT', interrupted);
      process.off('SIGTERM', interrupted);
    },
  };
}

async function startOfRun(run: RunId, store: RunStore): Promise<RunStart> {
  for await (const event of store.read(run)) if (event.type === 'run-start') return event;
  return fail('journal/corrupt', `The journal of run ${run} has no beginning.`);
}
