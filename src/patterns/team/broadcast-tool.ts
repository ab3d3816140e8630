// The tool by which a participant speaks to its team.

import type { Routine, TeamSeat } from '../../kernel/effect.ts';
import { errorResult, okResult, type ToolCall, type ToolSpec } from '../../kernel/message.ts';
import type { SessionInput } from '../../kernel/session/session-spec.ts';
import type { SessionTool, ToolAnswer } from '../../kernel/session/session-tool.ts';
import type { TeamOrchestrator } from '../team-strategy.ts';

export const TEAM_BROADCAST = 'team_broadcast';

type Then = 'wait' | 'continue' | 'leave-success' | 'leave-failure';

const AFTERWARDS: Record<Then, string> = {
  wait: 'you are done for this cycle and wait for the others',
  continue: 'you go on working',
  'leave-success': 'you leave the team, your work done',
  'leave-failure': 'you leave the team because you cannot do your work',
};

export function broadcastTool(team: TeamOrchestrator, seat: TeamSeat, input: SessionInput): SessionTool {
  const asMember = seat.role === 'member';
  return {
    spec: broadcastSpec(asMember),
    exits: (call) => thenOf(call) !== 'continue',
    pauses: (call) => thenOf(call) === 'wait',
    ...(asMember ? { fromText: (message: string) => ({ message }) } : { unavailableOnLastTurn: true as const }),
    *run(call): Routine<ToolAnswer> {
      const { message } = call.arguments as { message: string };
      if (!asMember && team.active().length === 0) return errorResult(NOBODY);
      const then = thenOf(call);
      const turnCount = input.conversation.turns;
      const type = then === 'leave-failure' ? 'failure' : 'update';
      const said = yield* team.onMemberBroadcast({ type, memberId: seat.memberId, message, turnCount });
      if (said.refused !== undefined) return errorResult(`Not sent, and nobody heard it: ${said.refused}`);
      const { number } = said;
      if (then === 'continue') return okResult(`Broadcast ${number} sent.`);
      if (then === 'wait') {
        return { outcome: { kind: 'answered', agent: seat.memberId, text: message, broadcast: number } };
      }
      return { outcome: { kind: 'left', agent: seat.memberId, success: then === 'leave-success', text: message } };
    },
  };
}

const NOBODY = 'Nobody is left in the team, so a broadcast would reach no one. Give your final_report now.';

const thenOf = (call: ToolCall): Then => {
  const given = (call.arguments as { readonly then?: Then } | null)?.then;
  return given !== undefined && given in AFTERWARDS ? given : 'wait';
};

function broadcastSpec(asMember: boolean): ToolSpec {
  const message = { type: 'string', minLength: 1, description: 'What everyone in the team should know.' };
  const choices = (Object.keys(AFTERWARDS) as Then[]).map((then) => `"${then}": ${AFTERWARDS[then]}`).join('; ');
  const properties = asMember
    ? { message, then: { type: 'string', enum: Object.keys(AFTERWARDS), default: 'wait', description: `${choices}.` } }
    : { message };
  return {
    name: TEAM_BROADCAST,
    description: asMember
      ? 'Say something to everyone in your team.'
      : 'Say something to every member of your team. They work on it, and you hear what they have to say.',
    parameters: { type: 'object', properties, required: ['message'], additionalProperties: false },
  };
}
