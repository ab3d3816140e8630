// The sums that every store must give of the spending of its runs. Each implementation's test file calls this once.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { atOnce } from '../base/text/steps.ts';
import type { RunEvent } from '../journal/event.ts';
import type { RunLease } from '../journal/log.ts';
import type { SpentBy } from '../journal/run-totals.ts';
import { modelEnd, modelStart, runEnd, runStart, write } from '../journal/store.conformance.ts';
import type { RunQuery, RunStore, RunSummary } from '../journal/store.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { type Calendar, calendarIn } from '../views/runs/calendar.ts';
import { spentQuery, spentReport } from '../views/runs/spending.ts';

interface OpenedStore {
  readonly store: RunStore;
  close(): void | Promise<void>;
}

/** One call: who makes it, with which model, and what it costs. */
type Call = readonly [agent: string, model: string, usd?: number | undefined];

function runOf(run: string, at: number, calls: readonly Call[], outcome?: Outcome): readonly RunEvent[] {
  const events: RunEvent[] = [{ ...runStart(run), at }];
  for (const [agent, model, usd] of calls) {
    const path = `0.${events.length}`;
    const start = modelStart(events.length, path, 'q');
    events.push({ ...start, op: { ...start.op, agent, models: [model] } } as RunEvent);
    const { result, ...end } = modelEnd(events.length, path, 'a', usd);
    const value = result.ok ? (result.value as { readonly spent: object }) : undefined;
    events.push({ ...end, result: { ok: true, value: { ...value, spent: { ...value?.spent, model } } } } as RunEvent);
  }
  return outcome === undefined ? events : [...events, runEnd(events.length, outcome)];
}

const ANSWERED: Outcome = { kind: 'answered', text: 'a' };
const FAILED: Outcome = { kind: 'failed', fault: { code: 'model/server', message: 'no' } };

const zone = (name: string): Calendar => {
  const found = calendarIn(name);
  if (found === undefined) throw new Error(`no zone ${name}`);
  return found;
};

const WAYS: readonly (readonly SpentBy[])[] = [
  [],
  ['day'],
  ['hour'],
  ['agent'],
  ['model'],
  ['day', 'agent'],
  ['day', 'model'],
  ['agent', 'model'],
  ['hour', 'agent', 'model'],
  ['day', 'agent', 'model'],
];

type Within = Pick<RunQuery, 'since' | 'until'>;
const TIMES: readonly Within[] = [
  {},
  { since: 1_761_350_000_000 },
  { until: 1_761_370_000_000 },
  { since: 5000, until: 1_761_400_000_001 },
];
const isWithin = ({ startedAt }: RunSummary, { since = 0, until = Number.POSITIVE_INFINITY }: Within): boolean =>
  startedAt >= since && startedAt < until;

