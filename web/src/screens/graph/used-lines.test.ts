import { expect, test } from 'vitest';
import type { GraphEdgeState } from '../../../../src/views/run-graph.ts';
import type { Line } from './picture.ts';
import { usedLines } from './used-lines.ts';

const line = (to: string, label: string): Line => ({
  key: `a ${to} next ${label}`,
  from: 'a',
  to,
  kind: 'next',
  label,
  path: '',
  words: { x: 0, y: 0 },
});
const LINES = [
  line('b', 'next refund'),
  line('c', 'next 2 bug else'),
  line('c', 'next otherwise'),
  line('d', 'next 3'),
];

const edge = (to: string, more: Partial<GraphEdgeState> = {}): GraphEdgeState => ({
  from: 'a',
  to,
  kind: 'next',
  used: 1,
  lastAt: 1000,
  ...more,
});

const used = (...edges: readonly GraphEdgeState[]): readonly string[] =>
  usedLines(LINES, edges, undefined).flatMap(({ label, state }) => (state === 'used' ? [label] : []));

test('a case used its own line, and a value without one used otherwise', () => {
  expect(used(edge('b', { case: 'refund' }))).toEqual(['next refund']);
  expect(used(edge('c', { case: 'bug', instead: true }))).toEqual(['next 2 bug else']);
  expect(used(edge('c', { case: 'odd' }))).toEqual(['next otherwise']);
  expect(used(edge('d'))).toEqual(['next 3']);
  expect(used()).toEqual([]);
});

test('a line that was used within two seconds is just used', () => {
  const states = (now: number) => usedLines(LINES, [edge('d')], now).map(({ state }) => state);
  expect(states(2500).at(-1)).toBe('just');
  expect(states(3001).at(-1)).toBe('used');
});
