// A session with a seat in a team: it hears the channel and speaks on it, and a broadcast is a member's only exit.

import type { TeamSeat } from '../../kernel/effect.ts';
import { finalReport } from '../../kernel/session/final-report.ts';
import type { PatternContext, RunningTeam, Wrap } from '../pattern.ts';
import { broadcastTool } from './broadcast-tool.ts';
import { preamble } from './charter.ts';

/** Does nothing for a session without a seat. */
export const teamSeat =
  (context: PatternContext): Wrap =>
  (inner) =>
  (input) => {
    const { seat, conversation } = input;
    if (seat === undefined) return inner(input);
    if (conversation.goOn !== undefined) {
      if (isSameSeat(conversation.seat, seat)) return inner(input);
      conversation.goOn = undefined; // the supervisor of a team that is a member takes its team's seat
    }
    const { orchestrator, config } = runningTeam(seat, context);
    const speak = broadcastTool(orchestrator, seat, input);
    const report = finalReport(context.agent, input.contract ?? context.output, context.check);
    const maxTurns = seat.role === 'member' ? config.memberMaxTurns : config.supervisorMaxTurns;
    return inner({
      ...input,
      ...(maxTurns !== undefined && { maxTurns }),
      // The charter of a supervisor that declares the team is its own prompt.
      preamble: preamble(seat.team === context.agent ? '' : context.charter(seat.team), config, seat, context.card),
      exits: seat.role === 'member' ? [speak] : [report, speak],
      box: { session: input.self, channel: seat.channel, as: seat.memberId },
      inject: (broadcasts) => orchestrator.injectMessages(broadcasts),
    });
  };

const isSameSeat = (one: TeamSeat | undefined, other: TeamSeat): boolean =>
  one?.channel === other.channel && one.memberId === other.memberId;

export function runningTeam(seat: TeamSeat, context: PatternContext): RunningTeam {
  const running = context.teams.get(seat.channel);
  if (running === undefined) throw new Error(`no team is at work on channel ${seat.channel}`);
  return running;
}
