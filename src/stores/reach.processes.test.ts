// A run of a file store, reached from another process: messages to it, and its events as they come. What each process
// says is waited for, never slept for.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RunEvent } from '../journal/event.ts';
import { runEnd, runStart, sendMessage, write } from '../journal/store.conformance.ts';
import type { RunStore } from '../journal/store.ts';
import { fileStore } from './file/file-store.ts';

const here = dirname(fileURLToPath(import.meta.url));
let dir: string;
let scripts: string;
let warnings: string[];
let store: RunStore;
const started: ChildProcess[] = [];

beforeAll(async () => {
  scripts = mkdtempSync(join(tmpdir(), 'cadre-reach-'));
  const bundle = await rolldown({ input: join(here, 'file/file-store.ts'), platform: 'node' });
  await bundle.write({ file: join(scripts, 'file.mjs'), format: 'esm' });
  await bundle.close();
  writeFileSync(join(scripts, 'child.mjs'), CHILD);
});
afterAll(() => rmSync(scripts, { recursive: true, force: true }));
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cadre-reach-'));
  warnings = [];
  store = fileStore(dir, { warn: (text) => warnings.push(text) });
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

interface Child {
  readonly process: ChildProcess;
  line(): Promise<string>;
  say(text: string): void;
  kill(): Promise<void>;
  ended(): Promise<number | null>;
}

function start(...words: string[]): Child {
  const child = spawn(process.execPath, [join(scripts, 'child.mjs'), dir, ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  started.push(child);
  const exit = once(child, 'exit') as Promise<[number | null]>;
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    line: async () => String((await lines.next()).value),
    say: (text) => void child.stdin.write(`${text}\n`),
    async kill() {
      child.kill('SIGKILL');
      await exit;
    },
    ended: async () => (await exit)[0],
  };
}

test('a message that one process posts reaches the process that works on the run, which takes it', async () => {
  const worker = start('work', 'r1');
  expect(await worker.line()).toBe('ready');
  await store.control.post('r1', sendMessage('one', 'é'.repeat(5000)));
  expect(JSON.parse(await worker.line())).toEqual([sendMessage('one', 'é'.repeat(5000))]);
  expect(await store.control.withdraw('r1', 'one')).toBe(false);
  await store.control.post('r1', sendMessage('two'));
  expect(JSON.parse(await worker.line())).toEqual([sendMessage('two')]);
});

test('a message to a run whose process was killed waits for the next', async () => {
  const worker = start('work', 'r1');
  expect(await worker.line()).toBe('ready');
  await worker.kill();
  await store.control.post('r1', sendMessage('one'));
  const sender = start('post', 'r1', 'two');
  expect(await sender.line()).toBe('posted');
  await sender.kill();
  expect(await store.control.pending('r1')).toEqual([sendMessage('one'), { kind: 'send', id: 'two', text: 'two' }]);
});

test('a sender that is killed at any point leaves whole messages, and no part of one', async () => {
  await write(store, 'r1', [runStart('r1')]);
  for (let round = 0; round < 5; round++) {
    const sender = start('post-on', 'r1');
    const posted = Number(await sender.line());
    await sender.kill();
    const found = await store.control.pending('r1');
    expect(found.length).toBeGreaterThanOrEqual(posted);
    expect(found.every((one) => one.kind === 'send' && one.text.length === 200_000)).toBe(true);
    await store.control.remove(
      'r1',
      found.map(({ id }) => id),
    );
  }
  expect(warnings).toEqual([]);
  await store.collect({ before: Date.now() + 60_000 });
  expect(readdirSync(join(dir, 'control'))).toEqual([]);
});

test('a run of another process is followed: over its death, a torn line, a resume and a take-over', async () => {
  const writer = start('write-when-told', 'r1', '0');
  expect(await writer.line()).toBe('1');
  const seen = store.follow('r1', 0, new AbortController().signal)[Symbol.asyncIterator]();
  const next = async (): Promise<number> => ((await seen.next()).value as RunEvent).seq;
  expect(await next()).toBe(0);
  const second = next();
  writer.say('go');
  expect(await second).toBe(1);
  await writer.kill();
  appendFileSync(join(dir, 'runs', 'r1', 'events.jsonl'), '{"type":"fact","seq":2,"at":1,"ke');
  const third = next();
  const heir = start('write-when-told', 'r1', '2');
  expect(await heir.line()).toBe('3');
  expect(await third).toBe(2);
  const fourth = next();
  await store.takeOver('r1');
  heir.say('go');
  expect(await heir.line()).toBe('run/taken-over');
  await write(store, 'r1', [{ type: 'fact', seq: 3, at: 1, key: 'mine', value: 1 }, runEnd(4)]);
  expect(await fourth).toBe(3);
  expect(await next()).toBe(4);
  expect(await seen.next()).toEqual({ done: true, value: undefined });
});

test('a follower of a process that writes until its run is taken over gets exactly the events that stay', async () => {
  const writer = start('write-on', 'r1');
  expect(await writer.line()).toBe('ready');
  const seen: RunEvent[] = [];
  const following = (async () => {
    for await (const event of store.follow('r1', 0, new AbortController().signal)) seen.push(event);
  })();
  await store.takeOver('r1');
  expect(await writer.line()).toBe('run/taken-over');
  const kept: RunEvent[] = [];
  for await (const event of store.read('r1')) kept.push(event);
  await write(store, 'r1', [{ type: 'fact', seq: kept.length, at: 1, key: 'mine', value: 1 }, runEnd(kept.length + 1)]);
  await following;
  expect(seen.length).toBe(kept.length + 2);
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index));
  expect(seen.slice(0, -2)).toEqual(kept);
});

