// The journal, with a store that writes when it is told to.

import { expect, test } from 'vitest';
import type { RunEvent } from './event.ts';
import { type Journal, openJournal } from './journal.ts';

const fact = (key: string) => ({ type: 'fact' as const, key, value: 1 });

function open(append: (events: readonly RunEvent[]) => void | Promise<void>) {
  const told: number[] = [];
  const failures: unknown[] = [];
  const journal: Journal = openJournal(
    { append, async release() {} },
    { now: () => 5, observe: ({ seq }) => void told.push(seq), failed: (thrown) => void failures.push(thrown) },
  );
  return { journal, told, failures };
}

test('an observer is told of an event after it is written, where the store writes at once', () => {
  const log: string[] = [];
  const journal = openJournal(
    { append: (events) => void log.push(`wrote ${events.length}`), async release() {} },
    { now: () => 5, observe: ({ seq }) => void log.push(`told ${seq}`) },
  );
  journal.append(fact('a'));
  journal.append(fact('b'));
  expect(journal.flush()).toBeUndefined();
  expect(log).toEqual(['wrote 2', 'told 0', 'told 1']);
});

test('an observer is told nothing while the write is under way, nor of what waits behind it', async () => {
  const writes: (() => void)[] = [];
  const { journal, told } = open(() => new Promise((resolve) => void writes.push(resolve)));
  journal.append(fact('a'));
  const first = journal.flush();
  journal.append(fact('b'));
  const second = journal.flush();
  await Promise.resolve();
  expect(told).toEqual([]);
  writes[0]?.();
  await first;
  expect(told).toEqual([0]);
  expect(writes).toHaveLength(2);
  writes[1]?.();
  await second;
  expect(told).toEqual([0, 1]);
});

test('no observer is told of what could not be written, and nothing is written after it', async () => {
  const full = new Error('the disk is full');
  let attempts = 0;
  const { journal, told, failures } = open(async () => {
    attempts++;
    throw full;
  });
  journal.append(fact('a'));
  await expect(journal.flush()).rejects.toBe(full);
  expect(() => journal.append(fact('b'))).toThrow(full);
  expect(() => journal.flush()).toThrow(full);
  expect({ told, failures, attempts }).toEqual({ told: [], failures: [full], attempts: 1 });
});

test('events that are not flushed are written as soon as our own code rests', async () => {
  const { journal, told } = open(() => {});
  journal.append(fact('a'));
  expect(told).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toEqual([0]);
});

test('events that are not flushed are written before the loop turns to work that waits already', async () => {
  const log: string[] = [];
  const { journal } = open((events) => void log.push(`wrote ${events.length}`));
  setImmediate(() => log.push('other work'));
  journal.append(fact('a'));
  await Promise.resolve();
  journal.append(fact('b'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(log).toEqual(['wrote 2', 'other work']);
});

test('events that come while one write is under way go into one more', async () => {
  const batches: number[] = [];
  const writes: (() => void)[] = [];
  const { journal, told } = open((events) => {
    batches.push(events.length);
    return new Promise((resolve) => void writes.push(resolve));
  });
  journal.append(fact('a'));
  const first = journal.flush();
  const after = first?.then(() => {
    journal.append(fact('c')); // before the second write has begun
    return journal.flush();
  });
  const others = Array.from({ length: 200 }, (_, index) => {
    journal.append(fact(`b${index}`));
    return journal.flush();
  });
  writes[0]?.();
  await first;
  await new Promise((resolve) => setImmediate(resolve));
  expect(batches).toEqual([1, 201]);
  writes[1]?.();
  await Promise.all([...others, after]);
  expect(told).toEqual(Array.from({ length: 202 }, (_, seq) => seq));
});

test('the time of an event is never before that of the event before it, here and in another process', () => {
  const clock = [7, 3, 9, 2];
  const written: RunEvent[] = [];
  const append = (events: readonly RunEvent[]): void => void written.push(...events);
  const now = () => clock.shift() ?? 0;
  const first = openJournal({ append, async release() {} }, { now });
  for (const key of ['a', 'b', 'c']) first.append(fact(key));
  void first.flush();
  const second = openJournal({ append, async release() {} }, { now, recorded: [...written] });
  second.append(fact('d'));
  void second.flush();
  expect(written.map(({ at }) => at)).toEqual([7, 7, 9, 9]);
});
