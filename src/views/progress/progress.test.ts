import { expect, test } from 'vitest';
import { answer, call, journalByHand, overloaded } from '../../../test/support/events.ts';
import { fault } from '../../kernel/fault.ts';
import { brokenOutcome } from '../../kernel/outcome.ts';
import { doingNow, sessionName } from './doing-now.ts';
import { progressFold, SNIPPET } from './progress.ts';

const follow = (book: ReturnType<typeof journalByHand>) => {
  const fold = progressFold();
  let seen = 0;
  const now = () => {
    for (; seen < book.events.length; seen++) fold.add(book.events[seen] as (typeof book.events)[number]);
    return fold.now();
  };
  const { add, delta, waiting, waited } = fold;
  return { add, delta, waiting, waited, now };
};

test('a session thinks, calls tools, waits for children and is done', () => {
  const book = journalByHand();
  const { now } = follow(book);
  const activity = () => now().sessions[0]?.activity;
  expect(activity()).toEqual({ kind: 'thinking' });
  book.ask('0.0');
  expect(activity()).toEqual({ kind: 'thinking' });
  book.reply('0.0', '', [call('a', 'read'), call('b', 'list')]);
  book.tool('0.1.0.0', call('a', 'read')).tool('0.1.1.0', call('b', 'list')).run('0.1.2.0', 'helper');
  expect(activity()).toEqual({ kind: 'calling', tools: ['read', 'list'] });
  book.toolEnds('0.1.0.0', 'x').toolEnds('0.1.1.0', 'y');
  expect(activity()).toEqual({ kind: 'waiting', for: 'others', names: ['helper'] });
  book.signal('0.1.3.0', 'May I?');
  expect(activity()).toEqual({ kind: 'waiting', for: 'person', asks: 'May I?' });
  book.over();
  expect(activity()).toEqual({ kind: 'done', outcome: 'answered' });
  expect(now()).toMatchObject({ run: 'r1', outcome: 'answered', totals: { calls: 1, usd: 0.5 } });
});

test('sessions stand in tree order with their depth, turn, tokens and cost', () => {
  const book = journalByHand()
    .ask('0.0')
    .reply('0.0', '')
    .run('0.1.10', 'late')
    .run('0.1.9', 'early')
    .ask('0.1.9.0', { session: '0.1.9', agent: 'early', turn: 3 })
    .reply('0.1.9.0', '')
    .runEnds('0.1.9', brokenOutcome(overloaded));
  const { sessions } = follow(book).now();
  expect(sessions.map(({ agent, depth, turn }) => [agent, depth, turn])).toEqual([
    ['lead', 0, 1],
    ['early', 1, 3],
    ['late', 1, 0],
  ]);
  expect(sessions[1]).toMatchObject({
    activity: { kind: 'failed', outcome: 'failed', fault: overloaded },
    totals: { input: 100, output: 20, usd: 0.5 },
    startedAt: 1040,
    endedAt: 1070,
  });
});

test('an agent that maps says how many of its items have an answer, and its items their places', () => {
  const book = journalByHand().ask('0.0').reply('0.0', '');
  const { now } = follow(book);
  const rows = () => now().sessions.map((session) => [sessionName(session), doingNow(session)]);
  const each = (index: number) => ({ kind: 'each', index, count: 20 }) as const;
  for (let index = 0; index < 4; index++) book.run(`0.1.${index}.0`, 'writer', each(index));
  book.runEnds('0.1.0.0', answer('done')).runEnds('0.1.1.0', brokenOutcome(overloaded));
  expect(rows().slice(0, 3)).toEqual([
    ['lead', '1 of 20 items, 2 at work, 1 failed'],
    ['writer item 1 of 20', 'answered'],
    ['writer item 2 of 20', expect.stringContaining('failed')],
  ]);
  book.runEnds('0.1.2.0', answer('done')).runEnds('0.1.3.0', answer('done')).run('0.2', 'editor');
  expect(rows()[0]).toEqual(['lead', 'waits for editor, 3 of 20 items, 1 failed']);
});

test('an agent that is repeated says in which round it is, and its judges say what they found', () => {
  const book = journalByHand().ask('0.1').reply('0.1', 'one');
  const { now } = follow(book);
  const rows = () => now().sessions.map((session) => [sessionName(session), doingNow(session)]);
  const judges = (path: string, round: number, good: boolean) =>
    book
      .run(path, 'critic', { kind: 'judge', round, of: 3 })
      .runEnds(path, { kind: 'answered', text: '', data: { good, why: 'Too short.' } });
  book.run('0.2', 'critic', { kind: 'judge', round: 0, of: 3 });
  expect(rows()).toEqual([
    ['lead', 'waits for critic'],
    ['critic round 1 of 3', 'thinks'],
  ]);
  judges('0.2', 0, false).ask('0.3', { turn: 2 });
  expect(rows()).toEqual([
    ['lead', 'thinks, round 2 of 3'],
    ['critic round 1 of 3', 'not good: Too short.'],
  ]);
  judges('0.4', 1, true);
  book.over(answer('one'));
  expect(rows()).toEqual([
    ['lead', 'answered, 2 rounds'],
    ['critic round 1 of 3', 'not good: Too short.'],
    ['critic round 2 of 3', 'good'],
  ]);
});

