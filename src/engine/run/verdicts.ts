// The verdicts of people on the calls of a run that wait for approval. A waiting op is found by its path. The first
// verdict counts, from whichever process it came, and a later one is answered with who decided.

import type { RunEvent } from '../../journal/event.ts';
import type { Verdict } from '../../kernel/effect.ts';
import type { OpPath } from '../../kernel/path.ts';
import { verdictOf } from '../../views/approvals.ts';

export class Verdicts {
  /** Made with the first verdict: most runs need no approval. */
  #given: Map<OpPath, Verdict> | undefined;
  #waiting: Map<OpPath, (verdict: Verdict) => void> | undefined;

  add(event: RunEvent): void {
    if (event.type === 'op-end') {
      if (event.kind === 'approval' && event.result.ok) this.#give(event.path, event.result.value as Verdict);
    } else if (event.type === 'control' && event.refused === undefined && event.message.kind === 'verdict') {
      this.#decide(event.message.op, verdictOf(event.message));
    }
  }

  /** A sentence that says why a verdict comes too late. */
  refusal(op: OpPath): string | undefined {
    const known = this.#given?.get(op);
    return known === undefined ? undefined : decidedText(op, known);
  }

  /**
   * The verdict on an op: one that was given before, one that arrives, or the answer of `ask` here. `ask` answers
   * undefined if no person is here to answer; its signal is aborted when a verdict came from elsewhere.
   */
  async on(
    op: OpPath,
    ask: (signal: AbortSignal) => Promise<Verdict | undefined>,
    signal: AbortSignal,
  ): Promise<Verdict> {
    const known = this.#given?.get(op);
    if (known !== undefined) return known;
    const decided = new AbortController();
    const elsewhere = new Promise<Verdict>((resolve) => {
      this.#waiting ??= new Map();
      this.#waiting.set(op, (verdict) => {
        resolve(verdict);
        decided.abort();
      });
    });
    try {
      const here = ask(AbortSignal.any([signal, decided.signal]));
      const verdict = await Promise.race([elsewhere, here.then((answer) => answer ?? elsewhere)]);
      const first = this.#given?.get(op) ?? verdict;
      this.#give(op, first);
      return first;
    } finally {
      this.#waiting?.delete(op);
    }
  }

  #decide(op: OpPath, verdict: Verdict): void {
    this.#give(op, verdict);
    this.#waiting?.get(op)?.(verdict);
  }

  #give(op: OpPath, verdict: Verdict): void {
    this.#given ??= new Map();
    this.#given.set(op, verdict);
  }
}

export function decidedText(op: OpPath, { approved, by, note }: Verdict): string {
  const why = note === undefined ? '' : ` (${note})`;
  return `Op ${op} was decided already: ${approved ? 'approved' : 'denied'}${by === undefined ? '' : ` by ${by}`}${why}.`;
}
