// A thread: the runs of one conversation, and the history that the next of them gets.
// THREAD-1. Each run names the one before it (`continues`). Where a thread branches, the newest run counts: an exchange
//           was undone, or two terminals talked at the same time.
// THREAD-2. A run's journal holds the history that it was given. The next run's is that history and the run's own
//           exchange, so only one run has to be read.
// THREAD-3. A run that gave no answer adds nothing. A history consists of exchanges, and a request that filled the
//           window or was cancelled does not spoil those that follow.
// THREAD-4. A run that is at work is not continued, because its answer is not known. Neither is a copy that `cadre
//           fork` made: it keeps thread and history and stands beside the run that it was copied from.

import { nearest } from '../../base/text/nearest.ts';
import { runEndOf } from '../../journal/ending.ts';
import type { RunEvent, RunId, RunStart } from '../../journal/event.ts';
import type { RunStore, RunSummary } from '../../journal/store.ts';
import type { History } from '../../kernel/effect.ts';
import { FaultError, fail } from '../../kernel/fault.ts';
import { isAnswered } from '../../kernel/outcome.ts';
import { newRunId } from '../run-id.ts';
import { historyBytes, MOST_HISTORY_BYTES, MOST_HISTORY_MESSAGES } from '../thread-history.ts';

export type ThreadId = string;

/** A run that is part of a thread. */
export interface ThreadRun {
  readonly summary: RunSummary;
  readonly thread: ThreadId;
  readonly continues?: RunId;
  readonly isCopy: boolean;
}

/** The tip of a thread, at which its next run begins. */
export interface Tip {
  /** The run that it continues. */
  readonly continues?: RunId;
  readonly history: History;
}

export const START: Tip = { history: [] };

/** Sorts by time as run ids do, and differs from them in its first letter. */
export const newThreadId = (now: number): ThreadId => `t${newRunId(now)}`;

/** The runs of a thread, oldest first. */
export const runsOfThread = async (store: RunStore, thread: ThreadId): Promise<readonly ThreadRun[]> =>
  (await store.list({ thread })).toReversed().map((summary) => {
    const { continues, forkedFrom } = summary;
    return { summary, thread, ...(continues !== undefined && { continues }), isCopy: forkedFrom !== undefined };
  });

/** The run that the next message continues (THREAD-1, THREAD-4). */
export const newestOf = (runs: readonly ThreadRun[]): ThreadRun | undefined =>
  runs.findLast(({ summary, isCopy }) => summary.state !== 'running' && !isCopy);

/** None if the run is gone. */
async function eventsOf(run: RunId, store: RunStore): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  try {
    for await (const event of store.read(run)) events.push(event);
  } catch (thrown) {
    if (!(thrown instanceof FaultError) || thrown.fault.code !== 'run/unknown') throw thrown;
  }
  return events;
}

/** The position of the thread after a run (THREAD-2, THREAD-3). */
export async function tipAfter(run: RunId, store: RunStore): Promise<Tip> {
  const { start, answer } = await exchangeOf(run, store);
  const before = start?.input.history ?? [];
  if (start === undefined || answer === undefined) return { continues: run, history: before };
  const { text, files } = start.input;
  const asked = { role: 'user', text, ...(files && { files }) } as const;
  const history: History = [...before, asked, { role: 'assistant', text: answer }];
  return { continues: run, history };
}

/** The position before the last exchange. Undefined if there is none. */
export async function tipBefore(tip: Tip, store: RunStore): Promise<Tip | undefined> {
  if (tip.history.length === 0) return undefined;
  const history = tip.history.slice(
    0,
    tip.history.findLastIndex(({ role }) => role === 'user'),
  );
  let at = tip.continues;
  while (at !== undefined) {
    const { start, answer } = await exchangeOf(at, store);
    at = start?.continues;
    if (answer !== undefined) break;
  }
  return at === undefined ? { history } : { continues: at, history };
}

/** The runs of the last exchange, newest first: those after it that gave no answer, and the one that did. */
export async function runsOfExchange({ continues, history }: Tip, store: RunStore): Promise<readonly RunId[]> {
  const runs: RunId[] = [];
  for (let at = history.length === 0 ? undefined : continues; at !== undefined; ) {
    runs.push(at);
    const { start, answer } = await exchangeOf(at, store);
    at = answer === undefined ? start?.continues : undefined;
  }
  return runs;
}

async function exchangeOf(
  run: RunId,
  store: RunStore,
): Promise<{
  /** Undefined if the run is gone. */
  readonly start?: RunStart;
  /** Undefined if it gave none. */
  readonly answer?: string;
}> {
  const events = await eventsOf(run, store);
  const start = events[0];
  const end = runEndOf(events);
  if (start?.type !== 'run-start') return {};
  const answer = end !== undefined && isAnswered(end.outcome) ? end.outcome.text : '';
  return answer.trim() === '' ? { start } : { start, answer };
}

/** The history without the oldest exchanges, if it is more than a run can take. */
export function fitHistory(history: History): History {
  let kept = history;
  while (kept.length > MOST_HISTORY_MESSAGES || historyBytes(kept) > MOST_HISTORY_BYTES) {
    const next = kept.findIndex(({ role }, index) => index > 0 && role === 'user');
    kept = next < 0 ? [] : kept.slice(next);
  }
  return kept;
}

/** The thread that a person names by its id, a unique beginning of it, or `last`. Throws `thread/unknown`. */
export async function findThread(name: string, store: RunStore): Promise<ThreadId> {
  const [newest] = await store.list(name === 'last' ? { threaded: true, limit: 1 } : { thread: name, limit: 1 });
  if (newest?.thread !== undefined) return newest.thread;
  const known = new Set((await store.list({ threaded: true })).flatMap(({ thread }) => thread ?? []));
  const begins = [...known].filter((thread) => name !== '' && thread.startsWith(name));
  if (begins.length === 1) return begins[0] as ThreadId;
  if (begins.length > 1) {
    fail(
      'thread/unknown',
      `${begins.length} threads begin with ${name}: ${begins.slice(0, SHOWN).join(', ')}. Name one in full.`,
    );
  }
  return fail('thread/unknown', `There is no thread ${JSON.stringify(name.slice(0, 80))}.${others(name, [...known])}`);
}

const SHOWN = 4;

function others(name: string, known: readonly ThreadId[]): string {
  if (known.length === 0) return ' There are none yet: cadre chat <agent> begins one.';
  const near = nearest(name, known);
  const latest = ` The latest are: ${known.slice(0, SHOWN).join(', ')}.`;
  return near === undefined ? latest : `${latest} Did you mean ${near}?`;
}
