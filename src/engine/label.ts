// The label of a run: a name that a person or a program gives it.

import { fail } from '../kernel/fault.ts';

const LABEL = /^[\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,63}$/u;

/** The label as a field of a request. */
export function labelOf({ label }: { readonly label?: string }): { readonly label?: string } {
  if (label === undefined) return {};
  if (!LABEL.test(label)) fail('usage', 'A label has up to 64 letters, digits, spaces, "_", "." and "-".');
  return { label };
}
