// The maps of a run as its graph shows them after any of its events: the items of each list, and how they ended.

import type { OpEnd, OpStart, RunEvent } from '../journal/event.ts';
import type { AgentName, SessionRef } from '../kernel/effect.ts';
import { isAnswered, type Outcome } from '../kernel/outcome.ts';
import { type OpPath, parentPath, ROOT } from '../kernel/path.ts';
import type { Lineage } from './lineage.ts';

/** One item of a list. One that has not begun has no op. */
export interface GraphItem {
  readonly op?: OpPath;
  readonly state: 'none' | 'open' | EndState;
}

type EndState = 'answered' | 'failed' | 'cancelled';

interface KnownItem {
  readonly op: OpPath;
  readonly begun: number;
  ended: number;
  end: EndState;
}

interface KnownMap {
  /** The agent that runs for each item. */
  readonly agent: AgentName;
  /** The session whose answer has the list. */
  readonly session: SessionRef;
  readonly count: number;
  readonly begun: number;
  /** By their places in the list. */
  readonly items: Map<number, KnownItem>;
}

/** `runs` has been given the event already. */
export class GraphMaps {
  readonly #runs: Lineage;
  /** By the op below which their items run, in the order in which they began. */
  readonly #maps = new Map<OpPath, KnownMap>();
  readonly #items = new Map<OpPath, KnownItem>();

  constructor(runs: Lineage) {
    this.#runs = runs;
  }

  add(event: RunEvent, seq: number): void {
    if (event.type === 'op-start') this.#begin(event, seq);
    else if (event.type === 'op-end') this.#end(event, seq);
  }

  #begin({ path, op }: OpStart, seq: number): void {
    if (op.kind !== 'run' || op.trigger.kind !== 'each' || this.#items.has(path)) return;
    const { index = 0, count = 0 } = op.trigger;
    const list = parentPath(parentPath(path) ?? '') ?? ROOT;
    const session = this.#runs.above(path)?.session ?? ROOT;
    const map = this.#maps.get(list) ?? { agent: op.agent, session, count, begun: seq, items: new Map() };
    const item: KnownItem = { op: path, begun: seq, ended: Infinity, end: 'failed' };
    this.#maps.set(list, map);
    map.items.set(index, item);
    this.#items.set(path, item);
  }

  #end({ path, result }: OpEnd, seq: number): void {
    const item = this.#items.get(path);
    if (item === undefined) return;
    const outcome = result.ok ? (result.value as Outcome) : undefined;
    item.ended = seq;
    if (outcome !== undefined && isAnswered(outcome)) item.end = 'answered';
    else if (outcome?.kind === 'cancelled') item.end = 'cancelled';
  }

  /** The items of each agent after so many events: of the latest map of each session that leads to it. */
  at(count: number): ReadonlyMap<AgentName, readonly GraphItem[]> {
    const latest = new Map<string, KnownMap>();
    for (const map of this.#maps.values())
      if (map.begun < count) latest.set(JSON.stringify([map.agent, map.session]), map);
    const byAgent = new Map<AgentName, GraphItem[]>();
    for (const map of latest.values()) {
      const items = byAgent.get(map.agent) ?? [];
      byAgent.set(map.agent, items);
      for (let index = 0; index < map.count; index++) items.push(itemAt(map.items.get(index), count));
    }
    return byAgent;
  }
}

function itemAt(item: KnownItem | undefined, count: number): GraphItem {
  if (item === undefined || item.begun >= count) return { state: 'none' };
  return { op: item.op, state: item.ended < count ? item.end : 'open' };
}
