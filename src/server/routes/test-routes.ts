// Results of `cadre test` that the store keeps.

import { fail } from '../../kernel/fault.ts';
import { keptHeads, keptTest } from '../../suite/kept-tests.ts';
import type { TestHead } from '../../views/tests/test-record.ts';
import { type Caller, mayUse } from '../auth/caller.ts';
import type { ServerContext } from '../context.ts';
import type { TestInfo, TestList } from '../protocol.ts';
import { json, type Route } from './route.ts';
import { arrayOf, having, TEXT } from './schemas.ts';

const COUNTS = having({ passed: { type: 'integer' }, failed: { type: 'integer' }, skipped: { type: 'integer' } }, [
  'passed',
  'failed',
  'skipped',
]);

const HEAD = {
  id: TEXT,
  startedAt: { type: 'number' },
  endedAt: { type: 'number' },
  state: { enum: ['running', 'broken-off', 'ended'] },
  command: { type: 'string', description: 'The command that ran them.' },
  from: { type: 'string', description: 'The folder that it was given in.' },
  models: arrayOf(TEXT),
  planned: { type: 'integer', description: 'Cases, each counted once with every model.' },
  counts: COUNTS,
  spent: { type: 'object', description: 'What the runs of the cases used.' },
  judges: { type: 'object', description: 'What the runs of judges used.' },
} as const;
const HEAD_KEYS = ['id', 'startedAt', 'state', 'command', 'from', 'models', 'planned', 'counts', 'spent', 'judges'];

const CASE = having(
  {
    name: TEXT,
    file: TEXT,
    line: { type: 'integer' },
    agent: TEXT,
    model: { type: 'string', description: 'The model that all agents used, where one was chosen.' },
    state: { enum: ['passed', 'failed', 'skipped'] },
    failures: arrayOf(having({ what: TEXT, expected: TEXT, received: TEXT }, ['what'])),
    answer: { type: 'string', description: 'Cut if it is long: the run has the whole.' },
    ms: { type: 'number' },
    spent: { type: 'object' },
    verdicts: arrayOf(having({ run: TEXT, good: { type: 'boolean' }, why: TEXT }, ['run', 'good', 'why'])),
    runs: arrayOf(TEXT),
    kept: { type: 'boolean', description: 'Its runs are in the store.' },
  },
  ['name', 'file', 'line', 'agent', 'state', 'failures', 'runs', 'kept'],
);

export const testRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/tests',
    name: 'listTests',
    tag: 'tests',
    summary: 'The results of `cadre test` that are kept, newest first.',
    permission: 'see',
    answers: {
      200: { description: 'Their heads.', schema: having({ items: arrayOf(having(HEAD, HEAD_KEYS)) }, ['items']) },
    },
    answer: async ({ caller }, context) => {
      const heads = await keptHeads(context.store, storeNow(context));
      const items = heads.filter(({ head }) => maySeeTests(head, caller, context));
      const body: TestList = { items: items.map(({ head, state }) => ({ ...head, state })) };
      return json(body);
    },
  },
  {
    method: 'GET',
    path: '/api/tests/:test',
    name: 'getTests',
    tag: 'tests',
    summary: 'One result: every case with every model, what failed, what it cost, and its runs.',
    permission: 'see',
    params: {
      test: {
        schema: { type: 'string', minLength: 1, maxLength: 128 },
        description: 'Its id, a unique beginning of it, or `last`.',
        required: true,
      },
    },
    answers: {
      200: { description: 'The result.', schema: having({ ...HEAD, cases: arrayOf(CASE) }, [...HEAD_KEYS, 'cases']) },
    },
    faults: ['test/unknown'],
    answer: async ({ params, caller }, context) => {
      const asked = params['test'] ?? '';
      const { head, state, cases } = await keptTest(asked, context.store, storeNow(context));
      if (!maySeeTests(head, caller, context))
        fail('test/unknown', `There is no result of tests ${JSON.stringify(asked.slice(0, 80))}.`);
      const body: TestInfo = { ...head, state, cases };
      return json(body);
    },
  },
];

const storeNow = ({ store }: ServerContext): number => store.now?.() ?? Date.now();

/** Those who may use only some agents see a result if they may use every agent in it. */
export const maySeeTests = ({ agents }: TestHead, caller: Caller, { cadres }: ServerContext): boolean =>
  caller.agents === undefined ||
  agents.every(({ folder, agent }) => {
    const prefix = cadres.ofFolder(folder)?.prefix;
    return prefix !== undefined && mayUse(caller, prefix + agent);
  });
