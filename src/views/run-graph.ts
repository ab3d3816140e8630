// The graph of a run as it was after any of its events: what each agent did, and which edges had been used.
// GRAPH-1. The state after an event is that of a fold of the events up to it, also when thousands came since.
// GRAPH-2. Every so many events all sessions are kept, and between them what changed: no state is far to reach.

import type { OpStart, RunEvent } from '../journal/event.ts';
import type { AgentName, Broadcast, SessionRef } from '../kernel/effect.ts';
import { triggerTraits } from '../patterns/trigger-traits.ts';
import { addTotals, type Totals } from './costs/totals.ts';
import { type GraphLoop, GraphLoops, judgeName } from './graph-loops.ts';
import { type GraphItem, GraphMaps } from './graph-maps.ts';
import { type AgentRun, Lineage } from './lineage.ts';
import { progressFold, type SessionProgress } from './progress/progress.ts';
import { countSessions, type SessionCounts, type SessionGroup } from './progress/session-counts.ts';
import { senderOf } from './talk/team-talk.ts';

/** The state of an agent in the graph by then. */
export interface GraphNodeState {
  readonly agent: AgentName;
  /** The state of its sessions that a person must know first: one that asks, one at work, then how they ended. */
  readonly state: SessionGroup;
  readonly counts: SessionCounts;
  /** Calls of its sessions that were not made. */
  readonly refused: number;
  /** In the order in which they were opened. */
  readonly sessions: readonly SessionProgress[];
  /** The numbers of what it told its team. */
  readonly said: readonly number[];
  readonly own: Totals;
}

export interface GraphEdgeState {
  readonly from: AgentName;
  readonly to: AgentName;
  /** The key of an agent file that led there. */
  readonly kind: string;
  /** The case of a branch that it was used for, and if the agent stood in for the one of that case. */
  readonly case?: string;
  readonly instead?: true;
  /** The number of times that it had been used. */
  readonly used: number;
  readonly lastAt: number;
}

export interface GraphState {
  /** Agents without a session are left out. */
  readonly nodes: ReadonlyMap<AgentName, GraphNodeState>;
  /** Those that had been used. */
  readonly edges: readonly GraphEdgeState[];
  /** The loops of agents by then. */
  readonly loops: ReadonlyMap<AgentName, GraphLoop>;
  /** The items of maps by then, by the agents that run for them. */
  readonly items: ReadonlyMap<AgentName, readonly GraphItem[]>;
}

/** GRAPH-2 */
const KEPT_EACH = 500;

type Sessions = Map<SessionRef, SessionProgress>;

type EdgeEnds = Pick<GraphEdgeState, 'from' | 'to' | 'kind' | 'case' | 'instead'>;

interface Uses extends EdgeEnds {
  /** The uses by event: its number, and the time. */
  readonly moments: { readonly seq: number; readonly at: number }[];
}

export class GraphFold {
  readonly #progress = progressFold();
  readonly #runs = new Lineage();
  readonly #now: Sessions = new Map();
  /** All sessions after `KEPT_EACH` events, after twice as many, and so on. */
  readonly #kept: Sessions[] = [new Map()];
  /** The sessions that each event changed. */
  readonly #changed: (readonly SessionProgress[])[] = [];
  readonly #edges = new Map<string, Uses>();
  readonly #loops = new GraphLoops(this.#runs);
  readonly #maps = new GraphMaps(this.#runs);
  readonly #said: { readonly seq: number; readonly agent: AgentName; readonly number: number }[] = [];
  readonly #begun = new Set<string>();

  add(event: RunEvent): void {
    const seq = this.#changed.length;
    this.#progress.add(event);
    this.#runs.add(event);
    const changed = this.#progress.now().sessions.filter((one) => this.#now.get(one.session) !== one);
    for (const one of changed) this.#now.set(one.session, one);
    this.#changed.push(changed);
    if ((seq + 1) % KEPT_EACH === 0) this.#kept.push(new Map(this.#now));
    if (event.type === 'op-start') this.#use(event, { seq, at: event.at });
    this.#loops.add(event, seq);
    this.#maps.add(event, seq);
    if (event.type === 'op' && event.kind === 'post') this.#say(seq, event.path, event.value as Broadcast);
  }

