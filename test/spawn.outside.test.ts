// Runs that are spawned, awaited and reached from outside, without a model: through the library and the store's folder.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newMessage } from '../src/engine/handle.ts';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import { sendControl } from '../src/engine/remote/control-sender.ts';
import {
  getSharedContext,
  getSubagentRunStatus,
  storeSharedContext,
  waitForSubagentRunCompletion,
} from '../src/engine/remote/spawned.ts';
import { findRun, type SpawnOptions, startAfter } from '../src/engine/remote/start-after.ts';
import { services } from '../src/run/services.ts';
import { fileStore } from '../src/stores/file/file-store.ts';
import { bench, brokenOff, cadre, call, type Model } from './support/cadre.ts';
import { announced, boss, calls, hang, lastUser, receipts, report, spawn } from './support/spawning.ts';

const of = cadre({ name: 'worker' });

function place(model: Model) {
  const dir = mkdtempSync(join(tmpdir(), 'cadre-outside-'));
  const store = fileStore(dir);
  const b = bench(of, model, { store });
  const prepare = async (text: string, label: string, more: SpawnOptions = {}) => {
    const { shared, after } = await startAfter({ afterTimeoutMs: 60_000, ...more }, store);
    return b.engine.prepare({
      agent: 'worker',
      input: { text, ...(shared && { shared }) },
      label,
      ...(after && { after }),
    });
  };
  const work = async (run: string) => (await b.engine.resume(run)).outcome();
  /** The store as another process has it. */
  const elsewhere = fileStore(dir);
  return { dir, store, elsewhere, b, prepare, work };
}

test('a run from outside waits for another of the same store, gets its result, and replays', async () => {
  const { dir, store, prepare, work } = place((request) => `did ${lastUser(request).split('\n').at(-1)}`);
  const first = await prepare('one', 'first');
  const second = await prepare('two', 'second', {
    after: ['first'],
    includeResult: true,
    context: { $first: 'reference', tone: 'dry' },
  });
  expect(await getSubagentRunStatus(second, dir)).toMatchObject({
    status: 'pending',
    state: 'waiting',
    waitingFor: [first],
    label: 'second',
  });
  await storeSharedContext(second, { goal: 'ship', tone: 'warm' }, dir);
  expect(await getSharedContext(second, dir)).toEqual({ goal: 'ship', tone: 'dry' }); // it waits, and nobody works on it
  const later = work(second);
  expect(await waitForSubagentRunCompletion(second, 20, dir)).toMatchObject({ timedOut: true, state: 'waiting' });
  expect(await work(first)).toMatchObject({ kind: 'answered', text: 'did one' });
  expect(await later).toMatchObject({ kind: 'answered', text: 'did two' });
  expect(await waitForSubagentRunCompletion(second, 1000, dir)).toMatchObject({
    status: 'completed',
    state: 'answered',
    timedOut: false,
  });
  const events = await readAll(second, store);
  expect(JSON.stringify(events)).toMatch(
    /\[Previous step result\]:\\n<<<\w{16} result of first, answered: .*\\ndid one\\n/,
  );
  expect(JSON.stringify(events)).toContain(
    '[Shared Context]:\\n- goal: \\"ship\\"\\n- tone: \\"dry\\"\\n- first: \\"did one\\"',
  );
  expect(await getSharedContext(second, dir)).toEqual({ goal: 'ship', tone: 'dry', first: 'did one' });
  expect(await replay(events, of, services)).toMatchObject({ kind: 'identical', ended: true });
  await expect(storeSharedContext(second, { late: 1 }, dir)).rejects.toThrow('was fixed when it started');
  await expect(storeSharedContext(second, { constructor: 1 }, dir)).rejects.toThrow('is refused');
});

test('a run whose dependency failed is skipped, and says why; broken off while it waits it goes on waiting', async () => {
  const { dir, store, prepare, work } = place((request) =>
    lastUser(request) === 'break' ? { fault: 'model/bad-request' } : 'ok',
  );
  const first = await prepare('break', 'first');
  const second = await prepare('two', 'second', { after: [first.slice(0, -1)] });
  const third = await prepare('three', 'third', { after: ['second'] });
  await work(first);
  expect(await work(second)).toMatchObject({
    kind: 'failed',
    fault: { code: 'spawn/dependency', message: 'Skipped: first failed: worker got model/bad-request' },
  });
  await work(third);
  expect(await getSubagentRunStatus(third, dir)).toMatchObject({
    state: 'skipped',
    status: 'failed',
    fault: { details: { rootCause: { label: 'first' } } },
  });
  const events = await readAll(third, store);
  for (let count = 1; count < events.length; count++) {
    const again = bench(of, () => 'never', { store: await brokenOff(events, count, third) });
    const lease = await again.store.claim(second, 0);
    await lease.append(await readAll(second, store));
    await lease.release();
    expect(await (await again.engine.resume(third)).outcome()).toMatchObject({ fault: { code: 'spawn/dependency' } });
  }
});

