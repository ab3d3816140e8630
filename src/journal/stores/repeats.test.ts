import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunEvent } from '../event.ts';
import { modelEnd, modelStart, runEnd, runStart } from '../store.conformance.ts';
import { LONG, repeatReader, repeatWriter } from './repeats.ts';

const long = (letter: string): string => letter.repeat(LONG);

/** Few texts, so that they repeat; some just under the limit, some that look like references. */
const text = fc.constantFrom(
  long('a'),
  long('b'),
  'c'.repeat(LONG - 1),
  '',
  '{"$see":"0/input/text"}'.repeat(30),
  `\ud800${long('~/')}`,
);
const json = fc.oneof(
  fc.jsonValue(),
  text,
  fc.constant({ $see: '0/input/text' }),
  fc.record({ text, content: text, 'a/b~c': text }),
  fc.constant(JSON.parse('{"__proto__":{"text":"x"}}') as unknown),
);
const call = fc.record({ id: fc.constant('c'), name: fc.constant('write'), arguments: json });
const outcome = fc.oneof(
  fc.record({ kind: fc.constant('answered' as const), text }),
  fc.record({ kind: fc.constant('routed' as const), to: fc.constant('b'), message: text }),
  fc.record({
    kind: fc.constant('failed' as const),
    fault: fc.record({ code: fc.constant('internal' as const), message: text }),
    partial: text,
  }),
);
const message = fc.oneof(
  fc.record({ role: fc.constant('user' as const), text }),
  fc.record({ role: fc.constant('assistant' as const), op: fc.constant('0.0') }),
  fc.record({
    role: fc.constant('tool' as const),
    call: fc.constant('c'),
    name: fc.constant('t'),
    result: fc.record({ status: fc.constant('ok' as const), text }),
  }),
);
const trigger = { kind: 'call' as const };
const body = fc.oneof(
  fc.record({ added: fc.array(message, { maxLength: 4 }), system: text }).map(({ added, system }) => ({
    type: 'op-start',
    path: '0.0',
    print: 'p',
    op: { kind: 'model', session: '0', agent: 'a', turn: 1, models: [], added, system },
  })),
  fc
    .record({ text, origin: text, base: text, sections: fc.array(text, { maxLength: 3 }), data: json })
    .map((input) => ({
      type: 'op-start',
      path: '0.1',
      print: 'p',
      op: { kind: 'run', agent: 'a', input, trigger },
    })),
  text.map((said) => ({ type: 'op-start', path: '0.2', print: 'p', op: { kind: 'say', session: '0.1', text: said } })),
  call.map((one) => ({ type: 'op-start', path: '0.3', print: 'p', op: { kind: 'tool', agent: 'a', call: one } })),
  fc.record({ said: text, calls: fc.array(call, { maxLength: 3 }) }).map(({ said, calls }) => ({
    type: 'op-end',
    path: '0.0',
    kind: 'model',
    result: { ok: true, value: { message: { role: 'assistant', text: said, calls }, spent: { model: 'm' } } },
  })),
  outcome.map((value) => ({ type: 'op-end', path: '0.1', kind: 'run', result: { ok: true, value } })),
  text.map((said) => ({
    type: 'op-end',
    path: '0.3',
    kind: 'tool',
    result: { ok: true, value: { status: 'ok', text: said } },
  })),
  text.map((said) => ({
    type: 'op-end',
    path: '0.3',
    kind: 'tool',
    result: { ok: false, fault: { code: 'internal', message: said } },
  })),
  fc.array(text, { maxLength: 3 }).map((texts) => ({
    type: 'op',
    path: '0.4',
    kind: 'take',
    detail: { box: '0' },
    value: {
      messages: texts.map((said) => ({ role: 'user', text: said })),
      broadcasts: texts.map((said, number) => ({ message: said, number })),
    },
  })),
  text.map((said) => ({
    type: 'op',
    path: '0.5',
    kind: 'post',
    detail: { channel: '0', saying: { message: said } },
    value: { message: said, number: 1 },
  })),
  json.map((value) => ({ type: 'fact', key: 'k', value })),
  outcome.map((ended) => ({ type: 'run-end', outcome: ended })),
);
const history = fc
  .tuple(text, fc.array(body, { maxLength: 30 }))
  .map(([asked, bodies]): RunEvent[] => [
    runStart('r', asked),
    ...bodies.map((one, index) => ({ ...one, seq: index + 1, at: index }) as RunEvent),
  ]);

test('what is read is what was written, whatever repeats', () => {
  fc.assert(
    fc.property(history, (events) => {
      const before = JSON.stringify(events);
      const writer = repeatWriter();
      const lines = events.map((event) => writer.encode(event));
      expect(JSON.stringify(events)).toBe(before);
      const reader = repeatReader();
      expect(lines.map((line) => reader.decode(JSON.parse(line)))).toEqual(JSON.parse(before));
    }),
    { numRuns: 500 },
  );
});

test('a writer that goes on after a reader writes what the first would have written', () => {
  fc.assert(
    fc.property(history, fc.nat(30), (events, cut) => {
      const writer = repeatWriter();
      const lines = events.map((event) => writer.encode(event));
      const reader = repeatReader();
      for (const line of lines.slice(0, cut)) reader.decode(JSON.parse(line));
      const next = reader.writer();
      expect(events.slice(cut).map((event) => next.encode(event))).toEqual(lines.slice(cut));
    }),
    { numRuns: 300 },
  );
});

test('events that could not be written leave no trace in what is remembered', () => {
  fc.assert(
    fc.property(history, history, (lost, events) => {
      const writer = repeatWriter();
      for (const event of lost) writer.encode(event);
      writer.forget();
      const clean = repeatWriter();
      expect(events.map((event) => writer.encode(event))).toEqual(events.map((event) => clean.encode(event)));
    }),
  );
});

test('a long text is written once and named afterwards', () => {
  const answer = long('x');
  const writer = repeatWriter();
  const written = [
    runStart('r', 'short'),
    modelStart(1, '0.0', 'short'),
    modelEnd(2, '0.0', answer),
    runEnd(3, { kind: 'answered', text: answer }),
  ].map((event) => JSON.parse(writer.encode(event)) as object);
  expect(written[3]).toMatchObject({ outcome: { kind: 'answered', text: { $see: '2/result/value/message/text' } } });
  expect(JSON.stringify(written).split(answer)).toHaveLength(2);
});

test('an answer that was given as an argument of final_report is named by the outcome', () => {
  const content = long('y');
  const writer = repeatWriter();
  const reply = modelEnd(0, '0.0', '');
  writer.encode({
    ...reply,
    result: {
      ok: true,
      value: {
        message: { role: 'assistant', text: '', calls: [{ id: 'c', name: 'final_report', arguments: { content } }] },
      },
    },
  });
  expect(JSON.parse(writer.encode(runEnd(1, { kind: 'answered', text: content })))).toMatchObject({
    outcome: { text: { $see: '0/result/value/message/calls/0/arguments/content' } },
  });
});

test('a reference that leads nowhere is an error that names it', () => {
  const bad = { ...runEnd(1), outcome: { kind: 'answered', text: { $see: '0/nowhere' } } };
  expect(() => repeatReader().decode(bad)).toThrow('0/nowhere');
});
