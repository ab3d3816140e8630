// The strategy in cycles: all members work at the same time; when each of them waits or has left, the supervisor
// hears everything and either broadcasts, which starts the next cycle, or reports, which ends the team.

import { parallel, type Routine } from '../../kernel/effect.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import type { TeamStrategy } from '../team-strategy.ts';
import { settleMember } from './orchestrator.ts';

export const cycles: TeamStrategy = function* ({ team, wake, supervise }): Routine<Outcome> {
  for (;;) {
    const members = team.active();
    yield* parallel(
      members.map(
        (member) => () =>
          (function* (): Routine<void> {
            yield* settleMember(team, member.id, yield* wake(member));
          })(),
      ),
    );
    const outcome = yield* supervise();
    if (outcome.kind === 'answered' && outcome.broadcast !== undefined) continue;
    yield* team.cancelRemaining('The supervisor has reported.');
    return outcome;
  }
};
