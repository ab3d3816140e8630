// Matches regular expressions from outside in time that is linear in the text. JavaScript's own engine backtracks, for
// hours where a pattern makes it, and nothing can stop it in the middle: it never runs such a pattern. Here all ways
// through a pattern are followed at once, letter by letter.
// `re2js` is faster and means other patterns (decision 116).
// LINEAR-1. A step is one instruction at one place of the text. There are at most (letters + 1) × instructions of them,
//           times the places that look-arounds are asked at, and they are counted against a budget.
// LINEAR-2. JavaScript's engine decides what one letter matches (a class, an escape, `.`), so that it means the same.

import { type PatternNode, parsePattern } from './pattern-syntax.ts';

/** The steps that are left; shared by everything that is part of one check. */
export interface Steps {
  left: number;
}

/** The budget is spent: nothing is known about the text. */
export class StepsSpent extends Error {
  constructor(source: string) {
    super(`the pattern "${source}" takes too long on this text`);
  }
}

export interface LinearPattern {
  /** Throws `StepsSpent`. */
  test(text: string, steps: Steps): boolean;
  /** The end of the match that ends first; undefined without a match. Throws `StepsSpent`. */
  endIn(text: string, steps: Steps): number | undefined;
}

type PatternStep =
  | { readonly kind: 'letter'; readonly holds: (code: number) => boolean; readonly back: boolean }
  | { readonly kind: 'split'; to: number; or: number }
  | { readonly kind: 'edge'; readonly edge: Extract<PatternNode, { kind: 'edge' }>['edge'] }
  | { readonly kind: 'look'; readonly from: number; readonly back: boolean; readonly negative: boolean; after: number }
  | { readonly kind: 'match' };

const MOST_STEPS = 10_000;

/** Throws an `Error` that says why, for what is not a pattern, refers back to what it matched, or is too large. */
export function linearPattern(source: string, flags: string): LinearPattern {
  const program = new Program(source, flags);
  return {
    test: (text, steps) => new Matching(program, text, steps).end() !== undefined,
    endIn(text, steps) {
      const end = new Matching(program, text, steps).end();
      if (end === undefined || !program.byPoint) return end;
      return Array.from(text).slice(0, end).join('').length;
    },
  };
}

class Program {
  readonly source: string;
  readonly byPoint: boolean;
  readonly steps: PatternStep[] = [];
  readonly #flags: string;
  readonly #letters = new Map<string, (code: number) => boolean>();

  constructor(source: string, flags: string) {
    this.source = source;
    this.#flags = flags;
    this.byPoint = flags.includes('u');
    this.#add(parsePattern(source, this.byPoint), false);
    this.#push({ kind: 'match' });
  }

  #push(step: PatternStep): number {
    if (this.steps.length >= MOST_STEPS) throw new Error(`the pattern "${this.source}" repeats too much`);
    return this.steps.push(step) - 1;
  }

  /** `back`: within a look-behind, which is matched from its end to its beginning. */
  #add(node: PatternNode, back: boolean): void {
    switch (node.kind) {
      case 'letter':
        this.#push({ kind: 'letter', holds: this.#letter(node.source), back });
        return;
      case 'edge':
        this.#push({ kind: 'edge', edge: node.edge });
        return;
      case 'all':
        for (const part of back ? node.parts.toReversed() : node.parts) this.#add(part, back);
        return;
      case 'any':
        return this.#choose(node.parts, back);
      case 'repeat':
        return this.#repeat(node, back);
      case 'look': {
        const at = this.#push({
          kind: 'look',
          from: this.steps.length + 1,
          back: node.back,
          negative: node.negative,
          after: 0,
        });
        this.#add(node.part, node.back);
        this.#push({ kind: 'match' });
        (this.steps[at] as Extract<PatternStep, { kind: 'look' }>).after = this.steps.length;
      }
    }
  }

  #choose(parts: readonly PatternNode[], back: boolean): void {
    const ends: number[] = [];
    for (const [index, part] of parts.entries()) {
      const last = index === parts.length - 1;
      const split = last ? undefined : this.#split();
      this.#add(part, back);
      if (split === undefined) break;
      ends.push(this.#split());
      this.#point(split, split + 1, this.steps.length);
    }
    for (const end of ends) this.#point(end, this.steps.length, this.steps.length);
  }

  #repeat({ part, least, most }: Extract<PatternNode, { kind: 'repeat' }>, back: boolean): void {
    for (let count = 0; count < least; count++) this.#add(part, back);
    if (most === Infinity) {
      const split = this.#split();
      this.#add(part, back);
      const again = this.#split();
      this.#point(again, split, split);
      this.#point(split, split + 1, this.steps.length);
      return;
    }
    const splits: number[] = [];
    for (let count = least; count < most; count++) {
      splits.push(this.#split());
      this.#add(part, back);
    }
    for (const split of splits) this.#point(split, split + 1, this.steps.length);
  }

  #split(): number {
    return this.#push({ kind: 'split', to: 0, or: 0 });
  }

  #point(at: number, to: number, or: number): void {
    const split = this.steps[at] as Extract<PatternStep, { kind: 'split' }>;
    split.to = to;
    split.or = or;
  }

  /** LINEAR-2. */
  #letter(source: string): (code: number) => boolean {
    let holds = this.#letters.get(source);
    if (holds === undefined) {
      const one = new RegExp(`^(?:${source})$`, this.#flags);
      const known = new Map<number, boolean>();
      holds = (code) => {
        let answer = known.get(code);
        if (answer === undefined) {
          answer = one.test(this.byPoint ? String.fromCodePoint(code) : String.fromCharCode(code));
          known.set(code, answer);
        }
        return answer;
      };
      this.#letters.set(source, holds);
    }
    return holds;
  }
}

