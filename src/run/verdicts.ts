// The verdicts of people on the calls of a run that wait for approval. A waiting op is found by its path. The first
// verdict counts, from whichever process it came; why another one does not is said by `verdictFault`.
// VERDICT-1. A yes for the rest of the run stands once the end of its op is recorded. It answers the same question
//     (`questionKey`) from then on, also where that waits already. It is a fold of the record, so it holds after a
//     resume. A fork is another run: what was said in the run that it was copied from does not stand in it.

import type { OpEnd, RunEvent } from '../journal/event.ts';
import { previewOf, questionKey } from '../kernel/approval.ts';
import { verdictIn } from '../kernel/control.ts';
import type { Verdict } from '../kernel/effect.ts';
import type { OpPath } from '../kernel/path.ts';
import type { KnownQuestions, OpenQuestion } from './verdict-fault.ts';

/** A question whose end is not recorded. */
interface AskedQuestion {
  /** `questionKey` */
  readonly key: string;
  readonly question: OpenQuestion;
}

export class Verdicts implements KnownQuestions {
  /** Made with the first verdict: most runs need no approval. */
  #given: Map<OpPath, Verdict> | undefined;
  #waiting: Map<OpPath, { readonly key: string; answer(verdict: Verdict): void }> | undefined;
  #asked: Map<OpPath, AskedQuestion> | undefined;
  /** The answer that stands for the rest of the run, by key. */
  #standing: Map<string, Verdict> | undefined;
  /** The number of events that were taken over from another run. */
  #takenOver = 0;

  add(event: RunEvent): void {
    switch (event.type) {
      case 'run-start':
        this.#takenOver = event.forkedFrom?.events ?? 0;
        break;
      case 'op-start':
        if (event.op.kind === 'approval') {
          const { prompt, about } = event.op;
          this.#ask(event.path, { key: questionKey(prompt, about), question: { path: event.path, prompt, about } });
        }
        break;
      case 'op-end':
        if (event.kind === 'approval') this.#end(event);
        break;
      case 'control':
        if (event.refused === undefined && event.message.kind === 'verdict')
          this.#decide(event.message.op, verdictIn(event.message));
        break;
      default:
    }
  }

  decided(op: OpPath): Verdict | undefined {
    return this.#given?.get(op);
  }

  waiting(): readonly OpenQuestion[] {
    return [...(this.#asked ?? [])].flatMap(([path, { question }]) =>
      this.#given?.has(path) === true ? [] : [question],
    );
  }

  /** The answer to a question that a person gave for the rest of the run (VERDICT-1). */
  standing(key: string): Verdict | undefined {
    return this.#standing?.get(key);
  }

  /**
   * The verdict on an op: one that was given before, one that arrives, or the answer of `ask` here. `ask` answers
   * undefined if no person is here to answer; its signal is aborted when a verdict came from elsewhere.
   */
  async on(
    {
      op,
      key,
    }: {
      readonly op: OpPath;
      /** `questionKey` of what is asked. */
      readonly key: string;
    },
    ask: (signal: AbortSignal) => Promise<Verdict | undefined>,
    signal: AbortSignal,
  ): Promise<Verdict> {
    const known = this.#given?.get(op) ?? this.standing(key);
    if (known !== undefined) return known;
    const decided = new AbortController();
    const elsewhere = new Promise<Verdict>((resolve) => {
      this.#waiting ??= new Map();
      this.#waiting.set(op, {
        key,
        answer(verdict) {
          resolve(verdict);
          decided.abort();
        },
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

  #ask(op: OpPath, asked: AskedQuestion): void {
    this.#asked ??= new Map();
    this.#asked.set(op, asked);
  }

  #end({ path, result, seq }: OpEnd): void {
    const { key, question } = this.#asked?.get(path) ?? {};
    this.#asked?.delete(path);
    if (!result.ok) return;
    const verdict = result.value as Verdict;
    this.#give(path, verdict);
    const stands = isStanding(verdict) || isOnce(question?.about, verdict);
    if (key !== undefined && stands && seq >= this.#takenOver) this.#stand(key, path, verdict);
  }

  /** VERDICT-1. */
  #stand(key: string, op: OpPath, { by }: Verdict): void {
    const standing = underYes(op, by);
    this.#standing ??= new Map();
    this.#standing.set(key, standing);
    for (const [path, waiting] of this.#waiting ?? []) {
      if (waiting.key !== key || path === op) continue;
      if (this.#given?.has(path) !== true) waiting.answer(standing);
    }
  }

  #decide(op: OpPath, verdict: Verdict): void {
    this.#give(op, verdict);
    this.#waiting?.get(op)?.answer(verdict);
  }

  #give(op: OpPath, verdict: Verdict): void {
    this.#given ??= new Map();
    this.#given.set(op, verdict);
  }
}

/** Any yes to such a question holds for the rest of the run. */
const isOnce = (about: unknown, { approved, under }: Verdict): boolean =>
  approved && under === undefined && previewOf(about)?.rest?.once === true;

const isStanding = ({ approved, scope }: Verdict): boolean => approved && scope === 'run';

/** The answer to the same question after a yes for the rest of the run. */
const underYes = (op: OpPath, by: string | undefined): Verdict => ({
  approved: true,
  note: `Approved for the rest of the run at op ${op}.`,
  ...(by !== undefined && { by }),
  under: op,
});
