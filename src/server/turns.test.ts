import { expect, test } from 'vitest';
import { faultOf } from '../kernel/fault.ts';
import { type RunTurn, RunTurns } from './turns.ts';

/** The places in the line, in the order in which their turns came. */
function inOrder(turns: readonly RunTurn[]): readonly number[] {
  const came: number[] = [];
  turns.forEach((turn, place) => void turn.come?.then(() => came.push(place)));
  return came;
}

const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

test('turns come in the order in which they were asked for, as places become free', async () => {
  const turns = new RunTurns(() => ({ maxRuns: 1, maxWaiting: 9 }));
  const all = [turns.take('new'), turns.take('new'), turns.take('resumed'), turns.take('new')];
  const came = inOrder(all);
  expect([all[0]?.come, turns.atWork, turns.waiting]).toEqual([undefined, 1, 3]);
  all[0]?.release();
  await settled();
  expect([came, turns.atWork, turns.waiting]).toEqual([[1], 1, 2]);
  all[1]?.release();
  all[2]?.release();
  await settled();
  expect([came, turns.atWork, turns.waiting]).toEqual([[1, 2, 3], 1, 0]);
});

test('a new run is refused while the line is full, with the time to ask again; a resumed one never', () => {
  const turns = new RunTurns(() => ({ maxRuns: 1, maxWaiting: 1 }));
  turns.take('new');
  turns.take('new');
  try {
    turns.take('new');
    expect.unreachable();
  } catch (thrown) {
    expect(faultOf(thrown)).toMatchObject({ code: 'server/busy', details: { retryAfter: 5 } });
    expect(faultOf(thrown).message).toContain('1 runs are at work and 1 wait');
  }
  expect(turns.waiting).toBe(1);
  expect(turns.take('resumed').come).toBeInstanceOf(Promise);
  expect(turns.waiting).toBe(2);
});

test('a run that leaves the line never has a turn, and a turn is given back once', async () => {
  const turns = new RunTurns(() => ({ maxRuns: 1, maxWaiting: 9 }));
  const all = [turns.take('new'), turns.take('new'), turns.take('new')];
  const came = inOrder(all);
  all[1]?.release();
  expect([turns.atWork, turns.waiting]).toEqual([1, 1]);
  all[0]?.release();
  all[0]?.release();
  await settled();
  expect([came, turns.atWork, turns.waiting]).toEqual([[2], 1, 0]);
  all[2]?.release();
  expect(turns.atWork).toBe(0);
});

test('limits that a reload changed hold for the next turn, and those in the line come first', async () => {
  const limits = { maxRuns: 1, maxWaiting: 9 };
  const turns = new RunTurns(() => limits);
  const first = turns.take('new');
  const all = [turns.take('new'), turns.take('new'), turns.take('new')];
  const came = inOrder(all);
  limits.maxRuns = 3;
  const late = turns.take('new');
  expect(late.come).toBeInstanceOf(Promise);
  first.release();
  await settled();
  expect([came, turns.atWork, turns.waiting]).toEqual([[0, 1, 2], 3, 1]);
});
