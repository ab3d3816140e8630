// Conversations.

import { findThread, fitted, newestOf, runsOfThread, START, tipAfter } from '../../engine/threads/thread.ts';
import { fail } from '../../kernel/fault.ts';
import type { Caller } from '../auth/caller.ts';
import type { ServerContext } from '../context.ts';
import type { ThreadInfo } from '../protocol.ts';
import { seenStore } from '../runs/seen-store.ts';
import { isVisible, runRow } from '../runs/visible-runs.ts';
import { json, type Route } from './route.ts';
import { arrayOf, HISTORY, having, RUN_ROW, TEXT } from './schemas.ts';

export const threadRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/threads/:thread',
    name: 'getThread',
    tag: 'threads',
    summary: 'A conversation: its runs, oldest first, and the history that the next message gets.',
    permission: 'see',
    params: {
      thread: {
        schema: { type: 'string', minLength: 1, maxLength: 128 },
        description: 'Its id, a unique beginning of it, or `last`.',
        required: true,
      },
    },
    answers: {
      200: {
        description: 'The conversation.',
        schema: having({ thread: TEXT, agent: TEXT, runs: arrayOf(RUN_ROW), history: HISTORY }, [
          'thread',
          'agent',
          'runs',
          'history',
        ]),
      },
    },
    faults: ['thread/unknown'],
    answer: async ({ params, caller }, context) => json(await threadInfo(params['thread'] ?? '', caller, context)),
  },
];

async function threadInfo(asked: string, caller: Caller, context: ServerContext): Promise<ThreadInfo> {
  const store = seenStore(caller, context);
  const thread = await findThread(asked, store);
  const all = await runsOfThread(store, thread);
  const runs = all.map(({ summary }) => runRow(summary, context));
  if (!runs.every((row) => isVisible(row, caller)))
    fail('thread/unknown', `There is no thread ${JSON.stringify(asked.slice(0, 80))}.`);
  const newest = newestOf(all);
  const { history } = newest === undefined ? START : await tipAfter(newest.summary.run, store);
  const last = runs.at(-1);
  return { thread, agent: (last?.prefix ?? '') + (last?.agent ?? ''), runs, history: fitted(history) };
}
