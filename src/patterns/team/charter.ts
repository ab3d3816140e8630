// The text before the system prompt of every participant of a team: the charter, who is in the team and what for, and
// how the team works.

import type { TeamSeat } from '../../kernel/effect.ts';
import type { AgentCard } from '../pattern.ts';
import { section } from '../sections.ts';
import type { TeamConfig } from '../team-strategy.ts';

export function preamble(
  charter: string,
  config: TeamConfig,
  seat: TeamSeat,
  card: (name: string) => AgentCard,
): string {
  const line = (name: string, role: string) =>
    `- ${name} (${role}${name === seat.memberId ? ', you' : ''}): ${card(name).description}`;
  const roster = [line(config.supervisor, 'supervisor'), ...config.members.map((name) => line(name, 'member'))];
  const part = seat.role === 'member' ? MEMBER : SUPERVISOR;
  const parts = [section('## THE TEAM', roster.join('\n')), section('## HOW YOU WORK TOGETHER', part)];
  // The participant's own prompt follows; for a supervisor that declares the team, that is the charter.
  const own =
    charter.trim() === '' ? [...parts, '## CHARTER'] : [section('## CHARTER', charter), ...parts, '## YOUR PART'];
  return own.join('\n\n');
}

const MEMBER =
  'You speak to the team with team_broadcast; everyone hears it before their next turn. Say what you found, then wait, ' +
  'go on working, or leave. The supervisor alone gives the final answer.';

const SUPERVISOR =
  'The members work on the request and broadcast what they find; you hear all of it when each of them waits. ' +
  'Broadcast with team_broadcast to have them work on, or give the final answer with final_report, which ends the team.';
