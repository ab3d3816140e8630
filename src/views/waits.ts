// The waits of a run in which nothing else happens: for a person, for the pause before another try, for its turn, or for a
// process that works on it. A screen may show them short. As long as a model is asked or a tool is called, nothing waits.

import type { RunEvent } from '../journal/event.ts';
import type { OpPath } from '../kernel/path.ts';

export interface RunWait {
  readonly for: 'person' | 'pause' | 'queue' | 'process';
  readonly from: number;
  readonly to: number;
}

export interface RunWaits {
  /** In order, none over another. */
  readonly waits: readonly RunWait[];
  /** Milliseconds in which something happened. */
  readonly worked: number;
}

/** Milliseconds: what is shorter is no wait, but the time between two steps. */
const LEAST = 1000;

export class WaitsFold {
  #told: { at: number; worked: number; readonly spans: RunWait[] } | undefined;
  /** Calls that are out, by op, and for those that are tried again when the pause before that is over. */
  readonly #out = new Map<OpPath, number>();
  /** Questions that nobody has answered. */
  readonly #asked = new Set<OpPath>();

  add(event: RunEvent): void {
    this.#told ??= { at: event.at, worked: 0, spans: [] };
    this.#tell(this.#told, event.at, event.type === 'run-resume' ? 'process' : undefined);
    switch (event.type) {
      case 'op-start':
        if (WORK.has(event.op.kind)) this.#out.set(event.path, event.at);
        if (event.op.kind === 'approval') this.#asked.add(event.path);
        break;
      case 'op-end':
        this.#out.delete(event.path);
        this.#asked.delete(event.path);
        break;
      case 'attempt':
        if (event.then.kind === 'retry') this.#out.set(event.path, event.at + event.then.delayMs);
        break;
      case 'run-resume':
      case 'run-end':
        this.#out.clear();
        this.#asked.clear();
        break;
      default:
    }
  }

  /** `until`: what has not ended goes on at least that long. */
  waits(until: number): RunWaits {
    if (this.#told === undefined) return { waits: [], worked: 0 };
    const now = { ...this.#told, spans: [...this.#told.spans] };
    this.#tell(now, until);
    return { waits: now.spans, worked: now.worked };
  }

  /** Adds the time up to then. */
  #tell(told: { at: number; worked: number; readonly spans: RunWait[] }, until: number, known?: RunWait['for']): void {
    while (told.at < until) {
      const pauses = [...this.#out.values()].filter((over) => over > told.at);
      const to = Math.min(until, ...pauses);
      const what = known ?? this.#waitAt(told.at);
      const last = told.spans.at(-1);
      if (what !== undefined && last?.to === told.at && last.for === what)
        told.spans[told.spans.length - 1] = { ...last, to };
      else if (what !== undefined && to - told.at >= LEAST) told.spans.push({ for: what, from: told.at, to });
      else told.worked += to - told.at;
      told.at = to;
    }
  }

  /** Undefined: something happens. A run that has nothing out and asks nobody waits for its turn. */
  #waitAt(now: number): RunWait['for'] | undefined {
    const isWorking = [...this.#out.values()].some((over) => over <= now);
    if (isWorking) return undefined;
    if (this.#asked.size > 0) return 'person';
    return this.#out.size > 0 ? 'pause' : 'queue';
  }
}

const WORK: ReadonlySet<string> = new Set(['model', 'tool', 'subagent']);

/** Waits beside which the work could not be seen. */
export const longWaits = ({ waits, worked }: RunWaits): readonly RunWait[] =>
  waits.filter(({ from, to }) => to - from > LONG * worked);

const LONG = 3;

/** The waits that may be shown short: a shorter one would be wider than it is. */
export const skippableWaits = ({ waits, worked }: RunWaits): readonly RunWait[] =>
  waits.filter(({ from, to }) => to - from > worked / 5);
