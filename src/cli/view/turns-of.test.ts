import { expect, test } from 'vitest';
import { cadreFromTexts } from '../../definition/load.ts';
import type { TeamSeat } from '../../kernel/effect.ts';
import type { SessionProgress } from '../../views/progress/progress.ts';
import { turnsOf } from './turns-of.ts';

const agent = (keys: string): string => `---\ndescription: One.\n${keys}\n---\nWork.\n`;

const cadre = cadreFromTexts(
  '/desk',
  new Map([
    [
      'cadre.yaml',
      'providers: { demo: { kind: scripted, script: s.yaml } }\ndefaults: { models: [demo/any], maxTurns: 9 }',
    ],
    [
      'room.md',
      agent('team: { members: [builder, tester], supervisor: self, memberMaxTurns: 4, supervisorMaxTurns: 5 }'),
    ],
    ['loose.md', agent('team: { members: [builder, tester], supervisor: lead }')],
    ['builder.md', agent('maxTurns: 7')],
    ['tester.md', agent('')],
    ['lead.md', agent('maxTurns: 3')],
  ]),
);

const session = (name: string, seat?: Pick<TeamSeat, 'team' | 'role'>) =>
  ({ agent: name, ...(seat && { seat }) }) as SessionProgress;

test.each([
  ['a session on its own', session('builder'), 7],
  ['a member, where the team says', session('builder', { team: 'room', role: 'member' }), 4],
  ['a member, where it does not', session('builder', { team: 'loose', role: 'member' }), 7],
  ['the lead of its own team', session('room'), 5],
  ['another supervisor', session('lead', { team: 'loose', role: 'supervisor' }), 3],
  ['an agent that is not there', session('gone'), undefined],
])('%s has the turns that it will get', (_whose, progress, turns) => {
  expect(turnsOf(progress, cadre)).toBe(turns);
});
