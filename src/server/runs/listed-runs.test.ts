// The list of runs, its totals and its conversations, over a store in memory.

import { beforeEach, expect, test } from 'vitest';
import { runEnd, runStart, wholeRun, write } from '../../journal/store.conformance.ts';
import type { RunStore } from '../../journal/store.ts';
import { faultOf } from '../../kernel/fault.ts';
import { memoryStore } from '../../stores/memory.ts';
import { type Caller, OWNER } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import { type ListQuery, listedRuns, runsSpent } from './listed-runs.ts';
import { isRunOf, maySee, seenStore } from './seen-store.ts';
import { visibleRun } from './visible-runs.ts';

const CLERK: Caller = { name: 'shop', may: new Set(['see']), agents: new Set(['shop/clerk']) };

let store: RunStore;
let context: ServerContext;
beforeEach(async () => {
  store = memoryStore({ now: () => 5000 });
  const prefixes: Readonly<Record<string, string>> = { '/agents': '', '/shop': 'shop/' };
  context = {
    store,
    cadres: {
      ofFolder: (folder: string) => (prefixes[folder] === undefined ? undefined : { folder, prefix: prefixes[folder] }),
    },
    engine: { isAtWork: (run: string) => run === 'r3' },
    activity: { of: () => 'desk: thinks' },
    now: () => 5000,
  } as unknown as ServerContext;
  const put = async (run: string, agent: string, folder: string, more: object = {}, isWhole = true) => {
    const [start, ...others] = wholeRun(run, `ask of ${run}`, agent);
    const at = { ...(start as object), folder, at: 1000, ...more };
    await write(store, run, [at as never, ...(isWhole ? others : [])]);
  };
  await put('r0', 'desk', '/agents');
  await put('r1', 'clerk', '/shop', { thread: 't1' });
  await put('r2', 'desk', '/gone');
  await put('r3', 'desk', '/agents', {}, false);
  await put('r4', 'clerk', '/shop', { thread: 't1' });
});

const runs = async (query: ListQuery, caller: Caller = OWNER) => {
  const { items, next } = await listedRuns(query, caller, context);
  return { runs: items.map(({ run }) => run), ...(next !== undefined && { next }) };
};

test('a list is cut into pages, each of which says where the next one begins, and the last one does not', async () => {
  expect(await runs({ limit: 2 })).toEqual({ runs: ['r4', 'r3'], next: 'r3' });
  expect(await runs({ limit: 2, before: 'r3' })).toEqual({ runs: ['r2', 'r1'], next: 'r1' });
  expect(await runs({ limit: 2, before: 'r1' })).toEqual({ runs: ['r0'] });
  expect(await runs({ limit: 5 })).toEqual({ runs: ['r4', 'r3', 'r2', 'r1', 'r0'] });
  expect(await runs({})).toEqual({ runs: ['r4', 'r3', 'r2', 'r1', 'r0'] });
});

test('the first page counts all runs that fit, also those on later pages, and a further page counts nothing', async () => {
  const totalsOf = async (query: ListQuery) => {
    const { items: _, next: __, ...totals } = await listedRuns(query, OWNER, context);
    return totals as { readonly runs?: number; readonly counts?: unknown };
  };
  const all = await totalsOf({ limit: 1 });
  expect(JSON.stringify(all)).toContain('5');
  expect(await totalsOf({})).toEqual(all);
  const desk = await totalsOf({ q: 'agent:desk', limit: 1 });
  expect(desk).toEqual(await totalsOf({ q: 'agent:desk' }));
  expect(desk).not.toEqual(all);
  expect(await totalsOf({ before: 'r3' })).toEqual({});
  expect(await totalsOf({ totals: false })).toEqual({});
});

test('a filter, a cadre and a query of the store each choose, and all of them together', async () => {
  expect(await runs({ q: 'agent:desk' })).toEqual({ runs: ['r3', 'r2', 'r0'] });
  expect(await runs({ q: 'agent:desk', limit: 2 })).toEqual({ runs: ['r3', 'r2'], next: 'r2' });
  expect(await runs({ q: 'agent:desk', limit: 2, before: 'r2' })).toEqual({ runs: ['r0'] });
  expect(await runs({ prefix: 'shop/' })).toEqual({ runs: ['r4', 'r1'] });
  expect(await runs({ prefix: '' })).toEqual({ runs: ['r3', 'r0'] });
  expect(await runs({ prefix: '', q: 'agent:clerk' })).toEqual({ runs: [] });
  expect(await runs({ agent: 'clerk' })).toEqual({ runs: ['r4', 'r1'] });
  expect(await runs({ prefix: 'shop/', limit: 1 })).toEqual({ runs: ['r4'], next: 'r4' });
});

test('the marks of runs are read for a filter that asks for them, and for no other', async () => {
  await store.notes.put('r1', { by: 'ada', mark: 'good' });
  let reads = 0;
  const { notes } = store;
  const counted = { ...notes, list: () => (reads++, notes.list()) };
  context = { ...context, store: { ...store, notes: counted } };
  expect(await runs({ q: 'mark:good' })).toEqual({ runs: ['r1'] });
  expect(reads).toBe(1);
  expect(await runs({ q: 'agent:clerk' })).toEqual({ runs: ['r4', 'r1'] });
  expect(reads).toBe(1);
});

