import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OrderedRuns } from './ordered-runs.ts';

const ID = fc.integer({ min: 0, max: 300 }).map((number) => `r${String(number).padStart(3, '0')}`);

test('runs in order are those of a sorted set, whatever is added and taken out', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(ID),
      fc.array(fc.tuple(fc.constantFrom('add', 'delete', 'look'), ID, fc.integer({ min: 1, max: 40 }))),
      (begun, steps) => {
        const runs = new OrderedRuns();
        runs.fill(begun);
        const wanted = new Set(begun);
        for (const [step, id, most] of steps) {
          if (step === 'add') expect(runs.add(id)).toBe(!wanted.has(id) && wanted.add(id).has(id));
          if (step === 'delete') expect(runs.delete(id)).toBe(wanted.delete(id));
          if (step !== 'look') continue;
          const newest = [...wanted].sort().reverse();
          expect(runs.next(undefined, most)).toEqual(newest.slice(0, most));
          expect(runs.next(id, most)).toEqual(newest.filter((one) => one < id).slice(0, most));
        }
        expect([...runs.all()].sort()).toEqual([...wanted].sort());
        expect(runs.size).toBe(wanted.size);
      },
    ),
  );
});

test('the newest few are found where nothing is sorted yet', () => {
  const ids = Array.from({ length: 3000 }, (_, index) => `r${String((index * 7919) % 3000).padStart(4, '0')}`);
  const runs = new OrderedRuns();
  runs.fill(ids);
  expect(runs.next(undefined, 3)).toEqual(['r2999', 'r2998', 'r2997']);
  expect(runs.next('r1000', 2)).toEqual(['r0999', 'r0998']);
  expect(runs.next(undefined, 3000)).toEqual([...ids].sort().reverse());
});
