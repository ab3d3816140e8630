import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answer, call, journalByHand, overloaded } from '../../../test/support/events.ts';
import { fault } from '../../kernel/fault.ts';
import { brokenOutcome } from '../../kernel/outcome.ts';
import { ledger } from '../costs/ledger.ts';
import { sum } from '../costs/totals.ts';
import { type OpNode, OpTreeFold, opTree } from './op-tree.ts';

/** One line a node: indentation, kind, path, who or what, how it stands. */
const drawn = (node: OpNode, depth = 0): string[] => [
  `${'  '.repeat(depth)}${node.kind} ${node.path} ${node.name ?? node.agent ?? ''} ${node.state}`,
  ...node.children.flatMap((child) => drawn(child, depth + 1)),
];
const all = (node: OpNode): OpNode[] => [node, ...node.children.flatMap(all)];

test('a run is a tree of sessions, turns and ops', () => {
  const book = journalByHand()
    .ask('0.1')
    .reply('0.1', '', [call('a', 'read'), call('b', 'agent__helper')])
    .tool('0.2.0.0', call('a', 'read'))
    .run('0.2.1.0', 'helper')
    .toolEnds('0.2.0.0', 'no such file', 'error')
    .ask('0.2.1.0.1', { session: '0.2.1.0', agent: 'helper' })
    .reply('0.2.1.0.1', 'found')
    .runEnds('0.2.1.0')
    .instant('0.3', 'take', { inbox: '0' }, { messages: [] })
    .ask('0.4', { turn: 2 })
    .reply('0.4', 'done')
    .over();
  expect(drawn(opTree(book.events))).toEqual([
    'run 0 lead answered',
    '  session 0 lead done',
    '    turn 0.1 lead done',
    '      model 0.1 lead done',
    '      tool 0.2.0.0 read failed',
    '      run 0.2.1.0 helper answered',
    '        session 0.2.1.0 helper done',
    '          turn 0.2.1.0.1 helper done',
    '            model 0.2.1.0.1 helper done',
    '    take 0.3  done',
    '    turn 0.4 lead done',
    '      model 0.4 lead done',
  ]);
});

test('a hop of a pattern hangs below the run, with what made it happen', () => {
  const book = journalByHand()
    .run('0.0.0', 'critic', { kind: 'advisor' })
    .runEnds('0.0.0')
    .ask('0.1')
    .reply('0.1', 'draft')
    .run('0.2', 'editor', { kind: 'handoff', chainTrigger: 'handoff', chainParent: 'agent__lead', chainStageIndex: 0 })
    .runEnds('0.2', brokenOutcome(overloaded))
    .over(brokenOutcome(overloaded));
  const tree = opTree(book.events);
  expect(tree.children.map(({ kind, path, pattern }) => [kind, path, pattern])).toEqual([
    ['run', '0.0.0', 'advisors'],
    ['session', '0', undefined],
    ['run', '0.2', 'handoff'],
  ]);
  expect(tree.children[2]).toMatchObject({
    trigger: 'handoff',
    chainTrigger: 'handoff',
    chainParent: 'agent__lead',
    chainStageIndex: 0,
    state: 'failed',
  });
  expect(tree).toMatchObject({ state: 'failed', fault: overloaded, trigger: 'start' });
});

test('times come from the events, for sessions and turns too', () => {
  const book = journalByHand().ask('0.0').reply('0.0', '').tool('0.1', call('a', 'read')).toolEnds('0.1', 'x').over();
  const [session] = opTree(book.events).children;
  expect(session).toMatchObject({ startedAt: 1010, endedAt: 1040, ms: 30 });
  expect(session?.children[0]).toMatchObject({ startedAt: 1010, endedAt: 1040, ms: 30 });
  expect(session?.children[0]?.children[1]).toMatchObject({ startedAt: 1030, endedAt: 1040, ms: 10 });
});

