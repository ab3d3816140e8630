import { expect, test } from 'vitest';
import { call, journalByHand } from '../../../test/support/events.ts';
import { fault } from '../../kernel/fault.ts';
import { limitWords } from '../limit-words.ts';
import { nodeLimit } from './node-limit.ts';
import { opTree } from './op-tree.ts';

const spent = fault('turns/exhausted', 'It spent its turns.');

test('a run that spent its turns says how many its session had', () => {
  const book = journalByHand().ask('0.1').reply('0.1', '').ask('0.2', { turn: 2 }).reply('0.2', '');
  book.add({ type: 'run-end', outcome: { kind: 'exhausted', agent: 'clerk', fault: spent } });
  const limit = nodeLimit(opTree(book.events));
  expect(limit && limitWords(limit)).toBe('2 of 2 turns');
});

test('a limit is said at the agent that reached it, and not at those above', () => {
  const book = journalByHand().ask('0.1').reply('0.1', '').tool('0.2', call('a', 'read'));
  book.add({ type: 'run-end', outcome: { kind: 'exhausted', agent: 'other', fault: { ...spent, stage: 'other' } } });
  expect(nodeLimit(opTree(book.events))).toBeUndefined();
});
