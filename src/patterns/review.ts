// The data of a pattern's check, and its findings. Places stay with the reader of the files: a finding names the
// reference or the key that it is about.

import type { AgentName } from '../kernel/effect.ts';
import type { JsonSchema } from '../kernel/schema.ts';

/** A reference in the value of the key that has been resolved. */
export interface ReviewedEdge {
  readonly to: AgentName;
  readonly role: string;
}

/** A value in the file of an agent. */
export interface KeyPlace {
  readonly agent: AgentName;
  readonly path: readonly (string | number)[];
  /** The name at the end of the path is meant, and not its value. */
  readonly isName?: true;
}

export type ReviewedPlace = ReviewedEdge | KeyPlace;

/** Both sides of a hand-over: what one agent gives, and what the next one takes. */
export interface ComparedSchemas {
  readonly given: { readonly agent: AgentName; readonly schema: JsonSchema };
  readonly taken: { readonly agent: AgentName; readonly schema: JsonSchema };
}

export interface PatternFinding {
  readonly code: string;
  /** Default: an error. */
  readonly severity?: 'error' | 'warning';
  readonly at: ReviewedPlace;
  readonly message: string;
  readonly help: string;
  readonly compared?: ComparedSchemas;
}

export interface FitNote {
  /** JSON path: `$.order.items[*].price`. */
  readonly path: string;
  /** The schema that upstream gives, and the one that downstream wants. */
  readonly message: string;
}

/** Says if the output of one agent can be the input of the next one. */
export type Fit =
  | { readonly kind: 'no-finding' }
  | { readonly kind: 'may-not-fit'; readonly doubts: readonly FitNote[] }
  | { readonly kind: 'never-fits'; readonly reasons: readonly FitNote[] };