test('unknown and ambiguous names are refused before anything starts; the only unfinished run of a label is meant', async () => {
  const { store, prepare, work } = place(() => 'ok');
  await expect(prepare('x', 'x', { after: ['nobody'] })).rejects.toMatchObject({ fault: { code: 'run/unknown' } });
  await expect(prepare('x', 'x', { context: { $nobody: 'reference' } })).rejects.toMatchObject({
    fault: { code: 'run/unknown' },
  });
  const one = await prepare('x', 'same');
  const two = await prepare('x', 'same');
  await expect(findRun('same', store)).rejects.toThrow('ambiguous');
  await work(one);
  expect(await findRun('same', store)).toEqual({ run: two, label: 'same' });
});

test('a reference from outside may be the only beginning of a label; one that several labels have is refused', async () => {
  const { dir, prepare, work } = place((request) => `did ${lastUser(request)}`);
  const context = { $research: 'reference' };
  await work(await prepare('look', 'researcher'));
  const second = await prepare('draw', 'drawer', { context });
  await work(second);
  expect(await getSharedContext(second, dir)).toEqual({ research: 'did look' });
  await prepare('again', 'researched');
  await expect(prepare('x', 'x', { context })).rejects.toThrow(
    '$research is ambiguous: 2 labels begin with it: researched, researcher. Write the whole label.',
  );
  await work(await prepare('exactly', 'research'));
  const last = await prepare('y', 'y', { context });
  await work(last);
  expect(await getSharedContext(last, dir)).toEqual({ research: 'did exactly' });
});

test('a message ends a run, also one that waits, and another reaches a session before its next turn', async () => {
  let heard = '';
  let next = (): void => {};
  let begins = (): void => {};
  const read = new Promise<void>((resolve) => (next = resolve));
  const begun = new Promise<void>((resolve) => (begins = resolve));
  const model: Model = async (request, signal) => {
    if (lastUser(request) === 'hang') return hang(signal);
    if (request.turn === 1) {
      expect(lastUser(request)).toBe('hello there');
      begins();
      await read;
      return call('nothing', {});
    }
    heard = lastUser(request);
    return 'ok';
  };
  const { elsewhere, prepare, work } = place(model);
  const slow = await prepare('hang', 'slow');
  const waits = await prepare('two', 'waits', { after: ['slow'] });
  const ends = [work(slow), work(waits)];
  await sendControl(waits, newMessage({ kind: 'cancel', reason: 'no need' }), elsewhere);
  expect(await ends[1]).toMatchObject({ kind: 'cancelled' });
  await sendControl(slow, newMessage({ kind: 'cancel', reason: 'enough' }), elsewhere);
  expect(await ends[0]).toMatchObject({ kind: 'cancelled' });
  const talks = await prepare('listen', 'talks');
  expect(await sendControl(talks, newMessage({ kind: 'send', text: 'hello there' }), elsewhere)).toBe('waits');
  const talking = work(talks);
  await begun;
  expect(await sendControl(talks, newMessage({ kind: 'send', text: 'and again' }), elsewhere)).toBe('taken');
  next();
  await talking;
  expect(heard).toBe('and again');
});

test('a spawned child is seen, awaited and ended from outside by its run id', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'cadre-outside-'));
  const store = fileStore(dir);
  const model: Model = (request, signal) => {
    if (request.agent === 'worker') return hang(signal);
    return request.turn === 1
      ? calls(spawn({ task: 't', label: 'kid' }))
      : request.turn === 2
        ? call('sessions_wait', {})
        : report(lastUser(request));
  };
  const b = bench(boss(), model, { store });
  const handle = await b.engine.start({ agent: 'boss', input: { text: 'go' } });
  const waits = new Promise<void>((resolve) =>
    handle.watch({ event: (event) => event.type === 'op-start' && event.op.kind === 'await-runs' && resolve() }),
  );
  await waits;
  const id = receipts(await readAll(handle.run, store))[0]?.run ?? '';
  expect(await getSubagentRunStatus(id, dir)).toMatchObject({
    runId: id,
    label: 'kid',
    agent: 'worker',
    status: 'running',
    state: 'running',
  });
  await sendControl(handle.run, newMessage({ kind: 'cancel', to: id, reason: 'a person said so' }), fileStore(dir));
  expect(await waitForSubagentRunCompletion(id, 5000, dir)).toMatchObject({
    state: 'cancelled',
    status: 'failed',
    timedOut: false,
  });
  expect(await handle.outcome()).toMatchObject({
    kind: 'answered',
    text: expect.stringContaining('a person said so') as string,
  });
  const events = await readAll(handle.run, store);
  expect(announced(events)).toEqual(['kid cancelled']);
  expect(await replay(events, boss(), services)).toMatchObject({ kind: 'identical', ended: true });
});
