import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  allOf,
  faultCode,
  modelStart,
  runEnd,
  runStart,
  storeConformance,
  wholeRun,
  write,
} from '../store.conformance.ts';
import type { RunStore } from '../store.ts';
import { fileStore } from './file.ts';

const here = dirname(fileURLToPath(import.meta.url));
const folders: string[] = [];
const tempFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-store-'));
  folders.push(folder);
  return folder;
};
const cleanUp = (): void => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
};

storeConformance('file store', () => ({ store: fileStore(tempFolder()), close: cleanUp }));
storeConformance('file store with fsync in batches', () => ({
  store: fileStore(tempFolder(), { fsync: 'batch' }),
  close: cleanUp,
}));

describe('file store, on disk', () => {
  let dir: string;
  let warnings: string[];
  let store: RunStore;
  const reopen = (): RunStore => fileStore(dir, { warn: (text) => warnings.push(text) });
  const journal = (run: string): string => join(dir, 'runs', run, 'events.jsonl');
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
    expect(readdirSync(join(dir, 'runs', 'r1')).sort()).toEqual(['events.jsonl', 'summary.json']);
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
    rmSync(join(dir, 'runs', 'r1', 'summary.json'));
    expect((await reopen().list())[0]).toMatchObject({ run: 'r1', events: expect.any(Number) });
  });

  test('a summary that is missing, torn, foreign or stale is computed again', async () => {
    await write(store, 'r1', wholeRun('r1'));
    const summary = join(dir, 'runs', 'r1', 'summary.json');
    const good = readFileSync(summary, 'utf8');
    const listed = await store.list();
    const stale = { ...(JSON.parse(good) as object), bytes: 10, events: 1 };
    for (const bad of [
      '',
      good.slice(0, 40),
      '[]',
      JSON.stringify({ run: 'r2' }),
      JSON.stringify({ ...stale, bytes: 1e9 }),
    ]) {
      writeFileSync(summary, bad);
      expect(await reopen().list()).toEqual(listed);
      expect(readFileSync(summary, 'utf8')).toBe(good);
    }
    rmSync(summary);
    expect(await reopen().list()).toEqual(listed);
  });

  test('the journal of an ended run is not opened to list it', async () => {
    await write(store, 'r1', wholeRun('r1'));
    const size = statSync(journal('r1')).size;
    writeFileSync(journal('r1'), 'x'.repeat(size));
    expect((await reopen().list())[0]).toMatchObject({ state: 'ended', events: 4 });
  });

  test('two thousand runs are listed in a fraction of a second', async () => {
    const summary = { run: '', agent: 'a', input: { text: 'hello' }, startedAt: 1, endedAt: 2, outcome: 'answered' };
    for (let index = 0; index < 2000; index++) {
      const run = `r${String(index).padStart(5, '0')}`;
      mkdirSync(join(dir, 'runs', run), { recursive: true });
      writeFileSync(journal(run), '');
      writeFileSync(join(dir, 'runs', run, 'summary.json'), JSON.stringify({ ...summary, run, events: 4, bytes: 0 }));
    }
    const before = performance.now();
    expect(await store.list()).toHaveLength(2000);
    expect(performance.now() - before).toBeLessThan(1000);
    expect(await store.find('last')).toBe('r01999');
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

  test('a full disk is a fault that names the file and the way out, and the lease is not used further', async () => {
    mkdirSync(join(dir, 'runs', 'r1'), { recursive: true });
    const lease = await store.claim('r2', 0);
    await lease.release();
    symlinkSync('/dev/full', journal('r1'));
    const full = await store.claim('r1', 0).catch((thrown: unknown) => thrown);
    expect(full).toHaveProperty('append');
    const { append, release } = full as Awaited<ReturnType<RunStore['claim']>>;
    expect(() => append([runStart('r1')])).toThrow(/events\.jsonl cannot be written: ENOSPC.*disk is full/);
    expect(() => append([runStart('r1')])).toThrow(faultCode('journal/write'));
    await release();
  });

  test('a folder that cannot be made is a fault that says what stands in its way', async () => {
    writeFileSync(join(dir, 'runs'), 'a file');
    await expect(store.claim('r1', 0)).rejects.toEqual(faultCode('journal/write'));
    await expect(store.claim('r1', 0)).rejects.toThrow('A file stands where a folder is needed');
    await expect(store.list()).rejects.toEqual(faultCode('journal/corrupt'));
  });

  test.each([
    ['a process that is gone', () => ({ pid: 2 ** 22 + 1, started: 'b/1', mark: 'abc' })],
    ['an earlier process with the same pid', () => ({ pid: process.pid, started: 'another-boot/1', mark: 'abc' })],
  ])('a lock of %s is taken over', async (_, holder) => {
    await write(store, 'r1', wholeRun('r1').slice(0, 2));
    writeFileSync(lockOf('r1'), JSON.stringify(holder()));
    expect((await store.list())[0]).toMatchObject({ state: 'broken-off' });
    await write(store, 'r1', wholeRun('r1').slice(2));
    expect(readdirSync(join(dir, 'runs', 'r1')).sort()).toEqual(['events.jsonl', 'summary.json']);
  });

  test('a lock that was never filled in holds for a moment, then is taken over', async () => {
    await write(store, 'r1', wholeRun('r1').slice(0, 2));
    writeFileSync(lockOf('r1'), '');
    await expect(store.claim('r1', 2)).rejects.toEqual(faultCode('run/locked'));
    utimesSync(lockOf('r1'), new Date(0), new Date(0));
    await (await store.claim('r1', 2)).release();
  });

  test('a takeover that died half-way does not block the next', async () => {
    await write(store, 'r1', wholeRun('r1').slice(0, 2));
    const dead = (mark: string) => JSON.stringify({ pid: 2 ** 22 + 1, started: 'b/1', mark });
    writeFileSync(lockOf('r1'), dead('aa'));
    writeFileSync(`${lockOf('r1')}.after-aa`, dead('bb'));
    writeFileSync(`${lockOf('r1')}.after-aa.draft`, dead('bb'));
    writeFileSync(`${lockOf('r1')}.after-aa.after-bb`, dead('cc'));
    const lease = await store.claim('r1', 2);
    await expect(reopen().claim('r1', 2)).rejects.toEqual(faultCode('run/locked'));
    await lease.release();
    expect(readdirSync(join(dir, 'runs', 'r1')).sort()).toEqual(['events.jsonl', 'summary.json']);
  });
});

