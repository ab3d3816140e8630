import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../journal/event.ts';
import { signInsConformance } from '../../journal/sign-ins.conformance.ts';
import {
  allOf,
  faultCode,
  runEnd,
  runStart,
  storeConformance,
  wholeRun,
  write,
} from '../../journal/store.conformance.ts';
import type { RunStore } from '../../journal/store.ts';
import { spendingConformance } from '../spending.conformance.ts';
import { fileStore } from './file-store.ts';
import { type Holder, newHolder } from './holder.ts';

const folders: string[] = [];
const tempFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-store-'));
  folders.push(folder);
  return folder;
};
/** The files that this process has open, where the system tells. */
const openPaths = (): string[] =>
  existsSync('/proc/self/fd')
    ? readdirSync('/proc/self/fd').flatMap((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`);
        } catch {
          return []; // closed meanwhile
        }
      })
    : [];
const cleanUp = (): void => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
};

storeConformance('file store', () => ({ store: fileStore(tempFolder()), close: cleanUp }));
storeConformance('file store with fsync in batches', () => ({
  store: fileStore(tempFolder(), { fsync: 'batch' }),
  close: cleanUp,
}));

spendingConformance('the file store', () => ({ store: fileStore(tempFolder()), close: cleanUp }));

signInsConformance('sign-ins as files', () => {
  const dir = tempFolder();
  return { store: fileStore(dir), other: fileStore(dir), close: cleanUp };
});

test('sign-ins are files of this user, in a folder that version control leaves alone', async () => {
  const dir = tempFolder();
  await fileStore(dir).signIns?.put('a'.repeat(64), { head: '{"server":"x"}', body: 'the token' }, 'absent');
  const folder = join(dir, 'sign-ins');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n');
  const files = readdirSync(folder).filter((name) => name !== '.gitignore');
  expect(files).toHaveLength(1);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  cleanUp();
});

describe('file store, on disk', () => {
  let dir: string;
  let warnings: string[];
  let store: RunStore;
  const reopen = (): RunStore => fileStore(dir, { warn: (text) => warnings.push(text) });
  const journal = (run: string): string => join(dir, 'runs', run, 'events.jsonl');
  const index = (): string => join(dir, 'runs.jsonl');
  const indexed = (): string[] => readFileSync(index(), 'utf8').split('\n').slice(0, -1);
  const processes = (): string[] => readdirSync(join(dir, 'processes'));
  const lockOf = (run: string): string => join(dir, 'runs', run, 'lock');
  beforeEach(() => {
    dir = tempFolder();
    warnings = [];
    store = reopen();
  });
  afterEach(cleanUp);

  test('a journal is one JSON object a line', async () => {
    await write(store, 'r1', wholeRun('r1'));
    const lines = readFileSync(journal('r1'), 'utf8').split('\n');
    expect(lines.slice(0, -1).map((line) => JSON.parse(line) as unknown)).toEqual(wholeRun('r1'));
    expect(lines.at(-1)).toBe('');
    expect(readdirSync(join(dir, 'runs', 'r1'))).toEqual(['events.jsonl']);
  });

  test('an append is written when it returns, and returns no promise', async () => {
    const lease = await store.claim('r1', 0);
    expect(lease.append([runStart('r1')])).toBeUndefined();
    expect(readFileSync(journal('r1'), 'utf8')).toContain('run-start');
    await lease.release();
  });

  test('with fsync in batches, appends that wait together are all told', async () => {
    const lease = await fileStore(dir, { fsync: 'batch' }).claim('r1', 0);
    await Promise.all(wholeRun('r1').map(async (event) => lease.append([event])));
    await lease.release();
    expect(await allOf(store, 'r1')).toEqual(wholeRun('r1'));
  });

  test('a torn last line is left out with a warning, and cut off by the next claim', async () => {
    await write(store, 'r1', wholeRun('r1').slice(0, 2));
    const size = statSync(journal('r1')).size;
    appendFileSync(journal('r1'), '{"seq":2,"type":"op-e');
    expect(await allOf(store, 'r1')).toHaveLength(2);
    expect(warnings).toEqual([expect.stringMatching(/events\.jsonl ends in a torn line of 21 bytes/)]);
    expect((await store.list())[0]).toMatchObject({ events: 2, bytes: size });
    await write(store, 'r1', wholeRun('r1').slice(2));
    expect(warnings).toHaveLength(2);
    expect(await allOf(store, 'r1')).toEqual(wholeRun('r1'));
    expect(warnings).toHaveLength(2);
  });

  test('a journal can be torn anywhere, within a character too, and is still taken up', async () => {
    const events = wholeRun('r1', 'é漢🎭'.repeat(300));
    await write(store, 'r1', events);
    const bytes = readFileSync(journal('r1'));
    for (let cut = 0; cut < bytes.length; cut += cut < bytes.length - 300 ? 37 : 3) {
      writeFileSync(journal('r1'), bytes.subarray(0, cut));
      const seen = await allOf(store, 'r1');
      expect(seen).toEqual(events.slice(0, seen.length));
      await write(reopen(), 'r1', events.slice(seen.length));
      expect(readFileSync(journal('r1')).equals(bytes)).toBe(true);
    }
  });

  test.each([
    ['is not JSON', (lines: string[]) => lines.with(1, '{"seq":1,')],
    ['is empty', (lines: string[]) => lines.with(1, '')],
    ['is no event', (lines: string[]) => lines.with(1, '[]')],
    ['is out of order', (lines: string[]) => lines.toSpliced(1, 1)],
  ])('a line in the middle that %s is named, with its file', async (_, damage) => {
    await write(store, 'r1', wholeRun('r1'));
    writeFileSync(journal('r1'), damage(readFileSync(journal('r1'), 'utf8').split('\n')).join('\n'));
    await expect(allOf(store, 'r1')).rejects.toEqual(faultCode('journal/corrupt'));
    await expect(allOf(store, 'r1')).rejects.toThrow(`${journal('r1')}:2 `);
    await expect(store.claim('r1', 4)).rejects.toEqual(faultCode('journal/corrupt'));
    expect(existsSync(lockOf('r1'))).toBe(false);
    rmSync(index());
    expect((await reopen().list())[0]).toMatchObject({ run: 'r1', events: expect.any(Number) });
  });

  test('an index that is missing, torn, foreign or stale is corrected from the journals', async () => {
    await write(store, 'r1', wholeRun('r1'));
    const good = readFileSync(index(), 'utf8');
    const listed = await store.list();
    const stale = { ...(JSON.parse(good) as object), events: 1 };
    for (const bad of [
      '',
      good.slice(0, 40),
      `${good.slice(0, 40)}\n`,
      '[]\nnull\n7\n\n',
      `${JSON.stringify({ run: 'r1' })}\n`,
      `${JSON.stringify({ ...(JSON.parse(good) as object), agents: undefined, waiting: undefined, inDoubt: undefined })}\n`,
      `${JSON.stringify({ ...(JSON.parse(good) as object), agents: [1] })}\n`,
      `${JSON.stringify({ ...stale, bytes: 1e9 })}\n`,
      `${JSON.stringify({ ...stale, bytes: 10 })}\n`,
    ]) {
      writeFileSync(index(), bad);
      expect(await reopen().list()).toEqual(listed);
      expect(readFileSync(index(), 'utf8')).toBe(bad + good);
      expect(await reopen().list()).toEqual(listed);
    }
    rmSync(index());
    expect(await reopen().list()).toEqual(listed);
    expect(readFileSync(index(), 'utf8')).toBe(good);
  });

  test('an index that cannot be written or read does no harm', async () => {
    mkdirSync(index());
    await write(store, 'r1', wholeRun('r1'));
    expect(await store.list()).toMatchObject([{ run: 'r1', state: 'ended' }]);
    expect(await reopen().list()).toMatchObject([{ run: 'r1', state: 'ended' }]);
  });

  test('a store that listed before learns from the index what other stores wrote and removed since', async () => {
    await write(store, 'r1', wholeRun('r1'));
    expect(await store.list()).toHaveLength(1);
    const other = reopen();
    await write(other, 'r2', wholeRun('r2'));
    await other.remove('r1');
    await write(other, 'r1', wholeRun('r1', 'HELLO'));
    const listed = await store.list();
    expect(listed.map(({ run, input }) => [run, input.text])).toEqual([
      ['r2', 'hello'],
      ['r1', 'HELLO'],
    ]);
    expect(await reopen().list()).toEqual(listed);
  });

  test('the index is rewritten when most of it is stale, and a process that wrote to the old one goes on', async () => {
    await write(store, 'r1', wholeRun('r1').slice(0, 2));
    const other = reopen();
    await write(other, 'r2', wholeRun('r2'));
    appendFileSync(index(), `${indexed()[0]}\n`.repeat(1100));
    writeFileSync(`${index()}.0a.draft`, 'left by a process that was killed');
    const listed = await store.list();
    expect(indexed()).toHaveLength(2);
    expect(readdirSync(dir).filter((name) => name.endsWith('.draft'))).toEqual([]);
    expect(await reopen().list()).toEqual(listed);
    await write(other, 'r3', wholeRun('r3'));
    expect(indexed()).toHaveLength(3);
    expect((await store.list()).map(({ run }) => run)).toEqual(['r3', 'r2', 'r1']);
  });

  test('a journal that ends in a torn line is told to the index once', async () => {
    await write(store, 'r1', wholeRun('r1').slice(0, 2));
    appendFileSync(journal('r1'), '{"seq":2');
    rmSync(index());
    for (let times = 0; times < 3; times++) expect(await reopen().list()).toMatchObject([{ events: 2 }]);
    expect(indexed()).toHaveLength(1);
  });

  test('runs of an earlier layout, each with a summary of its own, are listed, taken up and removed', async () => {
    for (const [run, events] of [
      ['r1', wholeRun('r1')],
      ['r2', wholeRun('r2').slice(0, 2)],
    ] as const) {
      mkdirSync(join(dir, 'runs', run), { recursive: true });
      writeFileSync(journal(run), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
      writeFileSync(join(dir, 'runs', run, 'summary.json'), '{}');
    }
    expect((await store.list()).map(({ state }) => state)).toEqual(['broken-off', 'ended']);
    await write(store, 'r2', wholeRun('r2').slice(2));
    expect((await store.list()).map(({ state }) => state)).toEqual(['ended', 'ended']);
    for (const run of ['r1', 'r2']) await store.remove(run);
    expect(readdirSync(join(dir, 'runs'))).toEqual([]);
  });

  test('the journal of an ended run is not opened to list it', async () => {
    await write(store, 'r1', wholeRun('r1'));
    const size = statSync(journal('r1')).size;
    writeFileSync(journal('r1'), 'x'.repeat(size));
    expect((await reopen().list())[0]).toMatchObject({ state: 'ended', events: 4 });
  });

  test('two thousand runs are listed from one file, without a look into their journals', async () => {
    const ids = Array.from({ length: 2000 }, (_, nth) => `r${String(nth).padStart(5, '0')}`);
    const tally = { agent: 'a', input: { text: 'hello' }, startedAt: 1, endedAt: 2, outcome: 'answered' };
    const counts = {
      agents: ['a'],
      folder: '/a',
      calls: 1,
      waiting: 0,
      events: 4,
      bytes: 1,
      unpriced: 0,
      refused: 0,
      inDoubt: 0,
      inFlight: 0,
    };
    let lines = '';
    for (const run of ids) {
      mkdirSync(join(dir, 'runs', run), { recursive: true });
      writeFileSync(journal(run), 'x');
      lines += `${JSON.stringify({ run, ...tally, ...counts, spent: [], label: run < 'r00010' ? 'early' : 'late' })}\n`;
    }
    writeFileSync(index(), lines);
    expect(await store.list()).toHaveLength(2000);
    expect(await store.find('last')).toBe('r01999');
    const page = await reopen().list({ label: 'early', text: 'ELL', since: 1, until: 2, before: 'r00005', limit: 3 });
    expect(page.map(({ run }) => run)).toEqual(['r00004', 'r00003', 'r00002']);
    expect(readFileSync(index(), 'utf8')).toBe(lines);
  });

  test('the input of a run is searched as a whole, also where the index has only its beginning', async () => {
    await write(store, 'r1', wholeRun('r1', `${'x'.repeat(5000)} a needle`));
    await write(store, 'r2', wholeRun('r2', 'x'.repeat(5000)));
    expect(indexed().every((line) => line.length < 1000)).toBe(true);
    expect((await reopen().list({ text: 'a NEEDLE' })).map(({ run }) => run)).toEqual(['r1']);
  });

  test('the summary of one run needs no index, and follows what others write', async () => {
    const lease = await store.claim('r1', 0);
    await lease.append(wholeRun('r1').slice(0, 2));
    const other = reopen();
    expect(await other.summary('r1')).toMatchObject({ state: 'running', events: 2, atLeast: true, unpriced: 0 });
    await lease.append(wholeRun('r1').slice(2));
    await lease.release();
    rmSync(index());
    expect(await other.summary('r1')).toMatchObject({ state: 'ended', events: 4, usd: 0.25, atLeast: false });
    expect(await reopen().summary('r1')).toEqual(await other.summary('r1'));
    await store.remove('r1');
    await write(store, 'r1', wholeRun('r1', 'again'));
    expect((await other.summary('r1')).input.text).toBe('again');
  });

  test('a list that another process began and this one goes on with knows what waits', async () => {
    const signal = { kind: 'approval', prompt: '?', about: null } as const;
    const ask = (seq: number, path: string): RunEvent => ({ type: 'op-start', seq, at: 1, path, op: signal });
    await write(store, 'r1', [runStart('r1'), ask(1, '0.0'), ask(2, '0.1')]);
    expect((await reopen().list())[0]).toMatchObject({ waiting: 2 });
    appendFileSync(
      journal('r1'),
      `${JSON.stringify({ type: 'op-end', seq: 3, at: 1, path: '0.0', kind: 'approval', result: { ok: true, value: 1 } })}\n`,
    );
    expect((await reopen().list({ waiting: true }))[0]).toMatchObject({ waiting: 1, events: 4 });
  });

  test('a file that is no run is not listed', async () => {
    mkdirSync(join(dir, 'runs', '.trash'), { recursive: true });
    mkdirSync(join(dir, 'runs', 'empty'));
    writeFileSync(join(dir, 'runs', 'note.txt'), 'hello');
    expect(await store.list()).toEqual([]);
  });

  test('a blob that was tampered with is not handed out', async () => {
    const digest = await store.blobs.put(Buffer.from('text'));
    writeFileSync(join(dir, 'blobs', digest), 'other');
    await expect(store.blobs.get(digest)).rejects.toEqual(faultCode('journal/corrupt'));
    expect(readdirSync(join(dir, 'blobs'))).toEqual([digest]);
  });

  // The device that is always full. It cannot be a link, which the store would refuse; only root may make one.
  test.runIf(process.getuid?.() === 0)(
    'a full disk is a fault that names the file and the way out, and the lease is not used further',
    async () => {
      mkdirSync(join(dir, 'runs', 'r1'), { recursive: true });
      const lease = await store.claim('r2', 0);
      await lease.release();
      expect(spawnSync('mknod', [journal('r1'), 'c', '1', '7']).status).toBe(0);
      const full = await store.claim('r1', 0).catch((thrown: unknown) => thrown);
      expect(full).toHaveProperty('append');
      const { append, release } = full as Awaited<ReturnType<RunStore['claim']>>;
      expect(() => append([runStart('r1')])).toThrow(/events\.jsonl cannot be written: ENOSPC.*disk is full/);
      expect(() => append([runStart('r1')])).toThrow(faultCode('journal/write'));
      await release();
    },
  );

  test('a folder that cannot be made is a fault that says what stands in its way', async () => {
    writeFileSync(join(dir, 'runs'), 'a file');
    await expect(store.claim('r1', 0)).rejects.toEqual(faultCode('journal/write'));
    await expect(store.claim('r1', 0)).rejects.toThrow('A file stands where a folder is needed');
    await expect(store.list()).rejects.toEqual(faultCode('journal/corrupt'));
  });

  const here = (): Holder => newHolder();
  const GONE = 2 ** 22 + 1;
  const lockedBy = (run: string, holder: object): void => writeFileSync(lockOf(run), `${JSON.stringify(holder)}\n`);
  const OTHER_CONTAINER = 'pid:[4026532999]';

  test.each<[string, () => Holder]>([
    ['a process that is gone', () => ({ ...here(), pid: GONE })],
    ['an earlier process with the same pid', () => ({ ...here(), started: '1' })],
  ])('a lock of %s is taken over', async (_, holder) => {
    await write(store, 'r1', wholeRun('r1').slice(0, 2));
    lockedBy('r1', holder());
    expect((await store.list())[0]).toMatchObject({ state: 'broken-off' });
    await write(store, 'r1', wholeRun('r1').slice(2));
    expect(readdirSync(join(dir, 'runs', 'r1'))).toEqual(['events.jsonl']);
  });

  test.each<[string, object, RegExp]>([
    [
      'on another host',
      { ...here(), host: 'elsewhere', pid: GONE },
      /held by process 4194305 on elsewhere since \d{4}-.*it is on host elsewhere, and this is /,
    ],
    [
      'on another machine of the same name',
      { ...here(), machine: 'another', pid: GONE },
      /since .* cannot be known from here whether it is gone: it is on another machine/,
    ],
    [
      'in another container of this machine',
      { ...here(), namespace: OTHER_CONTAINER, pid: GONE },
      /it is in another pid namespace, such as another container/,
    ],
    [
      'in a container of the same name that another boot started',
      { ...here(), namespace: OTHER_CONTAINER, boot: 'another', pid: GONE },
      /started by another boot/,
    ],
    ['whose lock is damaged', {}, /held by an unknown process\. .* its lock file cannot be understood/],
  ])(
    'a process %s is not known to be dead: its run is refused, and taken over only when told to',
    async (_, holder, why) => {
      const events = wholeRun('r1');
      await write(store, 'r1', events.slice(0, 2));
      lockedBy('r1', holder);
      expect((await store.list())[0]).toMatchObject({ state: 'running' });
      await expect(store.claim('r1', 2)).rejects.toEqual(faultCode('run/locked'));
      await expect(store.claim('r1', 2)).rejects.toThrow(why);
      await expect(store.claim('r1', 2)).rejects.toThrow('cadre resume r1 --take-over');
      await expect(store.remove('r1')).rejects.toEqual(faultCode('run/locked'));
      await store.takeOver('r1');
      await write(store, 'r1', events.slice(2));
      expect(await allOf(store, 'r1')).toEqual(events);
      expect(readdirSync(join(dir, 'runs', 'r1'))).toEqual(['events.jsonl']);
    },
  );

  test('a take-over that died half-way does not block the next, and nothing of it is left', async () => {
    const events = wholeRun('r1');
    await write(store, 'r1', events.slice(0, 2));
    const dead = (nonce: string) => `${JSON.stringify({ ...here(), pid: GONE, nonce })}\n`;
    for (const [name, nonce] of [
      ['lock', 'aa'],
      ['lock.after-aa', 'bb'],
      ['lock.0b.draft', 'bb'],
      ['lock.after-aa.after-bb', 'cc'],
      ['events.jsonl.0c.draft', 'cc'],
      ['taken-over', 'cc'],
    ] as const)
      writeFileSync(join(dir, 'runs', 'r1', name), dead(nonce));
    const lease = await store.claim('r1', 2);
    await expect(reopen().claim('r1', 2)).rejects.toEqual(faultCode('run/locked'));
    await lease.append(events.slice(2));
    await lease.release();
    expect(readdirSync(join(dir, 'runs', 'r1'))).toEqual(['events.jsonl']);
    expect(await allOf(store, 'r1')).toEqual(events);
  });

  test('a late write of a fenced process goes to a file that no process reads', async () => {
    const events = wholeRun('r1');
    await write(store, 'r1', events.slice(0, 2));
    lockedBy('r1', { ...here(), host: 'elsewhere', pid: GONE });
    const late = openSync(journal('r1'), 'a'); // as the process elsewhere has it
    await store.takeOver('r1');
    const lease = await store.claim('r1', 2);
    writeSync(late, '{"seq":2,"type":"fact","at":1,"key":"late","value":1}\n{"seq":3,"ty');
    await lease.append(events.slice(2, 3));
    writeSync(late, 'pe":"fact"}\n');
    await lease.append(events.slice(3));
    await lease.release();
    closeSync(late);
    expect(await allOf(store, 'r1')).toEqual(events);
    expect(warnings).toEqual([]);
  });

  test('a holder elsewhere finds in its own file that its run was taken over, and keeps its other runs', async () => {
    const events = wholeRun('r1');
    await write(store, 'r1', events.slice(0, 2));
    const elsewhere = join(dir, 'processes', 'e15e');
    writeFileSync(elsewhere, `${JSON.stringify({ ...here(), host: 'elsewhere', pid: GONE, nonce: 'e15e' })}\n`);
    linkSync(elsewhere, lockOf('r1'));
    await store.takeOver('r1');
    expect(readFileSync(elsewhere, 'utf8').split('\n').slice(1)).toEqual(['', 'r1', '']);
  });

  test('a process in whose file another one says that it took a run away writes no more to that run', async () => {
    const lease = await store.claim('r1', 0);
    await lease.append([runStart('r1')]);
    const other = await store.claim('r2', 0);
    appendFileSync(lockOf('r1'), '\nr1\n');
    let seq = 1;
    const write = async (): Promise<void> => {
      while (seq < 1_000_000) await lease.append([{ type: 'fact', seq: seq++, at: 1, key: 'k', value: 1 }]);
    };
    await expect(write()).rejects.toEqual(faultCode('run/taken-over'));
    await other.append([runStart('r2')]);
    await lease.release();
    await other.release();
    expect(existsSync(lockOf('r1'))).toBe(true); // it belongs to the other one
  });

  test('one of two who take a run over at the same time does, and the journal stays whole', async () => {
    const lease = await store.claim('r1', 0);
    await lease.append(wholeRun('r1').slice(0, 2));
    const both = await Promise.allSettled([reopen().takeOver('r1'), reopen().takeOver('r1')]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both).toContainEqual({ status: 'rejected', reason: faultCode('run/taken-over') });
    await lease.release();
    await write(store, 'r1', wholeRun('r1').slice(2));
    expect(await allOf(store, 'r1')).toEqual(wholeRun('r1'));
    expect(readdirSync(join(dir, 'runs', 'r1'))).toEqual(['events.jsonl']);
  });

  test('the folder of a process that died before the first event of a run is collected, that of a live one is not', async () => {
    const held = await store.claim('held', 0);
    for (const run of ['empty', 'locked', 'drafted']) mkdirSync(join(dir, 'runs', run));
    lockedBy('locked', { ...here(), pid: GONE });
    writeFileSync(join(dir, 'runs', 'locked', 'events.jsonl'), '');
    writeFileSync(join(dir, 'runs', 'drafted', 'lock.0a.draft'), '');
    await write(store, 'r1', wholeRun('r1').slice(0, 1));
    await store.collect({ before: 0 });
    await store.collect({ before: Date.now() + 60_000, dryRun: true });
    expect(readdirSync(join(dir, 'runs'))).toHaveLength(5);
    await store.collect({ before: Date.now() + 60_000 });
    expect(readdirSync(join(dir, 'runs')).sort()).toEqual(['held', 'r1']);
    await held.append([runStart('held')]);
    await held.release();
  });

  test('a folder that a crash left empty is a new run for the process that claims it', async () => {
    mkdirSync(join(dir, 'runs', 'r1'), { recursive: true });
    const lease = await store.claim('r1', 0);
    await expect(reopen().claim('r1', 0)).rejects.toEqual(faultCode('run/locked'));
    await lease.append(wholeRun('r1'));
    await lease.release();
    expect(await allOf(store, 'r1')).toEqual(wholeRun('r1'));
  });

  test('two stores of one process refuse each other the same run', async () => {
    const lease = await store.claim('r1', 0);
    await lease.append([runStart('r1')]);
    await expect(reopen().claim('r1', 1)).rejects.toThrow('written by this process');
    await expect(reopen().remove('r1')).rejects.toEqual(faultCode('run/locked'));
    expect((await reopen().list())[0]).toMatchObject({ state: 'running' });
    await lease.release();
    await (await reopen().claim('r1', 1)).release();
  });

  test('a thousand runs at once are held by links to one file', async () => {
    const leases = await Promise.all(Array.from({ length: 1000 }, (_, nth) => store.claim(`r${nth}`, 0)));
    expect(processes()).toHaveLength(1);
    expect(statSync(lockOf('r0')).nlink).toBe(1001);
    await expect(reopen().claim('r999', 0)).rejects.toThrow('written by this process');
    for (const lease of leases) await lease.release();
    expect(readdirSync(join(dir, 'runs'))).toEqual([]);
  });

  test('a process whose file is deleted makes another for its next run, and still holds the first', async () => {
    const lease = await store.claim('r1', 0);
    await lease.append([runStart('r1')]);
    rmSync(join(dir, 'processes'), { recursive: true });
    const second = await store.claim('r2', 0);
    for (const run of ['r1', 'r2']) await expect(reopen().claim(run, 0)).rejects.toEqual(faultCode('run/locked'));
    await reopen().takeOver('r1');
    expect(() => lease.append([runEnd(1)])).toThrow(faultCode('run/taken-over'));
    await lease.release();
    await second.release();
    await (await reopen().claim('r1', 1)).release();
  });

  test('a process file that a killed process left goes as soon as another is made', async () => {
    mkdirSync(join(dir, 'processes'));
    const left = (name: string, holder: object): void =>
      writeFileSync(join(dir, 'processes', name), `${JSON.stringify({ ...here(), nonce: name, ...holder })}\n`);
    left('0a', { pid: GONE });
    left('0b', { pid: GONE, host: 'elsewhere' });
    left('0c', { pid: process.ppid, started: '' });
    await write(store, 'r1', wholeRun('r1'));
    expect(processes()).toHaveLength(2);
    expect(processes()).toContain('0c');
  });

  test('stores that come and go leave no open files and no claims behind', async () => {
    // Only those below this store: other tests of the same process open and close files of theirs meanwhile.
    const openFiles = (): string[] =>
      openPaths()
        .filter((path) => path.startsWith(`${dir}/`))
        .toSorted();
    for (let nth = 0; nth < 40; nth++) await write(reopen(), `a${nth}`, wholeRun(`a${nth}`));
    const before = openFiles();
    for (let nth = 0; nth < 40; nth++) await write(reopen(), `b${nth}`, wholeRun(`b${nth}`));
    expect(openFiles()).toEqual(before);
    expect(processes()).toHaveLength(1);
    await write(store, 'last', wholeRun('last'));
    expect(await store.list()).toHaveLength(81);
  });

  test('a claim that cannot be written down is a fault, and leaves no run behind', async () => {
    writeFileSync(join(dir, 'processes'), 'a file');
    await expect(store.claim('r1', 0)).rejects.toEqual(faultCode('journal/write'));
    expect(readdirSync(join(dir, 'runs'))).toEqual([]);
    rmSync(join(dir, 'processes'));
    await write(store, 'r1', wholeRun('r1'));
  });
});
