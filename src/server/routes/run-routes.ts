// Starting, listing and reading runs.

import { inSlices } from '../../journal/slices.ts';
import { FaultError, OUTCOME_KINDS } from '../../kernel/fault.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import { reportFold } from '../../views/run-report.ts';
import { unlessLost } from '../auth/access.ts';
import { usesAll } from '../auth/caller.ts';
import type { ServerContext } from '../context.ts';
import type { StartedRun, StartRun } from '../protocol.ts';
import { startFor } from '../runs/start-request.ts';
import { storedRun } from '../runs/stored-run.ts';
import { type RowQuery, visibleRun, visibleRuns } from '../runs/visible-runs.ts';
import { waitedMs } from '../runs/wait.ts';
import { type ApiRequest, json, longJson, type Reply, type Route } from './route.ts';
import {
  COUNT,
  exactly,
  FILES,
  HISTORY,
  having,
  OUTCOME,
  OUTPUT_CONTRACT,
  RUN_LIST,
  RUN_PARAM,
  RUN_ROW,
  TEXT,
} from './schemas.ts';

const START_BODY = exactly(
  {
    agent: {
      type: 'string',
      minLength: 1,
      description: 'Its name, with the prefix of its cadre where there are several.',
    },
    input: { description: 'A text, or any JSON value for an agent that takes JSON.' },
    files: { ...FILES, description: 'Text files that go with a text.' },
    output: { ...OUTPUT_CONTRACT, description: 'What the answer must be: it binds the agent that answers.' },
    stopAfter: { type: 'string', description: 'For debugging: the stage of a chain after which it ends.' },
    label: { type: 'string', description: 'A name for the run.' },
    thread: {
      type: 'string',
      description: 'The conversation that it continues, which needs the permission `see`; `new` begins one.',
    },
    continues: {
      type: ['string', 'null'],
      description:
        'The run of the thread that it follows. An earlier one begins a branch, null one from the beginning.',
    },
    history: { ...HISTORY, description: 'The exchanges before it, for a client that keeps the conversation itself.' },
  },
  ['agent', 'input'],
);

const STARTED = having(
  { run: TEXT, thread: TEXT, state: { enum: ['running', 'waiting', 'ended', 'broken-off'] }, outcome: OUTCOME },
  ['run', 'state'],
);

const MOMENT = { type: 'integer', minimum: 0 } as const;