test('a further message to a session holds the turns that it took', () => {
  const book = journalByHand()
    .ask('0.0')
    .reply('0.0', '')
    .run('0.1', 'helper')
    .ask('0.1.0', { session: '0.1', agent: 'helper' })
    .reply('0.1.0', '')
    .runEnds('0.1')
    .say('0.2', '0.1', 'sure?')
    .ask('0.2.0', { session: '0.1', agent: 'helper', turn: 2 })
    .reply('0.2.0', 'yes')
    .sayEnds('0.2')
    .over();
  expect(drawn(opTree(book.events)).slice(8)).toEqual([
    '      say 0.2 helper answered',
    '        session 0.1 helper done',
    '          turn 0.2.0 helper done',
    '            model 0.2.0 helper done',
  ]);
});

test('an op without an end is running in a live run, in doubt in any other', () => {
  const book = journalByHand().ask('0.0').reply('0.0', '').tool('0.1', call('a', 'write')).run('0.2', 'helper');
  const states = (live: boolean) => all(opTree(book.events, { live })).map(({ kind, state }) => `${kind} ${state}`);
  expect(states(true)).toEqual([
    'run running',
    'session running',
    'turn running',
    'model done',
    'tool running',
    'run running',
  ]);
  expect(states(false)).toEqual([
    'run in-doubt',
    'session in-doubt',
    'turn in-doubt',
    'model done',
    'tool in-doubt',
    'run in-doubt',
  ]);
});

test('after a resume runs go on, and calls are in doubt until they are asked again', () => {
  const book = journalByHand().run('0.0', 'helper').ask('0.0.0', { session: '0.0', agent: 'helper' }).resume();
  const model = () => all(opTree(book.events, { live: true })).find(({ kind }) => kind === 'model');
  expect(opTree(book.events, { live: true }).children[0]).toMatchObject({ kind: 'run', state: 'running' });
  expect(model()).toMatchObject({ state: 'in-doubt', attempts: 1, own: { calls: 1, unpriced: 1 } });
  book.ask('0.0.0', { session: '0.0', agent: 'helper' });
  expect(model()).toMatchObject({ state: 'running', attempts: 2 });
  book.reply('0.0.0', 'x');
  expect(model()).toMatchObject({ state: 'done', attempts: 2, own: { calls: 2, unpriced: 1, usd: 0.5 } });
});

test('failed attempts are counted at the op, with the model that answered in the end', () => {
  const book = journalByHand()
    .ask('0.0')
    .attempt('0.0', 1, { kind: 'failover', to: 'acme/large' })
    .reply('0.0', 'x', [], { model: 'acme/large', usd: 1 })
    .over();
  expect(all(opTree(book.events))[3]).toMatchObject({ attempts: 2, model: 'acme/large', own: { calls: 2, usd: 1 } });
});

test('the outcome of a fault is the one in the fault table', () => {
  const book = journalByHand().run('0.0', 'slow').fails('0.0', 'run', fault('timeout', 'too long'));
  expect(opTree(book.events).children[0]).toMatchObject({ state: 'timed-out', fault: { code: 'timeout' } });
});

test('a tree that was given out is not changed, and what did not change is shared', () => {
  const book = journalByHand().run('0.0.0', 'ann', { kind: 'advisor' }).run('0.0.1', 'bob', { kind: 'advisor' });
  const fold = new OpTreeFold();
  for (const event of book.events) fold.add(event);
  const before = fold.tree();
  const copy = structuredClone(before);
  expect(fold.tree()).toBe(before);
  book.ask('0.0.1.0', { session: '0.0.1', agent: 'bob' });
  fold.add(book.events.at(-1) as (typeof book.events)[number]);
  const after = fold.tree();
  expect(before).toEqual(copy);
  expect(after.children[0]).toBe(before.children[0]);
  expect(after.children[1]).not.toBe(before.children[1]);
});

