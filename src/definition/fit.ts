// Decides if the output of an upstream agent can be the input of its downstream.
// FIT-1. `never-fits` is a proof that no value satisfies both schemas.
// FIT-2. `may-not-fit` is a proof that some value of the upstream's schema does not satisfy the downstream's.
// FIT-3. Keywords that the two parts below do not read, and schemas that are too large to compare, lead to no finding.
// Never throws, and takes bounded time whatever the schemas say.
import type { JsonSchema } from '../kernel/schema.ts';
import type { Fit, FitNote } from '../patterns/review.ts';
import { findDoubts, findReasons, type Note, refusals } from './fit/compare.ts';
import { newEffort, shapeOf } from './fit/shape.ts';
import { isModest, showValue } from './fit/values.ts';

export function fit(upstream: JsonSchema, downstream: JsonSchema): Fit {
  if (!isModest(upstream) || !isModest(downstream)) return { kind: 'no-finding' };
  const first = newEffort();
  const reasons = findReasons(shapeOf(upstream, upstream, first), shapeOf(downstream, downstream, first), first);
  if (reasons !== undefined) return { kind: 'never-fits', reasons: rooted(reasons) };
  const second = newEffort();
  const doubts = findDoubts(shapeOf(upstream, upstream, second), shapeOf(downstream, downstream, second), second);
  return doubts.length === 0 ? { kind: 'no-finding' } : { kind: 'may-not-fit', doubts: rooted(doubts) };
}

/** A fixed value against a schema. `document` is what the schema's references point into, where it is a part of a larger one. */
export function constantFits(value: unknown, schema: JsonSchema, document: JsonSchema = schema): Fit {
  if (!isModest(value) || !isModest(schema) || !isModest(document)) return { kind: 'no-finding' };
  const effort = newEffort();
  const reasons = refusals(value, shapeOf(schema, document, effort), effort).map((refused) => ({
    path: refused.path,
    message: `upstream gives ${showValue(refused.value)}, downstream wants ${refused.wants}`,
  }));
  return reasons.length === 0 ? { kind: 'no-finding' } : { kind: 'never-fits', reasons: rooted(reasons) };
}

function rooted(notes: readonly Note[]): readonly FitNote[] {
  const distinct = new Map(notes.map((note) => [`${note.path}\n${note.message}`, note]));
  return [...distinct.values()].map(({ path, message }) => ({ path: `$${path}`, message }));
}
