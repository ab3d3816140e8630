import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../journal/event.ts';
import { modelEnd, runEnd, runStart } from '../../journal/store.conformance.ts';
import { liftTexts } from './first-release-texts.ts';

const story = 'A long story. '.repeat(50);
const report = 'A long report. '.repeat(50);
const reply = {
  ...modelEnd(1, '0.0', ''),
  result: {
    ok: true as const,
    value: {
      message: { role: 'assistant', text: '', calls: [{ id: 'c', name: 'write', arguments: { 'a/b~c': report } }] },
    },
  },
};
const earlier: readonly RunEvent[] = [runStart('r', story), reply];
const toStory = { $see: '0/input/text' };
const toReport = { $see: '1/result/value/message/calls/0/arguments/a~1b~0c' };

const eventAt = (seq: number): RunEvent => earlier[seq] as RunEvent;
const lifted = (event: object): unknown => {
  const parsed = JSON.parse(JSON.stringify({ seq: 2, at: 0, ...event })) as RunEvent;
  liftTexts(parsed, eventAt);
  return parsed;
};

const started = (op: object) => ({ type: 'op-start', path: '0.1', print: 'p', op });
const ended = (kind: string, value: object) => ({ type: 'op-end', path: '0.1', kind, result: { ok: true, value } });
const done = (kind: string, detail: object, value: object) => ({ type: 'op', path: '0.1', kind, detail, value });
const model = { kind: 'model', session: '0', agent: 'a', turn: 1, models: [] };
const child = { kind: 'run', agent: 'a', trigger: { kind: 'call' } };

/** One event of each kind in which 0.1.0 wrote references, with a text where it has one. */
const events: Readonly<Record<string, (text: unknown) => object>> = {
  'a system prompt': (text) => started({ ...model, added: [], system: text }),
  'messages that a request adds': (text) =>
    started({
      ...model,
      added: [
        { role: 'assistant', op: '0.0' },
        { role: 'user', text },
        { role: 'tool', call: 'c', name: 't', result: { status: 'ok', text } },
      ],
    }),
  'the input of a child': (text) =>
    started({ ...child, input: { text, origin: text, base: text, sections: ['short', text] } }),
  'what is said to a session': (text) => started({ kind: 'say', session: '0.1', text }),
  'what a helper is asked': (text) => started({ kind: 'subagent', request: { task: text, context: text } }),
  'a reply': (text) => ended('model', { message: { role: 'assistant', text, calls: [] }, spent: { model: 'm' } }),
  'the outcome of a child': (text) => ended('run', { kind: 'failed', partial: text }),
  'the result of a tool': (text) => ended('tool', { status: 'ok', text }),
  'a broadcast': (text) => done('post', { channel: '0', saying: { message: text } }, { message: text, number: 1 }),
  'what is taken in': (text) =>
    done('take', { box: '0' }, { messages: [{ role: 'user', text }], broadcasts: [{ message: text, number: 1 }] }),
  'the outcome of the run': (text) => ({ type: 'run-end', outcome: { kind: 'answered', text, partial: text } }),
};

test.each(Object.entries(events))('in %s, a reference becomes the text that it names', (_, event) => {
  expect(lifted(event(toStory))).toEqual(lifted(event(story)));
  expect(lifted(event(toReport))).toEqual(lifted(event(report)));
});

test('what is no reference stays as it is', () => {
  const text = fc.constantFrom('', story, JSON.stringify(toStory), '\ud800');
  fc.assert(
    fc.property(text, fc.constantFrom(...Object.values(events)), (said, event) => {
      expect(lifted(event(said))).toEqual({ seq: 2, at: 0, ...event(said) });
    }),
  );
});

test('data of a user that looks like a reference stays as it is', () => {
  const data = { text: toStory, $see: '0/input/text' };
  for (const event of [
    { type: 'fact', key: 'k', value: data },
    started({ ...child, input: { text: 'x', data } }),
    started({ kind: 'tool', agent: 'a', call: { id: 'c', name: 't', arguments: data } }),
    ended('run', { kind: 'answered', text: 'x', data }),
  ]) {
    expect(lifted(event)).toEqual({ seq: 2, at: 0, ...event });
  }
});

test.each(['0/nowhere', '0/input', '2/outcome/text', '9/input/text', '-1/input/text', 'input/text', ''])(
  'a reference to %j, where no earlier text is, is an error that names it',
  (see) => {
    const event = { ...runEnd(2), outcome: { kind: 'answered', text: { $see: see } } };
    expect(() => lifted(event)).toThrow(`the text at ${see}, which is not there`);
  },
);
