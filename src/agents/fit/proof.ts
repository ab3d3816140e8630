// The two questions that the fit check proves, and the notes they answer with. The parts of the proof ask each other through
// this interface only.
// P1. No doubts is a proof that every value of the left satisfies the right. Any doubt proves nothing.
// P2. Emptiness is a proof that no value is in the meet. Undefined proves nothing.
// P3. A question met again below itself may be taken as proven: JSON values are finite, so by induction on their size it holds.
//     Met again about the same value, it proves nothing.
import type { Budget } from './budget.ts';
import type { Meet } from './meet.ts';
import type { Located } from './schema.ts';

export interface Note {
  /** Below the values that are compared: `.items[*]`, or empty for the values themselves. */
  readonly path: string;
  readonly message: string;
  /** Stands where the comparison stopped, and not for something it found. */
  readonly standsFor?: 'the rest';
}

export interface Proof {
  readonly budget: Budget;
  doubts(left: Meet, right: Located): readonly Note[];
  emptiness(meet: Meet): readonly Note[] | undefined;
  /** The same questions about a part of the value: one step down for P3, and one step longer in the path. */
  doubtsBelow(path: string, left: Meet, right: Located): readonly Note[];
  emptinessBelow(path: string, meet: Meet): readonly Note[] | undefined;
}

export function note(message: string): Note {
  return { path: '', message };
}

export function distinct(notes: readonly Note[]): readonly Note[] {
  return [...new Map(notes.map((each) => [`${each.path}\n${each.message}`, each])).values()];
}
