import { expect, test } from 'vitest';
import { call, journalByHand } from '../../../test/support/events.ts';
import { fault } from '../../kernel/fault.ts';
import { brokenOutcome } from '../../kernel/outcome.ts';
import { progressLines } from './progress-lines.ts';

const linesOf = (book: ReturnType<typeof journalByHand>): readonly string[] => {
  const lineOf = progressLines();
  return book.events.flatMap((event) => lineOf(event) ?? []).slice(1);
};

test('spawned runs are told by their labels: when they are spawned, wait, start, end or are skipped', () => {
  const book = journalByHand('editor');
  const orders = (...labels: readonly string[]) => ({
    session: '0',
    orders: labels.map((label) => ({ label, agent: 'reporter', after: [] })),
  });
  const receipts = (...runs: readonly string[]) => ({
    group: 'g',
    receipts: runs.map((run) => ({ status: 'accepted', run, sessionKey: '' })),
  });
  book.instant('0.2', 'spawn', orders('ferry', 'mill'), receipts('a', 'b'));
  book.instant('0.3', 'spawn', orders('piece'), receipts('c'));
  book.awaits('0.3.0.0', { runs: ['a', 'b'], by: 'c' });
  book.run('0.2.0.1', 'reporter', { kind: 'spawn', spawned: 'a' }, 'What became\nof it?').runEnds('0.2.0.1');
  book.awaits('0.4', { runs: ['c'] });
  const end = brokenOutcome(fault('spawn/dependency', 'Skipped: mill failed.'));
  book.instant('0.3.0.1', 'announce', { run: 'c', to: '0', text: '', end }, null);
  expect(linesOf(book)).toEqual([
    'spawned ferry, mill (reporter)',
    'spawned piece (reporter)',
    'piece waits for ferry, mill',
    'reporter ferry started: What became of it?',
    'reporter ferry answered (10ms)',
    'waits for piece',
    'piece skipped: Skipped: mill failed.',
  ]);
});

test('judges and items are told with their place, and a judge with what it found', () => {
  const book = journalByHand('lead').ask('0.1').reply('0.1', 'one');
  const judge = { kind: 'judge', round: 0, of: 3 } as const;
  const verdict = { kind: 'answered', text: '', data: { good: false, why: 'Too\nshort.' } } as const;
  book.run('0.2', 'critic', judge).runEnds('0.2', verdict);
  book.run('0.3.0.1', 'writer', { kind: 'each', index: 1, count: 20 });
  expect(linesOf(book).slice(1)).toEqual([
    'critic started (judge, round 1 of 3)',
    'critic: not good (10ms): Too short.',
    'writer started (each, item 2 of 20)',
  ]);
});

test('a denied approval is told with the reason', () => {
  const book = journalByHand().signal('0.1', 'lead wants to call wipe');
  book.signalEnds('0.1', { approved: false, note: 'Not today.' });
  expect(linesOf(book)).toEqual(['waiting for a person: lead wants to call wipe', 'denied: Not today.']);
});

test('a call that was not made has a line, before that of what follows it', () => {
  const lineOf = progressLines();
  const book = journalByHand()
    .ask('0.1')
    .reply('0.1', '', [call('a', 'nosuch')]);
  const result = { status: 'error', text: 'There is no tool\nnamed nosuch.' } as const;
  book.ask('0.3', {
    turn: 2,
    added: [
      { role: 'assistant', op: '0.1' },
      { role: 'tool', call: 'a', name: 'nosuch', result },
    ],
  });
  expect(book.events.map(lineOf).at(-1)?.split('\n')[0]).toBe(
    'lead called nosuch, refused: There is no tool named nosuch.',
  );
});
