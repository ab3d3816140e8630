// The number of turns that a session may take: its agent's own limit, or the limit that a team gives to its member.

import type { CadreDefinition } from '../../definition/definition.ts';
import { configOf } from '../../patterns/record.ts';
import { teamPattern } from '../../patterns/team/pattern.ts';
import type { SessionProgress } from '../../views/progress/progress.ts';

export function turnsOf({ agent, seat }: SessionProgress, { agents }: CadreDefinition): number | undefined {
  const own = agents.get(agent);
  const leading = agents.get(seat?.team ?? agent);
  const team = leading && configOf(leading, teamPattern);
  if (own === undefined || team === undefined) return own?.maxTurns;
  // An agent that declares a team and has no seat leads it itself.
  const given = seat?.role === 'member' ? team.memberMaxTurns : team.supervisorMaxTurns;
  return given ?? own.maxTurns;
}
