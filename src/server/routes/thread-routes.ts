// Conversations.

import { z } from 'zod';
import { present } from '../../base/text/present.ts';
import { findThread, fitHistory, newestOf, runsOfThread, START, tipAfter } from '../../engine/threads/thread.ts';
import { runEndOf } from '../../journal/ending.ts';
import type { RunEvent } from '../../journal/event.ts';
import type { RunNote, RunStore, RunSummary } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';
import { holdsWords, type ThreadSummary, threadSummaries } from '../../views/talk/threads.ts';
import type { Caller } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import { type RunRow, ThreadInfo, ThreadList, type ThreadMessage, type ThreadRow } from '../messages/runs.ts';
import { seenStore } from '../runs/seen-store.ts';
import { isVisible, runRow } from '../runs/visible-runs.ts';
import { json, type Route, route } from './route.ts';

export const threadRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/threads',
    name: 'listThreads',
    tag: 'threads',
    summary: 'Conversations, those with the newest message first.',
    permission: 'see',
    query: {
      q: z.string().describe('Words that were asked in it, or that the name of its agent has.').exactOptional(),
      before: z.string().describe('`next` of the page before.').exactOptional(),
      limit: z.int().min(1).max(500).describe('The number of rows. Default: 50.').exactOptional(),
    },
    answers: {
      200: {
        description: 'A page, how many there are, and where the next page begins.',
        body: ThreadList,
      },
    },
    answer: async ({ query, caller }, context) => json(await threadList(query, caller, context)),
  }),
  route({
    method: 'GET',
    path: '/api/threads/:thread',
    name: 'getThread',
    tag: 'threads',
    summary: 'A conversation: its runs, oldest first, and the history that the next message gets.',
    permission: 'see',
    params: {
      thread: z.string().min(1).max(128).describe('Its id, a unique beginning of it, or `last`.'),
    },
    answers: {
      200: {
        description: 'The conversation.',
        body: ThreadInfo,
      },
    },
    faults: ['thread/unknown'],
    answer: async ({ params, caller }, context) => json(await threadInfo(params.thread, caller, context)),
  }),
];

async function threadList(
  query: { readonly q?: string; readonly before?: string; readonly limit?: number },
  caller: Caller,
  context: ServerContext,
): Promise<ThreadList> {
  const { q = '', before, limit = 50 } = query;
  const runs = await seenStore(caller, context).list();
  const words = q.split(/\s+/).filter((word) => word !== '');
  const fitting = threadSummaries(runs).filter((one) => holdsWords(words, one));
  const from = before === undefined ? 0 : placeAfter(before, fitting);
  const items = fitting.slice(from, from + limit);
  const last = items.at(-1);
  return {
    items: items.map((one) => threadRow(one, context)),
    total: fitting.length,
    ...(last !== undefined && from + limit < fitting.length && { next: `${last.at} ${last.thread}` }),
  };
}

/** A thread that a new message moved to the front since is passed over: it is on the first page. */
function placeAfter(before: string, all: readonly ThreadSummary[]): number {
  const [at = '', thread = ''] = before.split(' ');
  const place = all.findIndex((one) => one.at < Number(at) || (one.at === Number(at) && one.thread < thread));
  return place < 0 ? all.length : place;
}

function threadRow({ newest, runs: _runs, ...thread }: ThreadSummary, { cadres }: ServerContext): ThreadRow {
  const { run, agent, folder, state, outcome, fault } = newest;
  return {
    ...thread,
    agent: (cadres.ofFolder(folder)?.prefix ?? '') + agent,
    run,
    state,
    ...present({ outcome, fault: fault?.code }),
  };
}

/** Further events may follow the end, such as that its changes were taken back. */
const AFTER_END = 8;

/**
 * A summary has the beginning of a text alone. A message is edited and sent again, so it has all but what was said before it,
 * and how it ended in full.
 */
async function message(
  summary: RunSummary,
  notes: readonly RunNote[] | undefined,
  context: ServerContext,
): Promise<ThreadMessage> {
  const row: RunRow = { ...runRow(summary, context), ...(notes && { notes }) };
  const events = await firstAndLast(summary, context.store);
  const [first] = events;
  if (first?.type !== 'run-start') return row;
  const { history: _history, ...input } = first.input;
  const ending = summary.state === 'ended' ? runEndOf(events)?.outcome : undefined;
  return { ...row, input, ...(ending !== undefined && { ending }) };
}

/** A short journal is opened once. Of a run that has not ended, only the first event is wanted. */
async function firstAndLast(
  { run, state, events: count }: RunSummary,
  store: Pick<RunStore, 'read'>,
): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  const isShort = state === 'ended' && count <= 2 * AFTER_END;
  for await (const event of store.read(run)) {
    events.push(event);
    if (!isShort) break;
  }
  if (state === 'ended' && !isShort) for await (const event of store.read(run, count - AFTER_END)) events.push(event);
  return events;
}

async function threadInfo(asked: string, caller: Caller, context: ServerContext): Promise<ThreadInfo> {
  const store = seenStore(caller, context);
  const thread = await findThread(asked, store);
  const all = await runsOfThread(store, thread);
  const notes = await store.notes.of(all.map(({ summary }) => summary.run));
  const runs = await Promise.all(all.map(({ summary }) => message(summary, notes.get(summary.run), context)));
  if (!runs.every((row) => isVisible(row, caller)))
    fail('thread/unknown', `There is no thread ${JSON.stringify(asked.slice(0, 80))}.`);
  const newest = newestOf(all);
  const { history } = newest === undefined ? START : await tipAfter(newest.summary.run, store);
  const last = runs.at(-1);
  return { thread, agent: (last?.prefix ?? '') + (last?.agent ?? ''), runs, history: fitHistory(history) };
}