export const runRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/runs',
    name: 'startRun',
    tag: 'runs',
    summary: 'Starts a run.',
    permission: 'run',
    query: {
      wait: { schema: TEXT, description: 'How long to wait for the outcome: `30s`, at most 10m. Default: not at all.' },
    },
    headers: {
      'idempotency-key': {
        schema: { type: 'string', minLength: 1, maxLength: 255 },
        description: 'A request with the key of an earlier one gives the same run again, also after a restart.',
      },
    },
    body: { schema: START_BODY, required: true },
    answers: {
      200: { description: 'It has ended within the time to wait.', schema: STARTED },
      202: { description: 'It is at work, or waits for its turn.', schema: STARTED },
    },
    faults: [
      'usage',
      'agent/unknown',
      'agent/invalid',
      'input/invalid',
      'thread/unknown',
      'thread/other-agent',
      'request/key-reused',
      'server/busy',
      'server/draining',
    ],
    answer: startRun,
  },
  {
    method: 'GET',
    path: '/api/runs',
    name: 'listRuns',
    tag: 'runs',
    summary: 'Lists runs, newest first.',
    permission: 'see',
    query: {
      agent: { schema: TEXT, description: 'The agent that was asked.' },
      state: { schema: { enum: ['running', 'broken-off', 'ended'] }, description: 'How it stands.' },
      outcome: { schema: { enum: [...OUTCOME_KINDS] }, description: 'How it ended.' },
      label: { schema: TEXT, description: 'Its label.' },
      thread: { schema: TEXT, description: 'The conversation that it is part of.' },
      text: { schema: TEXT, description: 'A part of what it was asked, ignoring case.' },
      since: { schema: MOMENT, description: 'Started at this time or later: milliseconds since 1970.' },
      until: { schema: MOMENT, description: 'Started before this time.' },
      waiting: { schema: { const: true, type: 'boolean' }, description: 'It has calls that wait for a person.' },
      before: { schema: TEXT, description: '`next` of the page before.' },
      limit: { schema: { type: 'integer', minimum: 1, maximum: 500 }, description: 'How many. Default: 50.' },
    },
    answers: { 200: { description: 'A page, and where the next one begins.', schema: RUN_LIST } },
    answer: async ({ query, caller }, context) => json(await visibleRuns(queryOf(query, context), caller, context)),
  },
  {
    method: 'GET',
    path: '/api/runs/:run',
    name: 'getRun',
    tag: 'runs',
    summary: 'One run with its tree, its ledger and its totals, as `cadre show --json` prints it.',
    permission: 'see',
    params: { run: RUN_PARAM },
    answers: {
      200: {
        description: 'The run.',
        schema: having(
          {
            run: TEXT,
            thread: TEXT,
            continues: TEXT,
            outcome: { anyOf: [OUTCOME, { type: 'null' }] },
            tree: { type: 'object' },
            ledger: { type: 'array', items: { type: 'object' } },
            calls: having({ failed: COUNT, denied: COUNT, changesDenied: COUNT, refused: COUNT }, [
              'failed',
              'denied',
              'changesDenied',
              'refused',
            ]),
            refused: { type: 'array', items: { type: 'object' } },
            totals: { type: 'object' },
          },
          ['run', 'outcome', 'tree', 'ledger', 'calls', 'totals'],
        ),
      },
    },
    faults: ['run/unknown'],
    answer: async ({ params, caller }, context) => {
      const { run, state } = await visibleRun(params['run'] ?? '', caller, context);
      const fold = reportFold();
      for await (const event of context.store.read(run)) fold.add(event);
      return longJson(await inSlices(fold.report({ live: state === 'running' })));
    },
  },
  {
    method: 'GET',
    path: '/api/runs/:run/summary',
    name: 'getRunSummary',
    tag: 'runs',
    summary: 'One run as a row of the list.',
    permission: 'see',
    params: { run: RUN_PARAM },
    answers: { 200: { description: 'The row.', schema: RUN_ROW } },
    faults: ['run/unknown'],
    answer: async ({ params, caller }, context) => json(await visibleRun(params['run'] ?? '', caller, context)),
  },
];

async function startRun(request: ApiRequest, context: ServerContext): Promise<Reply> {
  const waitMs = waitedMs(request.query['wait']);
  const started = await startFor(request.body as StartRun, request.caller, context, request.header('idempotency-key'));
  await storedRun(started.run, context);
  const outcome = waitMs === undefined ? undefined : await endWithin(started.run, waitMs, request, context);
  const body: StartedRun = outcome === undefined ? started : { ...started, state: 'ended', outcome };
  const headers = { location: `/api/runs/${started.run}` };
  return json(body, body.outcome === undefined ? 202 : 200, headers);
}

/** Undefined if it has not ended in time, if it goes on without this process, or if the client has gone. */
async function endWithin(
  run: string,
  ms: number,
  { outgoing, access, caller }: ApiRequest,
  { engine }: ServerContext,
): Promise<Outcome | undefined> {
  const lost = access.while((now) => now.may.has('run') && usesAll(now, caller));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
    outgoing.once('close', () => resolve(undefined));
  });
  try {
    return await unlessLost(Promise.race([engine.outcome(run), late]), lost);
  } catch (thrown) {
    if (thrown instanceof FaultError && thrown.fault.code === 'run/taken-over') return undefined;
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}

/** An agent may be named with the prefix of its cadre. Then agents of other cadres with the same name are not meant. */
function queryOf(query: ApiRequest['query'], { cadres }: ServerContext): RowQuery {
  const { agent, ...rest } = query;
  if (agent === undefined) return rest as RowQuery;
  const cadre = cadres.all().find((one) => one.prefix !== '' && String(agent).startsWith(one.prefix));
  if (cadre === undefined) return { ...rest, agent } as RowQuery;
  return { ...rest, agent: String(agent).slice(cadre.prefix.length), prefix: cadre.prefix } as RowQuery;
}
