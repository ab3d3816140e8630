// Results of `cadre test` that the store keeps.

import { z } from 'zod';
import type { RecordedCase, TestHead, TestState } from '../../views/tests/test-record.ts';
import { CALLS } from './fields.ts';
import type { ValueOf } from './message.ts';
import { arrayOf, declaredAs, declaredKeys, exactObject, message, openObject, part } from './schema.ts';

const HEAD = {
  id: z.string(),
  startedAt: z.number(),
  endedAt: z.number().exactOptional(),
  state: z.enum(['running', 'broken-off', 'ended']),
  command: z.string().describe('The command that ran them.'),
  from: z.string().describe('The folder that it was given in.'),
  models: arrayOf(z.string()),
  planned: z.int().describe('Cases, each counted once with every model.'),
  counts: openObject({ passed: z.int(), failed: z.int(), skipped: z.int() }),
  spent: declaredAs<TestHead['spent']>({ type: 'object', description: "The usage of the cases' runs." }),
  judges: declaredAs<TestHead['judges']>({ type: 'object', description: "The usage of the judges' runs." }),
};

export const TestRow = message('TestRow', declaredKeys<TestHead & { readonly state: TestState }>()(HEAD));
export type TestRow = ValueOf<typeof TestRow>;

export const TestList = message('TestList', openObject({ items: arrayOf(part(TestRow)) }));
export type TestList = ValueOf<typeof TestList>;

const CaseShown = message(
  'TestCase',
  declaredKeys<RecordedCase>()({
    name: z.string(),
    file: z.string(),
    line: z.int(),
    agent: z.string(),
    model: z.string().describe('The model that all agents used, where one was chosen.').exactOptional(),
    state: z.enum(['passed', 'failed', 'skipped']),
    failures: arrayOf(
      openObject({ what: z.string(), expected: z.string().exactOptional(), received: z.string().exactOptional() }),
    ),
    answer: z.string().describe('Cut if it is long: the run has the whole.').exactOptional(),
    ms: z.number().exactOptional(),
    spent: declaredAs<NonNullable<RecordedCase['spent']>>().exactOptional(),
    verdicts: arrayOf(openObject({ run: z.string(), good: z.boolean(), why: z.string() })).exactOptional(),
    runs: arrayOf(z.string()),
    kept: z.boolean().describe('Its runs are in the store.'),
  }),
);

export const TestInfo = message(
  'TestResult',
  declaredKeys<TestHead & { readonly state: TestState; readonly cases: readonly RecordedCase[] }>()({
    ...HEAD,
    cases: arrayOf(part(CaseShown)),
  }),
);
export type TestInfo = ValueOf<typeof TestInfo>;

export const StartTests = message(
  'StartTests',
  exactObject({
    places: arrayOf(z.string().min(1).max(1000), 1, 100).describe(
      'Folders and test files below the folder that is served, by their path from it; `.` is all of it.',
    ),
    models: arrayOf(z.string().min(1).max(200), 0, 50)
      .describe('Each case is run once with each of these for all agents. Absent: with the models of the files.')
      .exactOptional(),
    alone: z.boolean().describe('Each case is also run with one agent in the place of its team.').exactOptional(),
    times: z.int().min(1).max(1000).describe('The number of times that each case is run. Default: 1.').exactOptional(),
    bound: z.boolean().describe('true: nothing is started, and the answer is the bound.').exactOptional(),
  }),
);
export type StartTests = ValueOf<typeof StartTests>;

export const TestBound = message(
  'TestBound',
  openObject({
    cases: z.int(),
    tries: z.int().describe('Each case with each candidate, as often as it is run.'),
    candidates: arrayOf(openObject({ kind: z.enum(['team', 'alone']), model: z.string().exactOptional() })),
    calls: CALLS.nullable().describe('The most model calls. A script or a recording calls none. Null: not known.'),
    usd: z.number().nullable().describe('The most that they can cost. Null where it is not known; `why` says why.'),
    why: z.string().exactOptional(),
  }).describe('The most that tests can call and cost.'),
);
export type TestBound = ValueOf<typeof TestBound>;

export const StartedTests = message(
  'StartedTests',
  openObject({ id: z.string().describe('The id of the result.'), bound: part(TestBound) }),
);
export type StartedTests = ValueOf<typeof StartedTests>;
