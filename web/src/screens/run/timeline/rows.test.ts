// The rows of the timeline, by the rules at the top of rows.ts.

import { expect, test } from 'vitest';
import { fault } from '../../../../../src/kernel/fault.ts';
import { brokenOutcome } from '../../../../../src/kernel/outcome.ts';
import { OpTreeFold, opTree } from '../../../../../src/views/tree/op-tree.ts';
import { call, journalByHand } from '../../../../../test/support/events.ts';
import { keptRows, type Level, type Row, type RowOptions, rowsOf } from './rows.ts';

type Book = ReturnType<typeof journalByHand>;

const rows = (book: Book, options: Partial<RowOptions> = {}): readonly Row[] =>
  rowsOf(opTree(book.events, { live: true }), { level: 'turns', byHand: new Map(), instants: false, ...options });

/** `  turn 0.1 -`: depth, kind, path, and how it stands: + open, > closed, - leaf. */
const drawn = (found: readonly Row[]): string[] =>
  found.map(
    ({ depth, kind, key, open }) =>
      `${'  '.repeat(depth)}${kind} ${key} ${{ open: '+', closed: '>', leaf: '-' }[open]}`,
  );

const delegated = (): Book =>
  journalByHand()
    .ask('0.1')
    .reply('0.1', '', [call('a', 'agent__helper'), call('b', 'read')])
    .run('0.2.0', 'helper')
    .ask('0.2.0.1', { session: '0.2.0', agent: 'helper' })
    .reply('0.2.0.1', 'found')
    .runEnds('0.2.0')
    .tool('0.2.1', call('b', 'read'))
    .toolEnds('0.2.1', 'text')
    .instant('0.3', 'take', { inbox: { session: '0' } }, { messages: [] })
    .ask('0.4', { turn: 2 })
    .reply('0.4', 'done')
    .over();

test.each<readonly [Level, readonly string[]]>([
  ['agents', ['agent 0 >', '  agent 0.2.0 >']],
  ['turns', ['agent 0 +', '  turn 0.1 >', '    agent 0.2.0 +', '      turn 0.2.0.1 -', '  turn 0.4 -']],
  ['ops', ['agent 0 +', '  turn 0.1 +', '    agent 0.2.0 +', '      turn 0.2.0.1 -', '    op 0.2.1 -', '  turn 0.4 -']],
])('the level %s says how much is open (ROW-1, ROW-3)', (level, expected) => {
  expect(drawn(rows(delegated(), { level }))).toEqual(expected);
});

test('a row that was opened or closed by hand stays so', () => {
  const opened = new Map([['0.1', true]]);
  expect(drawn(rows(delegated(), { byHand: opened }))).toContain('    op 0.2.1 -');
  expect(drawn(rows(delegated(), { byHand: new Map([['0', false]]) }))).toEqual(['agent 0 >']);
});

test('instants are rows when they are asked for (ROW-4)', () => {
  expect(drawn(rows(delegated(), { level: 'ops', instants: true }))).toContain('  instant 0.3 -');
});

test('a selected op has a row, and all above it, whatever the level', () => {
  expect(drawn(rows(delegated(), { level: 'agents', shown: '0.2.1' }))).toEqual([
    'agent 0 >',
    '  turn 0.1 +',
    '    agent 0.2.0 >',
    '    op 0.2.1 -',
  ]);
});

function spawning(count: number, fails?: number): Book {
  const book = journalByHand()
    .ask('0.1')
    .reply('0.1', '', [call('a', 'sessions_spawn')]);
  const orders = Array.from({ length: count }, (_, index) => ({
    label: `note-${index}`,
    agent: 'reporter',
    after: [],
  }));
  const receipts = orders.map(({ label }) => ({ status: 'accepted', run: `r~${label}`, sessionKey: '' }));
  book.instant('0.2', 'spawn', { session: '0', orders }, { group: 'g', receipts });
  for (const [index, { label }] of orders.entries()) {
    book.instant(`0.2.${index}.0`, 'begin', { run: `r~${label}` }, { began: true });
    book.run(`0.2.${index}.1`, 'reporter', { kind: 'spawn', spawned: `r~${label}` });
    book.runEnds(
      `0.2.${index}.1`,
      index === fails ? brokenOutcome(fault('timeout', 'late')) : { kind: 'answered', text: '' },
    );
  }
  return book.ask('0.3', { turn: 2 }).reply('0.3', 'done').over();
}

test('spawned runs hang below the run that spawned them, in the order of spawning (ROW-2)', () => {
  expect(drawn(rows(spawning(2)))).toEqual([
    'agent 0 +',
    '  turn 0.1 -',
    '  agent 0.2.0.1 -',
    '  agent 0.2.1.1 -',
    '  turn 0.3 -',
  ]);
});

