// The runs that a caller may see: those of the agents that it may use. Another run is unknown to it.

import { present } from '../../base/text/present.ts';
import { whyQueued } from '../../engine/fleet/queued.ts';
import { findRun, WHOLE_ID } from '../../engine/remote/start-after.ts';
import type { RunId } from '../../journal/event.ts';
import type { RunQuery, RunStore, RunSummary } from '../../journal/store.ts';
import { FaultError } from '../../kernel/fault.ts';
import { runOf } from '../../kernel/spawned.ts';
import type { TestHead } from '../../views/tests/test-record.ts';
import { type Caller, mayUse } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import type { RunList, RunRow } from '../protocol.ts';
import { seenStore } from './seen-store.ts';

/** The run that a request names. Throws `run/unknown`. */
export async function visibleRun(asked: string, caller: Caller, context: ServerContext): Promise<RunRow> {
  const summary = await summaryOf(asked, seenStore(caller, context));
  const [row] = await runRows([summary], context);
  return row as RunRow;
}

/** Rows of runs that wait for a worker say why. */
export async function runRows(summaries: readonly RunSummary[], context: ServerContext): Promise<readonly RunRow[]> {
  const why = await whyQueued(summaries, context.store);
  const notes = await context.store.notes.of(summaries.map(({ run }) => run));
  return summaries.map((summary) => {
    const { run } = summary;
    return { ...runRow(summary, context), ...present({ queuedWhy: why.get(run), notes: notes.get(run) }) };
  });
}

/** A whole id is looked up; labels and beginnings of ids are searched for. */
async function summaryOf(asked: string, store: RunStore): Promise<RunSummary> {
  if (WHOLE_ID.test(asked)) {
    try {
      return await store.summary(asked);
    } catch (thrown) {
      if (!(thrown instanceof FaultError) || thrown.fault.code !== 'run/unknown') throw thrown;
    }
  }
  const { run } = await findRun(asked, store);
  return store.summary(runOf(run));
}

/** True if a caller may see a run. */
export const isVisible = ({ prefix, agent }: RunRow, caller: Caller): boolean =>
  caller.agents === undefined || (prefix !== null && mayUse(caller, prefix + agent));

export function runRow(summary: RunSummary, { cadres, engine, activity }: ServerContext): RunRow {
  const { run, state, folder } = summary;
  const isHere = engine.isAtWork(run);
  const now = isHere ? activity.of(run) : undefined;
  return {
    ...summary,
    prefix: cadres.ofFolder(folder)?.prefix ?? null,
    driver: isHere ? 'this' : state === 'running' ? 'other' : 'none',
    ...(now !== undefined && { now }),
  };
}

const MOST = 500;

/** Newest first. A page may be shorter than asked for where runs of other agents were left out, but not empty. */
export async function visibleRuns(
  query: RunQuery,
  caller: Caller,
  context: ServerContext,
): Promise<Pick<RunList, 'items' | 'next'>> {
  const limit = Math.min(query.limit ?? 50, MOST);
  let before: RunId | undefined = query.before;
  for (;;) {
    const page = await context.engine.runs({ ...query, limit, ...(before !== undefined && { before }) });
    const items = (await runRows(page.items, context)).filter((row) => isVisible(row, caller));
    if (items.length > 0 || page.next === undefined)
      return { items, ...(page.next !== undefined && { next: page.next }) };
    before = page.next;
  }
}

/** Those who may use only some agents see a result if they may use every agent in it. */
export const maySeeTests = ({ agents }: TestHead, caller: Caller, { cadres }: ServerContext): boolean =>
  caller.agents === undefined ||
  agents.every(({ folder, agent }) => {
    const prefix = cadres.ofFolder(folder)?.prefix;
    return prefix !== undefined && mayUse(caller, prefix + agent);
  });
