import { expect, test } from 'vitest';
import { assemble } from '../link/assemble.ts';
import { boundsOf } from './bound.ts';

const config = 'defaults: {models: openai/x, description: d, maxTurns: 3, maxToolCallsPerTurn: 2, maxRetries: 1}\n';

function bounds(texts: Readonly<Record<string, string>>) {
  const files = Object.entries(texts).map(([name, yaml]) => [`${name}.md`, `---\n${yaml}\n---\nx`] as const);
  const { agents } = assemble(
    { folder: '/c', texts: new Map([['cadre.yaml', config], ...files]), others: new Set() },
    [],
    {},
  );
  return boundsOf(new Map([...agents].map(([name, { definition }]) => [name, definition])));
}

const calls = (texts: Readonly<Record<string, string>>, name = 'a') => {
  const bound = bounds(texts).get(name);
  return bound?.kind === 'bounded' ? Number(bound.calls) : bound?.reason;
};

test('a plain agent makes at most as many calls as it has turns', () => {
  expect(calls({ a: '' })).toBe(3);
});

test('each tool call of each turn but the last may be the most expensive callee', () => {
  expect(calls({ a: 'agents: [b, c]', b: '', c: 'maxTurns: 7' })).toBe(3 + 2 * 2 * 7);
  expect(calls({ a: 'agents: [b]', b: 'agents: [c]', c: '' })).toBe(3 + 4 * (3 + 4 * 3));
});

test('advisors and stages add up, with whoever steps in; of destinations the largest counts', () => {
  expect(calls({ a: 'advisors: [b, c]', b: '', c: 'maxTurns: 5' })).toBe(3 + 3 + 5);
  expect(calls({ a: 'next: {sequence: [b, {to: c, else: d}]}', b: '', c: '', d: 'maxTurns: 4' })).toBe(3 + 3 + 3 + 4);
  expect(calls({ a: 'router: {destinations: [b, c]}', b: '', c: 'maxTurns: 9' })).toBe(3 + 9);
});

test('a team is its members and its supervisor, each with the turns that the team gives', () => {
  expect(
    calls({ a: 'team: {members: [b, c], supervisor: self, memberMaxTurns: 4, supervisorMaxTurns: 6}', b: '', c: '' }),
  ).toBe(4 + 4 + 6);
  expect(calls({ a: 'team: {members: [b], supervisor: s}', b: 'maxTurns: 2', s: 'maxTurns: 5' })).toBe(2 + 5);
  expect(
    calls({ a: 'team: {members: [b], supervisor: self, memberMaxTurns: 4}', b: 'next: c', c: 'maxTurns: 9' }),
  ).toBe(3 + 4 + 3);
});

test('helpers of the subagent tool count like callees', () => {
  expect(calls({ a: 'subagent: {maxIterations: 10}' })).toBe(3 + 4 * 10);
  expect(calls({ a: 'subagent: {enabled: false}' })).toBe(3);
});

test('background runs are bounded by their total, even where they spawn each other', () => {
  expect(calls({ a: 'spawn: {maxTotal: 5, agents: [b]}', b: 'spawn: {maxTotal: 4, agents: [a]}\nmaxTurns: 8' })).toBe(
    3 + 5 * 8,
  );
  expect(calls({ a: 'agents: [b]', b: 'spawn: {maxTotal: 5, agents: [b]}' })).toBe(3 + 4 * 3 + 5 * 3);
});

test('attempts count every retry on every model', () => {
  expect(bounds({ a: 'models: [openai/x, openai/y]\nmaxRetries: 3' }).get('a')).toEqual({
    kind: 'bounded',
    calls: 3n,
    attempts: 18n,
  });
});

test('deep graphs have bounds larger than numbers hold', () => {
  const chain = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [`n${i}`, i < 39 ? `agents: [n${i + 1}]` : '']),
  );
  const bound = bounds(chain).get('n0');
  expect(bound?.kind === 'bounded' && bound.calls > 4n ** 39n).toBe(true);
});

test('a cycle has no bound, and neither has what leads into it', () => {
  const found = bounds({ a: 'next: b', b: 'agents: [c]', c: 'agents: [b]', d: '' });
  expect([...found].map(([name, { kind }]) => `${name} ${kind}`)).toEqual([
    'a unbounded',
    'b unbounded',
    'c unbounded',
    'd bounded',
  ]);
});
