// The cases that only a store in a database has: several machines, a network that fails, a server that stops.

import { createHash } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  freshStore,
  type PostgresServer,
  postgresServer,
  sharedPostgres,
  sql,
} from '../../../test/support/postgres.ts';
import { type TcpProxy, tcpProxy, through } from '../../../test/support/tcp-proxy.ts';
import {
  allOf,
  faultCode,
  modelEnd,
  modelStart,
  runEnd,
  runStart,
  sendMessage,
  wholeRun,
  write,
} from '../../journal/store.conformance.ts';
import type { RunStore } from '../../journal/store.ts';
import { type Calendar, calendarIn } from '../../views/runs/calendar.ts';
import { spentQuery } from '../../views/runs/spending.ts';
import { Database } from './database.ts';
import { migrate } from './migrations.ts';
import { type PostgresStoreOptions, postgresStore } from './postgres-store.ts';

const stores: RunStore[] = [];
const closing: (() => Promise<void>)[] = [];
let address: string;

const open = (at: string, options: PostgresStoreOptions = {}): RunStore => {
  const store = postgresStore(at, { warn() {}, ...options });
  stores.push(store);
  return store;
};

/** A line to the store that can fail. */
async function failingLine(to = address): Promise<TcpProxy> {
  const { hostname, port } = new URL(to);
  const proxy = await tcpProxy({ host: hostname, port: Number(port) });
  closing.push(() => proxy.close());
  return proxy;
}

beforeEach(async () => {
  address = await freshStore();
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close?.();
  for (const close of closing.splice(0)) await close();
});

test('many processes that open a new database at once make its tables once', async () => {
  const all = Array.from({ length: 6 }, () => open(address, { connections: 1 }));
  await Promise.all(all.map((store, index) => write(store, `r${index}`, wholeRun(`r${index}`))));
  expect(await all[0]?.list()).toHaveLength(6);
  expect(await sql(address, 'select version from cadre_version')).toEqual([{ version: 7 }]);
});

test('the tables of a newer release are refused', async () => {
  await open(address).list();
  await sql(address, 'update cadre_version set version = 99');
  await expect(open(address).list()).rejects.toEqual(faultCode('journal/version'));
});

test('a run has one writer among all processes, and its name is said', async () => {
  const [first, second] = [open(address), open(address)];
  const lease = await first.claim('r1', 0);
  await lease.append(wholeRun('r1').slice(0, 1));
  await expect(second.claim('r1', 1)).rejects.toThrow(new RegExp(`written by .*:${process.pid}`));
  expect(await second.summary('r1')).toMatchObject({ state: 'running' });
  await expect(second.remove('r1')).rejects.toEqual(faultCode('run/locked'));
  await lease.release();
  await (await second.claim('r1', 1)).release();
});

test('the runs of a process that died can be claimed at once', async () => {
  const proxy = await failingLine();
  const [first, second] = [open(through(proxy, address)), open(address)];
  await (await first.claim('r1', 0)).append(wholeRun('r1').slice(0, 2));
  proxy.cut();
  await vi.waitFor(async () => expect(await second.summary('r1')).toMatchObject({ state: 'broken-off' }), 20_000);
  await (await second.claim('r1', 2)).release();
});

test('a process that hangs holds its runs until it was not seen for 15 seconds', async () => {
  const [first, second] = [open(address), open(address)];
  const zombie = await first.claim('r1', 0);
  await zombie.append(wholeRun('r1').slice(0, 1));
  await sql(address, "update cadre_holder set seen_at = clock_timestamp() - interval '14 seconds'");
  await expect(second.claim('r1', 1)).rejects.toEqual(faultCode('run/locked'));
  await sql(address, "update cadre_holder set seen_at = clock_timestamp() - interval '16 seconds'");
  const next = await second.claim('r1', 1);
  await expect(zombie.append(wholeRun('r1').slice(1, 2))).rejects.toEqual(faultCode('run/taken-over'));
  await next.append(wholeRun('r1').slice(1));
  expect(await allOf(first, 'r1')).toEqual(wholeRun('r1'));
});

