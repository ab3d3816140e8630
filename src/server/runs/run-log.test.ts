import { expect, test } from 'vitest';
import { journalByHand, overloaded } from '../../../test/support/events.ts';
import { brokenOutcome } from '../../kernel/outcome.ts';
import { runLog } from './run-log.ts';

function logOf(events: ReturnType<typeof journalByHand>['events'], recorded: number): readonly string[] {
  const lines: string[] = [];
  const watcher = runLog((text) => lines.push(text), 'r1', events.slice(0, recorded));
  for (const event of events.slice(recorded)) watcher.event?.(event);
  return lines;
}

test('a run has a line when it begins and one when it ends, with its agent and its time', () => {
  const { events } = journalByHand('desk').ask('0.0').reply('0.0', 'yes').over();
  expect(logOf(events, 0)).toEqual(['run r1 begins: desk', 'run r1 answered: desk, after 0.0 s']);
  const late = events.map((event) => (event.type === 'run-end' ? { ...event, at: event.at + 2500 } : event));
  expect(logOf(late, 0).at(-1)).toBe('run r1 answered: desk, after 2.5 s');
});

test('a run that is taken up goes on, and says so once', () => {
  const { events } = journalByHand('desk').ask('0.0').reply('0.0', 'yes').over();
  expect(logOf(events, 2)).toEqual(['run r1 goes on: desk', 'run r1 answered: desk, after 0.0 s']);
});

test('a run that fails says with which fault', () => {
  const { events } = journalByHand('desk').over(brokenOutcome(overloaded));
  expect(logOf(events, 0).at(-1)).toBe('run r1 failed: desk, after 0.0 s: model/server');
});