test('a process that only watches ends by itself, and one that waits for an event does not', async () => {
  await write(store, 'r1', [runStart('r1')]);
  expect(await start('watch', 'r1').ended()).toBe(0);
  expect(await start('follow', 'r1', '1').ended()).toBe(0);
  const waiting = start('follow', 'r1', '2');
  expect(await waiting.line()).toBe('0');
  await write(store, 'r1', [{ type: 'fact', seq: 1, at: 1, key: 'k', value: 1 }]);
  expect(await waiting.line()).toBe('1');
  expect(await waiting.ended()).toBe(0);
});

const CHILD = `
import { once } from 'node:events';
const { fileStore } = await import(new URL('file.mjs', import.meta.url));
const [dir, what, run, word] = process.argv.slice(2);
const store = fileStore(dir, { warn: () => {} });
const start = { type: 'run-start', seq: 0, at: 1, version: 3, kernel: 2, run, agent: 'a', input: { text: 'x' }, folder: '/', texts: {} };
const fact = (seq, value) => ({ type: 'fact', seq, at: 1, key: 'k', value });
if (what === 'work') {
  const lease = await store.claim(run, 0);
  lease.append([start]);
  const take = async () => {
    const found = await store.control.pending(run);
    if (found.length === 0) return;
    await store.control.remove(run, found.map(({ id }) => id));
    console.log(JSON.stringify(found));
  };
  let taking = Promise.resolve();
  store.control.watch(run, () => (taking = taking.then(take)));
  console.log('ready');
  await once(process.stdin.resume(), 'end');
} else if (what === 'post') {
  await store.control.post(run, { kind: 'send', id: word, text: word });
  console.log('posted');
  await once(process.stdin.resume(), 'end');
} else if (what === 'post-on') {
  for (let count = 0; ; count++) {
    await store.control.post(run, { kind: 'send', id: process.pid + '-' + count, text: 'x'.repeat(200000) });
    if (count === 2) console.log(String(count + 1));
    await new Promise((resolve) => setImmediate(resolve));
  }
} else if (what === 'write-when-told') {
  let seq = Number(word);
  const lease = await store.claim(run, seq);
  lease.append([seq === 0 ? start : fact(seq, 'x'.repeat(2000))]);
  seq++;
  console.log(String(seq));
  for await (const _ of process.stdin) {
    try {
      lease.append([fact(seq, 'x'.repeat(2000))]);
      seq++;
      console.log(String(seq));
    } catch (thrown) {
      console.log(thrown.fault.code);
    }
  }
} else if (what === 'write-on') {
  const lease = await store.claim(run, 0);
  lease.append([start]);
  console.log('ready');
  let seq = 1;
  const on = () => {
    try {
      for (let times = 0; times < 20; times++) lease.append([fact(seq, seq++)]);
      setImmediate(on);
    } catch (thrown) {
      console.log(thrown.fault.code);
    }
  };
  on();
  await once(process.stdin.resume(), 'end');
} else if (what === 'watch') {
  store.control.watch(run, () => {});
} else if (what === 'follow') {
  let left = Number(word);
  for await (const event of store.follow(run, 0, new AbortController().signal)) {
    console.log(String(event.seq));
    if (--left === 0) break;
  }
}
`;