describe('file store, between processes', () => {
  let dir: string;
  let program: string;
  const started: ChildProcess[] = [];
  let scripts: string;
  beforeAll(async () => {
    scripts = mkdtempSync(join(tmpdir(), 'cadre-store-'));
    chmodSync(scripts, 0o755); // one test's process is another user
    program = join(scripts, 'child.mjs');
    const bundle = await rolldown({ input: join(here, 'file.ts'), platform: 'node' });
    await bundle.write({ file: join(scripts, 'file.mjs'), format: 'esm' });
    await bundle.close();
    writeFileSync(program, CHILD);
  });
  afterAll(() => rmSync(scripts, { recursive: true, force: true }));
  beforeEach(() => {
    dir = tempFolder();
  });
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
    cleanUp();
  });

  const start = (...words: string[]): ChildProcess => {
    const child = spawn(process.execPath, [program, dir, ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
    started.push(child);
    return child;
  };
  const says = async (child: ChildProcess): Promise<string> =>
    String(((await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer])[0]).trim();

  test('a run held by another process is refused, naming its pid', async () => {
    const child = start('hold', 'r1');
    expect(await says(child)).toBe('granted');
    const store = fileStore(dir);
    await expect(store.claim('r1', 1)).rejects.toThrow(`written by process ${child.pid}`);
    expect((await store.list())[0]).toMatchObject({ state: 'running', events: 1 });
  });

  test('the run of a process killed with SIGKILL is broken off, and can be taken up', async () => {
    const child = start('hold', 'r1');
    expect(await says(child)).toBe('granted');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const store = fileStore(dir);
    expect((await store.list())[0]).toMatchObject({ state: 'broken-off', events: 1 });
    expect(existsSync(join(dir, 'runs', 'r1', 'lock'))).toBe(true);
    await write(store, 'r1', [runEnd(1)]);
    expect((await store.list())[0]).toMatchObject({ state: 'ended', events: 2 });
  });

  test('of processes that race to take over a dead one exactly one wins, every time', async () => {
    const store = fileStore(dir);
    const rounds = 60;
    for (let round = 0; round < rounds; round++) {
      await write(store, `r${round}`, [runStart(`r${round}`)]);
      const dead = JSON.stringify({ pid: 2 ** 22 + 1, started: 'b/1', mark: 'aa' });
      writeFileSync(join(dir, 'runs', `r${round}`, 'lock'), dead);
    }
    const racers = Array.from({ length: 4 }, () => start('race', String(rounds)));
    for (const racer of racers) expect(await says(racer)).toBe('ready');
    const results = racers.map(says);
    for (const racer of racers) racer.stdin?.write('go\n');
    const won = (await Promise.all(results)).flatMap((text) => JSON.parse(text) as number[]);
    expect(won.sort((left, right) => left - right)).toEqual(Array.from({ length: rounds }, (_, round) => round));
  });

  test('a write that the system cuts short leaves only whole lines, and the run goes on once there is room', async () => {
    const script = `ulimit -f 8; exec "${process.execPath}" "${program}" "${dir}" fill r1`;
    const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const { code, message, written } = JSON.parse(stdout) as { code: string; message: string; written: number };
    expect(code).toBe('journal/write');
    expect(message).toMatch(/events\.jsonl cannot be written: EFBIG.*ulimit -f/);
    const store = fileStore(dir, { warn: (text) => expect.fail(text) });
    expect(await allOf(store, 'r1')).toHaveLength(written);
    await write(store, 'r1', [modelStart(written, '0.9', 'y')]);
    expect(await allOf(store, 'r1')).toHaveLength(written + 1);
  });

  test.skipIf(process.platform === 'win32')('a folder that may not be written is a fault that says so', async () => {
    chmodSync(dir, 0o555);
    const asRoot = process.getuid?.() === 0;
    const { stdout, stderr } = spawnSync(process.execPath, [program, dir, 'try', 'r1'], {
      encoding: 'utf8',
      ...(asRoot && { uid: 65_534, gid: 65_534 }),
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      code: 'journal/write',
      message: expect.stringMatching(/r1 cannot be written: EACCES.*Permission is missing/) as string,
    });
  });
});