test('a process that was taken over frees no run of the process that has it now', async () => {
  const [first, second, third] = [open(address), open(address), open(address)];
  const zombies = [await first.claim('r1', 0), await first.claim('r2', 0)];
  await zombies[0]?.append(wholeRun('r1').slice(0, 1));
  await sql(address, "update cadre_holder set seen_at = clock_timestamp() - interval '16 seconds'");
  const leases = [await second.claim('r1', 1), await second.claim('r2', 0)];
  for (const zombie of zombies) await zombie.release();
  await expect(third.claim('r1', 1)).rejects.toEqual(faultCode('run/locked'));
  await expect(third.claim('r2', 0)).rejects.toEqual(faultCode('run/locked'));
  await leases[0]?.append(wholeRun('r1').slice(1));
  await leases[1]?.append(wholeRun('r2'));
  expect(await allOf(first, 'r1')).toEqual(wholeRun('r1'));
  expect(await allOf(first, 'r2')).toEqual(wholeRun('r2'));
});

test('an append whose answer was lost is written once', async () => {
  const proxy = await failingLine();
  const store = open(through(proxy, address), { connections: 1 });
  const lease = await store.claim('r1', 0);
  await lease.append([runStart('r1')]);
  proxy.loseNextAnswer();
  const appended = lease.append([modelStart(1, '0.0', 'q')]);
  const written = async () => (await sql(address, 'select count(*)::int as n from cadre_event'))[0]?.['n'] === 2;
  while (!(await written()));
  proxy.heal();
  await appended;
  await lease.append([modelEnd(2, '0.0', 'a'), runEnd(3)]);
  expect((await allOf(open(address), 'r1')).map(({ seq }) => seq)).toEqual([0, 1, 2, 3]);
});

/** Waits until the statement whose answer is lost was done. */
async function done(text: string): Promise<void> {
  while ((await sql(address, text)).length === 0);
}

test('runs that were taken by a statement whose answer was lost are taken again', async () => {
  const proxy = await failingLine();
  const worker = open(through(proxy, address), { connections: 1 });
  await worker.fleet?.join({ name: 'w', labels: [], workspace: '/' });
  await open(address).fleet?.submit?.(runStart('r1'), {});
  proxy.loseNextAnswer();
  const taken = worker.fleet?.take({ from: 'queue', most: 5, except: [] });
  await done('select 1 from cadre_run where held_by is not null');
  proxy.heal();
  expect(await taken).toEqual([]);
  const [again] = (await worker.fleet?.take({ from: 'left', most: 5, except: [] })) ?? [];
  expect(again).toMatchObject({ run: 'r1', hasMessages: false });
  const { recorded, lease } = (await again?.open()) ?? {};
  expect(recorded).toEqual([runStart('r1')]);
  expect(await worker.fleet?.take({ from: 'left', most: 5, except: [] })).toEqual([]); // it has that one now
  await lease?.append([modelStart(1, '0.0', 'q')]);
  await lease?.release();
});

test('a run whose submission was answered twice is one run, and another with its id is refused', async () => {
  const proxy = await failingLine();
  const store = open(through(proxy, address), { connections: 1 });
  await store.list();
  await store.fleet?.submit?.(runStart('r0'), {});
  proxy.loseNextAnswer();
  const submitted = store.fleet?.submit?.(runStart('r1'), {});
  await done("select 1 from cadre_run where run = 'r1'");
  proxy.heal();
  await submitted;
  expect(await allOf(store, 'r1')).toEqual([runStart('r1')]);
  await expect(store.fleet?.submit?.({ ...runStart('r1'), agent: 'other' }, {})).rejects.toEqual(
    faultCode('run/locked'),
  );
});

