// Whether what an upstream agent may output satisfies what its downstream takes (SPEC 3.3 and 3.4).
// F1. `never-fits` is a proof that no value satisfies both schemas.
// F2. `fits` is a proof that every value of the upstream's schema satisfies the downstream's.
// F3. Everything else, and everything too large to compare, is `may-not-fit`.
// Never throws, and takes bounded time whatever the schemas say.
import type { JsonSchema } from '../kernel/schema.ts';
import { newBudget } from './fit/budget.ts';
import { evaluate } from './fit/evaluate.ts';
import { isModest, show, snapshot } from './fit/json.ts';
import { meetOf } from './fit/meet.ts';
import { distinct, type Note } from './fit/proof.ts';
import { newProof } from './fit/prover.ts';
import { locate, locateDocument } from './fit/schema.ts';
import { complaintsOf } from './fit/verdict.ts';

export type { JsonSchema } from '../kernel/schema.ts';

export interface FitNote {
  /** JSON path: `$.order.items[*].price`. */
  readonly path: string;
  /** What upstream gives, and what downstream wants. */
  readonly message: string;
}

export type Fit =
  | { readonly kind: 'fits' }
  | { readonly kind: 'may-not-fit'; readonly doubts: readonly FitNote[] }
  | { readonly kind: 'never-fits'; readonly reasons: readonly FitNote[] };

const tooLarge = {
  kind: 'may-not-fit',
  doubts: [{ path: '$', message: 'the schemas are too large to compare' }],
} as const;

export function fit(upstream: JsonSchema, downstream: JsonSchema): Fit {
  if (!isModest(upstream) || !isModest(downstream)) return tooLarge;
  const given = locateDocumentRoot(upstream, 'upstream');
  const wanted = locateDocumentRoot(downstream, 'downstream');
  const reasons = newProof(newBudget()).emptiness(meetOf([given, wanted]));
  if (reasons !== undefined) return { kind: 'never-fits', reasons: rooted(reasons) };
  const budget = newBudget();
  const doubts = newProof(budget).doubts(meetOf([given]), wanted);
  if (doubts.length === 0) return { kind: 'fits' };
  if (!budget.exhausted) return { kind: 'may-not-fit', doubts: rooted(doubts) };
  const found = doubts.filter((doubt) => doubt.standsFor === undefined);
  return { kind: 'may-not-fit', doubts: [...rooted(found), ...tooLarge.doubts] };
}

/** A fixed value against a schema. `document` is what the schema's references point into, where it is a part of a larger one. */
export function constantFits(value: unknown, schema: JsonSchema, document: JsonSchema = schema): Fit {
  if (!isModest(value) || !isModest(schema) || !isModest(document)) return tooLarge;
  const resource = locateDocument(snapshot(document) as JsonSchema, 'downstream');
  const part = document === schema ? resource.document : (snapshot(schema) as JsonSchema);
  const verdict = evaluate(snapshot(value), locate(part, resource), newBudget());
  const notes = complaintsOf(verdict).map((complaint) => ({
    path: complaint.path,
    message: `upstream gives ${show(complaint.value)}, downstream wants ${complaint.wants}`,
  }));
  if (verdict.answer === 'yes') return { kind: 'fits' };
  return verdict.answer === 'no'
    ? { kind: 'never-fits', reasons: rooted(notes) }
    : { kind: 'may-not-fit', doubts: rooted(notes) };
}

function locateDocumentRoot(document: JsonSchema, side: 'upstream' | 'downstream') {
  const resource = locateDocument(snapshot(document) as JsonSchema, side);
  return locate(resource.document, resource);
}

function rooted(notes: readonly Note[]): readonly FitNote[] {
  return distinct(notes).map(({ path, message }) => ({ path: `$${path}`, message }));
}
