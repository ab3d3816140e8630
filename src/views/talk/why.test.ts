// The way of an answer back to its request: run on the journals of the examples' patterns, written by hand.

import { expect, test } from 'vitest';
import { call, journalByHand } from '../../../test/support/events.ts';
import { user } from '../../kernel/message.ts';
import { ASK_PERSON_ADDRESS } from '../../kernel/person.ts';
import { ProvenanceFold } from './provenance.ts';
import { type Why, WhyFold } from './why.ts';

const folded = (events: ReturnType<typeof journalByHand>['events']) => {
  const fold = new WhyFold();
  for (const event of events) fold.add(event);
  return fold;
};

/** One line for each step, one indented for each thing that it was told. */
const drawn = ({ steps, agent, request }: Why): string[] => [
  ...steps.flatMap(({ op, agent: who, does, to, text, beside }) => [
    `${who} ${does}${to === undefined ? '' : ` → ${to}`} ${op}: ${text}`,
    ...beside.map((part) => `  ${part.how} ${part.name} ${part.op}: ${part.text}`),
  ]),
  `asked ${agent}: ${request}`,
];

const results = (op: string, id: string, name: string) =>
  [
    { role: 'assistant', op },
    { role: 'tool', call: id, name, op: `${op}x` },
  ] as const;

test('a stage leads back over the one before it, and an agent in a loop was told what its judge found', () => {
  const verdict = {
    kind: 'answered',
    text: '{"good":false,"why":"Short."}',
    data: { good: false, why: 'Short.' },
  } as const;
  const book = journalByHand('lead')
    .ask('0.1')
    .reply('0.1', 'one')
    .run('0.2', 'critic', { kind: 'judge', round: 0, of: 2 })
    .runEnds('0.2', verdict)
    .ask('0.3', { turn: 2 })
    .reply('0.3', 'two')
    .run('0.4', 'draft', { kind: 'next', chainParent: 'agent__lead' })
    .ask('0.4.1', { session: '0.4', agent: 'draft' })
    .reply('0.4.1', 'drafted')
    .runEnds('0.4', { kind: 'answered', text: 'drafted' })
    .run('0.5', 'press', { kind: 'next', chainParent: 'agent__draft' })
    .ask('0.5.1', { session: '0.5', agent: 'press' })
    .reply('0.5.1', 'printed')
    .runEnds('0.5', { kind: 'answered', text: 'printed' })
    .over({ kind: 'answered', text: 'printed' });
  expect(drawn(folded(book.events).why())).toEqual([
    'press answers 0.5.1: printed',
    'draft decides → press 0.4.1: drafted',
    'lead decides → draft 0.3: two',
    '  result critic 0.2: {"good":false,"why":"Short."}',
    expect.stringMatching(/^asked lead: /),
  ]);
});

test('a routed answer leads back over the router and its advisors to the request', () => {
  const book = journalByHand('desk')
    .run('0.1.0.0', 'risk', { kind: 'advisor' })
    .ask('0.1.0.0.1', { session: '0.1.0.0', agent: 'risk' })
    .reply('0.1.0.0.1', 'Low.')
    .runEnds('0.1.0.0', { kind: 'answered', text: 'Low.' })
    .ask('0.3')
    .reply('0.3', '', [call('r', 'handoff-to', { agent: 'refunds', message: 'Rule 1.' })])
    .run('0.4', 'refunds', { kind: 'router' })
    .ask('0.4.1', { session: '0.4', agent: 'refunds' })
    .reply('0.4.1', '', [call('a', 'read_file', { path: '17.json' })])
    .tool('0.4.1x', call('a', 'read_file', { path: '17.json' }))
    .toolEnds('0.4.1x', 'paid')
    .ask('0.4.4', { session: '0.4', agent: 'refunds', turn: 2, added: results('0.4.1', 'a', 'read_file') })
    .reply('0.4.4', '', [call('f', 'final_report', { amount: '1' })])
    .ask('0.4.6', {
      session: '0.4',
      agent: 'refunds',
      turn: 3,
      added: [
        { role: 'assistant', op: '0.4.4' },
        { role: 'tool', call: 'f', name: 'final_report', result: { status: 'error', text: '$.amount must be number' } },
      ],
    })
    .reply('0.4.6', '', [call('g', 'final_report', { amount: 1 })])
    .run('0.4.7', 'pay', { kind: 'next' })
    .ask('0.4.7.1', { session: '0.4.7', agent: 'pay' })
    .reply('0.4.7.1', 'Paid back.')
    .runEnds('0.4.7', { kind: 'answered', text: 'Paid back.' })
    .runEnds('0.4', { kind: 'answered', text: 'Paid back.' })
    .over({ kind: 'answered', text: 'Paid back.' });
  expect(drawn(folded(book.events).why())).toEqual([
    'pay answers 0.4.7.1: Paid back.',
    'refunds decides → pay 0.4.6: {"amount":1}',
    '  result read_file 0.4.1x: paid',
    '  sent-back refunds 0.4.4: final_report: $.amount must be number',
    'desk routes → refunds 0.3: Rule 1.',
    '  advised risk 0.1.0.0: Low.',
    expect.stringMatching(/^asked desk: /),
  ]);
});

test('an item of a map is a part of the answer of the agent that made the list', () => {
  const { events } = journalByHand()
    .ask('0.0')
    .reply('0.0', '["bread"]')
    .run('0.1.0.0', 'reader', { kind: 'each', index: 0, count: 1 }, 'bread')
    .ask('0.1.0.0.0', { session: '0.1.0.0', agent: 'reader' });
  const fold = new ProvenanceFold();
  for (const event of events) fold.add(event);
  expect(fold.told('0.1.0.0.0')).toEqual([{ how: 'asked', op: '0.0' }]);
  expect(fold.went('0.0')).toMatchObject([{ how: 'input', op: '0.1.0.0' }]);
});

