import { expect, test } from 'vitest';
import { triggersOf, triggerTraits } from './trigger-traits.ts';

const of = (kind: string, means?: object) => triggerTraits({ kind, ...(means && { means }) } as never);
const KINDS = 'start call next handoff router advisor member supervisor spawn judge repeat each subagent'.split(' ');
const those = (trait: 'deepens' | 'isHop' | 'answers' | 'limitsDepth') =>
  KINDS.filter((kind) => of(kind)[trait] === true);

test('an agent that takes the place of another one is no deeper; any other one is', () => {
  expect(KINDS.filter((kind) => !those('deepens').includes(kind))).toEqual(['next', 'handoff', 'router', 'repeat']);
});

test('an agent that works on the request itself is a hop, and one that gives the answer of the run answers', () => {
  expect(KINDS.filter((kind) => !those('isHop').includes(kind))).toEqual(['start', 'call', 'spawn', 'subagent']);
  expect(those('answers')).toEqual(['next', 'handoff', 'router', 'supervisor', 'repeat']);
  expect(those('limitsDepth')).toEqual(['subagent']);
});

test('a trigger of a pattern that is not here means what its record says, or the least that is safe', () => {
  const means = { pattern: 'toy', deepens: false, isHop: false, answers: true };
  expect(of('toy', means)).toEqual(means);
  expect(of('toy')).toEqual({ pattern: 'toy', deepens: true, isHop: true, answers: false });
  expect(of('call', means)).toMatchObject({ pattern: 'agents' });
  expect(triggersOf('call', 'next')).toEqual({ call: of('call'), next: of('next') });
});
