// The number of turns that a session may take.

import { expect, test } from 'vitest';
import { turnsOf } from './run-agents.ts';

const agents = new Map([
  ['lead', { maxTurns: 10, team: { memberMaxTurns: 8, supervisorMaxTurns: 4 } }],
  ['tester', { maxTurns: 12 }],
]);
const seat = (role: 'member' | 'supervisor') => ({ team: 'lead', memberId: 'x', role, channel: '0' });

test('a seat has the turns that its team gives it, everything else those of its agent', () => {
  expect(turnsOf({ agent: 'tester', seat: seat('member') }, agents)).toBe(8);
  expect(turnsOf({ agent: 'tester' }, agents)).toBe(12);
  expect(turnsOf({ agent: 'lead' }, agents)).toBe(4);
  expect(turnsOf({ agent: 'unknown' }, agents)).toBeUndefined();
});
