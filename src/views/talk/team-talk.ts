// The talk of a team, with its hearings: every broadcast with its cycle, the sender's next step, and the takes in which
// the others heard it.
// TALK-1. A cycle ends when the supervisor hears the broadcasts of it. A broadcast of the supervisor opens the next
//         one.
// TALK-2. A team whose own session supervises it has no run of the supervisor: the session of the channel is its seat.

import { present } from '../../base/text/present.ts';
import type { InstantOp, OpEnd, RunEvent } from '../../journal/event.ts';
import type { AgentName, Broadcast, InboxRef, Mail, ModelReply, SessionRef, TeamSeat } from '../../kernel/effect.ts';
import type { ToolCall } from '../../kernel/message.ts';
import type { OpPath } from '../../kernel/path.ts';
import { Lineage } from '../lineage.ts';

/**
 * The next step of a participant after it had spoken: `left` and `failed` are notices about it, which it did not say
 * itself.
 */
export type AfterBroadcast = 'wait' | 'continue' | 'leave-success' | 'leave-failure';

export interface TeamEntry extends Broadcast {
  readonly channel: SessionRef;
  readonly op: OpPath;
  /** The session that said it; absent for a notice about a member that has left or failed. */
  readonly session?: SessionRef;
  readonly role: TeamSeat['role'] | 'notice';
  /** The cycle that it was said in; for the supervisor, the one that it opens (TALK-1). */
  readonly cycle: number;
  /** The sender's next step. Absent for the supervisor and for notices. */
  readonly then?: AfterBroadcast;
  /** The hearings in their order. */
  readonly heard: readonly {
    readonly by: AgentName;
    readonly at: number;
    /** The take. */
    readonly op: OpPath;
  }[];
}

/** A take of the supervisor: what it heard at the end of a cycle. */
interface SupervisorHearing {
  readonly at: number;
  readonly op: OpPath;
  readonly cycle: number;
  readonly numbers: readonly number[];
}

interface Participant {
  readonly id: AgentName;
  readonly role: TeamSeat['role'];
  readonly session: SessionRef;
}

export interface TeamTalk {
  readonly channel: SessionRef;
  readonly team: AgentName;
  /** The supervisor first, then the members in the order in which they began. */
  readonly participants: readonly Participant[];
  readonly entries: readonly TeamEntry[];
  readonly hearings: readonly SupervisorHearing[];
}

export function teamTalk(events: Iterable<RunEvent>): readonly TeamTalk[] {
  const fold = new TeamTalkFold();
  for (const event of events) fold.add(event);
  return fold.teams();
}

interface Team {
  readonly channel: SessionRef;
  readonly team: AgentName;
  readonly participants: Map<AgentName, Participant>;
  readonly entries: TeamEntry[];
  readonly byNumber: Map<number, number>;
  readonly hearings: SupervisorHearing[];
  cycle: number;
  built?: TeamTalk | undefined;
}

export class TeamTalkFold {
  readonly #runs = new Lineage();
  readonly #teams = new Map<SessionRef, Team>();
  /** The calls of the latest reply of each session, without those that were found to have posted. */
  readonly #calls = new Map<SessionRef, ToolCall[]>();

  /** One for each team of the run, in the order in which they began. */
  teams(): readonly TeamTalk[] {
    return [...this.#teams.values()].map((team) => (team.built ??= talkOf(team)));
  }

  add(event: RunEvent): void {
    this.#runs.add(event);
    if (event.type === 'op-start' && event.op.kind === 'run' && event.op.seat !== undefined) this.#sit(event.path);
    else if (event.type === 'op-end' && event.kind === 'model') this.#reply(event);
    else if (event.type === 'op' && event.kind === 'post') this.#post(event);
    else if (event.type === 'op' && event.kind === 'take') this.#take(event);
  }

  #teamOf(channel: SessionRef, seat?: TeamSeat): Team {
    const known = this.#teams.get(channel);
    if (known !== undefined) return known;
    const made: Team = {
      channel,
      team: seat?.team ?? this.#runs.at(channel)?.agent ?? '',
      participants: new Map(),
      entries: [],
      byNumber: new Map(),
      hearings: [],
      cycle: 1,
    };
    this.#teams.set(channel, made);
    return made;
  }

