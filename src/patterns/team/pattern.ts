// The catalog record of `team`.

import { sumOf } from '../bounds.ts';
import type { Pattern } from '../record.ts';
import type { TeamConfig } from '../team-strategy.ts';
import { triggersOf } from '../trigger-traits.ts';
import { TEAM_BROADCAST } from './broadcast-tool.ts';
import { checkTeam } from './check.ts';
import { teamKey } from './key.ts';
import { team } from './team.ts';
import { teamSeat } from './team-seat.ts';

export const teamPattern: Pattern<TeamConfig> = {
  key: 'team',
  keySpec: teamKey,
  layer: 'instead',
  triggers: triggersOf('member', 'supervisor'),
  reserves: [TEAM_BROADCAST],
  edges: ({ members, supervisor }, agent) => [
    ...members.map((to) => ({ to, role: 'member', trigger: 'member' })),
    ...(supervisor === agent
      ? []
      : [{ to: supervisor, role: 'supervisor', trigger: 'supervisor', label: 'team supervisor' }]),
  ],
  check: checkTeam,
  bound({ members, supervisor, memberMaxTurns, supervisorMaxTurns }, _inner, { session, seat, agent }) {
    const leading = supervisor === agent ? session(supervisorMaxTurns) : seat(supervisor, supervisorMaxTurns);
    return sumOf([...members.map((member) => seat(member, memberMaxTurns)), leading]);
  },
  wrap: team,
  wrapEvery: teamSeat,
};
