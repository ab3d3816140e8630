// A store that lists again and again, beside others that write, end, remove and move its runs: each list and each total must
// be those of a process that sees the folder for the first time.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { atOnce } from '../../base/text/steps.ts';
import type { RunEvent } from '../../journal/event.ts';
import type { RunLease } from '../../journal/log.ts';
import { modelEnd, modelStart, runEnd, runStart } from '../../journal/store.conformance.ts';
import type { RunQuery, RunStore } from '../../journal/store.ts';
import { type Calendar, calendarIn } from '../../views/runs/calendar.ts';
import { spentQuery, spentReport } from '../../views/runs/spending.ts';
import { fileStore } from './file-store.ts';

/** Ids sort by time. These come in any order, as they do where clocks differ or jump. */
const RUN = fc.integer({ min: 10, max: 39 }).map((number) => `202611${number}-000000-00000${number}`);

const STEP = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('begin' as const), run: RUN, thread: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('end' as const), run: RUN, usd: fc.integer({ min: 1 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'break off' as const,
        'take up' as const,
        'remove' as const,
        'remove the folder' as const,
        'put a file' as const,
        'move away' as const,
        'move back' as const,
      ),
      run: RUN,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('remove the index' as const, 'remove all' as const, 'write the index anew' as const),
      run: RUN,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('look' as const),
      query: fc.constantFrom<RunQuery>(
        {},
        { limit: 2 },
        { limit: 3, before: '20261125-000000-0000025' },
        { state: 'broken-off' },
        { state: 'running' },
        { outcome: 'answered' },
        { threaded: true },
        { thread: 't' },
        { label: 'l' },
        { text: 'asked' },
        { text: 'nowhere' },
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('totals' as const, 'spent' as const) }) },
);
type Step = typeof STEP extends fc.Arbitrary<infer One> ? One : never;

interface World {
  readonly dir: string;
  readonly away: string;
  /** Another process, as far as the folder is concerned. */
  readonly writer: RunStore;
  readonly leases: Map<string, { readonly lease: RunLease; readonly events: number }>;
  /** Ids that were removed without a word to the index. No process takes an id a second time. */
  readonly used: Set<string>;
}

const isThere = (run: string, dir: string): boolean => existsSync(join(dir, 'runs', run, 'events.jsonl'));

const begun = (run: string, isInThread: boolean): readonly RunEvent[] => [
  { ...runStart(run), input: { text: 'asked' }, ...(isInThread ? { thread: 't' } : { label: 'l' }) } as RunEvent,
  modelStart(1, '0.0', 'q'),
];

async function act(step: Extract<Step, { readonly run: string }>, world: World): Promise<void> {
  const { dir, away, writer, leases, used } = world;
  const { run } = step;
  const folder = join(dir, 'runs', run);
  const held = leases.get(run);
  if (step.kind === 'begin') {
    if (held !== undefined || isThere(run, dir) || used.has(run)) return;
    const lease = await writer.claim(run, 0);
    const events = begun(run, step.thread);
    await lease.append(events);
    leases.set(run, { lease, events: events.length });
    return;
  }
  if (step.kind === 'end' && held !== undefined) {
    const { lease, events } = held;
    await lease.append([modelEnd(events, '0.0', 'a', step.usd / 1e6), runEnd(events + 1)]);
    await lease.release();
    leases.delete(run);
  }
  if (step.kind === 'take up' && held === undefined && isThere(run, dir)) {
    const events = readFileSync(join(folder, 'events.jsonl'), 'utf8').split('\n').length - 1;
    if (events < 3) leases.set(run, { lease: await writer.claim(run, events), events });
  }
  if (step.kind === 'break off' && held !== undefined) {
    await held.lease.release();
    leases.delete(run);
  }
  if (step.kind === 'remove' && held === undefined && isThere(run, dir)) await writer.remove(run);
  if (step.kind === 'remove the index') rmSync(join(dir, 'runs.jsonl'), { force: true });
  if (step.kind === 'write the index anew') {
    rmSync(join(dir, 'runs.jsonl'), { force: true });
    await fileStore(dir).list();
  }
  if (leases.size > 0) return;
  const remove = (runs: readonly string[]): void => {
    for (const one of runs) {
      used.add(one);
      rmSync(join(dir, 'runs', one), { recursive: true, force: true });
    }
  };
  if (step.kind === 'remove the folder') remove([run]);
  if (step.kind === 'put a file' && !existsSync(folder)) {
    mkdirSync(join(dir, 'runs'), { recursive: true });
    writeFileSync(folder, 'no run');
    used.add(run);
  }
  if (step.kind === 'move away' && isThere(run, dir)) {
    rmSync(join(away, run), { recursive: true, force: true });
    renameSync(folder, join(away, run));
  }
  if (step.kind === 'move back') {
    if (isThere(run, dir)) return;
    mkdirSync(join(dir, 'runs'), { recursive: true });
    try {
      renameSync(join(away, run), folder);
    } catch {
      return; // it was never away
    }
  }
  if (step.kind === 'remove all' && existsSync(join(dir, 'runs'))) {
    remove(readdirSync(join(dir, 'runs')));
    rmSync(join(dir, 'runs'), { recursive: true, force: true });
  }
}

test('a store that has listed before gives what a new one gives, whatever others did meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 10, maxLength: 60 }), async (steps) => {
      const dir = mkdtempSync(join(tmpdir(), 'cadre-listing-'));
      const world: World = {
        dir: join(dir, 'store'),
        away: join(dir, 'away'),
        writer: fileStore(join(dir, 'store')),
        leases: new Map(),
        used: new Set(),
      };
      mkdirSync(world.away);
      const reader = fileStore(world.dir);
      try {
        for (const step of steps) {
          if (step.kind === 'look')
            expect(await reader.list(step.query)).toEqual(await fileStore(world.dir).list(step.query));
          else if (step.kind === 'totals') expect(await reader.totals()).toEqual(await fileStore(world.dir).totals());
          else if (step.kind === 'spent') {
            const [sums, fresh] = [await reader.spent(spent()), fileStore(world.dir)];
            expect(sums).toEqual(await fresh.spent(spent()));
            expect(sums).toEqual(atOnce(spentReport(await fresh.list(), spent())));
          } else if ('run' in step) await act(step, world);
        }
        const all = await reader.list();
        expect(all).toEqual(await fileStore(world.dir).list());
        expect((await reader.totals()).total).toBe(all.length);
      } finally {
        for (const { lease } of world.leases.values()) await lease.release();
        rmSync(dir, { recursive: true, force: true });
      }
    }),
    { numRuns: 60, seed: Number(process.env.CADRE_SEED ?? 1) },
  );
});

const spent = () => spentQuery(['day', 'agent', 'model'], calendarIn('UTC') as Calendar);
