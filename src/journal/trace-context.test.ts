import { expect, test } from 'vitest';
import { spanOf, traceOf, traceparentFor } from './trace-context.ts';

const OUTER = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

test('trace and spans follow from run and path alone', () => {
  const { trace, parent, sampled } = traceOf('run-1');
  expect(trace).toMatch(/^[0-9a-f]{32}$/);
  expect([parent, sampled]).toEqual([undefined, true]);
  expect(traceOf('run-1').trace).toBe(trace);
  expect(traceOf('run-2').trace).not.toBe(trace);
  expect(spanOf('run-1', '0.1')).toMatch(/^[0-9a-f]{16}$/);
  expect(spanOf('run-1', '0.1')).not.toBe(spanOf('run-1', '0.2'));
});

test('a process within a trace belongs to it, and hands it on', () => {
  const outer = traceOf('run-1', OUTER);
  expect(outer).toEqual({ trace: '4bf92f3577b34da6a3ce929d0e0e4736', parent: '00f067aa0ba902b7', sampled: true });
  expect(traceOf('run-1', OUTER.replace(/01$/, '00')).sampled).toBe(false);
  const span = spanOf('run-1', '0.3');
  const handed = traceparentFor(outer, span);
  expect(traceOf('child', handed)).toEqual({ ...outer, parent: span });
});

test.each(['', 'nonsense', OUTER.slice(3), OUTER.replace(/^00/, 'ff'), `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`])(
  '%j is no trace, and is ignored',
  (traceparent) => {
    expect(traceOf('run-1', traceparent)).toEqual(traceOf('run-1'));
  },
);