test('a delegate is asked by the turn that called it, and its answer is told in the next', () => {
  const book = journalByHand()
    .ask('0.1')
    .reply('0.1', '', [call('a', 'agent__helper', { prompt: 'look' })])
    .run('0.2.0', 'helper', { kind: 'call' })
    .ask('0.2.0.1', { session: '0.2.0', agent: 'helper' })
    .reply('0.2.0.1', 'found')
    .runEnds('0.2.0', { kind: 'answered', text: 'found' })
    .ask('0.3', { turn: 2, added: [{ role: 'assistant', op: '0.1' }, user('x')] })
    .reply('0.3', 'done')
    .over();
  const { provenance, why } = folded(book.events);
  expect(drawn(why())).toEqual([
    'lead answers 0.3: done',
    '  result helper 0.2.0: found',
    expect.stringMatching(/^asked lead/),
  ]);
  expect(drawn(why('0.2.0.1')).slice(0, 2)).toEqual([
    'helper decides 0.2.0.1: found',
    'lead asks → helper 0.1: {"prompt":"look"}',
  ]);
  expect(provenance.went('0.2.0.1')).toEqual([{ how: 'answer', op: '0.2.0', at: expect.any(Number) }]);
  expect(provenance.went('0.1')).toEqual([{ how: 'input', op: '0.2.0', at: expect.any(Number) }]);
  expect(provenance.went('0.2.0')).toEqual([{ how: 'turn', op: '0.3', at: expect.any(Number) }]);
});

test('a call that a person denied is told to the next turn, with by whom and why, and one of the last reply to that', () => {
  const edit = (id: string, path: string) => call(id, 'edit_file', { path });
  const denied = (op: string, id: string, path: string, verdict: { by?: string; note?: string }) =>
    book.signal(op, 'lead wants to call edit_file', edit(id, path)).signalEnds(op, { approved: false, ...verdict });
  const book = journalByHand()
    .ask('0.1')
    .reply('0.1', '', [edit('a', 'a.txt'), edit('b', 'b.txt')]);
  denied('0.2.0', 'a', 'a.txt', { by: 'ada', note: 'Not that one.' });
  book.signal('0.2.1', 'lead wants to call edit_file', edit('b', 'b.txt')).signalEnds('0.2.1', { approved: true });
  book
    .tool('0.2.1.1', edit('b', 'b.txt'))
    .toolEnds('0.2.1.1', 'written')
    .ask('0.3', {
      turn: 2,
      added: results('0.1', 'b', 'edit_file').map((one) => ({ ...one, op: one.op.replace('0.1x', '0.2.1.1') })),
    })
    .reply('0.3', '', [edit('c', 'c.txt')]);
  denied('0.4', 'c', 'c.txt', { by: 'ben' });
  const question = { ...call('q', 'ask_person', { question: 'May I?' }), source: ASK_PERSON_ADDRESS };
  book.signal('0.5', 'lead asks: May I?', question).signalEnds('0.5', { approved: false, note: 'No time.' });
  const until = drawn(folded(book.events).why('0.3'));
  expect(until).toEqual([
    'lead decides 0.3: {"path":"c.txt"}',
    '  denied edit_file 0.2.0: by ada: Not that one.',
    '  result edit_file 0.2.1.1: written',
    '  denied edit_file 0.4: by ben',
    expect.stringMatching(/^asked lead/),
  ]);
  book.ask('0.6', { turn: 3 }).reply('0.6', 'done').over();
  const why = drawn(folded(book.events).why());
  expect(why.filter((line) => line.includes('denied'))).toEqual([
    '  denied edit_file 0.2.0: by ada: Not that one.',
    '  denied edit_file 0.4: by ben',
  ]);
  expect(why[0]).toBe('lead answers 0.6: done');
});

test('a broadcast is told to the turn after the take that heard it', () => {
  const saying = { type: 'update', memberId: 'ann', message: 'ready', turnCount: 1 } as const;
  const book = journalByHand()
    .run('0.0.0', 'ann', { kind: 'member' })
    .ask('0.0.0.1', { session: '0.0.0', agent: 'ann' })
    .reply('0.0.0.1', '', [call('a', 'team_broadcast', { message: 'ready' })])
    .instant('0.0.0.2', 'post', { channel: '0', saying }, { ...saying, number: 1, timestamp: 5 })
    .runEnds('0.0.0')
    .instant(
      '0.1',
      'take',
      { inbox: { session: '0', channel: '0', as: 'lead' } },
      {
        messages: [user('hello')],
        broadcasts: [{ ...saying, number: 1, timestamp: 5 }],
      },
    )
    .ask('0.2')
    .reply('0.2', 'go')
    .over();
  const fold = new ProvenanceFold();
  for (const event of book.events) fold.add(event);
  expect(fold.told('0.2')).toEqual([
    { how: 'request', op: '0' },
    { how: 'broadcast', op: '0.0.0.2', take: '0.1' },
    { how: 'message', op: '0.1', text: 'hello', take: '0.1' },
  ]);
  expect(fold.went('0.0.0.1').map(({ how, op }) => [how, op])).toEqual([
    ['answer', '0.0.0'],
    ['inbox', '0.1'],
  ]);
  expect(fold.turnOf('0.0.0.2')).toBe('0.0.0.1');
});
