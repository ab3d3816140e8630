import fc from 'fast-check';
import '../../../test/support/seed.ts';
import { describe, expect, test } from 'vitest';
import type { InstantOp, RunEvent } from '../event.ts';
import { eventProblem } from '../event-shape.ts';
import { modelEnd, modelStart, runStart } from '../store.conformance.ts';
import { REACH } from './repeat.ts';
import { EventRestorer } from './restore.ts';
import { shorteningLease, wholeEvents } from './whole-texts.ts';

const shortened = (events: readonly RunEvent[]): RunEvent[] => {
  const stored: RunEvent[] = [];
  const lease = shorteningLease({
    append: (some) => void stored.push(...(JSON.parse(JSON.stringify(some)) as RunEvent[])),
    release: async () => {},
  });
  for (const event of events) void lease.append([event]);
  return stored;
};

const takeOf = (seq: number, value: unknown): InstantOp => ({
  type: 'op',
  seq,
  at: 1000 + seq,
  path: `0.${seq}`,
  kind: 'take',
  detail: { inbox: 'x', 'a/b~c': value },
  value: { messages: [], upTo: seq },
});

const LINES = [
  '',
  'short',
  'é\u2028\ud800',
  'x'.repeat(31),
  'a line that is somewhat long\r',
  'b'.repeat(97),
  '{"$see":1}',
];
const text = fc
  .array(fc.constantFrom(...LINES, 'one more line, of the usual length of a line of prose'), { maxLength: 12 })
  .map((lines) => lines.join('\n'));
const shared = { message: 'm'.repeat(40), memberId: 'member-1' };
const list = fc.array(
  fc.oneof(text, fc.constant(shared), fc.constantFrom<unknown>(null, 3, true, [], {}, { repeats: { '/x': [] } })),
  { maxLength: 12 },
);
const event = fc.oneof(
  text.map((value) => (seq: number) => modelStart(seq, `0.${seq}`, value)),
  text.map((value) => (seq: number) => modelEnd(seq, '0.2'.repeat(40), value)),
  fc
    .oneof(
      list,
      fc.dictionary(fc.oneof(fc.constant('__proto__'), fc.string()), list),
      fc.json({ maxDepth: 4 }).map((json): unknown => JSON.parse(json)),
    )
    .map((value) => (seq: number) => takeOf(seq, value)),
);
const journal = fc
  .array(event, { maxLength: 30 })
  .map((events): readonly RunEvent[] => [runStart('r'), ...events.map((of, index) => of(index + 1))]);

describe('repeats', () => {
  test('any journal is read as it was written, whole or cut at any event', () => {
    fc.assert(
      fc.property(journal, (events) => {
        const stored = shortened(events);
        for (const cut of [events.length, Math.ceil(events.length / 2)])
          expect(wholeEvents(stored.slice(0, cut))).toEqual(JSON.parse(JSON.stringify(events.slice(0, cut))));
      }),
    );
  });

  test('a text that stands in an earlier event is stored as a reference, and so are its lines within another text', () => {
    const told = Array.from(
      { length: 40 },
      (_, index) => `### Broadcast ${index}\n\nmember ${index} says something.\n`,
    );
    const events = [
      modelStart(1, '0.1', told.slice(1).join('\n')),
      modelEnd(2, '0.1', told.slice(1).join('\n')),
      modelStart(3, '0.2', [...told.slice(0, 20), ...told.slice(21)].join('\n')),
    ];
    const [first, second, third] = shortened(events);
    expect(first).toEqual(events[0]);
    expect(second?.repeats).toEqual({
      '/result/value/message/text': [
        { event: 1, at: '/op/added/0/text', from: 0, to: told.slice(1).join('\n').length },
      ],
    });
    expect(JSON.stringify(third).length).toBeLessThan(JSON.stringify(events[2]).length / 3);
  });

  test('elements that stood in an earlier list are stored as parts of it', () => {
    const posts = Array.from({ length: 50 }, (_, number) => ({ number, message: 'Hello, everybody.' }));
    const first = takeOf(1, posts);
    const second = takeOf(
      2,
      posts.filter(({ number }) => number !== 20),
    );
    expect(shortened([first, second])[1]).toMatchObject({
      detail: { 'a/b~c': [] },
      repeats: {
        '/detail/a~1b~0c': [
          { event: 1, at: '/detail/a~1b~0c', from: 0, to: 20 },
          { event: 1, at: '/detail/a~1b~0c', from: 21, to: 50 },
        ],
      },
    });
  });

  test('the kind of an op, its path and its agent are never references', () => {
    const long = 'x'.repeat(200);
    const start = modelStart(1, long, long);
    const events = [start, { ...modelStart(2, long, long), op: { ...start.op, agent: long } }] as RunEvent[];
    expect(shortened(events)[1]).toMatchObject({ path: long, op: { kind: 'model', agent: long } });
  });

  test('a reference reaches back over a bounded number of events', () => {
    const long = 'x'.repeat(200);
    const events = Array.from({ length: REACH + 10 }, (_, seq) => takeOf(seq, seq === 1 || seq > REACH ? long : seq));
    const stored = shortened(events);
    expect(stored[REACH + 1]?.repeats).toBeUndefined();
    expect(stored[REACH + 2]?.repeats).toBeDefined();
    expect(wholeEvents(stored)).toEqual(JSON.parse(JSON.stringify(events)));
  });
});

