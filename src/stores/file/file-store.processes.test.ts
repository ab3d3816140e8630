// The file store between processes: real ones, killed and raced. What each says is waited for, never slept for.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { allOf, modelStart, runEnd, runStart, write } from '../../journal/store.conformance.ts';
import { fileStore } from './file-store.ts';
import { holderText, newHolder } from './holder.ts';

/** A pid namespace and a host name of its own. */
const APART = ['--pid', '--fork', '--kill-child', '--mount-proc', '--uts'];

const here = dirname(fileURLToPath(import.meta.url));

describe('file store, between processes', () => {
  let dir: string;
  let program: string;
  const started: ChildProcess[] = [];
  let scripts: string;
  beforeAll(async () => {
    scripts = mkdtempSync(join(tmpdir(), 'cadre-store-'));
    chmodSync(scripts, 0o755); // one test's process is another user
    program = join(scripts, 'child.mjs');
    const bundle = await rolldown({ input: join(here, 'file-store.ts'), platform: 'node' });
    await bundle.write({ file: join(scripts, 'file.mjs'), format: 'esm' });
    await bundle.close();
    writeFileSync(program, CHILD);
  });
  afterAll(() => rmSync(scripts, { recursive: true, force: true }));
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'cadre-store-'));
  });
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });

  const start = (...words: string[]): ChildProcess => {
    const child = spawn(process.execPath, [program, dir, ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
    started.push(child);
    return child;
  };
  const processes = (): string[] => readdirSync(join(dir, 'processes'));
  const says = async (child: ChildProcess): Promise<string> =>
    String(((await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer])[0]).trim();

  test('a run held by another process is refused, naming its pid', async () => {
    const child = start('hold', 'r1');
    expect(await says(child)).toBe('granted');
    const store = fileStore(dir);
    await expect(store.claim('r1', 1)).rejects.toThrow(`written by process ${child.pid}`);
    await expect(store.claim('r1', 0)).rejects.toThrow(`written by process ${child.pid}`);
    await expect(store.remove('r1')).rejects.toThrow(`written by process ${child.pid}`);
    expect((await store.list())[0]).toMatchObject({ state: 'running', events: 1 });
    expect(readdirSync(join(dir, 'runs', 'r1'))).toEqual(['events.jsonl', 'lock']);
  });

  test('a run that another process holds without a first event is refused, and is not listed', async () => {
    const child = start('claim', 'r1');
    expect(await says(child)).toBe('granted');
    const store = fileStore(dir);
    await expect(store.claim('r1', 0)).rejects.toThrow(`written by process ${child.pid}`);
    expect(await store.list()).toEqual([]);
  });

  test('a run that another process took up is refused, naming its pid', async () => {
    const store = fileStore(dir);
    await write(store, 'r1', [runStart('r1')]);
    const child = start('resume', 'r1');
    expect(await says(child)).toBe('granted');
    await expect(store.claim('r1', 1)).rejects.toThrow(`written by process ${child.pid}`);
    await expect(store.remove('r1')).rejects.toThrow(`written by process ${child.pid}`);
    expect((await store.list())[0]).toMatchObject({ state: 'running', events: 1 });
  });

  test('a run that its maker gave back is free at once, while the maker lives and holds another', async () => {
    const child = start('prepare', 'r1', 'r2');
    expect(await says(child)).toBe('granted');
    const store = fileStore(dir);
    expect((await store.list()).map(({ run, state }) => [run, state])).toEqual([
      ['r2', 'running'],
      ['r1', 'broken-off'],
    ]);
    await write(store, 'r1', [runEnd(1)]);
    await expect(store.claim('r2', 1)).rejects.toThrow(`written by process ${child.pid}`);
  });

  test('the run of a process killed with SIGKILL is broken off, and can be taken up', async () => {
    const child = start('hold', 'r1');
    expect(await says(child)).toBe('granted');
    const left = processes();
    expect(left).toHaveLength(1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const store = fileStore(dir);
    expect((await store.list())[0]).toMatchObject({ state: 'broken-off', events: 1 });
    await write(store, 'r1', [runEnd(1)]);
    expect((await store.list())[0]).toMatchObject({ state: 'ended', events: 2 });
    expect(processes()).not.toContain(left[0]);
    expect(readdirSync(join(dir, 'runs', 'r1'))).toEqual(['events.jsonl']);
  });

  test('a process killed before its first event leaves nothing that blocks', async () => {
    const child = start('claim', 'r1');
    expect(await says(child)).toBe('granted');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const store = fileStore(dir);
    expect(await store.list()).toEqual([]);
    await write(store, 'r1', [runStart('r1')]);
    expect(await allOf(store, 'r1')).toHaveLength(1);
  });

  test('a process that took up a run and is killed leaves nothing that blocks', async () => {
    const store = fileStore(dir);
    await write(store, 'r1', [runStart('r1')]);
    const child = start('resume', 'r1');
    expect(await says(child)).toBe('granted');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect((await store.list())[0]).toMatchObject({ state: 'broken-off', events: 1 });
    await store.remove('r1');
    expect(existsSync(join(dir, 'runs', 'r1'))).toBe(false);
  });

  test('a process that ends by itself takes its file away, whatever it still held', async () => {
    const { status, stderr } = spawnSync(process.execPath, [program, dir, 'leave', 'r1'], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(processes()).toEqual([]);
    expect((await fileStore(dir).list())[0]).toMatchObject({ state: 'broken-off', events: 1 });
  });

  test('a process whose run is taken over is refused, and has its other runs', async () => {
    const child = start('write-when-told', 'r1', 'r2');
    expect(await says(child)).toBe('granted');
    const store = fileStore(dir);
    await store.takeOver('r1');
    await write(store, 'r1', [runEnd(1)]);
    const answer = says(child);
    child.stdin?.write('go\n');
    const { r1, r2 } = JSON.parse(await answer) as Record<'r1' | 'r2', { code?: string; message: string }>;
    expect(r1.code).toBe('run/taken-over');
    expect(r1.message).toMatch(/^Run r1 was taken over by .* What it had under way is not recorded/);
    expect(r2).toEqual({ message: 'written' });
    expect(await allOf(store, 'r1')).toEqual([expect.objectContaining({ seq: 0 }), runEnd(1)]);
    expect((await store.list()).map(({ run, state }) => [run, state])).toEqual([
      ['r2', 'ended'],
      ['r1', 'ended'],
    ]);
  });

  test('a process that writes without a pause loses nothing acknowledged when its run is taken over', async () => {
    const child = start('write-on', 'r1');
    expect(await says(child)).toBe('granted');
    const store = fileStore(dir);
    const answer = says(child);
    await store.takeOver('r1');
    const kept = await allOf(store, 'r1');
    const { code, acknowledged } = JSON.parse(await answer) as { code: string; acknowledged: number };
    expect(code).toBe('run/taken-over');
    expect(kept.length).toBeGreaterThanOrEqual(acknowledged);
    await write(store, 'r1', [runEnd(kept.length)]);
    expect(await allOf(store, 'r1')).toHaveLength(kept.length + 1);
  });

  const raced = async (how: string, rounds: number): Promise<number[]> => {
    const racers = Array.from({ length: 4 }, () => start('race', String(rounds), how));
    for (const racer of racers) expect(await says(racer)).toBe('ready');
    const results = racers.map(says);
    for (const racer of racers) racer.stdin?.write('go\n');
    const won = (await Promise.all(results)).flatMap((text) => JSON.parse(text) as number[]);
    return won.sort((left, right) => left - right);
  };
  const each = (rounds: number): number[] => Array.from({ length: rounds }, (_, round) => round);

  test('exactly one of the processes that race to make a run wins, every time', async () => {
    expect(await raced('make', 200)).toEqual(each(200));
    const store = fileStore(dir);
    for (const round of each(200)) expect(await allOf(store, `r${round}`)).toHaveLength(1);
  });

  test('exactly one of the processes that race to take up a run that its maker left wins, every time', async () => {
    const store = fileStore(dir);
    for (const round of each(60)) await write(store, `r${round}`, [runStart(`r${round}`)]);
    expect(await raced('resume', 60)).toEqual(each(60));
  });

  test('no process takes up or removes a run as it is being made', async () => {
    const [maker, taker] = [start('make-all', '300'), start('take-all', '300')];
    expect(await says(taker)).toBe('ready');
    expect(await says(maker)).toBe('ready');
    const [made, taken] = [says(maker), says(taker)];
    taker.stdin?.write('go\n');
    maker.stdin?.write('go\n');
    expect(await made).toBe('300');
    taker.stdin?.end();
    expect(await taken).toBe('0');
    const store = fileStore(dir);
    for (const round of each(300)) expect(await allOf(store, `r${round}`)).toHaveLength(2);
  });

  test('exactly one of the processes that race to take over a dead one wins, every time', async () => {
    const store = fileStore(dir);
    const dead = holderText({ ...newHolder(), pid: 2 ** 22 + 1 });
    for (const round of each(60)) {
      await write(store, `r${round}`, [runStart(`r${round}`)]);
      writeFileSync(join(dir, 'runs', `r${round}`, 'lock'), dead);
    }
    expect(await raced('resume', 60)).toEqual(each(60));
  });

  const canUnshare = spawnSync('unshare', [...APART, 'true']).status === 0;

  describe.skipIf(!canUnshare)('in two pid namespaces of two names (needs the right to unshare)', () => {
    /** Starts a process as in a container of that name: its own processes, its own host name, the same volume. */
    const startIn = (host: string, ...words: string[]): ChildProcess => {
      const script = 'hostname "$0" && exec "$@"';
      const command = ['sh', '-c', script, host, process.execPath, program, dir, ...words];
      const child = spawn('unshare', [...APART, ...command], { stdio: ['pipe', 'pipe', 'inherit'] });
      started.push(child);
      return child;
    };
    const tries = async (host: string, run: string, seq: number) =>
      JSON.parse(await says(startIn(host, 'try', run, String(seq)))) as { code?: string; message: string };

    test('a run that a living process in another one writes is refused, with who holds it and the way out', async () => {
      const child = startIn('one', 'hold', 'r1');
      expect(await says(child)).toBe('granted');
      for (const [host, why] of [
        ['two', 'it is on host one, and this is two'],
        ['one', 'it is in another pid namespace, such as another container'],
      ] as const) {
        const { code, message } = await tries(host, 'r1', 1);
        expect(code).toBe('run/locked');
        expect(message).toMatch(/^Run r1 is held by process \d+ on one since \d{4}-\d\d-\d\dT/);
        expect(message).toContain(why);
        expect(message).toContain('cadre resume r1 --take-over');
      }
      await expect(fileStore(dir).claim('r1', 1)).rejects.toThrow('it is on host one');
      expect((await fileStore(dir).list())[0]).toMatchObject({ state: 'running' });
    });

    test('the death of a process in another one cannot be known, and so its run is not taken up by itself', async () => {
      const child = startIn('one', 'hold', 'r1');
      expect(await says(child)).toBe('granted');
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect((await tries('two', 'r1', 1)).code).toBe('run/locked');
      expect((await tries('one', 'r1', 1)).code).toBe('run/locked');
      const store = fileStore(dir);
      await store.takeOver('r1');
      await write(store, 'r1', [runEnd(1)]);
      expect((await store.list())[0]).toMatchObject({ state: 'ended', events: 2 });
    });

    test('a take-over from another one fences the first: not one more event of it is kept, none is lost', async () => {
      const first = startIn('one', 'write-on', 'r1');
      expect(await says(first)).toBe('granted');
      const answer = says(first);
      const second = startIn('two', 'take-over', 'r1');
      const { kept } = JSON.parse(await says(second)) as { kept: number };
      const { code, message, acknowledged } = JSON.parse(await answer) as {
        code: string;
        message: string;
        acknowledged: number;
      };
      expect(code).toBe('run/taken-over');
      expect(message).toMatch(/^Run r1 was taken over by (another process|process \d+ on two)/);
      expect(kept).toBeGreaterThanOrEqual(acknowledged);
      const events = await allOf(fileStore(dir), 'r1');
      expect(events).toHaveLength(kept + 1);
      expect(events.at(-1)).toMatchObject({ type: 'run-end' });
    });
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
      message: expect.stringMatching(/cannot be written: EACCES.*Permission is missing/) as string,
    });
  });
});