test('an event in one of five hundred live sessions builds one path anew (OPTREE-1)', () => {
  const book = journalByHand();
  for (let index = 0; index < 500; index++) book.run(`0.0.${index}`, 'ann', { kind: 'advisor' });
  for (let turn = 0; turn < 10; turn++) {
    for (let index = 0; index < 500; index++) {
      const path = `0.0.${index}.${turn}`;
      book.ask(path, { session: `0.0.${index}`, agent: 'ann', turn }).reply(path, 'x');
    }
  }
  const fold = new OpTreeFold();
  let before = new Set<OpNode>();
  const rebuilt: number[] = [];
  for (const event of book.events.slice(0, -20)) fold.add(event);
  for (const event of [undefined, ...book.events.slice(-20)]) {
    if (event !== undefined) fold.add(event);
    const now = new Set(all(fold.tree()));
    if (event !== undefined) rebuilt.push([...now].filter((node) => !before.has(node)).length);
    before = now;
  }
  expect(before.size).toBeGreaterThan(5000);
  expect(Math.max(...rebuilt)).toBeLessThanOrEqual(6); // the call, and what it is in up to the run
  expect(fold.tree().inclusive.calls).toBe(5000);
});

/** A random run: agents call tools, each other and models, which answer, fail, fail over, or are never heard of again. */
const step = fc.constantFrom('model', 'retry', 'gave-up', 'lost', 'unpriced', 'tool', 'call', 'next', 'up', 'resume');

test('the tree sums up to the ledger, at every run and at every moment', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, live) => {
      const book = journalByHand('a0');
      const stack = [{ path: '0', next: 0, turn: 0 }];
      for (const one of steps) {
        const top = stack.at(-1) as (typeof stack)[number];
        const path = `${top.path}.${top.next++}`;
        const ask = () => book.ask(path, { session: top.path, agent: `a${stack.length - 1}`, turn: ++top.turn });
        if (one === 'model') ask().reply(path, 'x', [], { model: 'm', usage: { input: 3, output: 2 }, usd: 0.1 });
        if (one === 'unpriced') ask().reply(path, 'x', [], { model: 'm' });
        if (one === 'retry') ask().attempt(path, 1, { kind: 'retry', delayMs: 1 }).reply(path, 'x');
        if (one === 'gave-up') ask().attempt(path, 1, { kind: 'give-up' }).fails(path, 'model', overloaded);
        if (one === 'lost') ask();
        if (one === 'tool') book.tool(path, call('a', 'read')).toolEnds(path, 'x');
        if (one === 'resume') book.resume();
        if (one === 'call' || one === 'next') {
          book.run(path, `a${stack.length}`, { kind: one });
          stack.push({ path, next: 0, turn: 0 });
        }
        if (one === 'up' && stack.length > 1) book.runEnds((stack.pop() as (typeof stack)[number]).path);
      }
      if (stack.length === 1) book.over(answer('x'));
      const { lines, totals } = ledger(book.events, { live });
      const tree = opTree(book.events, { live });
      expect(tree.inclusive).toEqual(totals);
      for (const node of all(tree)) {
        if (node.kind !== 'run') continue;
        expect(node.inclusive).toEqual(sum(lines.filter(({ path }) => path.startsWith(`${node.path}.`))));
        expect(node.own).toEqual(sum(lines.filter(({ session }) => session === node.path)));
      }
    }),
    { numRuns: 300 },
  );
});

const broadcast = (number: number, memberId: string, message: string) => ({
  type: 'update',
  memberId,
  message,
  turnCount: 1,
  number,
  timestamp: 0,
});
const seat = { team: 'lead', channel: '0', role: 'member' as const, memberId: 'ann' };

