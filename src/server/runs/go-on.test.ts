import { expect, test } from 'vitest';
import { type FaultCode, FaultError, fault } from '../../kernel/fault.ts';
import type { ServerContext } from '../context.ts';
import { goOnWith, goOnWithRuns } from './go-on.ts';

interface Broken {
  readonly run: string;
  readonly folder?: string;
  readonly queued?: true;
}

/** A server that finds these runs broken off, newest first. */
function found(runs: readonly Broken[], refusals: Readonly<Record<string, FaultCode>> = {}) {
  const resumed: unknown[] = [];
  const lines: string[] = [];
  const state = { drainsAfter: Number.POSITIVE_INFINITY };
  const context = {
    store: {
      list: async (query: unknown) => {
        expect(query).toMatchObject({ state: 'broken-off' });
        return runs.map(({ folder = '/agents', ...run }) => ({ folder, ...run }));
      },
      async *read(run: string) {
        yield { type: 'run-start', run, folder: '/agents', texts: { 'desk.md': 'sha256:desk' } };
      },
      blobs: { get: async () => new TextEncoder().encode('---\nmodels: [openai/any]\n---\nBe kind.') },
    },
    cadres: { ofFolder: (folder: string) => (folder === '/agents' ? {} : undefined) },
    runs: {
      get isDraining() {
        return resumed.length >= state.drainsAfter;
      },
      async resume(run: string, options: unknown) {
        const code = refusals[run];
        if (code !== undefined) throw new FaultError(fault(code, `${run} cannot.`));
        resumed.push([run, options]);
      },
    },
    log: (text: string) => lines.push(text),
  } as unknown as ServerContext;
  return { context, resumed, lines, state };
}

test('broken-off runs go on, oldest first, but for those of workers and of cadres that are not served', async () => {
  const { context, resumed, lines } = found([
    { run: 'r4' },
    { run: 'r3', folder: '/elsewhere' },
    { run: 'r2', queued: true },
    { run: 'r1' },
  ]);
  expect(await goOnWithRuns(context)).toBe(2);
  expect(resumed).toEqual([
    ['r1', {}],
    ['r4', {}],
  ]);
  expect(lines).toEqual([]);
});

test('a run that cannot go on is told, unless another process has it or it has ended, and the others go on', async () => {
  const refusals = { r1: 'run/locked', r2: 'run/finished', r3: 'journal/divergence' } as const;
  const { context, lines } = found([{ run: 'r4' }, { run: 'r3' }, { run: 'r2' }, { run: 'r1' }], refusals);
  expect(await goOnWithRuns(context)).toBe(1);
  expect(lines).toEqual(['Run r3 cannot go on: r3 cannot.']);
});

test('a server that drains takes no further run up', async () => {
  const { context, resumed, state } = found([{ run: 'r3' }, { run: 'r2' }, { run: 'r1' }]);
  state.drainsAfter = 1;
  expect(await goOnWithRuns(context)).toBe(1);
  expect(resumed).toEqual([['r1', {}]]);
});

test('a run is taken over only where that is said', async () => {
  const { context, resumed } = found([]);
  await goOnWith('r1', context, { takeOver: true });
  await goOnWith('r2', context, { takeOver: false, pinnedConfig: true });
  expect(resumed).toEqual([
    ['r1', { takeOver: true }],
    ['r2', { takeOver: false }],
  ]);
});
