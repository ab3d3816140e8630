import { expect, test } from 'vitest';
import { patternsOf } from '../../test/support/patterns.ts';
import { cadreFromTexts } from '../definition/load.ts';
import { generateCadre } from './generate.ts';

test.each([1, 7, 8, 50])('a cadre of %d generated agents passes the check', (count) => {
  const { agents } = cadreFromTexts('/cadre', generateCadre(count));
  expect(agents.size).toBe(count);
});

test('generated agents have edges of every kind but handoff, and schemas that meet', () => {
  const agents = [...cadreFromTexts('/cadre', generateCadre(16)).agents.values()];
  const said = agents.map(patternsOf);
  const having = (key: 'chain' | 'router' | 'advisors' | 'team') => said.filter((one) => one[key] !== undefined).length;
  expect([having('chain'), having('router'), having('advisors'), having('team')]).toEqual([2, 2, 2, 2]);
  expect(agents.filter((agent) => agent.input.schema !== undefined)).toHaveLength(2);
});
