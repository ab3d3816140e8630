// Makes events whole again, in the order of the journal.

import type { RunEvent } from '../event.ts';
import { mayRepeat, type Piece, REACH, type Repeat, stepsOf } from './repeat.ts';

/** Keeps the events to which later ones may refer (REPEAT-2). */
export class EventRestorer {
  readonly #events = new Map<number, RunEvent>();

  /** The event with its texts. One whose references lead nowhere is given back with them: it is damaged. */
  restore(event: RunEvent): RunEvent {
    const whole = event.repeats === undefined ? event : (this.#whole(event) ?? event);
    if (mayRepeat(whole)) this.#events.set(whole.seq, whole);
    this.#events.delete(whole.seq - REACH);
    return whole;
  }

  /** True if the event names one that was not read. */
  lacksFor({ repeats, seq }: RunEvent, first: number): boolean {
    if (repeats === undefined || first === 0) return false;
    const pieces = isFields(repeats) ? Object.values(repeats).flat() : [];
    return pieces.some((piece) => isRepeat(piece) && piece.event < first && piece.event < seq);
  }

  #whole({ repeats, ...stored }: RunEvent): RunEvent | undefined {
    if (!isFields(repeats)) return undefined;
    let whole: unknown = stored;
    for (const pointer of Object.keys(repeats)) {
      const pieces: unknown = repeats[pointer];
      const steps = stepsOf(pointer);
      const made = Array.isArray(pieces) ? this.#made(pieces as readonly Piece[], stored.seq) : undefined;
      if (made === undefined || !isEmpty(valueAt(whole, steps), made)) return undefined; // REPEAT-4
      whole = replaced(whole, steps, made);
    }
    return whole as RunEvent;
  }

  #made(pieces: readonly Piece[], before: number): string | readonly unknown[] | undefined {
    const parts: (string | readonly unknown[])[] = [];
    for (const piece of pieces) {
      const part = isRepeat(piece) ? this.#named(piece, before) : piece;
      if (typeof part !== 'string' && !Array.isArray(part)) return undefined;
      parts.push(part);
    }
    if (parts.every((part) => typeof part === 'string')) return parts.join('');
    return parts.every((part) => typeof part !== 'string') ? parts.flat(1) : undefined;
  }

  #named({ event, at, from, to }: Repeat, before: number): string | readonly unknown[] | undefined {
    if (event >= before) return undefined; // REPEAT-1
    const source = valueAt(this.#events.get(event), stepsOf(at));
    if (typeof source !== 'string' && !Array.isArray(source)) return undefined;
    const isInside = Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from < to && to <= source.length;
    return isInside ? source.slice(from, to) : undefined;
  }
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isRepeat = (piece: unknown): piece is Repeat =>
  isFields(piece) && typeof piece['event'] === 'number' && typeof piece['at'] === 'string';

const isEmpty = (stored: unknown, made: string | readonly unknown[]): boolean =>
  typeof made === 'string' ? stored === '' : Array.isArray(stored) && stored.length === 0;

function valueAt(root: unknown, steps: readonly string[]): unknown {
  let value = root;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value;
}

/** A copy with another value at a place that is there. */
function replaced(root: unknown, [step, ...steps]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  const inner = replaced((root as Readonly<Record<string, unknown>>)[step], steps, value);
  if (Array.isArray(root)) return root.with(Number(step), inner);
  return { ...(root as object), [step]: inner };
}