const CHILD = `
import { once } from 'node:events';
const { fileStore } = await import(new URL('file.mjs', import.meta.url));
const [dir, what, word, more] = process.argv.slice(2);
const store = fileStore(dir);
const start = (run) => ({ type: 'run-start', seq: 0, at: 1, version: 3, kernel: 2, run, agent: 'a', input: { text: 'hi' }, folder: '/', texts: {} });
const end = { type: 'run-end', seq: 1, at: 2, outcome: { kind: 'answered', text: 'hi' } };
const stay = () => {
  console.log('granted');
  setInterval(() => {}, 1000);
};
const refused = (thrown) => {
  if (!['run/locked', 'run/unknown'].includes(thrown.fault?.code)) throw thrown;
};
const begin = async (run) => {
  const lease = await store.claim(run, 0);
  lease.append([start(run)]);
  return lease;
};
if (what === 'hold') {
  await begin(word);
  stay();
} else if (what === 'claim') {
  await store.claim(word, 0);
  stay();
} else if (what === 'resume') {
  await store.claim(word, 1);
  stay();
} else if (what === 'prepare') {
  await (await begin(word)).release();
  await begin(more);
  stay();
} else if (what === 'write-when-told') {
  const leases = { [word]: await begin(word), [more]: await begin(more) };
  console.log('granted');
  await once(process.stdin, 'data');
  const said = {};
  for (const run in leases) {
    try {
      leases[run].append([end]);
      said[run] = { message: 'written' };
    } catch (thrown) {
      said[run] = { code: thrown.fault?.code, message: thrown.message };
    }
    await leases[run].release();
  }
  console.log(JSON.stringify(said));
  await once(process.stdin, 'end');
} else if (what === 'write-on') {
  const lease = await begin(word);
  console.log('granted');
  let seq = 1;
  const on = () => {
    try {
      for (let times = 0; times < 20; times++) {
        lease.append([{ type: 'fact', seq, at: 1, key: 'k', value: seq }]);
        seq++;
      }
      setImmediate(on);
    } catch (thrown) {
      console.log(JSON.stringify({ code: thrown.fault?.code, message: thrown.message, acknowledged: seq }));
    }
  };
  on();
} else if (what === 'take-over') {
  await store.takeOver(word);
  let kept = 0;
  for await (const event of store.read(word)) kept = event.seq + 1;
  const lease = await store.claim(word, kept);
  lease.append([{ ...end, seq: kept }]);
  await lease.release();
  console.log(JSON.stringify({ kept }));
} else if (what === 'leave') {
  await begin(word);
} else if (what === 'race') {
  console.log('ready');
  await once(process.stdin, 'data');
  const won = [];
  for (let round = 0; round < Number(word); round++) {
    const claim = more === 'make' ? begin('r' + round) : store.claim('r' + round, 1);
    await claim.then(() => won.push(round), refused);
  }
  console.log(JSON.stringify(won));
  await once(process.stdin, 'end');
} else if (what === 'make-all') {
  console.log('ready');
  await once(process.stdin, 'data');
  for (let round = 0; round < Number(word); round++) {
    const lease = await begin('r' + round);
    await new Promise((resolve) => setImmediate(resolve));
    lease.append([end]);
  }
  console.log(word);
  await once(process.stdin, 'end');
} else if (what === 'take-all') {
  console.log('ready');
  await once(process.stdin, 'data');
  let stopped = false;
  process.stdin.once('end', () => (stopped = true)).resume();
  let taken = 0;
  for (let round = 0; !stopped; round = (round + 1) % Number(word)) {
    for (const grab of [() => store.claim('r' + round, 1), () => store.claim('r' + round, 2), () => store.remove('r' + round)]) {
      await grab().then(() => taken++, refused);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  console.log(String(taken));
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
  await store.claim(word, Number(more ?? 0)).then(() => console.log('{}'), (thrown) => console.log(JSON.stringify({ code: thrown.fault?.code, message: thrown.message })));
}
`;
