// Rules about teams: the supervisor is not a member, no agent is in a team twice, and every agent that ends up in
// the team can take part in it. A member may be a team itself; a router cannot take part.

import type { AgentName } from '../../kernel/effect.ts';
import { declaredSeat, wayToSeat } from '../final-answerers.ts';
import type { Layer, Review } from '../record.ts';
import type { ReviewedEdge } from '../review.ts';
import type { TeamConfig } from '../team-strategy.ts';

export function checkTeam(config: TeamConfig | undefined, review: Review): void {
  const seats = new Map<AgentName, ReviewedEdge>();
  const supervisor = config?.supervisor ?? review.edges.find(({ role }) => role === 'supervisor')?.to;
  for (const edge of review.edges) {
    if (edge.role === 'supervisor') checkSupervisor(edge, review);
    if (edge.role === 'member') checkMember(edge, supervisor, seats, review);
  }
}

function checkMember(
  edge: ReviewedEdge,
  supervisor: AgentName | undefined,
  seats: Map<AgentName, ReviewedEdge>,
  { agents, report }: Review,
): void {
  const member = edge.to;
  const refuse = (code: string, message: string, help: string): void => report({ code, at: edge, message, help });
  if (member === supervisor) {
    refuse(
      'team/supervisor-member',
      `"${member}" is both a member and the supervisor of the team`,
      'Remove it from members, or let another agent supervise.',
    );
    return;
  }
  const way = wayToSeat(member, agents);
  const seat = way?.at(-1);
  if (way === undefined || seat === undefined) return;
  const through =
    seat === member ? `"${seat}"` : `"${seat}", which is in the team at the end of the chain of "${member}",`;
  if (seat === supervisor) {
    refuse(
      'team/supervisor-member',
      `the chain of the member "${member}" ends at "${seat}", which supervises the team`,
      'Let the chain end at another agent.',
    );
    return;
  }
  const undefinedSeat = declaredSeat(agents.get(seat)?.patterns ?? []);
  if (undefinedSeat?.kind === 'undefined') {
    refuse('team/undefined-member', `${through} ${undefinedSeat.why}`, undefinedSeat.help);
  }
  const substitute = substituteOn(way, agents);
  if (substitute !== undefined) {
    refuse(
      'team/undefined-member',
      `the chain of the member "${member}" ends with an else ("${substitute}"), so it is not defined which agent is in the team`,
      'A member talks and never answers, so nothing can stand in for its answer: remove the else.',
    );
  }
  const first = seats.get(seat);
  // The rule about references reports a member that is named twice.
  if (first !== undefined && first.to !== member) {
    refuse(
      'team/same-seat',
      `the members "${first.to}" and "${member}" both end at "${seat}", which can be in the team only once`,
      'Keep one of the two.',
    );
  }
  if (first === undefined) seats.set(seat, edge);
}

/** The `else` of the last stage of a member's chain, or of the chain that it leads into. */
function substituteOn(way: readonly AgentName[], agents: Review['agents']): AgentName | undefined {
  for (const name of way) {
    const seat = declaredSeat(agents.get(name)?.patterns ?? []);
    if (seat?.kind === 'passed' && seat.else !== undefined) return seat.else;
  }
  return undefined;
}

/** Patterns of these layers decide which agent answers. The first that an agent has is named. */
const DECIDING: readonly Layer[] = ['after', 'again', 'instead', 'last'];

/** The supervisor's session gives the team's answer, so it must be that agent's own from beginning to end. */
function checkSupervisor(edge: ReviewedEdge, { agents, report }: Review): void {
  const supervisor = agents.get(edge.to);
  const uses = supervisor?.patterns ?? [];
  const deciding = DECIDING.flatMap((layer) => uses.filter(({ pattern }) => pattern.layer === layer))[0]?.pattern;
  if (supervisor === undefined || deciding === undefined) return;
  const { key, layer } = deciding;
  report({
    code: 'team/undefined-member',
    at: edge,
    message: `the supervisor "${edge.to}" has \`${key}\` of its own, so it is not defined which agent answers for the team`,
    help:
      layer === 'last'
        ? `Move ${key} from ${supervisor.file} to the file of the team: it then gets the team's answer.`
        : 'Let a plain agent supervise.',
  });
}
