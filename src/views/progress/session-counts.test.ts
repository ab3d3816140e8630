import { expect, test } from 'vitest';
import { fault } from '../../kernel/fault.ts';
import { type Activity, waitingFor } from './activity.ts';
import { countSessions, countWords, isAtWork, isOpen } from './session-counts.ts';

const failed = fault('timeout', 'too long');

const ALL: readonly Activity[] = [
  { kind: 'thinking' },
  { kind: 'calling', tools: ['read_file'] },
  waitingFor('others', ['desk']),
  waitingFor('queue'),
  waitingFor('slot'),
  { kind: 'waiting', for: 'person', asks: 'edit_file' },
  { kind: 'done', outcome: 'answered' },
  { kind: 'done', outcome: 'answered', waits: 'still' },
  { kind: 'done', outcome: 'answered', waits: 'to-the-end' },
  { kind: 'failed', outcome: 'timed-out', fault: failed },
  { kind: 'failed', outcome: 'failed', fault: failed },
  { kind: 'failed', outcome: 'cancelled', fault: failed },
  { kind: 'failed', outcome: 'skipped', fault: failed },
];
const sessions = ALL.map((activity) => ({ activity }));

test('only who thinks, writes or calls is at work; queued and waiting are counted apart', () => {
  expect(sessions.filter(isAtWork)).toHaveLength(2);
  expect(sessions.filter(isOpen)).toHaveLength(7);
});

test('failures are said first, plain counts last', () => {
  expect(countWords(countSessions(sessions))).toEqual([
    '1 failed',
    '1 timed-out',
    '1 asks you',
    '2 at work',
    '2 queued',
    '2 wait',
    '1 answered',
    '1 waited to the end',
    '1 cancelled',
    '1 skipped',
  ]);
  expect(countWords(countSessions([]))).toEqual([]);
});