test('a conversation stands once, at its newest message, with the sums of all of them', async () => {
  expect(await runs({ together: true })).toEqual({ runs: ['r4', 'r3', 'r2', 'r0'] });
  expect(await runs({ together: true, limit: 1 })).toEqual({ runs: ['r4'], next: 'r4' });
  expect(await runs({ together: true, limit: 3, before: 'r4' })).toEqual({ runs: ['r3', 'r2', 'r0'] });
  expect(await runs({ together: true, totals: false })).toEqual({ runs: ['r4', 'r3', 'r2', 'r0'] });
  const { items } = await listedRuns({ together: true }, OWNER, context);
  expect(items[0]?.messages).toMatchObject({ runs: 2, asked: 'ask of r1', waiting: 0, ms: 6 });
  expect(items.slice(1).map(({ messages }) => messages)).toEqual([undefined, undefined, undefined]);
});

test('a caller sees the runs of the agents that it may use, and others are unknown to it', async () => {
  expect(await runs({}, CLERK)).toEqual({ runs: ['r4', 'r1'] });
  expect(await runs({ limit: 1 }, CLERK)).toEqual({ runs: ['r4'], next: 'r4' });
  const seen = seenStore(CLERK, context);
  expect(seenStore(OWNER, context)).toBe(store);
  expect((await seen.totals()) as unknown).toEqual(await seenStore(CLERK, context).totals());
  expect(await seen.find('last')).toBe('r4');
  const codeOf = async (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'none',
      (thrown: unknown) => faultOf(thrown).code,
    );
  expect(await codeOf(seen.summary('r1'))).toBe('none');
  expect(await codeOf(seen.summary('r0'))).toBe('run/unknown');
  expect(await codeOf(seen.find('r0'))).toBe('run/unknown');
  expect(await codeOf(visibleRun('r0', CLERK, context))).toBe('run/unknown');
  expect((await visibleRun('r1', CLERK, context)).run).toBe('r1');
  const nobody: Caller = { ...CLERK, agents: new Set() };
  expect(await codeOf(seenStore(nobody, context).find('last'))).toBe('run/unknown');
});

test('a run is seen by the agent of its cadre, and a run of a folder that is not served by nobody with agents', async () => {
  const of = async (run: string) => store.summary(run);
  expect(maySee(await of('r2'), OWNER, context)).toBe(true);
  expect(maySee(await of('r2'), { ...CLERK, agents: new Set(['desk']) }, context)).toBe(false);
  expect(maySee(await of('r0'), { ...CLERK, agents: new Set(['desk']) }, context)).toBe(true);
  expect(maySee(await of('r0'), CLERK, context)).toBe(false);
  const served = (name: string, prefix: string) => ({ agent: { name }, served: { prefix } }) as never;
  expect(isRunOf(await of('r1'), served('clerk', 'shop/'), context)).toBe(true);
  expect(isRunOf(await of('r1'), served('clerk', ''), context)).toBe(false);
  expect(isRunOf(await of('r1'), served('desk', 'shop/'), context)).toBe(false);
  expect(isRunOf(await of('r2'), served('desk', 'any/'), context)).toBe(true);
});

test('a row says which cadre it is of, who works on it and what it does', async () => {
  const { items } = await listedRuns({}, OWNER, context);
  const row = (run: string) => items.find((one) => one.run === run);
  expect(row('r3')).toMatchObject({ prefix: '', driver: 'this', now: 'desk: thinks' });
  expect(row('r2')).toMatchObject({ prefix: null, driver: 'none' });
  expect(row('r1')).toMatchObject({ prefix: 'shop/', driver: 'none' });
  expect(row('r1')).not.toHaveProperty('now');
  const lease = await store.claim('r5', 0);
  await lease.append([runStart('r5')]);
  expect((await visibleRun('r5', OWNER, context)).driver).toBe('other');
  await lease.append([runEnd(1)]);
  await lease.release();
});

test('the spending is that of the runs that fit', async () => {
  const spent = async (query: Omit<Parameters<typeof runsSpent>[0], 'by'>) =>
    (await runsSpent({ by: ['agent'], ...query }, OWNER, context)).total;
  expect(await spent({})).toMatchObject({ runs: 5 });
  expect(await spent({ q: 'agent:clerk' })).toMatchObject({ runs: 2 });
  expect(await spent({ prefix: 'shop/' })).toMatchObject({ runs: 2 });
  expect(await spent({ agent: 'desk' })).toMatchObject({ runs: 3 });
  expect(await spent({ since: 2000 })).toMatchObject({ runs: 0 });
  expect(await spent({ until: 2000 })).toMatchObject({ runs: 5 });
});

test('a zone that is none is refused by its name', async () => {
  await expect(listedRuns({ zone: 'Europe/Nowhere' }, OWNER, context)).rejects.toThrow(
    '"Europe/Nowhere" is no time zone',
  );
  expect((await listedRuns({ zone: 'Europe/Berlin' }, OWNER, context)).items).toHaveLength(5);
});
