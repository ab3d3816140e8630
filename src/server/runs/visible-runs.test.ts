import { expect, test } from 'vitest';
import { wholeRun, write } from '../../journal/store.conformance.ts';
import type { RunStore } from '../../journal/store.ts';
import { FaultError, fault, faultOf } from '../../kernel/fault.ts';
import { memoryStore } from '../../stores/memory.ts';
import { type Caller, OWNER } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import { isVisible, maySeeTests, visibleRun } from './visible-runs.ts';

const CLERK: Caller = { name: 'shop', may: new Set(['see']), agents: new Set(['shop/clerk']) };
const ID = '20261119-120000-abcdef0';

const contextOf = (store: RunStore): ServerContext =>
  ({
    store,
    cadres: { ofFolder: (folder: string) => (folder === '/gone' ? undefined : { prefix: 'shop/' }) },
    engine: { isAtWork: () => false },
    activity: {},
  }) as unknown as ServerContext;

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (thrown: unknown) => faultOf(thrown).code,
  );

test('a run is found by its whole id, its beginning, and as the last', async () => {
  const store = memoryStore();
  await write(store, ID, wholeRun(ID));
  const context = contextOf(store);
  for (const name of [ID, ID.slice(0, 12), 'last'])
    expect([name, (await visibleRun(name, OWNER, context)).run]).toEqual([name, ID]);
  expect(await codeOf(visibleRun('20261119-120000-abcdef1', OWNER, context))).toBe('run/unknown');
  expect(await codeOf(visibleRun('nobody', OWNER, context))).toBe('run/unknown');
});

test('a name that is no whole id is not looked up as one', async () => {
  const store = memoryStore();
  await write(store, ID, wholeRun(ID));
  const looked: string[] = [];
  const watched: RunStore = { ...store, summary: (run) => (looked.push(run), store.summary(run)) };
  await visibleRun(ID.slice(0, 12), OWNER, contextOf(watched));
  expect(new Set(looked)).toEqual(new Set([ID]));
});

test('a store that fails is no run that is not there', async () => {
  const store = memoryStore();
  const failing: RunStore = {
    ...store,
    summary: async () => {
      throw new FaultError(fault('store/unreachable', 'gone'));
    },
  };
  expect(await codeOf(visibleRun(ID, OWNER, contextOf(failing)))).toBe('store/unreachable');
});

test('a caller sees rows of its agents, and never of a cadre that is not served', () => {
  const row = (prefix: string | null, agent: string) => ({ prefix, agent }) as never;
  expect([row('shop/', 'clerk'), row('', 'clerk'), row(null, 'clerk')].map((one) => isVisible(one, CLERK))).toEqual([
    true,
    false,
    false,
  ]);
  expect(isVisible(row(null, 'clerk'), OWNER)).toBe(true);
});

test('a caller sees a result of tests if it may use every agent in it', () => {
  const context = contextOf(memoryStore());
  const head = (...agents: readonly { readonly folder: string; readonly agent: string }[]) => ({ agents }) as never;
  const [clerk, desk, gone] = [
    { folder: '/shop', agent: 'clerk' },
    { folder: '/shop', agent: 'desk' },
    { folder: '/gone', agent: 'clerk' },
  ];
  expect(maySeeTests(head(clerk), CLERK, context)).toBe(true);
  for (const other of [desk, gone]) {
    expect(maySeeTests(head(clerk, other), CLERK, context)).toBe(false);
    expect(maySeeTests(head(clerk, other), OWNER, context)).toBe(true);
  }
});