export function spendingConformance(name: string, open: () => OpenedStore | Promise<OpenedStore>): void {
  describe(`the spending of ${name}`, () => {
    let store: RunStore;
    let close: OpenedStore['close'];
    beforeEach(async () => {
      ({ store, close } = await open());
    });
    afterEach(() => close());

    const rowsBy = async (by: readonly SpentBy[], zoneName = 'Europe/Berlin'): Promise<readonly string[]> =>
      (await store.spent(spentQuery(by, zone(zoneName)))).rows.map(
        ({ day, from = 0, agent, model, runs, notAnswered, calls, tokens, usd, unpriced, atLeast }) =>
          [
            by.includes('hour') ? new Date(from).toISOString() : day,
            agent,
            model,
            `runs ${runs} ${notAnswered}`,
            `calls ${calls} ${tokens.input} ${tokens.output}`,
            `${atLeast ? 'at least ' : ''}${usd ?? '?'} ${unpriced}`,
          ]
            .filter((part) => part !== undefined)
            .join(', '),
      );

    /** The store sums up, and the summaries of its runs are summed up here. */
    const agrees = async (): Promise<void> => {
      const all = await store.list();
      for (const by of WAYS)
        for (const within of TIMES) {
          const query = () => spentQuery(by, zone('Europe/Berlin'), within);
          const fitting = all.filter((run) => isWithin(run, within));
          expect(await store.spent(query()), `${by} ${JSON.stringify(within)}`).toEqual(
            atOnce(spentReport(fitting, query())),
          );
        }
    };

    test('a run counts once in each row that has a call of it, on the day of the zone that is asked for', async () => {
      const share: readonly Call[] = [
        ['desk', 'm/a', 0.1],
        ['clerk', 'm/a', 0.2],
        ['desk', 'm/b'],
        ['desk', 'm/a', 0.1],
      ];
      await write(store, 'r1', runOf('r1', Date.parse('2025-10-26T00:00:00+02:00'), share, ANSWERED));
      await write(store, 'r2', runOf('r2', Date.parse('2025-10-26T02:30:00+02:00'), [['desk', 'm/a', 0.3]], FAILED));
      await write(store, 'r3', runOf('r3', Date.parse('2025-10-26T02:30:00+01:00'), [['desk', 'm/a', 0.3]], ANSWERED));
      await write(store, 'r4', runOf('r4', Date.parse('2025-10-27T00:00:00+01:00'), [], FAILED));
      expect(await rowsBy(['day'])).toEqual([
        '2025-10-26, runs 3 1, calls 6 60 30, at least 1 1',
        '2025-10-27, runs 1 1, calls 0 0 0, ? 0',
      ]);
      expect(await rowsBy(['day'], 'America/New_York')).toEqual([
        '2025-10-25, runs 3 1, calls 6 60 30, at least 1 1',
        '2025-10-26, runs 1 1, calls 0 0 0, ? 0',
      ]);
      expect(await rowsBy(['hour'])).toEqual([
        '2025-10-25T22:00:00.000Z, runs 1 0, calls 4 40 20, at least 0.4 1',
        '2025-10-26T00:00:00.000Z, runs 1 1, calls 1 10 5, 0.3 0',
        '2025-10-26T01:00:00.000Z, runs 1 0, calls 1 10 5, 0.3 0',
        '2025-10-26T23:00:00.000Z, runs 1 1, calls 0 0 0, ? 0',
      ]);
      expect(await rowsBy(['agent'])).toEqual([
        'clerk, runs 1 0, calls 1 10 5, 0.2 0',
        'desk, runs 3 1, calls 5 50 25, at least 0.8 1',
      ]);
      expect(await rowsBy(['model'])).toEqual([
        'm/a, runs 3 1, calls 5 50 25, 1 0',
        'm/b, runs 1 0, calls 1 10 5, at least ? 1',
      ]);
      expect(await rowsBy(['day', 'agent', 'model'])).toEqual([
        '2025-10-26, clerk, m/a, runs 1 0, calls 1 10 5, 0.2 0',
        '2025-10-26, desk, m/a, runs 3 1, calls 4 40 20, 0.8 0',
        '2025-10-26, desk, m/b, runs 1 0, calls 1 10 5, at least ? 1',
      ]);
      expect((await store.spent(spentQuery(['agent'], zone('UTC')))).total).toEqual({
        runs: 4,
        notAnswered: 2,
        calls: 6,
        tokens: { input: 60, output: 30 },
        usd: 1,
        unpriced: 1,
        atLeast: true,
      });
    });

    test('a store without runs has no row', async () => {
      expect(await rowsBy(['day'])).toEqual([]);
      await agrees();
    });

    test('money is added without an error of rounding, and names may have any letters', async () => {
      const names = ['m/a', 'm/a b', 'm/"folder":"', 'm/\u0000', 'm/\ud800', 'm/é漢🎭', 'm/\\', 'm/\n'];
      for (const [index, model] of names.entries())
        await write(
          store,
          `r${index}`,
          runOf(
            `r${index}`,
            1000,
            Array.from({ length: 3 }, () => ['desk', model, 0.1 + index / 1e9]),
            ANSWERED,
          ),
        );
      const { rows, total } = await store.spent(spentQuery(['model'], zone('UTC')));
      expect(rows.map(({ model }) => model)).toEqual(names.toSorted());
      expect(rows.find(({ model }) => model === 'm/a')?.usd).toBe(0.3);
      expect(total.usd).toBe(2.400000084);
      await agrees();
    });

    test('sums are those of the summaries, in whatever state the runs are and whichever come, go and end', async () => {
      let seed = 7;
      const chance = (below: number): number => {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        return Math.floor((seed / 2_147_483_648) * below);
      };
      const pick = <One>(from: readonly One[]): One => from[chance(from.length)] as One;
      const calls = (): readonly Call[] =>
        Array.from({ length: chance(4) }, () => [
          pick(['desk', 'clerk', 'critic']),
          pick(['m/a', 'm/b']),
          pick([0.1, 0.000_003_7, undefined, 12.25]),
        ]);
      const held: RunLease[] = [];
      const ends = new Map<string, RunEvent>();
      for (let number = 0; number < 24; number++) {
        const run = `r${String(number).padStart(2, '0')}`;
        const at = pick([1000, 1_761_350_000_000, 1_761_354_000_000, 1_761_400_000_000]) + chance(50_000_000);
        const events = runOf(run, at, calls(), pick([ANSWERED, FAILED, ANSWERED, undefined]));
        const isOpen = events.at(-1)?.type !== 'run-end';
        if (isOpen) ends.set(run, runEnd(events.length, ANSWERED));
        if (isOpen && chance(2) === 0) {
          const lease = await store.claim(run, 0);
          await lease.append([...events, modelStart(events.length, '0.99', 'under way')]);
          held.push(lease);
          ends.delete(run);
        } else await write(store, run, events);
        if (number % 8 === 0) await agrees();
      }
      expect([held.length > 0, ends.size > 0]).toEqual([true, true]);
      await agrees();
      for (const [run, end] of ends) await write(store, run, [end]);
      await store.remove((await store.list({ state: 'ended', limit: 1 }))[0]?.run ?? '');
      await agrees();
      for (const lease of held) await lease.release();
      await agrees();
    });
  });
}