/** One pattern on one text. */
class Matching {
  readonly #program: Program;
  readonly #codes: readonly number[];
  readonly #budget: Steps;
  /** The result of a look-around at a place, which depends on nothing else. */
  readonly #looked = new Map<number, boolean>();

  constructor(program: Program, text: string, budget: Steps) {
    this.#program = program;
    this.#budget = budget;
    this.#codes = program.byPoint
      ? Array.from(text, (letter) => letter.codePointAt(0) as number)
      : Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  }

  /** Tries to match at every place of the text. */
  end(): number | undefined {
    return this.#run(0, 0, 1, true);
  }

  #run(from: number, start: number, direction: 1 | -1, everywhere: boolean): number | undefined {
    const seen = new Uint32Array(this.#program.steps.length);
    let now: number[] = [];
    for (let at = start, round = 1; ; at += direction, round++) {
      if (everywhere || at === start) now.push(from);
      const next: number[] = [];
      while (now.length > 0) {
        const pc = now.pop() as number;
        if (seen[pc] === round) continue;
        seen[pc] = round;
        if (this.#follow(pc, at, now, next)) return at;
      }
      const isOver = direction === 1 ? at >= this.#codes.length : at <= 0;
      if (isOver || (next.length === 0 && !everywhere)) return undefined;
      now = next;
    }
  }

  /** True at a match. */
  #follow(pc: number, at: number, now: number[], next: number[]): boolean {
    if (--this.#budget.left < 0) throw new StepsSpent(this.#program.source);
    const step = this.#program.steps[pc] as PatternStep;
    switch (step.kind) {
      case 'match':
        return true;
      case 'letter': {
        const code = this.#codes[step.back ? at - 1 : at];
        if (code !== undefined && step.holds(code)) next.push(pc + 1);
        return false;
      }
      case 'split':
        now.push(step.or, step.to);
        return false;
      case 'edge':
        if (this.#isEdge(step.edge, at)) now.push(pc + 1);
        return false;
      case 'look':
        if (this.#look(pc, step, at) !== step.negative) now.push(step.after);
        return false;
    }
  }

  #look(pc: number, { from, back }: Extract<PatternStep, { kind: 'look' }>, at: number): boolean {
    const key = pc * (this.#codes.length + 1) + at;
    let answer = this.#looked.get(key);
    if (answer === undefined) {
      answer = this.#run(from, at, back ? -1 : 1, false) !== undefined;
      this.#looked.set(key, answer);
    }
    return answer;
  }

  #isEdge(edge: Extract<PatternNode, { kind: 'edge' }>['edge'], at: number): boolean {
    if (edge === 'start') return at === 0;
    if (edge === 'end') return at === this.#codes.length;
    const isBorder = this.#isWord(at - 1) !== this.#isWord(at);
    return edge === 'border' ? isBorder : !isBorder;
  }

  #isWord(at: number): boolean {
    const code = this.#codes[at];
    return code !== undefined && code < 128 && /\w/.test(String.fromCharCode(code));
  }
}