  /** A call that began again after a crash is the same use. */
  #use({ path, op }: OpStart, moment: Uses['moments'][number]): void {
    const edge = op.kind === 'tool' ? this.#toCommand(path, op) : this.#toAgent(path);
    if (edge === undefined || edge.from === edge.to || this.#begun.has(path)) return;
    this.#begun.add(path);
    const key = JSON.stringify(edge);
    const uses = this.#edges.get(key) ?? { ...edge, moments: [] };
    uses.moments.push(moment);
    this.#edges.set(key, uses);
  }

  #toAgent(path: string): EdgeEnds | undefined {
    const place = this.#runs.at(path);
    return place?.parent === undefined ? undefined : edgeTo(place, place.parent);
  }

  #toCommand(path: string, op: Extract<OpStart['op'], { kind: 'tool' }>): EdgeEnds | undefined {
    const from = this.#runs.above(path)?.agent;
    if (op.trigger?.kind !== 'judge' || from === undefined) return undefined;
    return { from, to: judgeName(op), kind: 'repeat' };
  }

  #say(seq: number, path: string, said: Broadcast): void {
    const sender = said.refused === undefined ? senderOf(path, said, this.#runs) : undefined;
    const agent = sender === undefined ? undefined : this.#runs.at(sender)?.agent;
    if (agent !== undefined) this.#said.push({ seq, agent, number: said.number });
  }

  /** The state after so many events, at most as many as were added. GRAPH-1 */
  at(count: number): GraphState {
    const said = this.#said.filter(({ seq }) => seq < count);
    const nodes = graphNodes(this.#sessionsAt(count).values(), said);
    return { nodes, edges: this.#edgesAt(count), loops: this.#loops.at(count), items: this.#maps.at(count) };
  }

  #sessionsAt(count: number): Sessions {
    const nearest = Math.min(Math.floor(count / KEPT_EACH), this.#kept.length - 1);
    const sessions = new Map(this.#kept[nearest]);
    for (let seq = nearest * KEPT_EACH; seq < count; seq++)
      for (const one of this.#changed[seq] ?? []) sessions.set(one.session, one);
    return sessions;
  }

  #edgesAt(count: number): readonly GraphEdgeState[] {
    return [...this.#edges.values()].flatMap(({ moments, ...edge }) => {
      const used = countBefore(moments, count);
      const last = moments[used - 1];
      return last === undefined ? [] : [{ ...edge, used, lastAt: last.at }];
    });
  }
}

/** The nodes of agents with the activity of these sessions. `said`: the sessions that told a team something. */
export function graphNodes(
  sessions: Iterable<SessionProgress>,
  said: readonly { readonly agent: AgentName; readonly number: number }[],
): GraphState['nodes'] {
  const byAgent = new Map<AgentName, SessionProgress[]>();
  for (const session of sessions) {
    const known = byAgent.get(session.agent);
    if (known === undefined) byAgent.set(session.agent, [session]);
    else known.push(session);
  }
  return new Map(
    [...byAgent].map(([agent, own]) => {
      const numbers = said.filter((one) => one.agent === agent).map(({ number }) => number);
      return [agent, nodeOf(agent, own, numbers)];
    }),
  );
}

function edgeTo({ agent, trigger }: AgentRun, parent: AgentRun): EdgeEnds {
  const edge = { from: parent.agent, to: agent, kind: triggerTraits(trigger).pattern };
  if (trigger.case === undefined) return edge;
  return { ...edge, case: trigger.case, ...(trigger.insteadOf !== undefined && { instead: true }) };
}

function nodeOf(agent: AgentName, sessions: readonly SessionProgress[], said: readonly number[]): GraphNodeState {
  const counts = countSessions(sessions);
  return {
    agent,
    state: TELLING.find((group) => counts.has(group)) ?? [...counts.keys()][0] ?? 'answered',
    counts,
    refused: sessions.reduce((sum, { refused }) => sum + refused, 0),
    sessions,
    said,
    own: addTotals(sessions.map(({ totals }) => totals)),
  };
}

/** Before how they ended: what goes on. */
const TELLING: readonly SessionGroup[] = ['asking', 'at work', 'waiting', 'queued'];

/** The number of them before an event; they are in order. */
function countBefore(moments: Uses['moments'], count: number): number {
  let [low, high] = [0, moments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moments[middle]?.seq ?? 0) < count) low = middle + 1;
    else high = middle;
  }
  return low;
}
