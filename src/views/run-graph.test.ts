import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { call, journalByHand, overloaded } from '../../test/support/events.ts';
import { ROOT as FOLDER } from '../../test/support/fences.ts';
import type { RunEvent } from '../journal/event.ts';
import { upcaster } from '../journal/upcast.ts';
import { brokenOutcome } from '../kernel/outcome.ts';
import { GraphFold } from './run-graph.ts';

const folded = (events: readonly RunEvent[]) => {
  const fold = new GraphFold();
  for (const event of events) fold.add(event);
  return fold;
};

/** GRAPH-1, at this event. */
const expectSame = (events: readonly RunEvent[], fold: ReturnType<typeof folded>, count: number): void =>
  expect(fold.at(count)).toEqual(folded(events.slice(0, count)).at(count));

test('an agent asks another, that one works, fails and costs: each is what it was at every event', () => {
  const { events } = journalByHand()
    .ask('0.0')
    .reply('0.0', '', [call('a', 'agent-desk')])
    .run('0.1', 'desk')
    .ask('0.1.0', { session: '0.1', agent: 'desk' })
    .reply('0.1.0', 'Done.')
    .runEnds('0.1')
    .run('0.2', 'desk', { kind: 'next' })
    .runEnds('0.2', brokenOutcome(overloaded))
    .over();
  const fold = folded(events);
  const desk = (count: number) => fold.at(count).nodes.get('desk');
  expect([...fold.at(1).nodes.keys()]).toEqual(['lead']);
  expect(desk(4)).toMatchObject({ state: 'at work', counts: new Map([['at work', 1]]), own: { calls: 0 } });
  expect(desk(6)).toMatchObject({ own: { calls: 1, usd: 0.5 } });
  expect(desk(7)).toMatchObject({ state: 'answered' });
  expect(desk(events.length)).toMatchObject({
    state: 'failed',
    counts: new Map([
      ['failed', 1],
      ['answered', 1],
    ]),
  });
  expect(fold.at(3).edges).toEqual([]);
  expect(fold.at(4).edges).toMatchObject([{ from: 'lead', to: 'desk', kind: 'agents', used: 1 }]);
  expect(fold.at(events.length).edges).toMatchObject([
    { kind: 'agents', used: 1 },
    { kind: 'next', used: 1 },
  ]);
});

test('a run that began again after a crash has used its edge once', () => {
  const { events } = journalByHand().run('0.1', 'desk').resume().run('0.1', 'desk');
  expect(folded(events).at(events.length).edges).toMatchObject([{ used: 1 }]);
});

test('the items of a map are those of the latest list of each session, at every event', () => {
  const each = (index: number, count = 3) => ({ kind: 'each', index, count }) as const;
  const { events } = journalByHand()
    .run('0.1.0.0', 'reader', each(0))
    .run('0.1.1.0', 'reader', each(1))
    .runEnds('0.1.1.0', brokenOutcome(overloaded))
    .resume()
    .run('0.1.0.0', 'reader', each(0))
    .runEnds('0.1.0.0')
    .say('0.2', '0', 'Again.')
    .run('0.2.0.0.0', 'reader', each(0, 1))
    .over();
  const fold = folded(events);
  const states = events.map((_, index) =>
    (fold.at(index + 1).items.get('reader') ?? []).map(({ state }) => state).join(' '),
  );
  expect([...new Set(states)]).toEqual([
    '',
    'open none none',
    'open open none',
    'open failed none',
    'answered failed none',
    'open',
  ]);
  for (let count = 1; count <= events.length; count++) expectSame(events, fold, count);
});

test('the state after any event of every recorded run is that of the events up to it', () => {
  const journals = recorded();
  expect(journals.length).toBeGreaterThan(10);
  for (const events of journals) {
    const fold = folded(events);
    for (let count = 1; count <= events.length; count++) expectSame(events, fold, count);
  }
});

/** Each number is what the run does next: asks an agent, lets one reply, call, fail or end. */
const steps = fc.array(fc.nat(9999), { minLength: 600, maxLength: 900 });

test('the state after any event of a long run is that of the events up to it, however far back it is kept', () => {
  fc.assert(
    fc.property(
      steps,
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 8, maxLength: 8 }),
      (list, shares) => {
        const events = journalOf(list);
        const fold = folded(events);
        for (const share of [...shares, 0, 1]) expectSame(events, fold, Math.max(1, Math.round(share * events.length)));
      },
    ),
    { numRuns: 12 },
  );
});

function journalOf(list: readonly number[]): readonly RunEvent[] {
  const book = journalByHand();
  const open: { readonly path: string; readonly agent: string; turn: number; thinks: boolean }[] = [];
  for (const [index, number] of list.entries()) {
    const one = open[number % Math.max(1, open.length)];
    if (one === undefined || number % 7 === 0) {
      const agent = `agent-${number % 5}`;
      const path = `${number % 3 === 0 ? (one?.path ?? '0') : '0'}.${index}`;
      book.run(path, agent, number % 2 === 0 ? { kind: 'call' } : { kind: 'advisor' });
      open.push({ path, agent, turn: 0, thinks: false });
    } else if (one.thinks) {
      const path = `${one.path}.${one.turn}`;
      if (number % 11 === 0) book.fails(path, 'model', overloaded);
      else book.reply(path, `Turn ${one.turn}.`);
      one.thinks = false;
    } else if (number % 5 === 0) {
      book.runEnds(one.path, number % 10 === 0 ? brokenOutcome(overloaded) : undefined);
      open.splice(open.indexOf(one), 1);
    } else {
      one.turn = index;
      one.thinks = true;
      book.ask(`${one.path}.${index}`, { session: one.path, agent: one.agent, turn: index });
    }
  }
  return book.events;
}

function recorded(): readonly (readonly RunEvent[])[] {
  const folder = join(FOLDER, 'test/replay');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => {
      const lines = readFileSync(join(folder, file), 'utf8').trim().split('\n');
      return lines.map((line) => JSON.parse(line) as RunEvent).map(upcaster());
    })
    .filter(([first]) => first?.type === 'run-start');
}
