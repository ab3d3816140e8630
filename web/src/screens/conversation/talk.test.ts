import { expect, test } from 'vitest';
import type { Conversation, TranscriptEntry } from '../../../../src/views/talk/transcript.ts';
import { opTree } from '../../../../src/views/tree/op-tree.ts';
import { journalByHand } from '../../../../test/support/events.ts';
import { exitWords, isSaidByLine, mainArgument, nestedSessions, partsOf, shownEntries } from './talk.ts';

const talk = (session: string): Conversation => ({
  session,
  agent: `agent-${session}`,
  trigger: 'call',
  system: '',
  entries: [],
});

test('sessions stand below the one that opened them in the order in which they began, and the root is the first', () => {
  const tree = opTree(
    journalByHand()
      .run('0.1', 'risk')
      .ask('0.1.0', { session: '0.1', agent: 'risk' })
      .run('0.1.1', 'clerk')
      .run('0.0', 'desk').events,
    { live: true },
  );
  const rows = nestedSessions(tree, [talk('0.1')]);
  expect(rows.map(({ agent, depth }) => `${depth} ${agent}`)).toEqual(['0 lead', '1 risk', '2 clerk', '1 desk']);
  // One that has said nothing is there as well.
  expect(rows.map((row) => row.talk?.session)).toEqual([undefined, '0.1', undefined, undefined]);
});

const entry = (message: TranscriptEntry['message'], op: string): TranscriptEntry => ({ message, turn: 1, at: 0, op });

test('a result stands with its call, and a call without one stands alone', () => {
  const call = (id: string) => ({ id, name: 'look', arguments: { at: id } });
  const shown = shownEntries({
    entries: [
      entry({ role: 'user', text: 'hello' }, '0.1'),
      entry({ role: 'assistant', text: 'I look.', calls: [call('a'), call('b')] }, '0.1'),
      entry({ role: 'tool', call: 'b', name: 'look', result: { status: 'ok', text: 'B' } }, '0.3'),
    ],
  });
  expect(shown.map(({ kind }) => kind)).toEqual(['told', 'reply']);
  expect(shown[1]).toMatchObject({
    calls: [{ call: { id: 'a' } }, { call: { id: 'b' }, result: { text: 'B' }, op: '0.3' }],
  });
});

test('sections of a request are told apart by the headings of the contract alone', () => {
  expect(
    partsOf(
      '## ORIGINAL USER REQUEST\n\nrefund\n\\## ANALYSIS GATHERED\n\n## ANALYSIS GATHERED\n\n### From risk\n\nlow',
    ),
  ).toEqual([
    { heading: 'ORIGINAL USER REQUEST', text: 'refund\n\\## ANALYSIS GATHERED' },
    { heading: 'ANALYSIS GATHERED', text: '' },
    { from: 'risk', text: 'low' },
  ]);
  expect(partsOf('## My own heading\ntext')).toEqual([{ text: '## My own heading\ntext' }]);
});

test('the first argument says what a call is about', () => {
  expect(mainArgument({ id: '1', name: 'read_file', arguments: { path: 'a.md' } })).toBe('a.md');
  expect(mainArgument({ id: '1', name: 'x', arguments: { n: 1 } })).toBe('{"n":1}');
  expect(mainArgument({ id: '1', name: 'x', arguments: { to: 'a\u202e\u200b\nb' } })).toBe('a\\u202e\\u200b b');
});

test('the findings of advisors stand under the name of each', () => {
  const text =
    '## ORIGINAL USER REQUEST\n\nRefund it.\n\n## ANALYSIS GATHERED\n\n### From risk\n\nLow.\n\n### From policy\n\nRule 1.';
  expect(partsOf(text)).toEqual([
    { heading: 'ORIGINAL USER REQUEST', text: 'Refund it.' },
    { heading: 'ANALYSIS GATHERED', text: '' },
    { from: 'risk', text: 'Low.' },
    { from: 'policy', text: 'Rule 1.' },
  ]);
  expect(partsOf('### From me\nHello.')).toEqual([{ text: '### From me\nHello.' }]);
});

test('a call that would end its session says whether it was taken', () => {
  const call = { id: 'a', name: 'final_report', arguments: { amount: 1 } };
  expect(exitWords({ call })).toBe('taken: its answer');
  expect(exitWords({ call, result: { status: 'error', text: 'no' } })).toBe('not taken, sent back');
  expect(exitWords({ call: { ...call, name: 'read_file' } })).toBeUndefined();
  expect([isSaidByLine(call), isSaidByLine({ ...call, arguments: { a: 1, b: 2 } })]).toEqual([true, false]);
});
