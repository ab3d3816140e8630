// Totals and days of the list of runs, on every store: compared with a count by hand of runs that were drawn by lot. The
// plan of each run says what it must count as; nothing here folds events.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { RunEvent } from '../src/journal/event.ts';
import type { RunLease } from '../src/journal/log.ts';
import { modelEnd, modelStart, runEnd, runStart } from '../src/journal/store.conformance.ts';
import type { RunStore } from '../src/journal/store.ts';
import { fileStore } from '../src/stores/file/file-store.ts';
import { memoryStore } from '../src/stores/memory.ts';
import { postgresStore } from '../src/stores/postgres/postgres-store.ts';
import { restateStore } from '../src/stores/restate/restate-store.ts';
import { freshStore } from './support/postgres.ts';
import { noRestate, emptied as restateEmptied, restateWorker, sharedRestate } from './support/restate.ts';
import { SCRIPTED, servedFolder } from './support/server.ts';

const ZONE = 'Europe/Berlin';
/** The clocks go back at three in the morning of the 25th. */
const FIRST_DAY = Date.parse('2026-10-23T00:00:00+02:00');
const HOUR = 3_600_000;
const RUNS = 60;

/** The same numbers for the same seed. */
function lot(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

interface Plan {
  readonly run: string;
  readonly at: number;
  readonly events: RunEvent[];
  readonly calls: number;
  /** The calls that each agent made. */
  readonly made: Readonly<Record<string, number>>;
  readonly usd: number | undefined;
  readonly unpriced: number;
  readonly standing: 'answered' | 'failed' | 'cancelled' | 'running' | 'person' | 'broken-off';
  readonly thread: string | undefined;
  readonly asked: string;
}

const fault = { code: 'model/server', message: 'It broke.' } as const;

function planOf(index: number, draw: (most: number) => number): Plan {
  const run = `r${String(index).padStart(3, '0')}`;
  const at = FIRST_DAY + draw(5 * 24) * HOUR + draw(HOUR);
  const standing = (
    ['answered', 'answered', 'answered', 'failed', 'cancelled', 'running', 'person', 'broken-off'] as const
  )[draw(8)] as Plan['standing'];
  const thread = draw(3) === 0 ? `t${draw(4)}` : undefined;
  const events: RunEvent[] = [];
  const add = (event: RunEvent): void => void events.push({ ...event, seq: events.length, at: at + events.length });
  const price = (): number | undefined => (draw(5) === 0 ? undefined : (draw(1000) + 1) / 1000);
  const made: Record<string, number> = {};
  let [calls, unpriced, priced, sum] = [0, 0, 0, 0];
  const call = (isOwn: boolean, turn: number): void => {
    const usd = price();
    const agent = turn % 2 === 0 ? 'greeter' : 'clerk';
    const begun = modelStart(0, `0.${turn}`, 'q');
    add({ ...begun, op: { ...begun.op, agent } } as RunEvent);
    const count = (): void => void (made[agent] = (made[agent] ?? 0) + 1);
    if (draw(4) === 0) {
      const spent = { model: 'scripted/a', usage: { input: 10, output: 5 }, usd: 0.5 };
      const then = { kind: 'retry', delayMs: 0 } as const;
      add({ type: 'attempt', seq: 0, at, path: `0.${turn}`, number: 1, ms: 1, fault, spent, then } as RunEvent);
      if (isOwn) [calls, priced, sum] = [calls + 1, priced + 1, sum + 0.5];
      if (isOwn) count();
    }
    add(modelEnd(0, `0.${turn}`, 'a', usd));
    if (!isOwn) return;
    count();
    calls++;
    if (usd === undefined) unpriced++;
    else [priced, sum] = [priced + 1, sum + usd];
  };
  const takenOver = draw(5) === 0 ? 1 + draw(2) : 0;
  const asked = `question ${index}`;
  add({ ...runStart(run, asked), ...(thread !== undefined && { thread }) });
  for (let turn = 0; turn < takenOver; turn++) call(false, turn);
  if (takenOver > 0)
    events[0] = { ...events[0], forkedFrom: { run: 'origin', at: '0.9', events: events.length } } as RunEvent;
  const own = draw(4);
  for (let turn = takenOver; turn < takenOver + own; turn++) call(true, turn);
  if (standing === 'person')
    add({
      type: 'op-start',
      seq: 0,
      at,
      path: '0.99',
      op: { kind: 'approval', prompt: 'May I?', about: null },
    } as RunEvent);
  if (standing === 'answered') add(runEnd(0));
  if (standing === 'failed' || standing === 'cancelled')
    add(
      runEnd(0, {
        kind: standing,
        fault: { code: standing === 'failed' ? 'model/server' : 'run/cancelled', message: 'x' },
      } as never),
    );
  return { run, at, events, calls, made, usd: priced > 0 ? sum : undefined, unpriced, standing, thread, asked };
}

const rounded = (usd: number): number => Math.round(usd * 1e9) / 1e9;

function countedByHand(plans: readonly Plan[]) {
  const priced = plans.filter(({ usd }) => usd !== undefined);
  return {
    runs: plans.length,
    notAnswered: plans.filter(({ standing }) => ['failed', 'cancelled', 'broken-off'].includes(standing)).length,
    calls: plans.reduce((sum, { calls }) => sum + calls, 0),
    usd: priced.length === 0 ? undefined : rounded(priced.reduce((sum, { usd = 0 }) => sum + usd, 0)),
    unpriced: plans.reduce((sum, { unpriced }) => sum + unpriced, 0),
    atLeast: plans.some(({ unpriced }) => unpriced > 0),
    tokens: { input: 10 * callsOf(plans), output: 5 * callsOf(plans) },
  };
}

const callsOf = (plans: readonly Plan[]): number => plans.reduce((sum, { calls }) => sum + calls, 0);

// oxlint-disable-next-line typescript/no-explicit-any
const figures = ({ day: _day, from: _from, to: _to, usd, ...rest }: any) => ({
  ...rest,
  usd: usd === undefined ? undefined : rounded(usd),
});

/** The day by the formatter of the language, not by our calendar. */
const dayIn = (at: number): string => new Intl.DateTimeFormat('en-CA', { timeZone: ZONE }).format(at);

interface TwoOfOne {
  /** The store that the server reads, and the one that another process would write with. */
  readonly read: RunStore;
  readonly write: RunStore;
}

const ends: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function holds(open: () => Promise<TwoOfOne>): Promise<void> {
  const { read, write } = await open();
  const draw = lot(7);
  const plans = Array.from({ length: RUNS }, (_, index) => planOf(index, draw));
  const held: RunLease[] = [];
  for (const { run, events, standing } of plans) {
    const lease = await write.claim(run, 0);
    await lease.append(events);
    if (standing === 'running' || standing === 'person') held.push(lease);
    else await lease.release();
  }
  ends.push(async () => {
    for (const lease of held) await lease.release();
  });
  const served = await servedFolder(
    { 'cadre.yaml': SCRIPTED, 'one.md': '---\ndescription: One.\n---\nOne.\n' },
    { store: read },
  );
  ends.push(() => served.remove());

  const list = (await served.get('/api/runs?limit=500')).body;
  const all = countedByHand(plans);
  expect(list.total).toBe(RUNS);
  expect(figures(list.sum)).toEqual(all);
  for (const [standing, count] of Object.entries(list.states))
    expect([standing, count]).toEqual([standing, plans.filter((plan) => plan.standing === standing).length]);
  expect(Object.values<number>(list.states).reduce((sum, count) => sum + count, 0)).toBe(RUNS);

  const spent = (await served.get(`/api/runs/spent?by=day&zone=${ZONE}`)).body;
  expect(figures(spent.total)).toEqual(all);
  const days = [...new Set(plans.map(({ at }) => dayIn(at)))].sort();
  expect(spent.rows.map(({ day }: { day: string }) => day)).toEqual(days);
  for (const row of spent.rows)
    expect([row.day, figures(row)]).toEqual([row.day, countedByHand(plans.filter(({ at }) => dayIn(at) === row.day))]);
  const autumn = spent.rows.find(({ day }: { day: string }) => day === '2026-10-25');
  expect((autumn.to - autumn.from) / HOUR).toBe(25);

  const byAgent = (await served.get('/api/runs/spent?by=agent,model')).body;
  expect(figures(byAgent.total)).toEqual(all);
  const rows = byAgent.rows.map(({ agent, model, runs, calls }: Record<string, unknown>) => [
    agent,
    model,
    runs,
    calls,
  ]);
  const own = (agent: string) => plans.flatMap(({ made }) => made[agent] ?? []);
  expect(rows).toEqual(
    ['clerk', 'greeter'].map((agent) => [
      agent,
      'scripted/a',
      own(agent).length,
      own(agent).reduce((sum, calls) => sum + calls, 0),
    ]),
  );

  const q = encodeURIComponent('state:unanswered since:2026-10-24 until:2026-10-25 question');
  const chosen = plans.filter(
    ({ at, standing }) =>
      ['failed', 'cancelled', 'broken-off'].includes(standing) && ['2026-10-24', '2026-10-25'].includes(dayIn(at)),
  );
  expect(chosen.length).toBeGreaterThan(3);
  const some = (await served.get(`/api/runs?q=${q}&zone=${ZONE}&limit=2`)).body;
  expect([some.total, figures(some.sum)]).toEqual([chosen.length, countedByHand(chosen)]);
  const pages: string[] = [];
  for (let page = some; ; page = (await served.get(`/api/runs?q=${q}&zone=${ZONE}&limit=2&before=${page.next}`)).body) {
    pages.push(...page.items.map(({ run }: { run: string }) => run));
    if (page.next === undefined) break;
  }
  expect(pages).toEqual(chosen.map(({ run }) => run).reverse());

  const together = (await served.get('/api/runs?together=true&totals=false&limit=500')).body;
  const newest = (thread: string): string | undefined => plans.findLast((plan) => plan.thread === thread)?.run;
  expect(together.total).toBeUndefined();
  expect(together.items.map(({ run }: { run: string }) => run)).toEqual(
    plans
      .filter(({ run, thread }) => thread === undefined || newest(thread) === run)
      .map(({ run }) => run)
      .reverse(),
  );
  for (const { thread, messages } of together.items.filter(
    (row: { messages?: unknown }) => row.messages !== undefined,
  )) {
    const { waiting: _waiting, ms: _ms, asked, ...sums } = messages;
    const own = plans.filter((plan) => plan.thread === thread);
    expect(figures(sums)).toEqual(countedByHand(own));
    expect(asked).toBe((own[0] as Plan).asked);
  }
}

test('a store in memory has the sums that are counted by hand', () =>
  holds(async () => {
    const store = memoryStore();
    return { read: store, write: store };
  }));

test('a store of files that another process writes has the same sums', () =>
  holds(async () => {
    const dir = mkdtempSync(join(tmpdir(), 'cadre-sums-'));
    ends.push(() => rmSync(dir, { recursive: true, force: true }));
    return { read: fileStore(dir), write: fileStore(dir) };
  }));

test('a store in Postgres that another process writes has the same sums', () =>
  holds(async () => {
    const address = await freshStore();
    const [read, write] = [postgresStore(address, { warn() {} }), postgresStore(address, { warn() {} })];
    ends.push(() => write.close?.());
    return { read, write };
  }));

describe.skipIf(noRestate !== undefined)(`a real Restate${noRestate === undefined ? '' : ` (${noRestate})`}`, () => {
  test('a store in Restate has the same sums', () =>
    holds(async () => {
      const { url } = await sharedRestate();
      const folder = mkdtempSync(join(tmpdir(), 'cadre-sums-'));
      writeFileSync(join(folder, 'cadre.yaml'), SCRIPTED);
      writeFileSync(join(folder, 'one.md'), '---\ndescription: One.\n---\nOne.\n');
      const worker = await restateWorker(url, folder);
      ends.push(
        () => rmSync(folder, { recursive: true, force: true }),
        () => worker.close(),
      );
      await restateEmptied(url);
      const store = restateStore(url, { warn() {} }); // where only workers have runs of other processes
      return { read: store, write: store };
    }));
});

test('a zone that is none is refused by its name', async () => {
  const served = await servedFolder({ 'cadre.yaml': SCRIPTED, 'one.md': '---\ndescription: One.\n---\nOne.\n' });
  ends.push(() => served.remove());
  for (const path of ['/api/runs?zone=Mars/Olympus', '/api/runs/spent?by=day&zone=Mars/Olympus']) {
    const refused = await served.get(path);
    expect([refused.status, refused.body.code]).toEqual([400, 'usage']);
    expect(refused.body.detail).toContain('"Mars/Olympus" is no time zone. It takes a name of IANA');
  }
  for (const by of ['week', 'day,,agent', 'day,hour'])
    expect((await served.get(`/api/runs/spent?by=${by}`)).body.code).toBe('usage');
});
