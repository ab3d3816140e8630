import { expect, test } from 'vitest';
import { WorkClock } from './work-clock.ts';

const clock = (...events: readonly (readonly ['op' | 'run-resume', number])[]): WorkClock => {
  const made = new WorkClock();
  for (const [type, at] of events) made.add({ type, at });
  return made;
};

test('it stands still between the last event of a process and the resume of the next', () => {
  const one = clock(['op', 100], ['op', 150], ['run-resume', 1150], ['op', 1200], ['run-resume', 2200]);
  expect([100, 150, 600, 1150, 1200, 2000, 2300].map((moment) => one.at(moment))).toEqual([
    100, 150, 150, 150, 200, 200, 300,
  ]);
});

test('it is the clock itself for a run that was never resumed, and for a clock that was set back', () => {
  expect(clock(['op', 100], ['op', 900]).at(500)).toBe(500);
  expect(clock(['op', 100], ['run-resume', 100]).at(500)).toBe(500);
});
