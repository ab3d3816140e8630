// A conversation through the engine: what each message is told, where it goes on from, and what is refused.

import { expect, test } from 'vitest';
import { forkRun } from '../src/engine/history/fork.ts';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import { type Chat, openChat } from '../src/engine/threads/chat.ts';
import { fitHistory, runsOfThread } from '../src/engine/threads/thread.ts';
import type { RunStart } from '../src/journal/event.ts';
import type { History } from '../src/kernel/effect.ts';
import { faultOf } from '../src/kernel/fault.ts';
import { services } from '../src/run/services.ts';
import { memoryStore } from '../src/stores/memory.ts';
import { bench, cadre, type Model } from './support/cadre.ts';

const of = cadre({ name: 'ann' }, { name: 'bob' });

/** Answers with how many messages came before; a message that begins with "fail" fails, one with "wait" waits for `gate`. */
function talking(store = memoryStore(), gate: Promise<void> = Promise.resolve()) {
  const model: Model = async ({ messages, history = 0 }, signal) => {
    const said = messages.at(-1);
    const text = said?.role === 'user' ? said.text : '';
    if (text.startsWith('wait')) await Promise.race([gate, aborted(signal)]);
    return text.startsWith('fail') ? { fault: 'model/server' } : `${text} after ${history}`;
  };
  const b = bench(of, model, { store });
  const warnings: string[] = [];
  const parts = { cadre: of, engine: b.engine.bare, store, warn: (text: string) => warnings.push(text), now: Date.now };
  return { ...b, warnings, open: (thread?: string, agent = 'ann') => openChat(agent, thread ? { thread } : {}, parts) };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

async function said(chat: Chat, text: string): Promise<{ readonly run: string; readonly text: string }> {
  const handle = await chat.say(text);
  const outcome = await handle.outcome();
  return { run: handle.run, text: outcome.kind === 'answered' ? outcome.text : outcome.kind };
}

const texts = (history: History): readonly string[] => history.map(({ text }) => text);

test('each message is a run of the thread that is told the exchanges before it and names the run before', async () => {
  const { open, store } = talking();
  const chat = await open();
  const first = await said(chat, 'one');
  const second = await said(chat, 'two');
  expect([first.text, second.text]).toEqual(['one after 0', 'two after 2']);
  expect(texts(await chat.history())).toEqual(['one', 'one after 0', 'two', 'two after 2']);
  const events = await readAll(second.run, store);
  const start = events[0] as RunStart;
  expect(start).toMatchObject({ thread: chat.thread, continues: first.run });
  expect(start.input.history).toHaveLength(2);
  expect(await replay(events, of, services)).toMatchObject({ kind: 'identical' });
  expect(chat.thread).toMatch(/^t\d{8}-\d{6}-/);
});

test('a run that gave no answer is continued, and adds nothing to what the next one is told', async () => {
  const { open, store } = talking();
  const chat = await open();
  await said(chat, 'one');
  const failed = await said(chat, 'fail now');
  const third = await said(chat, 'three');
  expect([failed.text, third.text]).toEqual(['failed', 'three after 2']);
  expect((await readAll(third.run, store))[0]).toMatchObject({ continues: failed.run });
});

test('a second message waits until the run before it has ended', async () => {
  let go = (): void => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { open, calls } = talking(memoryStore(), gate);
  const chat = await open();
  const first = await chat.say('wait for it');
  const second = chat.say('two');
  go();
  await first.outcome();
  expect(await (await second).outcome()).toMatchObject({ text: 'two after 2' });
  expect(calls).toHaveLength(2);
});

test('a message whose signal is aborted is cancelled, and the conversation goes on', async () => {
  const { open } = talking(memoryStore(), new Promise(() => {}));
  const chat = await open();
  const abort = new AbortController();
  const handle = await chat.say('wait for ever', { signal: abort.signal });
  abort.abort('enough');
  expect(await handle.outcome()).toMatchObject({ kind: 'cancelled' });
  await expect(chat.say('x', { signal: abort.signal })).rejects.toBe('enough');
  expect(await said(chat, 'two')).toMatchObject({ text: 'two after 0' });
});

test('undo goes on before the last exchange, past runs without an answer, as often as there are exchanges', async () => {
  const { open, store } = talking();
  const chat = await open();
  const first = await said(chat, 'one');
  await said(chat, 'two');
  await said(chat, 'fail three');
  expect(await chat.undo()).toBe('two');
  expect(texts(await chat.history())).toEqual(['one', 'one after 0']);
  const other = await said(chat, 'other');
  expect(other.text).toBe('other after 2');
  expect((await readAll(other.run, store))[0]).toMatchObject({ continues: first.run, thread: chat.thread });
  expect(await chat.undo()).toBe('other');
  expect(await chat.undo()).toBe('one');
  expect(await chat.undo()).toBeUndefined();
  const again = await said(chat, 'again');
  expect(again.text).toBe('again after 0');
  expect((await readAll(again.run, store))[0]).not.toHaveProperty('continues');
  expect(texts(await (await open(chat.thread)).history())).toEqual(['again', 'again after 0']);
});

test('a fork is a new thread with the same conversation, and the old one stays', async () => {
  const { open, store } = talking();
  const chat = await open();
  const first = await said(chat, 'one');
  const forked = await chat.fork();
  expect(forked.thread).not.toBe(chat.thread);
  const second = await said(forked, 'two');
  expect(second.text).toBe('two after 2');
  expect((await readAll(second.run, store))[0]).toMatchObject({ thread: forked.thread, continues: first.run });
  expect(texts(await chat.history())).toEqual(['one', 'one after 0']);
  expect((await runsOfThread(store, chat.thread)).map(({ summary }) => summary.run)).toEqual([first.run]);
});

test('two chats on one thread each continue the newest run that is not at work', async () => {
  let go = (): void => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { open, store } = talking(memoryStore(), gate);
  const one = await open();
  const first = await said(one, 'one');
  const two = await open(one.thread);
  const slow = await one.say('wait for it');
  for await (const event of slow.events()) if (event.type === 'op-start') break; // it is at work
  const meanwhile = await said(two, 'meanwhile');
  expect(meanwhile.text).toBe('meanwhile after 2');
  expect((await readAll(meanwhile.run, store))[0]).toMatchObject({ continues: first.run });
  go();
  await slow.outcome();
  expect(texts(await one.history())).toEqual(['one', 'one after 0', 'meanwhile', 'meanwhile after 2']);
});

test('a copy of a run keeps thread and history and stands beside the conversation', async () => {
  const b = talking();
  const chat = await b.open();
  await said(chat, 'one');
  const second = await said(chat, 'two');
  await said(chat, 'three');
  const copy = await forkRun(
    { run: second.run, at: '0' },
    { store: b.store, cadre: of, texts: 'pinned', now: Date.now },
  );
  await (await b.engine.resume(copy.run)).outcome();
  const [start] = await readAll(copy.run, b.store);
  const [original] = await readAll(second.run, b.store);
  const { thread, continues, input } = original as RunStart;
  expect(start).toMatchObject({ thread, continues, input });
  expect(await said(chat, 'four')).toMatchObject({ text: 'four after 6' });
});

test('a run that was broken off is named, and once it is resumed its exchange is part of the conversation', async () => {
  const whole = talking();
  const chat = await whole.open();
  const first = await said(chat, 'one');
  const second = await said(chat, 'two');
  const store = memoryStore();
  for (const { run } of [first, second]) {
    const events = await readAll(run, whole.store);
    const lease = await store.claim(run, 0);
    await lease.append(run === second.run ? events.slice(0, 2) : events);
    await lease.release();
  }
  const later = talking(store);
  const gone = await later.open(chat.thread);
  expect(await gone.brokenOff()).toBe(second.run);
  await (await later.engine.resume(second.run)).outcome();
  expect(await gone.brokenOff()).toBeUndefined();
  expect(await said(gone, 'three')).toMatchObject({ text: 'three after 4' });
});

test('a thread is found by its id, a unique beginning of it or "last"', async () => {
  const { open } = talking();
  const chat = await open();
  await said(chat, 'one');
  for (const name of [chat.thread, chat.thread.slice(0, -2), 'last'])
    expect((await open(name)).thread).toBe(chat.thread);
  const other = await open();
  await said(other, 'two');
  expect((await open('last')).thread).toBe(other.thread);
  expect(await open('t').catch(faultOf)).toMatchObject({
    code: 'thread/unknown',
    message: expect.stringMatching(/^2 threads begin with t: /) as string,
  });
  expect(await open('nope').catch(faultOf)).toMatchObject({
    code: 'thread/unknown',
    message: `There is no thread "nope". The latest are: ${other.thread}, ${chat.thread}.`,
  });
  expect(await open(chat.thread, 'bob').catch(faultOf)).toMatchObject({
    code: 'thread/other-agent',
    message: `Thread ${chat.thread} is a conversation with ann, not with bob. Go on with: cadre chat ann --thread ${chat.thread}`,
  });
  expect(await talking().open('last').catch(faultOf)).toMatchObject({
    message: expect.stringContaining('There are none yet') as string,
  });
});

test('a conversation that is too long for a run loses its oldest exchanges, and that is said once', async () => {
  const exchange = (n: number, size: number): History => [
    { role: 'user', text: `${n}?`.padEnd(size, '.') },
    { role: 'assistant', text: `${n}!`.padEnd(size, '.') },
  ];
  const many = Array.from({ length: 300 }, (_, n) => exchange(n, 2)).flat();
  expect(fitHistory(many)).toHaveLength(400);
  expect(fitHistory(many)[0]).toEqual({ role: 'user', text: '100?' });
  const large = [0, 1, 2].flatMap((n) => exchange(n, 200_000));
  expect(fitHistory(large).map(({ text }) => text.slice(0, 2))).toEqual(['1?', '1!', '2?', '2!']);
  expect(fitHistory(exchange(0, 600_000))).toEqual([]);

  const { open, warnings } = talking();
  const chat = await open();
  for (const n of [1, 2, 3, 4]) await said(chat, `${n}`.padEnd(180_000, '.'));
  expect(warnings).toEqual([
    `Thread ${chat.thread} is longer than a run can take: its oldest 2 messages are left out.`,
  ]);
  expect((await said(chat, 'short')).text).toBe('short after 4');
});

test('the id of a thread that cannot be one is refused before anything is spent', async () => {
  const { engine } = talking();
  const asked = { agent: 'ann', input: { text: 'x' }, thread: 'a b' };
  expect(await engine.start(asked).catch(faultOf)).toMatchObject({ code: 'input/invalid' });
});
