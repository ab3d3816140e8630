// One session on a live screen. It collects what the folds tell it, and makes its line again only after a change.

import { present } from '../../base/text/present.ts';
import type { OpStart } from '../../journal/event.ts';
import type { AgentName, SessionRef, TeamSeat, Trigger } from '../../kernel/effect.ts';
import type { OpPath } from '../../kernel/path.ts';
import type { SpawnId } from '../../kernel/spawned.ts';
import { triggerTraits } from '../../patterns/trigger-traits.ts';
import { counter, type Totals, totalsOf } from '../costs/totals.ts';
import type { ItemCounts, LoopCount } from '../step-words.ts';
import { type Activity, type Busy, current, type SessionWait, waitingFor } from './activity.ts';

export interface SessionProgress {
  readonly session: SessionRef;
  readonly agent: AgentName;
  readonly trigger: Trigger['kind'];
  /** The case of a branch that it works for. */
  readonly case?: string;
  /** Its place in a team. */
  readonly seat?: TeamSeat;
  /** The label that the session that spawned it gave it. */
  readonly label?: string;
  /** Its place in a list or in a loop: `item 3 of 12`, `round 2 of 4`. */
  readonly place?: string;
  /** The rounds of its own loop. */
  readonly loop?: LoopCount;
  /** The finding of a judge. */
  readonly verdict?: { readonly good: boolean; readonly why: string };
  /** The items of its map, or of its last one. */
  readonly items?: ItemCounts;
  /** The beginning of its task, on one line, if another agent set it. */
  readonly task?: string;
  /** The number of runs above this one. */
  readonly depth: number;
  /** 0 before the first model call. */
  readonly turn: number;
  readonly activity: Activity;
  readonly totals: Totals;
  /** The time of its start; for a spawned run that has not started, the time when it was spawned. */
  readonly startedAt: number;
  readonly endedAt?: number;
  /** The end of what the model is writing, or wrote last. */
  readonly snippet: string;
  /** Its last broadcast to its team: the number, and the beginning of the text on one line. */
  readonly said?: { readonly number: number; readonly text: string };
  /** Failed attempts that were followed by another. */
  readonly retries: number;
  /** Calls that were not made. */
  readonly refused: number;
}

export interface SessionOpening {
  readonly session: SessionRef;
  readonly agent: AgentName;
  readonly trigger: Trigger['kind'];
  readonly case?: string | undefined;
  readonly seat?: TeamSeat | undefined;
  readonly label?: string | undefined;
  readonly place?: string | undefined;
  readonly depth: number;
  /** A spawned run that has not started, and the runs that it waits for: none if it is queued. */
  readonly pending?: { readonly run: SpawnId; readonly after: readonly SpawnId[] } | undefined;
}

/** Facts of the whole run that an activity depends on. */
export interface RunFacts {
  /** The labels of those of these runs that have not ended. */
  labelsOfUnfinished(runs: readonly SpawnId[]): readonly string[];
  /** A wait of an op, or of the session at this path, that is told between events. */
  waitAt(place: OpPath): SessionWait | undefined;
}

export class LiveSession {
  readonly session: SessionRef;
  readonly spent = counter();
  /** Ops that are under way. */
  readonly busy = new Map<OpPath, Busy>();
  /** The labels of runs that it spawned and that work beside it. */
  readonly beside = new Map<OpPath, string>();
  pending: SessionOpening['pending'];
  task = '';
  startedAt: number;
  turn = 0;
  retries = 0;
  refused = 0;
  snippet = '';
  said: SessionProgress['said'];
  items: ItemCounts | undefined;
  loop: LoopCount | undefined;
  verdict: SessionProgress['verdict'];
  ended: { readonly at: number; readonly activity: Activity } | undefined;
  readonly #opening: SessionOpening;
  #line: SessionProgress | undefined;

  constructor(opening: SessionOpening, at: number) {
    this.#opening = opening;
    this.session = opening.session;
    this.pending = opening.pending;
    this.startedAt = at;
  }

  /** A caller that changes a session calls this first. */
  changes(): this {
    this.#line = undefined;
    return this;
  }

  begin(op: OpStart['op'] | undefined, at: number): void {
    if (this.pending !== undefined) this.startedAt = at;
    this.pending = undefined;
    this.task = op === undefined ? '' : taskIn(op);
  }

  endOp(path: OpPath): void {
    this.busy.delete(path);
    this.beside.delete(path);
  }

  /** Runs are driven again on the record. A call that was open when the process died counts again once it begins. */
  resume(): void {
    for (const [path, one] of this.busy) if (one.kind !== 'waiting' || one.for !== 'others') this.busy.delete(path);
  }

  line(facts: RunFacts): SessionProgress {
    this.#line ??= this.#makeLine(facts);
    return this.#line;
  }

  #makeLine(facts: RunFacts): SessionProgress {
    const { session, agent, trigger, case: taken, seat, label, place, depth } = this.#opening;
    return {
      session,
      agent,
      trigger,
      ...present({ case: taken, seat, label, place }),
      ...present({ loop: this.loop, verdict: this.verdict, items: this.items, task: this.task || undefined }),
      depth,
      turn: this.turn,
      activity: this.#activity(facts),
      totals: totalsOf(this.spent),
      startedAt: this.startedAt,
      ...(this.ended !== undefined && { endedAt: this.ended.at }),
      snippet: this.snippet,
      ...(this.said !== undefined && { said: this.said }),
      retries: this.retries,
      refused: this.refused,
    };
  }

  #activity({ labelsOfUnfinished, waitAt }: RunFacts): Activity {
    const { ended, pending, beside } = this;
    if (ended !== undefined) return ended.activity;
    if (pending !== undefined) {
      return pending.after.length > 0 ? waitingFor('others', labelsOfUnfinished(pending.after)) : waitingFor('queue');
    }
    const now = [...this.busy].map(([path, one]) => {
      if (one.kind === 'awaiting') return waitingFor('others', labelsOfUnfinished(one.runs));
      return one.kind === 'thinking' ? (waitAt(path) ?? one) : one;
    });
    const own = waitAt(this.session);
    if (own !== undefined) now.push(own);
    return current(now.length > 0 || beside.size === 0 ? now : [waitingFor('others', [...beside.values()])]);
  }
}

/** The beginning of a task that one agent set another; the hops of a pattern work on the request itself. */
function taskIn(op: OpStart['op']): string {
  if (op.kind !== 'run' || triggerTraits(op.trigger).isHop) return '';
  const { text } = op.input;
  const own = text.startsWith(PREVIOUS) ? text.slice(text.lastIndexOf(CURRENT) + CURRENT.length) : text;
  return onOneLine(own, TASK);
}

const TASK = 120;

/** The headings of a task that comes with the results of earlier runs. */
const PREVIOUS = '[Previous step result]:';
const CURRENT = '\n[Current task]:\n';

export const onOneLine = (text: string, most: number): string =>
  text
    .slice(0, 4 * most)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, most);