test('a supervisor that goes on stands after what it heard, and so does the word that a member has left', () => {
  const book = journalByHand().run('0.0.0', 'ann', { kind: 'member' }).runEnds('0.0.0');
  book.ask('0.1').reply('0.1', '', [call('a', 'team_broadcast')]);
  book.instant('0.2', 'post', { channel: '0' }, broadcast(1, 'lead', 'Go on.'));
  book.add({ type: 'op-start', path: '0.3.0', op: { kind: 'say', session: '0.0.0', text: '', seat } });
  book.sayEnds('0.3.0', { kind: 'left', success: true, text: 'bye' });
  book.instant('0.3.1', 'post', { channel: '0' }, broadcast(2, 'ann', 'member ann has left'));
  const taken = { role: 'tool', call: 'a', name: 'team_broadcast', result: { status: 'ok', text: 'Taken.' } } as const;
  book
    .ask('0.4', { turn: 2, added: [taken] })
    .reply('0.4', 'done')
    .over();
  expect(drawn(opTree(book.events))).toEqual([
    'run 0 lead answered',
    '  run 0.0.0 ann answered',
    '  session 0 lead done',
    '    turn 0.1 lead done',
    '      model 0.1 lead done',
    '      post 0.2 #1 lead: Go on. done',
    '  say 0.3.0 ann left',
    '  post 0.3.1 #2 ann: member ann has left done',
    '  session 0 lead done',
    '    turn 0.4 lead done',
    '      model 0.4 lead done',
  ]);
});

test('an approval that a person denied is denied, with what was said', () => {
  const book = journalByHand()
    .ask('0.1')
    .reply('0.1', '', [call('a', 'wipe')])
    .signal('0.2', 'lead wants to call wipe');
  book.signalEnds('0.2', { approved: false, note: 'Not today.' }).signal('0.3', 'lead wants to call read');
  book.signalEnds('0.3', { approved: true });
  const signals = all(opTree(book.events)).filter(({ kind }) => kind === 'approval');
  expect(signals.map(({ state, why }) => [state, why])).toEqual([
    ['denied', 'Not today.'],
    ['done', undefined],
  ]);
});

const refusedCall = (text: string) =>
  ({ role: 'tool', call: 'a', name: 'final_report', result: { status: 'error', text } }) as const;
const turnsOf = (book: ReturnType<typeof journalByHand>) =>
  all(opTree(book.events))
    .filter(({ kind }) => kind === 'turn')
    .map(({ path, state, why }) => [path, state, why]);

test('a turn whose report was refused is refused, with the reason; the one that was taken is not', () => {
  const book = journalByHand()
    .ask('0.1')
    .reply('0.1', '', [call('a', 'final_report')]);
  book.ask('0.3', { turn: 2, added: [{ role: 'assistant', op: '0.1' }, refusedCall('- $.n must be number')] });
  book.reply('0.3', '', [call('a', 'final_report')]).over();
  expect(turnsOf(book)).toEqual([
    ['0.1', 'refused', 'final_report: - $.n must be number'],
    ['0.3', 'done', undefined],
  ]);
});

test('a plain reply that did not count as the answer is refused', () => {
  const book = journalByHand().ask('0.1').reply('0.1', 'It is seven.');
  book.ask('0.3', {
    turn: 2,
    added: [
      { role: 'assistant', op: '0.1' },
      { role: 'user', text: 'Answer by a call.' },
    ],
  });
  book.reply('0.3', '').over();
  expect(turnsOf(book)[0]).toEqual(['0.1', 'refused', 'a plain reply: Answer by a call.']);
});

test('a report that was refused on the last turn is refused by the outcome', () => {
  const spent = fault('turns/exhausted', 'spent', { violations: [{ path: '$.n', message: 'must be number' }] });
  const book = journalByHand()
    .ask('0.1')
    .reply('0.1', '', [call('a', 'final_report')]);
  book.over({ ...brokenOutcome(spent), agent: 'lead' });
  expect(turnsOf(book)).toEqual([['0.1', 'refused', 'final_report: - $.n must be number']]);
});

test('an upstream whose report was taken is not refused because a later stage failed', () => {
  const spent = fault('turns/exhausted', 'spent', { violations: [{ path: '$.n', message: 'must be number' }] });
  const book = journalByHand()
    .ask('0.1')
    .reply('0.1', '', [call('a', 'final_report')]);
  book.run('0.2', 'next', { kind: 'next' }).runEnds('0.2', { ...brokenOutcome(spent), agent: 'next' });
  book.over({ ...brokenOutcome(spent), agent: 'next' });
  expect(turnsOf(book)).toEqual([['0.1', 'done', undefined]]);
});

