// Keeps the books of one proof: what is being asked, what has been answered, and what is left to spend. Invariants in proof.ts.
import { spend, type Budget } from './budget.ts';
import { findDoubts } from './doubts.ts';
import { findEmptiness } from './emptiness.ts';
import { meetKey } from './meet.ts';
import { distinct, note, type Note, type Proof } from './proof.ts';
import { locationKey } from './schema.ts';

const stopped: Note = {
  path: '',
  message: 'the schemas refer to themselves in a way that cannot be compared',
  standsFor: 'the rest',
};
const maximumNesting = 150;
const maximumNotes = 20;

export function newProof(budget: Budget): Proof {
  /** Open questions: how deep in the value each is, and how far from the outermost. */
  const open = new Map<string, { readonly level: number; readonly position: number }>();
  const answered = new Map<string, readonly Note[] | undefined>();
  let level = 0;
  /** The outermost open question that an answer leaned on: the answer holds only under it, and is not remembered before. */
  let leaning = Infinity;

  interface Question {
    readonly key: string;
    readonly proven: readonly Note[];
    readonly unproven: readonly Note[] | undefined;
    readonly answer: () => readonly Note[] | undefined;
  }

  function ask({ key, proven, unproven, answer }: Question): readonly Note[] | undefined {
    if (answered.has(key)) return answered.get(key);
    const asked = open.get(key);
    if (asked !== undefined) {
      leaning = Math.min(leaning, asked.position);
      return asked.level < level ? proven : unproven; // P3
    }
    if (!spend(budget) || open.size >= maximumNesting) {
      budget.exhausted = true;
      leaning = -1;
      return unproven;
    }
    const outer = leaning;
    const position = open.size;
    leaning = Infinity;
    open.set(key, { level, position });
    const found = answer();
    open.delete(key);
    if (leaning >= position) {
      answered.set(key, found);
      leaning = Infinity;
    }
    leaning = Math.min(leaning, outer);
    return found;
  }

  function below<Answer extends readonly Note[] | undefined>(path: string, question: () => Answer): Answer {
    level += 1;
    const found = question();
    level -= 1;
    return found?.map((each) => ({ ...each, path: path + each.path })) as Answer;
  }

  const proof: Proof = {
    budget,
    doubts: (left, right) =>
      ask({
        key: `${meetKey(left)} < ${locationKey(right)}`,
        proven: [],
        unproven: [stopped],
        answer: () => distinct(findDoubts(left, right, proof)).slice(0, maximumNotes),
      }) ?? [],
    emptiness: (meet) =>
      ask({
        key: `empty ${meetKey(meet)}`,
        proven: [note('only a value without end could be given here')],
        unproven: undefined,
        answer: () => findEmptiness(meet, proof),
      }),
    doubtsBelow: (path, left, right) => below(path, () => proof.doubts(left, right)),
    emptinessBelow: (path, meet) => below(path, () => proof.emptiness(meet)),
  };
  return proof;
}
