// The rounds of a run's loops: how many answers were judged, why one was sent back, and whether a loop ended with an
// answer that no judge took.
// ROUNDS-1. They are counted from the ops with the trigger `judge`: where a chain follows, the outcome is its last stage's.

import type { OpEnd, OpStart, RunEvent } from '../../journal/event.ts';
import type { Trigger } from '../../kernel/effect.ts';
import { isAnswered, type Outcome } from '../../kernel/outcome.ts';
import { type OpPath, ROOT } from '../../kernel/path.ts';
import { judgeVerdict } from '../../patterns/repeat/verdict.ts';
import type { Lineage } from '../lineage.ts';
import type { LoopCount } from '../step-words.ts';

interface RoundsListener {
  /** An answer of the agent at `place` was judged. */
  judged(place: OpPath, count: LoopCount): void;
  /** The judge at `path` has said if the answer is good. */
  found(path: OpPath, verdict: NonNullable<ReturnType<typeof judgeVerdict>>): void;
  /** `answerer` is the run whose latest turn gave the answer. */
  sentBack?(answerer: OpPath, why: string): void;
  unmet?(place: OpPath): void;
}

/** `runs` has been given the event already. */
export class JudgedRounds {
  readonly #tell: RoundsListener;
  readonly #runs: Lineage;
  /** Judges at work, by their ops, and how they were asked. */
  readonly #judging = new Map<OpPath, Trigger>();
  /** Runs whose last answer was not good. */
  readonly #notGood = new Set<OpPath>();
  /** The run that answered last in the place of another one: a round, or a supervisor. */
  readonly #answerers = new Map<OpPath, OpPath>();

  constructor(tell: RoundsListener, runs: Lineage) {
    this.#tell = tell;
    this.#runs = runs;
  }

  add(event: RunEvent): void {
    if (event.type === 'op-start') this.#begin(event);
    else if (event.type === 'op-end') this.#end(event);
    else if (event.type === 'run-end') this.#over(ROOT, event.outcome);
  }

  #begin({ path, op }: OpStart): void {
    if (op.kind !== 'run' && op.kind !== 'tool') return;
    const { trigger } = op;
    const place = this.#placeOf(path);
    if (trigger?.kind === 'judge') this.#judging.set(path, trigger);
    else if (trigger?.kind === 'repeat' || trigger?.kind === 'supervisor') this.#answerers.set(place, path);
    else if (trigger?.chainTrigger !== undefined && this.#notGood.has(place)) this.#tell.unmet?.(place);
  }

  #end({ path, kind, result }: OpEnd): void {
    const trigger = this.#judging.get(path);
    if (trigger === undefined) {
      if (kind === 'run' && result.ok) this.#over(path, result.value as Outcome);
      return;
    }
    this.#judging.delete(path);
    const place = this.#placeOf(path);
    const verdict = result.ok ? judgeVerdict(result.value) : undefined;
    const { round = 0, of = round + 1 } = trigger;
    this.#tell.judged(place, { rounds: round + 1, of, isNotGood: verdict?.good === false });
    if (verdict !== undefined) this.#tell.found(path, verdict);
    if (verdict === undefined || verdict.good) {
      this.#notGood.delete(place);
      return;
    }
    this.#notGood.add(place);
    this.#tell.sentBack?.(this.#answererOf(place), verdict.why);
  }

  #over(path: OpPath, outcome: Outcome): void {
    if (this.#notGood.delete(path) && isAnswered(outcome) && outcome.unmet === true) this.#tell.unmet?.(path);
  }

  #placeOf(path: OpPath): OpPath {
    return this.#runs.above(path)?.path ?? ROOT;
  }

  #answererOf(place: OpPath): OpPath {
    let at = place;
    for (let next = this.#answerers.get(at); next !== undefined; next = this.#answerers.get(at)) at = next;
    return at;
  }
}
