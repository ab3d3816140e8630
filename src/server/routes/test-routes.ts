// Tests that the server runs, and results of `cadre test` that the store keeps.

import { z } from 'zod';
import type { SuiteBound } from '../../agent-tests/suite-bound.ts';
import { findTestRecord, testHeads } from '../../agent-tests/test-records.ts';
import { fail } from '../../kernel/fault.ts';
import type { Caller } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import { jsonCount } from '../messages/fields.ts';
import { StartedTests, StartTests, TestBound, TestInfo, TestList } from '../messages/tests.ts';
import { planTests } from '../runs/test-request.ts';
import { maySeeTests } from '../runs/visible-runs.ts';
import { json, type Route, route } from './route.ts';

const TEST_PARAM = z.string().min(1).max(128).describe('Its id, a unique beginning of it, or `last`.');

export const testRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/tests',
    name: 'listTests',
    tag: 'tests',
    summary: 'The results of `cadre test` that are kept, newest first.',
    permission: 'see',
    answers: {
      200: { description: 'Their heads.', body: TestList },
    },
    answer: async ({ caller }, context) => {
      const heads = await testHeads(context.store, storeNow(context));
      const items = heads.filter(({ head }) => maySeeTests(head, caller, context));
      const body: TestList = { items: items.map(({ head, state }) => ({ ...head, state })) };
      return json(body);
    },
  }),
  route({
    method: 'POST',
    path: '/api/tests',
    name: 'startTests',
    tag: 'tests',
    summary: 'Runs tests as `cadre test --live` does, without writing to recordings; or says their bound first.',
    permission: 'run',
    body: StartTests,
    answers: {
      200: { description: 'The bound that was asked for: nothing was started.', body: TestBound },
      202: { description: 'They run. Their result grows case by case.', body: StartedTests },
    },
    faults: ['config/invalid', 'agent/unknown', 'agent/invalid', 'model/unknown', 'server/busy', 'server/draining'],
    answer: async ({ body, caller }, context) => {
      const plan = await planTests(body, caller, context);
      const bound = shownBound(plan.bound);
      if (body.bound === true) return json(bound);
      const started: StartedTests = { id: await context.tests.start(plan), bound };
      return json(started, 202);
    },
  }),
  route({
    method: 'POST',
    path: '/api/tests/:test/cancel',
    name: 'cancelTests',
    tag: 'tests',
    summary: 'Ends tests that this server runs: cases at work are cancelled, the others are skipped.',
    permission: 'run',
    params: { test: TEST_PARAM },
    answers: { 204: { description: 'They end, and what was done is kept.' } },
    faults: ['test/unknown', 'test/not-here'],
    answer: async ({ params, caller }, context) => {
      const { head, state } = await visibleTests(params.test, caller, context);
      if (!context.tests.cancel(head.id))
        fail(
          'test/not-here',
          state === 'running'
            ? `Another process runs the tests ${head.id}. End them there with Ctrl+C.`
            : `The tests ${head.id} have ended.`,
        );
      return { kind: 'empty', status: 204 };
    },
  }),
  route({
    method: 'GET',
    path: '/api/tests/:test',
    name: 'getTests',
    tag: 'tests',
    summary: 'One result: every case with every model, what failed, what it cost, and its runs.',
    permission: 'see',
    params: { test: TEST_PARAM },
    answers: {
      200: { description: 'The result.', body: TestInfo },
    },
    faults: ['test/unknown'],
    answer: async ({ params, caller }, context) => {
      const { head, state, cases } = await visibleTests(params.test, caller, context);
      const body: TestInfo = { ...head, state, cases };
      return json(body);
    },
  }),
];

/** Throws `test/unknown`, also for a result of agents that the caller may not use. */
async function visibleTests(asked: string, caller: Caller, context: ServerContext) {
  const found = await findTestRecord(asked, context.store, storeNow(context));
  if (!maySeeTests(found.head, caller, context))
    fail('test/unknown', `There is no result of tests ${JSON.stringify(asked.slice(0, 80))}.`);
  return found;
}

const shownBound = ({ calls, usd, ...rest }: SuiteBound): TestBound => ({
  ...rest,
  calls: calls === undefined ? null : jsonCount(calls),
  usd: usd ?? null,
});

const storeNow = ({ store }: ServerContext): number => store.now?.() ?? Date.now();
