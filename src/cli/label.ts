// A name for a run, as --label takes it.

import { fail } from '../kernel/fault.ts';

const LABEL = /^[\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,63}$/u;

export function labelOf({ label }: { readonly label?: string }): { readonly label?: string } {
  if (label === undefined) return {};
  if (!LABEL.test(label)) fail('usage', '--label takes up to 64 letters, digits, spaces, "_", "." and "-".');
  return { label };
}