describe('a damaged reference', () => {
  const long = 'y'.repeat(200);
  const stored = shortened([modelStart(1, '0.1', long), modelEnd(2, '0.1', long)]);
  const piece = { event: 1, at: '/op/added/0/text', from: 0, to: 200 };
  const read = (repeats: unknown, text = ''): RunEvent | undefined => {
    const [first, second] = structuredClone(stored) as [RunEvent, RunEvent];
    const end = modelEnd(2, '0.1', text);
    return wholeEvents([first, { ...end, at: second.at, repeats } as unknown as RunEvent])[1];
  };
  const AT = '/result/value/message/text';

  test('the reference as it was written is read', () => {
    expect(read({ [AT]: [piece] })).toEqual(modelEnd(2, '0.1', long));
  });

  test.each([
    ['an event that is not there', { [AT]: [{ ...piece, event: 0 }] }],
    ['the event itself', { [AT]: [{ ...piece, event: 2 }] }],
    ['a later event', { [AT]: [{ ...piece, event: 3 }] }],
    ['a field that is not there', { [AT]: [{ ...piece, at: '/op/added/9/text' }] }],
    ['a field that is no text', { [AT]: [{ ...piece, at: '/op/turn' }] }],
    ['what every object has', { [AT]: [{ ...piece, at: '/constructor/name' }] }],
    ['more than the text has', { [AT]: [{ ...piece, to: 201 }] }],
    ['a part that begins before the text', { [AT]: [{ ...piece, from: -1 }] }],
    ['nothing', { [AT]: [{}] }],
    ['a number', { [AT]: [7] }],
    ['a text and a list', { [AT]: ['a', ['b']] }],
    ['no pieces', { [AT]: null }],
    ['a field of its own that is not there', { '/result/other/text': [piece] }],
    ['a list for a text', { [AT]: [['a']] }],
    ['no fields', []],
    ['null', null],
  ])('one that names %s is found', (_, repeats) => {
    const event = read(repeats);
    expect(event && eventProblem(event)).toContain('`repeats`');
  });

  test('a field that holds something beside its reference is found', () => {
    const event = read({ [AT]: [piece] }, 'changed');
    expect(event && eventProblem(event)).toContain('`repeats`');
  });

  test('one who begins in the middle asks for the events before', () => {
    const restorer = new EventRestorer();
    expect(restorer.lacksFor(stored[1] as RunEvent, 2)).toBe(true);
    expect(restorer.lacksFor(stored[1] as RunEvent, 0)).toBe(false);
    expect(restorer.lacksFor(stored[0] as RunEvent, 2)).toBe(false);
  });
});