const CHILD = `
import { once } from 'node:events';
const { fileStore } = await import(new URL('file.mjs', import.meta.url));
const [dir, what, word] = process.argv.slice(2);
const store = fileStore(dir);
const start = (run) => ({ type: 'run-start', seq: 0, at: 1, version: 1, kernel: 1, run, agent: 'a', input: { text: 'hi' }, folder: '/', texts: {} });
if (what === 'hold') {
  const lease = await store.claim(word, 0);
  lease.append([start(word)]);
  console.log('granted');
  setInterval(() => {}, 1000);
} else if (what === 'race') {
  console.log('ready');
  await once(process.stdin, 'data');
  const won = [];
  for (let round = 0; round < Number(word); round++) {
    await store.claim('r' + round, 1).then(() => won.push(round), (thrown) => {
      if (thrown.fault?.code !== 'run/locked') throw thrown;
    });
  }
  console.log(JSON.stringify(won));
  await once(process.stdin, 'end');
} else if (what === 'fill') {
  const lease = await store.claim(word, 0);
  lease.append([start(word)]);
  let seq = 1;
  try {
    for (;;) {
      lease.append([{ type: 'fact', seq, at: 1, key: 'k' + seq, value: 'é'.repeat(90) }, { type: 'fact', seq: seq + 1, at: 1, key: 'j', value: 1 }]);
      seq += 2;
    }
  } catch (thrown) {
    console.log(JSON.stringify({ code: thrown.fault?.code, message: thrown.message, written: seq }));
    await lease.release();
  }
} else {
  await store.claim(word, 0).then(() => console.log('{}'), (thrown) => console.log(JSON.stringify({ code: thrown.fault?.code, message: thrown.message })));
}
`;