  #sit(path: OpPath): void {
    const place = this.#runs.at(path);
    const { seat } = place ?? {};
    if (place === undefined || seat === undefined) return;
    const team = this.#teamOf(seat.channel, seat);
    team.participants.set(seat.memberId, { id: seat.memberId, role: seat.role, session: place.session });
    team.built = undefined;
  }

  #reply({ path, result }: OpEnd): void {
    const session = this.#runs.above(path)?.session;
    const { message, handle } = (result.ok ? result.value : {}) as Partial<ModelReply>;
    const isTurn = message !== undefined && handle === undefined; // a compaction posts nothing
    if (session !== undefined && isTurn) this.#calls.set(session, [...message.calls]);
  }

  #post({ path, detail, value }: InstantOp): void {
    const { channel } = detail as { readonly channel: SessionRef };
    const said = value as Broadcast;
    if (said.refused !== undefined) return;
    const team = this.#teamOf(channel);
    const session = senderOf(path, said, this.#runs);
    if (session === channel) supervises(team, said.memberId);
    const role = session === undefined ? 'notice' : (team.participants.get(said.memberId)?.role ?? 'member');
    if (role === 'supervisor') team.cycle++; // TALK-1
    const then = role === 'member' && session !== undefined ? thenOf(said, this.#calls.get(session)) : undefined;
    team.byNumber.set(said.number, team.entries.length);
    const known = present({ session, then });
    team.entries.push({ ...said, channel, op: path, role, cycle: team.cycle, ...known, heard: [] });
    team.built = undefined;
  }

  #take({ path, at, detail, value }: InstantOp): void {
    const { session, channel, as } = (detail as { readonly inbox: InboxRef }).inbox;
    const { broadcasts = [] } = value as Mail;
    const team = channel === undefined ? undefined : this.#teams.get(channel);
    if (team === undefined || as === undefined || broadcasts.length === 0) return;
    if (session === channel) supervises(team, as);
    for (const { number } of broadcasts) {
      const index = team.byNumber.get(number);
      const entry = index === undefined ? undefined : team.entries[index];
      if (index !== undefined && entry !== undefined)
        team.entries[index] = { ...entry, heard: [...entry.heard, { by: as, at, op: path }] };
    }
    if (team.participants.get(as)?.role === 'supervisor')
      team.hearings.push({ at, op: path, cycle: team.cycle, numbers: broadcasts.map(({ number }) => number) });
    team.built = undefined;
  }
}

/** The session in whose turn it was posted; undefined where the team's own run posts a notice about somebody. */
export function senderOf(path: OpPath, { memberId }: Broadcast, runs: Lineage): SessionRef | undefined {
  const place = runs.above(path);
  return (place?.seat?.memberId ?? place?.agent) === memberId ? place?.session : undefined;
}

/** TALK-2 */
function supervises(team: Team, id: AgentName): void {
  if (!team.participants.has(id)) team.participants.set(id, { id, role: 'supervisor', session: team.channel });
}

const CHOICES: readonly AfterBroadcast[] = ['wait', 'continue', 'leave-success', 'leave-failure'];

/** The next step, as the call that posted it says. A member that answers in plain text waits. */
function thenOf({ message }: Broadcast, calls: ToolCall[] | undefined): AfterBroadcast {
  const index = calls?.findIndex((call) => givenIn(call).message === message) ?? -1;
  const [call] = index < 0 ? [] : (calls?.splice(index, 1) ?? []);
  return CHOICES.find((choice) => call !== undefined && choice === givenIn(call).then) ?? 'wait';
}

const givenIn = ({ arguments: given }: ToolCall): { readonly message?: unknown; readonly then?: unknown } =>
  typeof given === 'object' && given !== null ? given : {};

function talkOf({ channel, team, participants, entries, hearings }: Team): TeamTalk {
  const seated = [...participants.values()];
  return {
    channel,
    team,
    participants: [
      ...seated.filter(({ role }) => role === 'supervisor'),
      ...seated.filter(({ role }) => role === 'member'),
    ],
    entries: [...entries],
    hearings: [...hearings],
  };
}
