// Starting, listing and reading runs.

import { z } from 'zod';
import { SPENT_BY } from '../../journal/run-totals.ts';
import { inSlices } from '../../journal/slices.ts';
import { FaultError, OUTCOME_KINDS } from '../../kernel/fault.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import { reportFold } from '../../views/report/run-report.ts';
import { spentBy } from '../../views/runs/spending.ts';
import { unlessLost } from '../access.ts';
import { usesAll } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import { ReportShown, RunList, RunRow, SpentList, StartedRun, StartRun } from '../messages/runs.ts';
import { type ListQuery, listedRuns, runsSpent, type SpentChoice } from '../runs/listed-runs.ts';
import { startFor } from '../runs/start-request.ts';
import { storedRun } from '../runs/stored-run.ts';
import { waitedMs } from '../runs/wait.ts';
import { type ApiRequest, json, longJson, type Reply, type Route, route, runRoute } from './route.ts';

const MOMENT = z.int().min(0);

/** The fields that choose runs. */
const CHOICE = {
  agent: z.string().describe('The agent that was asked.').exactOptional(),
  state: z.enum(['running', 'broken-off', 'ended']).describe('The state of the run.').exactOptional(),
  outcome: z.enum(OUTCOME_KINDS).describe('The outcome of the run.').exactOptional(),
  label: z.string().describe('Its label.').exactOptional(),
  thread: z.string().describe('The conversation that it is part of.').exactOptional(),
  text: z.string().describe('A part of what it was asked, ignoring case.').exactOptional(),
  since: MOMENT.describe('Started at this time or later: milliseconds since 1970.').exactOptional(),
  until: MOMENT.describe('Started before this time.').exactOptional(),
  waiting: z.literal(true).describe('It has calls that wait for a person.').exactOptional(),
  q: z
    .string()
    .max(2000)
    .describe('Words of the page’s filter: `agent:desk cost:>0.01 since:2026-11-09 text`.')
    .exactOptional(),
  zone: z
    .string()
    .max(100)
    .describe('The time zone of days, by its IANA name: `Europe/Berlin`. Default: UTC.')
    .exactOptional(),
};

export const runRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/runs',
    name: 'startRun',
    tag: 'runs',
    summary: 'Starts a run.',
    permission: 'run',
    query: {
      wait: z.string().describe('The time to wait for the outcome: `30s`, at most 10m. Default: none.').exactOptional(),
    },
    headers: {
      'idempotency-key': z
        .string()
        .min(1)
        .max(255)
        .describe('A request with the key of an earlier one gives the same run again, also after a restart.')
        .exactOptional(),
    },
    body: StartRun,
    answers: {
      200: { description: 'It has ended within the time to wait.', body: StartedRun },
      202: { description: 'It is at work, or waits for its turn.', body: StartedRun },
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
  }),
  route({
    method: 'GET',
    path: '/api/runs',
    name: 'listRuns',
    tag: 'runs',
    summary: 'Lists runs, newest first.',
    permission: 'see',
    query: {
      ...CHOICE,
      before: z.string().describe('`next` of the page before.').exactOptional(),
      limit: z.int().min(1).max(500).describe('The number of rows. Default: 50.').exactOptional(),
      together: z
        .literal(true)
        .describe('Only the newest message of each conversation, with sums over all of them.')
        .exactOptional(),
      totals: z
        .literal(false)
        .describe('Leaves out `total`, `states` and `sum`, for which every run that fits a filter is looked at.')
        .exactOptional(),
    },
    answers: {
      200: { description: 'A page, where the next one begins, and what all that fit come to.', body: RunList },
    },
    faults: ['usage'],
    answer: async ({ query, caller }, context) => json(await listedRuns(queryOf(query, context), caller, context)),
  }),
  route({
    method: 'GET',
    path: '/api/runs/spent',
    name: 'runsSpent',
    tag: 'runs',
    summary: 'The usage of runs by day, agent and model: of the whole store, each call once.',
    permission: 'see',
    query: {
      ...CHOICE,
      by: z
        .string()
        .max(100)
        .describe(`One row for each of these, with commas between them: ${SPENT_BY.join(', ')}. Default: day.`)
        .exactOptional(),
    },
    answers: { 200: { description: 'The rows, and their sum.', body: SpentList } },
    faults: ['usage'],
    answer: async ({ query: { by, ...query }, caller }, context) => {
      const spent: SpentChoice = { ...queryOf(query, context), by: spentBy(by) };
      return json(await runsSpent(spent, caller, context));
    },
  }),
  runRoute({
    method: 'GET',
    path: '/api/runs/:run',
    name: 'getRun',
    tag: 'runs',
    summary: 'One run with its tree, its ledger and its totals, as `cadre show --json` prints it.',
    permission: 'see',
    answers: {
      200: {
        description: 'The run.',
        body: ReportShown,
      },
    },
    answer: async ({ row: { run, state, notes } }, context) => {
      const fold = reportFold();
      for await (const event of context.store.read(run)) fold.add(event);
      const report = await inSlices(fold.report({ live: state === 'running' }));
      return longJson({ ...report, ...(notes !== undefined && { notes }) });
    },
  }),
  runRoute({
    method: 'GET',
    path: '/api/runs/:run/summary',
    name: 'getRunSummary',
    tag: 'runs',
    summary: 'One run as a row of the list.',
    permission: 'see',
    answers: { 200: { description: 'The row.', body: RunRow } },
    answer: async ({ row }) => json(row),
  }),
];

async function startRun(
  request: ApiRequest<unknown, { readonly wait?: string }, StartRun>,
  context: ServerContext,
): Promise<Reply> {
  const waitMs = waitedMs(request.query.wait);
  const started = await startFor(request.body, request.caller, context, request.header('idempotency-key'));
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
function queryOf({ agent, ...rest }: ListQuery, { cadres }: ServerContext): ListQuery {
  if (agent === undefined) return rest;
  const cadre = cadres.all().find((one) => one.prefix !== '' && agent.startsWith(one.prefix));
  if (cadre === undefined) return { ...rest, agent };
  return { ...rest, agent: agent.slice(cadre.prefix.length), prefix: cadre.prefix };
}
