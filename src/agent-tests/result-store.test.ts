import { expect, test } from 'vitest';
import type { CadreDefinition } from '../definition/definition.ts';
import { wholeRun, write } from '../journal/store.conformance.ts';
import type { RunStore } from '../journal/store.ts';
import { memoryStore } from '../stores/memory.ts';
import { readCases, readHead } from '../views/tests/test-record.ts';
import { openResultStore, type PlannedCase, type ResultStoreOptions } from './result-store.ts';
import type { CaseResult } from './run-case.ts';

const cadre = { folder: '/desk' } as CadreDefinition;

const planned = (index: number, times = 1): PlannedCase => ({ index, cadre, agents: ['clerk'], times });

const result = (name: string, state: CaseResult['state'], more: Partial<CaseResult> = {}): CaseResult => ({
  test: { name, file: 'desk.test.yaml', line: 3, agent: 'clerk' } as CaseResult['test'],
  state,
  failures: state === 'failed' ? [{ what: 'The answer is another one.', received: 'x'.repeat(9000) }] : [],
  runs: [],
  ...more,
});

function options(store: RunStore, warned: string[] = []): ResultStoreOptions {
  return {
    id: '20260101-000000-000abcd',
    command: 'cadre test',
    from: '/desk',
    models: ['a', 'b'],
    storeOf: async () => store,
    warn: (text) => void warned.push(text),
    now: Date.now,
  };
}

const keptIn = async (store: RunStore) => {
  const kept = await store.tests.get('20260101-000000-000abcd');
  if (kept === undefined) throw new Error('nothing is kept');
  return { head: readHead(kept.head), cases: readCases(kept.body) };
};

test('a result is there from the beginning, and has its end and its cases in the order of the files', async () => {
  const store = memoryStore();
  const keeper = await openResultStore([planned(0), planned(1)], { ...options(store), models: [] });
  await keeper.add(planned(1), result('second', 'passed', { ms: 3 }), undefined);
  await keeper.add(planned(0), result('first', 'skipped', { why: 'it would call far/away' }), undefined);
  await keeper.end(false);
  const { head, cases } = await keptIn(store);
  expect(head).toMatchObject({
    planned: 2,
    counts: { passed: 1, failed: 0, skipped: 1 },
    agents: [{ folder: '/desk', agent: 'clerk' }],
    endedAt: expect.any(Number),
  });
  expect(cases.map(({ name }) => name)).toEqual(['first', 'second']);
});

test('the runs of a case that failed with one model are kept for all models, each once, and long texts are cut', async () => {
  const [store, bench] = [memoryStore(), memoryStore()];
  for (const run of ['r1', 'r2', 'r3', 'j1']) await write(bench, run, wholeRun(run));
  const keeper = await openResultStore(
    [0, 1, 2].map((index) => planned(index, index < 2 ? 2 : 1)),
    options(store),
  );
  const verdicts = [{ run: 'j1', good: true, why: 'Yes.', totals: { unpriced: 0, calls: 1 } }];
  await keeper.add(planned(0, 2), result('same', 'passed', { model: 'a', runs: ['r1'], verdicts } as never), bench);
  expect(await store.list()).toEqual([]);
  await Promise.all([
    keeper.add(planned(1, 2), result('same', 'failed', { model: 'b', runs: ['r2'] }), bench),
    keeper.add(planned(2), result('other', 'passed', { runs: ['r3'] }), bench),
  ]);
  await keeper.end(true);
  expect((await store.list()).map(({ run }) => run).sort()).toEqual(['j1', 'r1', 'r2']);
  const { head, cases } = await keptIn(store);
  expect(cases.map(({ kept }) => kept)).toEqual([true, true, false]);
  expect(head).toMatchObject({ stopped: true, failed: ['same'] });
  expect(cases[1]?.failures[0]?.received).toMatch(/^x{4000}\n… 5000 more characters$/);
});

test('a store that cannot be written is told of once, and the cases go on', async () => {
  const warned: string[] = [];
  const store = memoryStore();
  const full = { ...store, tests: { ...store.tests, put: () => Promise.reject(new Error('the disk is full')) } };
  const keeper = await openResultStore([planned(0)], options(full, warned));
  expect(await keeper.add(planned(0), result('one', 'failed'), undefined)).toMatchObject({ name: 'one', kept: false });
  await keeper.end(false);
  expect(warned).toEqual(['The result is not kept: the disk is full']);
});

test('a store that cannot be opened leaves its cases unkept', async () => {
  const warned: string[] = [];
  const closed = { ...options(memoryStore(), warned), storeOf: () => Promise.reject(new Error('no such place')) };
  const keeper = await openResultStore([planned(0)], closed);
  expect(await keeper.add(planned(0), result('one', 'passed'), undefined)).toMatchObject({ kept: false });
  await keeper.end(false);
  expect(warned).toEqual(['The result is not kept: no such place']);
});