test('the snippet is the end of what is being written, and starts again each turn', () => {
  const book = journalByHand().ask('0.0');
  const { now, delta } = follow(book);
  now();
  delta('0.0', 'Hel');
  delta('0.0', 'lo');
  expect(now().sessions[0]?.snippet).toBe('Hello');
  delta('0', 'x'.repeat(1000));
  expect(now().sessions[0]?.snippet).toBe('x'.repeat(SNIPPET));
  book.reply('0.0', '').ask('0.1', { turn: 2 });
  expect(now().sessions[0]?.snippet).toBe('');
  delta('9.9', 'to nobody');
});

test('retries are counted, giving up is not one', () => {
  const book = journalByHand()
    .ask('0.0')
    .attempt('0.0', 1, { kind: 'retry', delayMs: 1 })
    .attempt('0.0', 2, { kind: 'failover', to: 'acme/large' })
    .attempt('0.0', 3, { kind: 'give-up' });
  expect(follow(book).now().sessions[0]).toMatchObject({ retries: 2, totals: { calls: 3 } });
});

test('a session that is asked again works again, and its parent waits', () => {
  const book = journalByHand().run('0.0', 'helper').runEnds('0.0');
  const { now } = follow(book);
  expect(now().sessions[1]?.activity).toEqual({ kind: 'done', outcome: 'answered' });
  book.say('0.1', '0.0', 'sure?').ask('0.1.0', { session: '0.0', agent: 'helper', turn: 2 });
  expect(now().sessions.map(({ activity }) => activity.kind)).toEqual(['waiting', 'thinking']);
  expect(now().sessions[1]).toMatchObject({ turn: 2 });
  expect(now().sessions[1]).not.toHaveProperty('endedAt');
  book.reply('0.1.0', 'yes').sayEnds('0.1');
  expect(now().sessions.map(({ activity }) => activity.kind)).toEqual(['thinking', 'done']);
});

test('a call that was out when a process died is not under way after the resume', () => {
  const book = journalByHand().ask('0.0').reply('0.0', '').tool('0.1', call('a', 'read'));
  const { now } = follow(book);
  expect(now().sessions[0]?.activity.kind).toBe('calling');
  book.resume();
  expect(now().sessions[0]?.activity.kind).toBe('thinking');
});

test('lines of sessions that did not change are the same as before', () => {
  const book = journalByHand().run('0.0', 'helper').run('0.1', 'other');
  const { now } = follow(book);
  const before = now().sessions;
  book.ask('0.1.0', { session: '0.1', agent: 'other' });
  const after = now().sessions;
  expect(after.map((line, index) => line === before[index])).toEqual([true, true, false]);
});

const spawns = (labels: readonly string[], after: readonly string[] = []) => ({
  session: '0',
  orders: labels.map((label) => ({ label, agent: 'reporter', after })),
  limits: { maxDepth: 3, maxChildren: 5, maxTotal: 50, maxConcurrent: 1 },
});
const receipts = (...runs: readonly string[]) => ({
  group: 'g',
  receipts: runs.map((run) => ({ status: 'accepted', run, sessionKey: '' })),
});

test('a spawned run is shown from acceptance on: queued, waiting for others by their labels, then at work on its task', () => {
  const book = journalByHand('editor').ask('0.1').reply('0.1', '', []);
  book.instant('0.2', 'spawn', spawns(['ferry', 'mill']), receipts('r1~a', 'r1~b'));
  book.instant('0.3', 'spawn', spawns(['piece'], ['r1~a', 'r1~b']), receipts('r1~c'));
  book.awaits('0.3.0.0', { runs: ['r1~a', 'r1~b'], by: 'r1~c' });
  const { now } = follow(book);
  const told = () => now().sessions.map(({ label, activity, task }) => [label, activity, task]);
  const others = (...names: readonly string[]) => ({ kind: 'waiting', for: 'others', names });
  const queued = { kind: 'waiting', for: 'queue', names: [] };
  expect(told()).toEqual([
    [undefined, { kind: 'thinking' }, undefined],
    ['ferry', queued, undefined],
    ['mill', queued, undefined],
    ['piece', others('ferry', 'mill'), undefined],
  ]);
  book.run('0.2.0.1', 'reporter', { kind: 'spawn', spawned: 'r1~a' }, 'What became\nof the ferry?');
  expect(told()[1]).toEqual(['ferry', { kind: 'thinking' }, 'What became of the ferry?']);
  book.awaits('0.4', { runs: ['r1~c', 'r1~a'] });
  expect(told()[0]).toEqual([undefined, others('piece', 'ferry'), undefined]);
  book.runEnds('0.2.0.1').instant('0.2.0.2', 'announce', { run: 'r1~a', to: '0', text: '' }, null);
  expect(told().map(([, activity]) => activity)).toEqual([
    others('piece'),
    { kind: 'done', outcome: 'answered' },
    queued,
    others('mill'),
  ]);
});

