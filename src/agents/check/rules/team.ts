// Rules about teams: the supervisor is not a member, no agent is in a team twice, and every agent that ends up in
// the team can take part in it. A member may be a team itself; a router cannot take part.

import type { AgentName } from '../../../kernel/effect.ts';
import { type Definitions, seatOf } from '../../link/answerers.ts';
import type { Edge } from '../../link/link.ts';
import { type Checkup, forEachAgent, placeIn } from './checkup.ts';

export const teamsAreWellSeated = forEachAgent((agent, checkup) => {
  const seats = new Map<AgentName, Edge>();
  const supervisor = supervisorOf(agent.links.edges) ?? (agent.links.supervisesItself ? agent.file.name : undefined);
  for (const edge of agent.links.edges) {
    if (edge.kind !== 'team') continue;
    if (edge.role === 'supervisor') checkSupervisor(edge, checkup);
    if (edge.role === 'member') checkMember(edge, supervisor, seats, checkup);
  }
});

export const quorumsCanBeReached = forEachAgent((agent, checkup) => {
  const advisors = agent.fields.advisors;
  const count = agent.links.edges.filter(({ kind }) => kind === 'advisors').length;
  if (advisors?.policy.kind !== 'quorum' || advisors.policy.count <= count) return;
  checkup.report({
    code: 'advisors/quorum',
    ...placeIn(agent, checkup, ['advisors', 'policy', 'quorum']),
    message: `a quorum of ${advisors.policy.count} can never be reached by ${count} advisors`,
    help: `Write a number up to ${count}, or name more advisors.`,
  });
});

const supervisorOf = (edges: readonly Edge[]): AgentName | undefined =>
  edges.find((edge) => edge.kind === 'team' && edge.role === 'supervisor')?.to.name;

function checkMember(
  edge: Edge,
  supervisor: AgentName | undefined,
  seats: Map<AgentName, Edge>,
  checkup: Checkup,
): void {
  const member = edge.to.name;
  const refuse = (code: string, message: string, help: string): void =>
    checkup.report({ code, source: edge.ref.source, at: edge.ref, message, help });
  if (member === supervisor) {
    refuse(
      'team/supervisor-member',
      `"${member}" is both a member and the supervisor of the team`,
      'Remove it from members, or let another agent supervise.',
    );
    return;
  }
  const definitions = { get: (name: AgentName) => checkup.agents.get(name)?.definition };
  const seat = seatOf(member, definitions);
  if (seat === undefined) return;
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
  if (definitions.get(seat)?.router !== undefined) {
    refuse(
      'team/undefined-member',
      `${through} is a router: it would route the request away instead of taking part`,
      'Name one of its destinations, or put the router in front of the team.',
    );
  }
  const substitute = substituteIn(member, definitions);
  if (substitute !== undefined) {
    refuse(
      'team/undefined-member',
      `the chain of the member "${member}" ends with an else ("${substitute}"), so it is not defined which agent is in the team`,
      'A member talks and never answers, so nothing can stand in for its answer: remove the else.',
    );
  }
  const first = seats.get(seat);
  // The rule about references reports a member that is named twice.
  if (first !== undefined && first.to.name !== member) {
    refuse(
      'team/same-seat',
      `the members "${first.to.name}" and "${member}" both end at "${seat}", which can be in the team only once`,
      'Keep one of the two.',
    );
  }
  if (first === undefined) seats.set(seat, edge);
}

/** The `else` of the last stage of a member's chain, or of the chain that it leads into. */
function substituteIn(member: AgentName, definitions: Definitions): AgentName | undefined {
  const seen = new Set<AgentName>();
  for (let name = member; !seen.has(name); ) {
    seen.add(name);
    const last = definitions.get(name)?.chain?.stages.at(-1);
    if (last === undefined) return undefined;
    if (last.else !== undefined) return last.else;
    name = last.to;
  }
  return undefined;
}

/** The supervisor's session gives the team's answer, so it must be that agent's own from beginning to end. */
function checkSupervisor({ ref, to }: Edge, { agents, report }: Checkup): void {
  const definition = agents.get(to.name)?.definition;
  const kind =
    definition?.router !== undefined ? 'router' : definition?.team !== undefined ? 'team' : definition?.chain?.trigger;
  if (kind === undefined) return;
  report({
    code: 'team/undefined-supervisor',
    source: ref.source,
    at: ref,
    message: `the supervisor "${to.name}" has \`${kind}\` of its own, so it is not defined which agent answers for the team`,
    help:
      kind === 'router' || kind === 'team'
        ? 'Let a plain agent supervise.'
        : `Move ${kind} from ${to.source.file} to the file of the team: it then gets the team's answer.`,
  });
}
