// Slots, taken by hand.

import { expect, test } from 'vitest';
import { cancelledBy, Stop } from '../abort.ts';
import { openSharedSlots } from './slots.ts';

const rested = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('one that may have more in use does not pass one that waits', async () => {
  const slots = openSharedSlots();
  const order: string[] = [];
  const first = slots.acquire(new Stop(), 1) as () => void;
  const small = Promise.resolve(slots.acquire(new Stop(), 1)).then((release) => (order.push('small'), release));
  const large = Promise.resolve(slots.acquire(new Stop(), 5)).then((release) => (order.push('large'), release));
  await rested();
  expect(order).toEqual([]);
  first();
  (await small)();
  (await large)();
  expect(order).toEqual(['small', 'large']);
});

test('when one that waits gives up, the next goes on with what is free', async () => {
  const slots = openSharedSlots();
  void slots.acquire(new Stop(), 1);
  const stop = new Stop();
  const small = slots.acquire(stop, 1);
  const large = slots.acquire(new Stop(), 2);
  stop.abort(cancelledBy('enough'));
  await expect(small).rejects.toThrow('enough');
  expect(await large).toBeTypeOf('function');
});

test('idle is called when no slot is in use any more', () => {
  let idle = 0;
  const slots = openSharedSlots(() => idle++);
  const [one, other] = [slots.acquire(new Stop(), 2), slots.acquire(new Stop(), 2)] as (() => void)[];
  one?.();
  expect(idle).toBe(0);
  other?.();
  expect(idle).toBe(1);
});
