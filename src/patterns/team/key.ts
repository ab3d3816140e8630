// The key `team`.

import type { KeySpec } from '../key-form.ts';
import type { TeamConfig } from '../team-strategy.ts';

export const teamKey: KeySpec<TeamConfig> = {
  form: {
    kind: 'keys',
    keys: {
      members: {
        form: { kind: 'agents', role: 'member', gets: 'request', min: 1 },
        guidance: 'The agents that work in the team.',
        required: true,
      },
      supervisor: {
        form: { kind: 'agent', role: 'supervisor', gets: 'request', orSelf: true },
        guidance: 'The agent that alone answers; self is the agent of this file.',
        required: true,
      },
      memberMaxTurns: {
        form: { kind: 'integer', min: 1, max: 10_000, cap: 'maxTurns' },
        guidance: 'Model turns of each member. Without it each member’s own maxTurns.',
      },
      supervisorMaxTurns: {
        form: { kind: 'integer', min: 1, max: 10_000, cap: 'maxTurns' },
        guidance: 'Model turns of the supervisor. Without it its own maxTurns.',
      },
    },
  },
  guidance:
    'Members work in parallel and talk; the supervisor alone answers. The body below is the charter of the team.',
  example: 'team:\n  members: [analyst, developer]\n  supervisor: self\n  memberMaxTurns: 6\n  supervisorMaxTurns: 12',
  hints: {
    supervisor: 'It belongs to team: team: {members: […], supervisor: …}.',
    members: 'It belongs to team: team: {members: […], supervisor: …}.',
  },
  configOf(value) {
    const { members = [], supervisor, ...turns } = value as Partial<TeamConfig>;
    return members.length === 0 || supervisor === undefined ? undefined : { members, supervisor, ...turns };
  },
};
