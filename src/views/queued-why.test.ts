import { expect, test } from 'vitest';
import type { WorkerState } from '../journal/store.ts';
import { queuedWhy } from './queued-why.ts';

const RUN = { run: '20261118-050000-abcdef0', agent: 'clerk' };
const worker = (name: string, more: Partial<WorkerState> = {}): WorkerState => ({
  name,
  labels: [],
  workspace: '/w',
  runs: 0,
  most: 4,
  pinned: { config: 'c1' },
  ...more,
});
const why = (workers: readonly WorkerState[], needs = {}): string =>
  queuedWhy(RUN, { needs: { config: 'c1', ...needs } }, workers);

test('a store without workers says so', () => {
  expect(why([])).toBe('no worker runs on this store');
});

test('a label that no worker has is named', () => {
  expect(why([worker('a'), worker('b', { labels: ['disk'] })], { label: 'gpu' })).toBe(
    '2 workers, none with label gpu',
  );
  expect(why([worker('a')], { label: 'gpu' })).toBe('1 worker, and it has no label gpu');
});

test('agents that workers are limited to are named', () => {
  const only = { agents: ['a', 'b'] };
  expect(why([worker('x', only), worker('y', only)])).toBe('workers take only runs of a, b');
});

test('a worker with another cadre.yaml is named', () => {
  expect(why([worker('x', { pinned: { config: 'c2' } })])).toBe('refused by worker x: cadre.yaml differs');
  expect(why([worker('x', { pinned: {} })])).toBe('refused by worker x: cadre.yaml differs');
});

test('the words of a worker that gave the run back are repeated, and not those about another run', () => {
  const refused = [{ run: RUN.run, why: 'Its tools work in /elsewhere.' }];
  expect(why([worker('x', { refused })])).toBe('refused by worker x: Its tools work in /elsewhere.');
  expect(why([worker('x', { refused: [{ run: 'another', why: 'no' }] })])).toBe('a worker takes it soon');
});

test('workers that have no room left are counted, and only those that may take it', () => {
  const full = { runs: 4 };
  expect(why([worker('x', full)])).toBe('worker x is full (4 of 4)');
  expect(why([worker('x', full), worker('y', full)])).toBe('each of 2 workers is full (4 of 4)');
  expect(why([worker('x', full), worker('y', { runs: 2, most: 2 })])).toBe('each of 2 workers is full (6 of 6 in all)');
  const other = worker('z', { agents: ['other'] });
  expect(why([worker('x', full), other])).toBe('worker x is full (4 of 4)');
  expect(why([worker('x', full), worker('y', full), other])).toBe(
    'each of the 2 workers that may take it is full (4 of 4)',
  );
});

test('a full worker is no obstacle while another one has room', () => {
  const full = worker('x', { runs: 4 });
  expect(why([full, worker('y')])).toBe('a worker takes it soon');
  expect(why([worker('y', { runs: 3 }), full])).toBe('a worker takes it soon');
});

test('workers with different obstacles are named one by one, the first three of them', () => {
  const others = [
    worker('x', { agents: ['a'] }),
    worker('y', { labels: ['gpu'], pinned: { config: 'c2' } }),
    worker('z'),
    worker('v'),
  ];
  expect(why(others.slice(0, 2), { label: 'gpu' })).toBe(
    'worker x has no label gpu; refused by worker y: cadre.yaml differs',
  );
  expect(why(others, { label: 'gpu' })).toBe(
    'worker x has no label gpu; refused by worker y: cadre.yaml differs; worker z has no label gpu; and 1 more',
  );
});

test('a worker that takes any cadre.yaml, or whose limits the store does not know, takes it soon', () => {
  expect(why([{ name: 'http://w:9080', labels: [], workspace: '', runs: 900 }])).toBe('a worker takes it soon');
});

test('the error of the store itself when it gave the run out is repeated', () => {
  expect(queuedWhy(RUN, { needs: {}, failed: 'connection refused' }, [worker('x')])).toBe(
    'it could not be given to a worker: connection refused',
  );
});
