import { expect, test } from 'vitest';
import type { SpawnedRun } from './spawn-registry.ts';
import { openSpawnSlots } from './spawn-slots.ts';

const spawned = (run: string, { group = 'a', together = 9, maxConcurrent = 9 } = {}): SpawnedRun =>
  ({ run, group, together, maxConcurrent }) as SpawnedRun;

/** Slots with a log of who got one. */
function open() {
  const slots = openSpawnSlots();
  const got: string[] = [];
  return {
    slots,
    got,
    acquire: (one: SpawnedRun) => slots.acquire(one, () => got.push(one.run)),
    acquireAgain: (one: SpawnedRun) => slots.acquireAgain(one, () => got.push(one.run)),
  };
}

test('runs get slots in the order in which they asked, as many as may work at the same time', () => {
  const { slots, got, acquire } = open();
  for (const run of ['r1', 'r2', 'r3', 'r4']) acquire(spawned(run, { maxConcurrent: 2 }));
  expect(got).toEqual(['r1', 'r2']);
  slots.release('r1');
  expect(got).toEqual(['r1', 'r2', 'r3']);
  slots.release('r1');
  expect(got).toEqual(['r1', 'r2', 'r3']);
});

test('a group has its own number, and a run of another group does not wait for it', () => {
  const { slots, got, acquire } = open();
  for (const run of ['a1', 'a2', 'a3']) acquire(spawned(run, { together: 1 }));
  acquire(spawned('b1', { group: 'b', together: 1 }));
  expect(got).toEqual(['a1', 'b1']);
  slots.release('b1');
  expect(got).toEqual(['a1', 'b1']);
  slots.release('a1');
  expect(got).toEqual(['a1', 'b1', 'a2']);
});

test('a run that gave its slot back to wait goes before all that have not begun', () => {
  const { slots, got, acquire, acquireAgain } = open();
  const one = { maxConcurrent: 1 };
  for (const run of ['r1', 'r2']) acquire(spawned(run, one));
  slots.release('r1');
  acquire(spawned('r3', one));
  acquireAgain(spawned('r1', one));
  expect(got).toEqual(['r1', 'r2']);
  slots.release('r2');
  expect(got).toEqual(['r1', 'r2', 'r1']);
});

test('a run that stops queueing gets no slot, and the next one does', () => {
  const { slots, got, acquire } = open();
  const one = { maxConcurrent: 1 };
  acquire(spawned('r1', one));
  const leave = acquire(spawned('r2', one));
  acquire(spawned('r3', one));
  leave();
  slots.release('r1');
  expect(got).toEqual(['r1', 'r3']);
});

test('a run that works by the record has a slot, counts for others, and gets it again without waiting', () => {
  const { slots, got, acquire } = open();
  const one = { maxConcurrent: 1 };
  slots.occupy(spawned('r1', one));
  slots.occupy(spawned('r2', one));
  acquire(spawned('r3', one));
  acquire(spawned('r1', one));
  expect(got).toEqual(['r1']);
  slots.release('r1');
  slots.release('r2');
  expect(got).toEqual(['r1', 'r3']);
});

test('a slot that is given back while it is given goes to the next one', () => {
  const slots = openSpawnSlots();
  const got: string[] = [];
  const one = { maxConcurrent: 1 };
  slots.occupy(spawned('r0', one));
  slots.acquire(spawned('r1', one), () => {
    got.push('r1');
    slots.release('r1');
  });
  slots.acquire(spawned('r2', one), () => got.push('r2'));
  slots.release('r0');
  expect(got).toEqual(['r1', 'r2']);
});
