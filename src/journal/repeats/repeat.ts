// The stored form of an event whose texts or lists stand in an earlier event already: the field is empty, and `repeats`
// names its parts.
// REPEAT-1. A repeat names an earlier event of the same journal, never a later one: a journal that is cut at any event can
//     be read.
// REPEAT-2. It reaches back over `REACH` events at most, so that one who reads along keeps no more than these.
// REPEAT-3. Whoever writes refers only to what it wrote itself since it claimed the run. What a process before it wrote
//     last may not be in the journal.
// REPEAT-4. The field itself holds an empty text or list. So what a store counts while it writes needs no other event, and
//     no data of a user is taken for a reference.

/** A part of a text or list of an earlier event. */
export interface Repeat {
  /** The place of that event in the journal. */
  readonly event: number;
  /** The JSON pointer of the text or list in that event. */
  readonly at: string;
  readonly from: number;
  /** The end, which is not part of it. */
  readonly to: number;
}

/** A text or a list of elements as it is, or a part of an earlier one. */
export type Piece = string | readonly unknown[] | Repeat;

export const REACH = 4096;

export type Step = string | number;

/** Escapes `/` and `~` in a name as a JSON pointer does. */
export const pointerOf = (steps: readonly Step[]): string =>
  steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

export const stepsOf = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Events whose texts can be repeated. The others are few, and some of them are read alone. */
export const mayRepeat = ({ type }: { readonly type: string }): boolean =>
  type === 'op-start' || type === 'op-end' || type === 'op' || type === 'fact';
