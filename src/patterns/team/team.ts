// `team`: members that work in parallel and talk on one channel, and a supervisor who alone owns the answer. The team
// replaces the declaring agent's session; the agent's other patterns (advisors, chain) wrap the team.

import type { AgentName, Routine, SessionRef, TeamSeat } from '../../kernel/effect.ts';
import { isAnswered, type Outcome } from '../../kernel/outcome.ts';
import type { SessionInput, SessionRoutine } from '../../kernel/session/session-spec.ts';
import type { PatternContext, Wrap } from '../pattern.ts';
import { runAgent, sayTo } from '../run-agent.ts';
import { sameRequest } from '../sections.ts';
import type { Member, TeamConfig } from '../team-strategy.ts';
import { cycles } from './cycles.ts';
import { orchestrate } from './orchestrator.ts';
import { runningTeam } from './team-seat.ts';

export const team =
  (config: TeamConfig, context: PatternContext): Wrap =>
  (inner) =>
    function* (input) {
      const { seat: outer, ...own } = input;
      const outcome = yield* assemble(config, context, inner, own);
      return outer === undefined || !isAnswered(outcome) ? outcome : yield* speakFor(outer, outcome, context);
    };

function* assemble(
  config: TeamConfig,
  context: PatternContext,
  inner: SessionRoutine,
  input: SessionInput,
): Routine<Outcome> {
  const strategy = context.strategy ?? cycles;
  const channel = input.self;
  const orchestrator = orchestrate(channel, config.members);
  context.teams.set(channel, { orchestrator, config });
  const supervisor = supervision(config, context, inner, input);
  const outcome = yield* strategy({
    team: orchestrator,
    wake: (member) => wake(member, seatFor(member.id, 'member', context, channel), input),
    supervise: supervisor,
  });
  context.teams.delete(channel);
  return outcome;
}

function* wake(member: Member, seat: TeamSeat, input: SessionInput): Routine<Outcome> {
  const { request } = input;
  if (member.session !== undefined) {
    return yield* sayTo({ session: member.session, text: '', seat });
  }
  return yield* runAgent({
    agent: member.id,
    input: sameRequest(request),
    trigger: { kind: 'member' },
    keep: true,
    seat,
  });
}

/** The supervisor's session, continued each time: the declaring agent's own, or another agent's that is kept open. */
function supervision(
  config: TeamConfig,
  context: PatternContext,
  inner: SessionRoutine,
  input: SessionInput,
): () => Routine<Outcome> {
  const seat = seatFor(config.supervisor, 'supervisor', context, input.self);
  let session: SessionRef | undefined;
  let began = false;
  return function* () {
    const first = !began;
    began = true;
    if (config.supervisor === context.agent) {
      const request = first ? input.request : { ...input.request, text: '' };
      return yield* inner({ ...input, request, seat });
    }
    if (session !== undefined) return yield* sayTo({ session, text: '', seat });
    const outcome = yield* runAgent({
      agent: config.supervisor,
      input: input.request,
      trigger: { kind: 'supervisor' },
      keep: true,
      seat,
      contract: input.contract,
    });
    session = outcome.session;
    return outcome;
  };
}

const seatFor = (
  memberId: AgentName,
  role: TeamSeat['role'],
  context: PatternContext,
  channel: SessionRef,
): TeamSeat => ({ team: context.agent, channel, role, memberId });

/** A team that is a member of another team: its answer is its broadcast there, and its supervisor speaks for it. */
function* speakFor(
  outer: TeamSeat,
  outcome: Outcome & { kind: 'answered' },
  context: PatternContext,
): Routine<Outcome> {
  const { orchestrator } = runningTeam(outer, context);
  const { number } = yield* orchestrator.onMemberBroadcast({
    type: 'update',
    memberId: outer.memberId,
    message: outcome.text,
    turnCount: 1,
  });
  return { ...outcome, broadcast: number };
}