test('a report whose items were begun is not refused because what a map made of them breaks the contract', () => {
  const wrong = fault('output/invalid', 'wrong', { violations: [{ path: '$.items', message: 'is too short' }] });
  const book = journalByHand()
    .ask('0.1')
    .reply('0.1', '', [call('a', 'final_report')]);
  book.run('0.2.0.1', 'writer', { kind: 'each', index: 0, count: 1 }).runEnds('0.2.0.1');
  book.over({ ...brokenOutcome(wrong), agent: 'lead' });
  expect(turnsOf(book)[0]).toEqual(['0.1', 'done', undefined]);
});

test('a call that failed or was denied is not a refused answer', () => {
  const failed = { role: 'tool', call: 'a', name: 'agent__helper', result: { status: 'error', text: 'no' } } as const;
  const book = journalByHand()
    .ask('0.1')
    .reply('0.1', '', [call('a', 'agent__helper')]);
  book
    .ask('0.3', { turn: 2, added: [failed] })
    .reply('0.3', 'x')
    .over();
  expect(turnsOf(book)[0]).toEqual(['0.1', 'done', undefined]);
});

test('spawned runs, and waits for them, have their labels', () => {
  const book = journalByHand().ask('0.1').reply('0.1', '');
  const orders = { session: '0', orders: [{ label: 'ferry', agent: 'ann', after: [] }] };
  const receipts = { group: 'g', receipts: [{ status: 'accepted', run: 'r1~a', sessionKey: '' }] };
  book.instant('0.2', 'spawn', orders, receipts).run('0.2.0.1', 'ann', { kind: 'spawn', spawned: 'r1~a' });
  book.awaits('0.3', { runs: ['r1~a', 'elsewhere'] });
  book.instant('0.4', 'send', { run: 'r1~a', text: 'hurry' }, { to: '0.2.0.1', state: 'running' });
  const nodes = all(opTree(book.events));
  expect(nodes.find(({ path }) => path === '0.2.0.1')).toMatchObject({ agent: 'ann', label: 'ferry' });
  expect(nodes.find(({ kind }) => kind === 'await-runs')?.name).toBe('ferry, elsewhere');
  expect(nodes.find(({ kind }) => kind === 'send')?.name).toBe('ferry');
});

test('a spawned run says when it was spawned, what it waited for, and when it got its turn', () => {
  const book = journalByHand().ask('0.1').reply('0.1', '');
  const orders = [
    { label: 'first', agent: 'ann', after: [] },
    { label: 'second', agent: 'bob', after: ['r1~a'] },
  ];
  const receipts = ['r1~a', 'r1~b'].map((run) => ({ status: 'accepted', run, sessionKey: '' }));
  book.instant('0.2', 'spawn', { session: '0', orders }, { group: 'g', receipts });
  book.instant('0.2.0.0', 'begin', { run: 'r1~a' }, { began: true });
  book.run('0.2.0.1', 'ann', { kind: 'spawn', spawned: 'r1~a' }).runEnds('0.2.0.1');
  book.awaits('0.2.1.0', { runs: ['r1~a'] });
  book.add({
    type: 'op-end',
    path: '0.2.1.0',
    kind: 'await-runs',
    result: { ok: true, value: { over: 'done', runs: [] } },
  });
  book.instant('0.2.1.1', 'begin', { run: 'r1~b' }, { began: true });
  book.run('0.2.1.2', 'bob', { kind: 'spawn', spawned: 'r1~b' });
  const at = (path: string) => all(opTree(book.events)).find((node) => node.path === path && node.kind === 'run');
  expect(at('0.2.0.1')).toMatchObject({ label: 'first', spawnedAt: 1030, beganAt: 1040, after: [] });
  expect(at('0.2.1.2')).toMatchObject({
    label: 'second',
    spawnedAt: 1030,
    waitedUntil: 1080,
    beganAt: 1090,
    after: ['0.2.0.1'],
  });
});

const told = (id: string, name: string, text: string) =>
  ({ role: 'tool', call: id, name, result: { status: 'error', text } }) as const;
