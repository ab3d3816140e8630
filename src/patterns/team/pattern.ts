// The catalog record of `team`.

import type { TeamConfig } from '../config.ts';
import { triggersOf } from '../meanings.ts';
import type { Pattern } from '../record.ts';
import { TEAM_BROADCAST } from './broadcast-tool.ts';
import { team } from './team.ts';

export const teamPattern: Pattern<TeamConfig> = {
  key: 'team',
  at: 'instead',
  triggers: triggersOf('member', 'supervisor'),
  reserves: [TEAM_BROADCAST],
  configIn: (agent) => agent.team,
  edges: ({ members, supervisor }, agent) => [
    ...members.map((to) => ({ to, role: 'member', trigger: 'member' })),
    ...(supervisor === agent
      ? []
      : [{ to: supervisor, role: 'supervisor', trigger: 'supervisor', label: 'team supervisor' }]),
  ],
  wrap: team,
};
