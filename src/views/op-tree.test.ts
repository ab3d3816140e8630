import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answer, call, journalByHand, overloaded } from '../../test/support/events.ts';
import { fault } from '../kernel/fault.ts';
import { broken } from '../kernel/outcome.ts';
import { ledger } from './ledger.ts';
import { type OpNode, opTree, opTreeFold } from './op-tree.ts';
import { sum } from './totals.ts';

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
    .instant('0.3', 'take', { box: '0' }, { messages: [] })
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
    .runEnds('0.2', broken(overloaded))
    .over(broken(overloaded));
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

test('what has begun and not ended is running in a live run, in doubt in any other', () => {
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
  const fold = opTreeFold();
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

test('five hundred live sessions are drawn after every event without slowing down', () => {
  const book = journalByHand();
  for (let index = 0; index < 500; index++) book.run(`0.0.${index}`, 'ann', { kind: 'advisor' });
  for (let turn = 0; turn < 10; turn++) {
    for (let index = 0; index < 500; index++) {
      const path = `0.0.${index}.${turn}`;
      book.ask(path, { session: `0.0.${index}`, agent: 'ann', turn }).reply(path, 'x');
    }
  }
  const fold = opTreeFold();
  const before = performance.now();
  for (const event of book.events) {
    fold.add(event);
    fold.tree();
  }
  expect(performance.now() - before).toBeLessThan(5000);
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
