import { expect, test } from 'vitest';
import { answer, call, journalByHand } from '../../test/support/events.ts';
import type { RunEvent } from '../journal/event.ts';
import { spanOf, traceOf } from '../journal/trace-context.ts';
import { fault } from '../kernel/fault.ts';
import type { LedgerLine } from '../views/costs/calls.ts';
import { providerNames } from './gen-ai.ts';
import { type SpanRecord, spanFold } from './span-fold.ts';

const RUN = 'run-1';

function fold(events: readonly RunEvent[], past = 0) {
  const spans: SpanRecord[] = [];
  const lines: LedgerLine[] = [];
  const trace = traceOf(RUN);
  const folding = spanFold(RUN, trace, providerNames({ acme: { kind: 'anthropic' } }), {
    span: (span) => spans.push(span),
    call: (line) => lines.push(line),
  });
  events.forEach((event, index) => folding.add(event, index < past));
  const names = new Map(spans.map((span) => [span.span, span.name]));
  return { spans, lines, told: spans.map(({ name, parent }) => `${names.get(parent ?? '') ?? '-'} > ${name}`) };
}

test('ops become spans below the run that asked for them, and each attempt of a call is one', () => {
  const book = journalByHand();
  book.ask('0.0').attempt('0.0', 1, { kind: 'failover', to: 'acme/large' });
  book.reply('0.0', '', [call('c1', 'echo')]);
  book.tool('0.1.0.0', call('c1', 'echo')).toolEnds('0.1.0.0', 'ok');
  book.run('0.1.1.0', 'child', { kind: 'call' });
  book.ask('0.1.1.0.0', { session: '0.1.1.0', agent: 'child' }).reply('0.1.1.0.0', 'yes');
  book.runEnds('0.1.1.0', answer('yes'));
  book.over(answer('done'));
  const { spans, lines, told } = fold(book.events);
  expect(told).toEqual([
    'invoke_agent lead > chat small',
    'invoke_agent lead > chat small',
    'invoke_agent lead > execute_tool echo',
    'invoke_agent child > chat small',
    'invoke_agent lead > invoke_agent child',
    '- > invoke_agent lead',
  ]);
  expect(lines).toHaveLength(3);
  expect(spans[0]).toMatchObject({ error: 'model/server', attributes: { 'error.type': 'model/server' } });
  expect(spans[1]).toMatchObject({ kind: 'client', attributes: { 'gen_ai.provider.name': 'anthropic' } });
  expect(new Set(spans.map(({ span }) => span)).size).toBe(spans.length);
  expect(spans.at(-1)).toMatchObject({ span: spanOf(RUN, '0'), attributes: { 'cadre.outcome': 'answered' } });
});

test('a span that ended before is not told again; one that was out is in doubt, and is told when it is over', () => {
  const book = journalByHand();
  book.ask('0.0').reply('0.0', '', [call('c1', 'echo')]);
  book.tool('0.1.0.0', call('c1', 'echo'));
  const past = book.events.length;
  book.resume();
  book.tool('0.1.0.0', call('c1', 'echo')).toolEnds('0.1.0.0', 'ok');
  book.over(answer('done'));
  const { spans, lines, told } = fold(book.events, past);
  expect(told).toEqual([
    'invoke_agent lead > execute_tool echo',
    'invoke_agent lead > execute_tool echo',
    '- > invoke_agent lead',
  ]);
  expect(lines).toEqual([]);
  expect(spans.map(({ error }) => error)).toEqual(['in doubt: its process died before it ended', undefined, undefined]);
  expect(spans[0]?.span).toBe(spanOf(RUN, '0.1.0.0'));
  expect(spans[1]?.span).not.toBe(spans[0]?.span);
});

test('a run that breaks says so on every level', () => {
  const book = journalByHand();
  const why = fault('timeout', 'too late');
  book.run('0.0', 'child', { kind: 'call' }).fails('0.0', 'run', why);
  book.over({ kind: 'timed-out', fault: why });
  expect(fold(book.events).spans).toMatchObject([
    { name: 'invoke_agent child', error: 'too late', attributes: { 'error.type': 'timeout' } },
    { name: 'invoke_agent lead', error: 'too late', attributes: { 'cadre.outcome': 'timed-out' } },
  ]);
});