test('very many runs of one agent are one row, with those that failed by name (ROW-5)', () => {
  const found = rows(spawning(14, 5));
  expect(drawn(found)).toEqual([
    'agent 0 +',
    '  turn 0.1 -',
    '  group group 0.2.0.1 >',
    '    agent 0.2.5.1 -',
    '  turn 0.3 -',
  ]);
  expect(found[2]?.group).toHaveLength(14);
  const opened = rows(spawning(14), { byHand: new Map([['group 0.2.0.1', true]]) });
  expect(opened.filter(({ kind }) => kind === 'agent')).toHaveLength(15);
});

test('at the level of agents a further message continues the row of its session (ROW-3)', () => {
  const seat = { team: 'lead', channel: '0', role: 'member', memberId: 'ann' } as const;
  const book = journalByHand();
  book
    .run('0.0', 'ann', { kind: 'member' })
    .ask('0.0.1', { session: '0.0', agent: 'ann' })
    .reply('0.0.1', 'one')
    .runEnds('0.0');
  book.ask('0.1').reply('0.1', 'go on');
  book.add({ type: 'op-start', path: '0.2', op: { kind: 'say', session: '0.0', text: '', seat } });
  book.ask('0.2.1', { session: '0.0', agent: 'ann', turn: 2 }).reply('0.2.1', 'two');
  book.add({
    type: 'op-end',
    path: '0.2',
    kind: 'say',
    result: { ok: true, value: { kind: 'answered', text: 'two' } },
  });
  const found = rows(book, { level: 'agents' });
  expect(drawn(found)).toEqual(['agent 0 >', '  agent 0.0 >']);
  expect(found[1]?.totals?.calls).toBe(2);
  expect(found[1]?.endedAt).toBe(book.events.at(-1)?.at);
  // A message to another is no work of its sender, at no level.
  expect(found[0]?.hidden.map(({ path }) => path)).toEqual(['0.1', '0.2']);
  expect(drawn(rows(book))).toEqual([
    'agent 0 +',
    '  agent 0.0 +',
    '    turn 0.0.1 -',
    '  turn 0.1 -',
    '  say 0.2 +',
    '    turn 0.2.1 -',
  ]);
});

test('agents have the figures of all below, turns those of their call, tools none (ROW-6)', () => {
  const calls = rows(delegated(), { level: 'ops' }).map(({ kind, totals }) => [kind, totals?.calls]);
  expect(calls).toEqual([
    ['agent', 3],
    ['turn', 1],
    ['agent', 1],
    ['turn', 1],
    ['op', undefined],
    ['turn', 1],
  ]);
});

test('rows of which nothing has changed are the same objects as before (ROW-7)', () => {
  const [one, two] = [call('a', 'read'), call('b', 'read')];
  const book = journalByHand().ask('0.1').reply('0.1', '', [one]).tool('0.2', one).toolEnds('0.2', 'x');
  book.ask('0.3', { turn: 2 }).reply('0.3', '', [two]).tool('0.4', two);
  const fold = new OpTreeFold();
  for (const event of book.events) fold.add(event);
  const options = { level: 'ops', byHand: new Map(), instants: false } as const;
  const before = rowsOf(fold.tree(), options);
  const seen = book.events.length;
  book.toolEnds('0.4', 'y');
  for (const event of book.events.slice(seen)) fold.add(event);
  const after = keptRows(rowsOf(fold.tree(), options), before);
  expect(after.map((row) => [row.key, before.includes(row)])).toEqual([
    ['0', false],
    ['0.1', true],
    ['0.2', true],
    ['0.3', false],
    ['0.4', false],
  ]);
});

test('a call that was refused is a row at every level, under the session that made it (ROW-8)', () => {
  const result = { status: 'error', text: 'There is no tool named x.' } as const;
  const book = journalByHand()
    .ask('0.1')
    .reply('0.1', '', [call('a', 'read'), call('b', 'x')])
    .tool('0.2.0', call('a', 'read'))
    .toolEnds('0.2.0', 'text')
    .ask('0.4', {
      turn: 2,
      added: [
        { role: 'tool', call: 'a', name: 'read', op: '0.2.0' },
        { role: 'tool', call: 'b', name: 'x', result },
      ],
    })
    .reply('0.4', 'done')
    .over();
  expect(drawn(rows(book, { level: 'agents' }))).toEqual(['agent 0 >', '  op 0.1.1 -']);
  expect(drawn(rows(book, { level: 'turns' }))).toEqual([
    'agent 0 +',
    '  turn 0.1 >',
    '    op 0.1.1 -',
    '  turn 0.4 -',
  ]);
  expect(rows(book, { level: 'agents' })[1]?.node).toMatchObject({
    state: 'refused',
    why: 'There is no tool named x.',
  });
});
