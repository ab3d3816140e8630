import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cancelledBy, Stop } from '../../abort.ts';
import { openWaits, type Waits } from './waits.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Options = Parameters<Waits['until']>[1];

/** A wait for a word to be true. `ends` lists how it ended; a second end would be a second entry. */
function waiting(waits: Waits, options: Partial<Options> = {}, isTrue = false) {
  const word = { isTrue };
  const ends: string[] = [];
  waits
    .until(() => word.isTrue, { now: () => Date.now(), ...options })
    .then(
      (end) => ends.push(end),
      (thrown: unknown) => ends.push(String(thrown)),
    );
  return { word, ends };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

test('a wait for what holds already is over at once, also after its signal and its deadline', async () => {
  const signal = new Stop();
  signal.abort(cancelledBy('enough'));
  const { ends } = waiting(openWaits(), { signal, deadline: Date.now() - 1 }, true);
  await settle();
  expect(ends).toEqual(['done']);
});

test('a wait looks again when it is woken, and ends when its condition holds', async () => {
  const waits = openWaits();
  const [one, other] = [waiting(waits), waiting(waits)];
  waits.wake();
  await settle();
  expect([one.ends, other.ends]).toEqual([[], []]);
  one.word.isTrue = true;
  await settle();
  expect(one.ends).toEqual([]);
  waits.wake();
  waits.wake();
  await settle();
  expect([one.ends, other.ends]).toEqual([['done'], []]);
});

test('a wait ends with its signal: before it begins, and while it goes on', async () => {
  const waits = openWaits();
  const early = new Stop();
  early.abort(cancelledBy('enough'));
  const late = new Stop();
  const [one, other, third] = [waiting(waits, { signal: early }), waiting(waits, { signal: late }), waiting(waits)];
  await settle();
  expect([one.ends, other.ends]).toEqual([['cancelled'], []]);
  late.abort(cancelledBy('enough'));
  await settle();
  other.word.isTrue = true;
  waits.wake();
  await settle();
  expect([other.ends, third.ends]).toEqual([['cancelled'], []]);
});

test('a wait ends at its deadline and not before, however far it is', async () => {
  const waits = openWaits();
  const passed = waiting(waits, { deadline: Date.now() });
  const near = waiting(waits, { deadline: Date.now() + 100 });
  const far = waiting(waits, { deadline: Date.now() + 2 ** 32 });
  await settle();
  expect([passed.ends, near.ends]).toEqual([['timeout'], []]);
  await vi.advanceTimersByTimeAsync(99);
  expect(near.ends).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(near.ends).toEqual(['timeout']);
  await vi.advanceTimersByTimeAsync(2 ** 32 - 101);
  expect(far.ends).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(far.ends).toEqual(['timeout']);
});

test('a wait that is over leaves no timer and no listener', async () => {
  const waits = openWaits();
  const signal = new Stop();
  const removed = vi.spyOn(signal, 'removeEventListener');
  const { word, ends } = waiting(waits, { signal, deadline: Date.now() + 1000 });
  expect(vi.getTimerCount()).toBe(1);
  word.isTrue = true;
  waits.wake();
  expect([vi.getTimerCount(), removed.mock.calls.length]).toEqual([0, 1]);
  signal.abort(cancelledBy('enough'));
  await settle();
  expect(ends).toEqual(['done']);
});

test('a failure ends every wait, those that come later too, and the first one counts', async () => {
  const waits = openWaits();
  const [one, other] = [waiting(waits), waiting(waits, { deadline: Date.now() + 1000 })];
  waits.throwIfFailed();
  waits.fail(new Error('the disk is full'));
  waits.fail(new Error('and gone'));
  const late = waiting(waits, {}, true);
  await settle();
  expect([one.ends, other.ends, late.ends]).toEqual(Array(3).fill(['Error: the disk is full']));
  expect(() => waits.throwIfFailed()).toThrow('the disk is full');
  expect(vi.getTimerCount()).toBe(0);
});
