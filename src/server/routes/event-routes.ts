// The events of a run: as a stream that goes on without a gap, as lines, and one by one.

import { z } from 'zod';
import type { RunEvent } from '../../journal/event.ts';
import { fail } from '../../kernel/fault.ts';
import type { ServerContext } from '../context.ts';
import { cutEvent } from '../events/cut.ts';
import { EventShown } from '../messages/history.ts';
import type { RunRow } from '../messages/runs.ts';

import { isVisible } from '../runs/visible-runs.ts';
import { type ApiRequest, json, type Reply, type Route, route, runRoute } from './route.ts';

const SEQ = z.int().min(0);

export const eventRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/stream',
    name: 'followAll',
    tag: 'events',
    summary: 'The changes anywhere: runs of any process, calls that wait for a person, files of agents, the clock.',
    permission: 'see',
    answers: {
      200: {
        description: 'The stream. Nothing in it has an id: a client that reconnects asks for its lists again.',
        types: {
          'text/event-stream':
            '`event: run` with a row of the list; `gone` with `{run}`; `approval` with `{change, run, path}`; `agents` with `{diagnostics, now}` after files were saved; `now` with `{now}` every 5 s; `refused` with `{code, detail}` as the last one, where the token may see less from then on. From the first `now` on all changes are told: a list that is read after it has no gap.',
        },
      },
    },
    answer: async ({ access, outgoing }, context) => {
      context.changes.read(access, outgoing, context);
      return { kind: 'sent' };
    },
  }),
  runRoute({
    method: 'GET',
    path: '/api/runs/:run/events',
    name: 'followRun',
    tag: 'events',
    summary:
      'The events of a run as they are written. `id` is the sequence number, so `Last-Event-ID` goes on without a gap or a repeat.',
    permission: 'see',
    query: { from: SEQ.describe('The first sequence number. `Last-Event-ID` wins.').exactOptional() },
    headers: {
      'last-event-id': SEQ.describe('The last event that the client has.').exactOptional(),
      accept: z
        .string()
        .describe('`text/event-stream`, or `application/x-ndjson` for the events so far in one body.')
        .exactOptional(),
    },
    answers: {
      200: {
        description: 'The stream. It ends after `run-end`.',
        types: {
          'text/event-stream':
            '`event: journal` with `{event, cut?, digest?}`; `event: live` with what happens in between, without an id; `event: state` with `{state, driver, worker?, queued?, queuedWhy?, outcome?, endedAt?, now}` at the beginning, when it changes, and as a heartbeat; `event: refused` with `{code, detail}` as the last one, where the token may not see the run any more.',
          'application/x-ndjson': 'One `{event, cut?, digest?}` on each line, up to now.',
        },
      },
      204: { description: 'The run has ended, and the client has all of it.' },
    },
    answer: followRun,
  }),
  runRoute({
    method: 'GET',
    path: '/api/runs/:run/events/:seq',
    name: 'getEvent',
    tag: 'events',
    summary: 'One event, with its texts whole.',
    permission: 'see',
    params: { seq: SEQ.describe('Its sequence number.') },
    answers: { 200: { description: 'The event.', body: EventShown } },
    faults: ['request/not-found'],
    answer: async ({ row: { run }, params }, context) => {
      const { seq } = params;
      for await (const event of context.store.read(run, seq)) if (event.seq === seq) return json(event);
      return fail('request/not-found', `Run ${run} has no event ${seq}.`);
    },
  }),
];

type FollowRequest = ApiRequest<unknown, { readonly from?: number }> & { readonly row: RunRow };

async function followRun(request: FollowRequest, context: ServerContext): Promise<Reply> {
  const { row } = request;
  const { run } = row;
  const from = firstOf(request);
  if (/\bapplication\/x-ndjson\b/.test(request.header('accept') ?? ''))
    return { kind: 'pieces', type: 'application/x-ndjson', pieces: lines(run, from, context) };
  const lost = request.access.while((now) => now.may.has('see') && isVisible(row, now));
  const reading = await context.feeds.read(run, from, request.outgoing, lost);
  return reading === 'over' ? { kind: 'empty', status: 204 } : { kind: 'sent' };
}

function firstOf({ header, query }: FollowRequest): number {
  const last = header('last-event-id');
  if (last === undefined || last === '') return query.from ?? 0;
  if (!/^\d{1,15}$/.test(last)) return fail('request/invalid', 'Last-Event-ID is not a sequence number.');
  return Number(last) + 1;
}

async function* lines(run: string, from: number, { store }: ServerContext): AsyncGenerator<string> {
  for await (const event of store.read(run, from)) yield lineOf(event);
}

const lineOf = (event: RunEvent): string => `${JSON.stringify(cutEvent(event))}\n`;
