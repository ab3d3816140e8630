// Results of `cadre test` that the store keeps.

import { z } from 'zod';
import { findTestRecord, testHeads } from '../../agent-tests/test-records.ts';
import { fail } from '../../kernel/fault.ts';
import type { ServerContext } from '../context.ts';
import { TestInfo, TestList } from '../messages/tests.ts';
import { maySeeTests } from '../runs/visible-runs.ts';
import { json, type Route, route } from './route.ts';

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
    method: 'GET',
    path: '/api/tests/:test',
    name: 'getTests',
    tag: 'tests',
    summary: 'One result: every case with every model, what failed, what it cost, and its runs.',
    permission: 'see',
    params: {
      test: z.string().min(1).max(128).describe('Its id, a unique beginning of it, or `last`.'),
    },
    answers: {
      200: { description: 'The result.', body: TestInfo },
    },
    faults: ['test/unknown'],
    answer: async ({ params, caller }, context) => {
      const asked = params.test;
      const { head, state, cases } = await findTestRecord(asked, context.store, storeNow(context));
      if (!maySeeTests(head, caller, context))
        fail('test/unknown', `There is no result of tests ${JSON.stringify(asked.slice(0, 80))}.`);
      const body: TestInfo = { ...head, state, cases };
      return json(body);
    },
  }),
];

const storeNow = ({ store }: ServerContext): number => store.now?.() ?? Date.now();