test('appends of many runs at once are written or refused each on its own', async () => {
  const [first, second] = [open(address), open(address)];
  const leases = await Promise.all(['r1', 'r2', 'r3'].map((run) => first.claim(run, 0)));
  await Promise.all(leases.map(async (lease, index) => lease.append([runStart(`r${index + 1}`)])));
  await second.takeOver('r2');
  const more = leases.map(async (lease) => lease.append([modelStart(1, '0.0', 'q')]));
  expect((await Promise.allSettled(more)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await expect(more[1]).rejects.toEqual(faultCode('run/taken-over'));
  expect(await Promise.all(['r1', 'r2', 'r3'].map(async (run) => (await allOf(first, run)).length))).toEqual([2, 1, 2]);
});

test('the rows that a worker looks at do not grow with the runs that are at work', async () => {
  const store = open(address);
  await store.list();
  const indexed = new URL(address);
  indexed.searchParams.set('options', `${indexed.searchParams.get('options')} -c enable_seqscan=off`);
  const queued =
    'select run from cadre_run where is_placed and outcome is null and held_by is null order by run limit 5';
  const holders =
    'select held_by from cadre_run where is_placed and outcome is null and held_by > 7 order by held_by limit 1';
  expect(JSON.stringify(await sql(indexed.href, `explain ${queued}`))).toContain('cadre_run_queued');
  expect(JSON.stringify(await sql(indexed.href, `explain ${holders}`))).toContain('cadre_run_taken');
});

test('a database that stops and starts again is waited for, and nothing is lost or repeated', async () => {
  const server: PostgresServer = await postgresServer();
  closing.push(() => server.close());
  const warnings: string[] = [];
  const store = open(await freshStore(server), { warn: (text) => void warnings.push(text) });
  const lease = await store.claim('r1', 0);
  await lease.append([runStart('r1')]);
  const told = new Promise<void>((resolve) => void store.control.watch('r1', resolve));
  const seen: number[] = [];
  const following = (async () => {
    for await (const { seq } of store.follow('r1', 0, new AbortController().signal)) seen.push(seq);
  })();
  await server.crash();
  const appended = lease.append([modelStart(1, '0.0', 'q')]);
  const listed = [store.list(), store.list(), store.summary('r1')];
  await vi.waitFor(() => expect(warnings).toHaveLength(1), 10_000);
  await server.start();
  await Promise.all([appended, ...listed]);
  expect(warnings).toEqual([expect.stringContaining('does not answer. Waiting for it')]); // once for all that wait
  await store.control.post('r1', { kind: 'stop', id: 'one', reason: 'enough' });
  await told;
  await lease.append([modelEnd(2, '0.0', 'a'), runEnd(3)]);
  await following;
  expect(seen).toEqual([0, 1, 2, 3]);
  expect(warnings.join('\n')).not.toContain('secret');
});

test('a writer that was cut off while another took its run over writes nothing when it comes back', async () => {
  const proxy = await failingLine();
  const [cutOff, other] = [open(through(proxy, address)), open(address)];
  const zombie = await cutOff.claim('r1', 0);
  await zombie.append([runStart('r1')]);
  proxy.cut();
  const late = (async () => zombie.append([modelStart(1, '0.0', 'of the zombie')]))();
  late.catch(() => {});
  await other.takeOver('r1');
  await write(other, 'r1', [modelStart(1, '0.0', 'of the other')]);
  proxy.heal();
  await expect(late).rejects.toEqual(faultCode('run/taken-over'));
  expect((await allOf(other, 'r1'))[1]).toEqual(modelStart(1, '0.0', 'of the other'));
});

test('an event that is written while nobody can be told is found by looking', async () => {
  const [writer, reader] = [open(address), open(address)];
  const lease = await writer.claim('r1', 0);
  await lease.append([runStart('r1')]);
  const seen = reader.follow('r1', 0, new AbortController().signal)[Symbol.asyncIterator]();
  expect((await seen.next()).value).toMatchObject({ seq: 0 });
  const next = seen.next();
  await sql(
    address,
    'insert into cadre_event (run, seq, version, body) select run, 1, version, replace(body, \'"seq":0\', \'"seq":1\') from cadre_event',
  );
  await sql(address, 'update cadre_run set events = 2');
  expect((await next).value).toMatchObject({ seq: 1 });
});

test('a follower goes on after its connection broke', async () => {
  const proxy = await failingLine();
  const [writer, reader] = [open(address), open(through(proxy, address))];
  const lease = await writer.claim('r1', 0);
  await lease.append([runStart('r1')]);
  const seen = reader.follow('r1', 0, new AbortController().signal)[Symbol.asyncIterator]();
  expect((await seen.next()).value).toMatchObject({ seq: 0 });
  const next = seen.next();
  proxy.cut();
  await lease.append(wholeRun('r1').slice(1));
  proxy.heal();
  expect((await next).value).toMatchObject({ seq: 1 });
});

test.each([
  ['nobody listens there', 'postgres://ada:geheim@127.0.0.1:1/cadre'],
  ['the password is wrong', undefined],
])('if %s, the error names the store without its password, at once', async (_, at) => {
  const { port } = new URL((await sharedPostgres()).url);
  const refused = open(at ?? `postgres://ada:geheim@127.0.0.1:${port}/cadre`);
  const failure = await refused.list().catch((thrown: unknown) => thrown as Error);
  expect(failure).toEqual(faultCode('store/unreachable'));
  expect((failure as Error).message).toContain(`postgres://ada@127.0.0.1:${new URL(at ?? `a://b:${port}`).port}/cadre`);
  expect(JSON.stringify((failure as { readonly fault?: unknown }).fault)).not.toContain('geheim');
});

test('a statement that the database refuses is not tried again', async () => {
  const store = open(address);
  await write(store, 'r1', wholeRun('r1'));
  await sql(address, 'alter table cadre_event rename to elsewhere');
  await expect(store.claim('r2', 0).then((lease) => lease.append([runStart('r2')]))).rejects.toEqual(
    faultCode('store/unreachable'),
  );
});

test('a message that is not understood stays for the run that takes it, which drops it and says so', async () => {
  const warnings: string[] = [];
  const store = open(address, { warn: (text) => warnings.push(text) });
  await write(store, 'r1', [runStart('r1')]);
  const odd = `'control', 'r1/odd', 'v', '0', '{"kind":"of a later release"}', now()`;
  await sql(address, `insert into cadre_cell (space, key, version, head, body, put_at) values (${odd})`);
  await store.control.post('r1', sendMessage('one'));
  const left = () => sql(address, "select key from cadre_cell where space = 'control' order by head");
  expect(await store.control.posted('r1')).toEqual([sendMessage('one')]);
  expect(await left()).toEqual([{ key: 'r1/odd' }, { key: 'r1/one' }]);
  expect(warnings).toEqual([]);
  expect(await store.control.pending('r1')).toEqual([sendMessage('one')]);
  expect(await left()).toEqual([{ key: 'r1/one' }]);
  expect(warnings).toEqual([
    expect.stringMatching(/^A message to run r1 is not understood: its kind is not one of .* It is not delivered$/),
  ]);
});

test('events of an older version are read from any of them on', async () => {
  const store = open(address);
  const older = { ...runStart('r1'), version: 2 };
  await write(store, 'r1', [older, ...wholeRun('r1').slice(1)]);
  expect((await allOf(store, 'r1', 2)).map(({ seq }) => seq)).toEqual([2, 3]);
  await sql(address, 'update cadre_event set version = 99 where seq = 2');
  await expect(allOf(store, 'r1', 2)).rejects.toEqual(faultCode('journal/version'));
});

test('the runs in a database of the release before are there as before', async () => {
  const old = await freshStore();
  const client = new pg.Client({ connectionString: old });
  await client.connect();
  await migrate(client, 'old', 4);
  const text = (id: string) => JSON.stringify(sendMessage(id)).replaceAll("'", "''");
  const body = new TextEncoder().encode('long');
  const digest = createHash('sha256').update(body).digest('hex');
  const key = createHash('sha256').update('key').digest('hex');
  await client.query(`
    insert into cadre_run (run, epoch, events, summary) values ('r1', 1, 1, '{}');
    insert into cadre_event (run, seq, version, ended, body)
      values ('r1', 0, 2, '0.1', '${JSON.stringify(runStart('r1'))}');
    insert into cadre_control (run, id, body, is_taken) values
      ('r1', 'b', '${text('b')}', true), ('r1', 'a', '${text('a')}', false), ('r1', 'c', '${text('c')}', false);
    insert into cadre_key values ('${key}', 'first "run"', now());
    insert into cadre_tests values ('t1', '{"head":1}', 'body é', now())`);
  await client.query('insert into cadre_blob values ($1, $2, now())', [digest, Buffer.from(body)]);
  await client.end();
  const store = open(old);
  await store.control.post('r1', sendMessage('d'));
  expect(await store.control.withdraw('r1', 'b')).toBe(false);
  expect(await store.control.withdraw('r1', 'a')).toBe(true);
  expect(await store.control.pending('r1')).toEqual(['b', 'c', 'd'].map((id) => sendMessage(id)));
  expect(await store.putIfAbsent('key', 'second')).toBe('first "run"');
  expect(await store.tests.get('t1')).toMatchObject({ head: '{"head":1}', body: 'body é' });
  expect(await store.blobs.get(digest)).toEqual(body);
  expect(await store.blobs.put(body)).toBe(digest);
  expect((await allOf(store, 'r1'))[0]).toEqual(runStart('r1'));
});

test('runs that ended in a database of an earlier release are summed up, and looked at once', async () => {
  const old = await freshStore();
  const client = new pg.Client({ connectionString: old });
  await client.connect();
  await migrate(client, 'old', 6);
  const share = { agent: 'desk', model: 'm/a', calls: 2, input: 10, output: 5, usd: 0.1, unpriced: 0 };
  const summary = (run: string, spent: readonly object[]) =>
    JSON.stringify({ run, startedAt: 1000, outcome: 'answered', spent, folder: '/x', unpriced: 0, refused: 0 });
  for (const [run, spent] of [['r1', [share]] as const, ['r2', []] as const])
    await client.query(
      `insert into cadre_run (run, epoch, events, summary, outcome, started_at) values ($1, 1, 4, $2, 'answered', 1000)`,
      [run, summary(run, spent)],
    );
  const store = open(old);
  const expected = { rows: [{ agent: 'desk', runs: 1, calls: 2, usd: 0.1 }], total: { runs: 2, calls: 2, usd: 0.1 } };
  expect(await store.totals()).toMatchObject({ total: 2, states: { answered: 2 }, sum: { usd: 0.1 } });
  expect(await client.query("update cadre_run set summary = 'none'")).toMatchObject({ rowCount: 2 });
  expect(await store.spent(agentsQuery())).toMatchObject(expected);
  expect(await store.totals()).toMatchObject({ total: 2, sum: { calls: 2 } });
  await client.query('delete from cadre_spent');
  await client.query(
    `insert into cadre_spent (run, place, started_at, outcome, calls, input, output, unpriced) values ('gone', -1, 0, 'answered', 0, 0, 0, 0)`,
  );
  expect((await store.spent(agentsQuery())).total.runs).toBe(0);
  await client.end();
});

const agentsQuery = () => spentQuery(['agent'], calendarIn('UTC') as Calendar);

test('an end that is refused, because another process has the run, is summed up nowhere', async () => {
  const [first, second] = [open(address), open(address)];
  const zombie = await first.claim('r1', 0);
  await zombie.append(wholeRun('r1').slice(0, 1));
  await second.takeOver('r1');
  await write(second, 'r1', [modelStart(1, '0.0', 'q'), modelEnd(2, '0.0', 'a', 3), runEnd(3)]);
  await expect((async () => zombie.append(wholeRun('r1').slice(1)))()).rejects.toEqual(faultCode('run/taken-over'));
  expect((await second.spent(agentsQuery())).total).toMatchObject({ runs: 1, calls: 1, usd: 3 });
});

test('a list reads an index, and no event', async () => {
  const store = open(address);
  for (const run of ['r1', 'r2']) await write(store, run, wholeRun(run));
  const without = new URL(address);
  without.searchParams.set('options', `${without.searchParams.get('options')} -c enable_seqscan=off`);
  const listed = "select run, summary from cadre_run where events > 0 and run < 'r9' order by run desc limit 20";
  const plan = await sql(without.href, `explain ${listed}`);
  expect(JSON.stringify(plan)).toContain('cadre_run_pkey');
});

test('a connection that breaks while the tables are made is told to the caller, and to nobody else', async () => {
  const proxy = await failingLine();
  const store = open(through(proxy, address));
  const other = new pg.Client({ connectionString: address });
  await other.connect();
  const lock = "(hashtext('cadre_version'), hashtext(current_schema()))";
  await other.query(`select pg_advisory_lock${lock}`);
  const thrown: unknown[] = [];
  const note = (error: unknown): void => void thrown.push(error);
  process.on('uncaughtException', note);
  const listed = store.list();
  listed.catch(() => {}); // it is looked at below
  await done("select 1 from pg_locks where locktype = 'advisory' and not granted");
  proxy.cut();
  await expect(listed).rejects.toEqual(faultCode('store/unreachable'));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('uncaughtException', note);
  expect(thrown).toEqual([]);
  await other.query(`select pg_advisory_unlock${lock}`);
  await other.end();
  proxy.heal();
  expect(await store.list()).toEqual([]);
});

/** The statements that processes send to the database while something is done. */
async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const query = vi.spyOn(Database.prototype, 'query');
  try {
    await work();
    return query.mock.calls.length;
  } finally {
    query.mockRestore();
  }
}

test('a follower who waits asks the database now and then, and not all the time', async () => {
  const [writer, reader] = [open(address), open(address)];
  await write(writer, 'r1', wholeRun('r1').slice(0, 1));
  const stop = new AbortController();
  const seen = reader.follow('r1', 0, stop.signal)[Symbol.asyncIterator]();
  await seen.next();
  const waiting = seen.next();
  const asked = await statementsOf(async () => {
    for (let times = 0; times < 50; times++) await writer.list();
  });
  expect(asked).toBeLessThan(80);
  stop.abort();
  await waiting;
});

test('a reader that waits for the end of a run hears that it is gone, also where nobody told', async () => {
  const store = open(address);
  await write(store, 'r1', wholeRun('r1').slice(0, 1));
  const gone = expect(store.end?.('r1', new AbortController().signal)).rejects.toEqual(faultCode('run/unknown'));
  await sql(address, "delete from cadre_run where run = 'r1'");
  await gone;
});