const rowsRefused = (book: ReturnType<typeof journalByHand>) =>
  all(opTree(book.events))
    .filter(({ kind, state }) => kind !== 'turn' && state === 'refused')
    .map(({ path, kind, name, why }) => [path, kind, name, why]);

test('a sub-agent that failed is no refused call; the same call with wrong arguments is one', () => {
  const failed = 'outcome: failed';
  const book = journalByHand()
    .ask('0.1')
    .reply('0.1', '', [call('a', 'agent__x'), call('b', 'agent__x')]);
  book.run('0.2.1.0', 'x').runEnds('0.2.1.0', brokenOutcome(fault('model/server', 'no')));
  book.ask('0.4', { turn: 2, added: [told('a', 'agent__x', '$.n is wrong'), told('b', 'agent__x', failed)] });
  expect(rowsRefused(book)).toEqual([['0.1.0', 'tool', 'agent__x', '$.n is wrong']]);
});

test('a call alone in its reply is made by the ops after it; exits beside it do not count', () => {
  const book = journalByHand()
    .ask('0.1')
    .reply('0.1', '', [call('a', 'final_report'), call('b', 'agent__x')]);
  book.run('0.2', 'x').runEnds('0.2', brokenOutcome(fault('model/server', 'no')));
  book.ask('0.4', { turn: 2, added: [told('a', 'final_report', 'not yet'), told('b', 'agent__x', 'outcome: failed')] });
  expect(rowsRefused(book)).toEqual([['0.1.0', 'tool', 'final_report', 'not yet']]);
});

test('a write that was refused at its preview, a spawn and a message that were refused are rows', () => {
  const book = journalByHand()
    .ask('0.1')
    .reply('0.1', '', [call('a', 'edit_file'), call('b', 'sessions_spawn'), call('c', 'sessions_send')]);
  book.instant(
    '0.2.0.0',
    'preview',
    { agent: 'lead', call: { id: 'a', name: 'edit_file' } },
    { kind: 'refused', text: 'no such file' },
  );
  const orders = [{ label: 'one', agent: 'x', after: [] }];
  const receipts = [{ status: 'forbidden', error: 'There are 2, and maxTotal allows 2.', current: 2, maximum: 2 }];
  book.instant('0.2.1.0', 'spawn', { session: '0', orders }, { group: 'g', receipts });
  book.instant('0.2.2.0', 'send', { run: 'r', text: 'hi' }, { to: null, state: 'answered' });
  book.ask('0.4', {
    turn: 2,
    added: [told('a', 'edit_file', 'no such file'), told('b', 'sessions_spawn', '{}'), told('c', 'sessions_send', 'x')],
  });
  expect(rowsRefused(book)).toEqual([
    ['0.1.0', 'tool', 'edit_file', 'no such file'],
    ['0.2.1.0', 'spawn', 'one', 'There are 2, and maxTotal allows 2.'],
    ['0.2.2.0', 'send', 'r', 'Not sent: the run has ended (answered).'],
  ]);
});

test('results of a last reply are read from the fact of that reply', () => {
  const book = journalByHand()
    .ask('0.1')
    .reply('0.1', '', [call('a', 'read_file'), call('b', 'final_report')]);
  book.add({ type: 'fact', key: 'results:0.1', value: [told('a', 'read_file', 'wrong')] });
  book.over();
  expect(rowsRefused(book)).toEqual([['0.1.0', 'tool', 'read_file', 'wrong']]);
});

test('a journal without that fact shows the calls of a last reply that cannot have been made', () => {
  const book = journalByHand()
    .ask('0.1', { tools: ['agent__x', 'final_report', 'sessions_status'] })
    .reply('0.1', '', [
      call('a', 'nosuch'),
      call('b', 'agent__x'),
      call('c', 'sessions_status'),
      call('d', 'final_report'),
    ])
    .over();
  expect(rowsRefused(book).map(([path, , , why]) => [path, why])).toEqual([
    ['0.1.0', 'There is no tool named nosuch. The tools you have: agent__x, final_report, sessions_status.'],
    ['0.1.1', 'Not made. The session ended with this reply, and the reason is not recorded.'],
  ]);
});