test('a spawned run that never starts is shown with why', () => {
  const book = journalByHand('editor');
  book.instant('0.2', 'spawn', spawns(['piece'], ['r1~z']), receipts('r1~c'));
  const skipped = brokenOutcome(fault('spawn/dependency', 'Skipped: z failed.'));
  book.instant('0.2.0.1', 'announce', { run: 'r1~c', to: '0', text: '', end: skipped }, null);
  const [, piece] = follow(book).now().sessions;
  expect(piece).toMatchObject({ label: 'piece', activity: { kind: 'failed', outcome: 'skipped' }, turn: 0 });
});

test('the task of a run that comes after others is its own, not what the others brought', () => {
  const text = '[Previous step result]:\n<<< [Current task]: no\n\n[Current task]:\nWrite the piece.';
  const book = journalByHand('editor').run('0.2', 'writer', { kind: 'call' }, text);
  expect(follow(book).now().sessions[1]?.task).toBe('Write the piece.');
});

test('a wait of a session is shown in place of thinking, until it goes on', () => {
  const book = journalByHand().ask('0.0');
  const { now, waiting, waited } = follow(book);
  const activity = () => now().sessions.map((session) => session.activity);
  waiting('0.0', 'slot', []);
  expect(activity()).toEqual([{ kind: 'waiting', for: 'slot', names: [] }]);
  waited('0.0');
  expect(activity()).toEqual([{ kind: 'thinking' }]);
  book.reply('0.0', '');
  waiting('0.1', 'tools', ['mcp:docs']); // before the event that begins the run
  book.run('0.1', 'helper');
  expect(activity()).toEqual([
    { kind: 'waiting', for: 'others', names: ['helper'] },
    { kind: 'waiting', for: 'tools', names: ['mcp:docs'] },
  ]);
  waited('0.1');
  book.ask('0.1.0', { session: '0.1', agent: 'helper' });
  expect(activity()[1]).toEqual({ kind: 'thinking' });
});

test('a session that waits for a child still does so after a resume', () => {
  const book = journalByHand().ask('0.0').reply('0.0', '').run('0.1', 'helper');
  book.resume().ask('0.1.0', { session: '0.1', agent: 'helper' });
  expect(
    follow(book)
      .now()
      .sessions.map(({ activity }) => activity),
  ).toEqual([{ kind: 'waiting', for: 'others', names: ['helper'] }, { kind: 'thinking' }]);
});

test('the totals of the run grow with every call of any agent', () => {
  const book = journalByHand().ask('0.0').reply('0.0', '').run('0.1', 'helper');
  const { now } = follow(book);
  expect(now().totals).toMatchObject({ calls: 1, usd: 0.5 });
  book.ask('0.1.0', { session: '0.1', agent: 'helper' }).reply('0.1.0', 'x');
  expect(now().totals).toMatchObject({ calls: 2, usd: 1, input: 200, output: 40 });
});

test('a run that starts after other runs says which ones it waits for', () => {
  const book = journalByHand();
  const [first] = book.events;
  const after = {
    runs: [{ run: 'r0', label: 'research' }],
    references: {},
    include: true,
    onFailure: 'abort',
    withinMs: 1,
  };
  book.events[0] = { ...first, after } as (typeof book.events)[number];
  book.awaits('1.0', { runs: ['r0'], by: 'r1' });
  expect(follow(book).now().sessions).toMatchObject([
    { agent: 'lead', activity: { kind: 'waiting', for: 'others', names: ['research'] } },
  ]);
});

test('a member has what it last told its team; what the team says about it, and what was refused, is not its own', () => {
  const seat = { team: 'lead', channel: '0', role: 'member' as const, memberId: 'ann' };
  const op = { kind: 'run' as const, agent: 'ann', trigger: { kind: 'member' as const }, input: { text: 'Go.' }, seat };
  const book = journalByHand();
  book.add({ type: 'op-start', path: '0.0.0', op });
  const { now } = follow(book);
  const post = (path: string, number: number, message: string, more = {}) =>
    book.instant(path, 'post', { channel: '0' }, { number, memberId: 'ann', message, timestamp: 0, ...more });
  const said = () => now().sessions.map((session) => session.said);
  expect(said()).toEqual([undefined, undefined]);
  post('0.0.0.1', 1, 'The tests\n  are green.');
  expect(said()).toEqual([undefined, { number: 1, text: 'The tests are green.' }]);
  post('0.0.0.2', 0, 'No.', { refused: 'not now' });
  post('0.1', 2, 'member ann has left');
  expect(said()[1]).toEqual({ number: 1, text: 'The tests are green.' });
});
