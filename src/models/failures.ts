// The attempts of one call that failed, and the one fault that they amount to.
// FAILURE-1. A retry that a budget refuses does not hide why it was needed: if nothing was spent so far, money was not
//            what ended the call, and its last real fault is reported.

import { type Fault, fault } from '../kernel/fault.ts';
import { writtenIn } from '../kernel/outcome.ts';
import { type CallSpend, type Count, countOf } from '../kernel/usage.ts';

interface FailedModel {
  readonly model: string;
  tries: number;
  /** The fault of the last attempt that was made. */
  real?: Fault;
  /** The fault with which a budget refused a further attempt. */
  refusal?: Fault;
}

/** The attempts of one call that failed. */
export class Failures {
  readonly #models: FailedModel[] = [];
  #written: string | undefined;
  #paid = false;

  add(model: string, why: Fault, spent: CallSpend): void {
    let last = this.#models.at(-1);
    if (last?.model !== model || last.refusal !== undefined) {
      last = { model, tries: 0 };
      this.#models.push(last);
    }
    if (why.code === 'budget/exceeded') {
      last.refusal = why;
    } else {
      last.real = why;
      last.tries += 1;
    }
    this.#written = writtenIn(why) ?? this.#written;
    this.#paid ||= countOf(spent).tokens > 0;
  }

  /** The fault of an abort, with what was written until then and what the budget counted for the attempt it ended. */
  cancelled(why: Fault, counted?: Count): Fault {
    const known = { ...(this.#written !== undefined && { written: this.#written }), ...(counted && { counted }) };
    return Object.keys(known).length === 0 ? why : { ...why, details: { ...why.details, ...known } };
  }

  /** The last model's fault, with what each one said, and the latest text that was written. */
  final(): Fault {
    const last = this.#models.at(-1);
    if (last === undefined) return fault('model/unknown', 'the request names no model.');
    const lines = this.#models.map(lineOf);
    const message = lines.length === 1 ? (lines[0] ?? '') : `every model failed.\n- ${lines.join('\n- ')}`;
    const real = this.#models.findLast((one) => one.real !== undefined)?.real;
    const overBudget = last.refusal !== undefined && (this.#paid || real === undefined);
    const told = (overBudget ? last.refusal : real) ?? fault('internal', message);
    const details = { ...told.details, ...(this.#written !== undefined && { written: this.#written }) };
    return { ...told, message, ...(Object.keys(details).length > 0 && { details }) };
  }
}

function lineOf({ model, tries, real, refusal }: FailedModel): string {
  const times = tries > 1 ? ` (${tries} attempts)` : '';
  if (real === undefined) return `${model}: ${refusal?.message ?? ''}`;
  return `${model}${times}: ${real.message}${refusal === undefined ? '' : ` (Not tried again: ${refusal.message})`}`;
}
