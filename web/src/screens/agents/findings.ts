// The findings of the check, as the page shows them. Pure.

import type { Diagnostic } from '../../../../src/server/protocol.ts';

export function worstOf(diagnostics: readonly Pick<Diagnostic, 'severity'>[]): Diagnostic['severity'] | undefined {
  if (diagnostics.some(({ severity }) => severity === 'error')) return 'error';
  return diagnostics.length > 0 ? 'warning' : undefined;
}

export const countOf = (
  diagnostics: readonly Pick<Diagnostic, 'severity'>[],
  severity: Diagnostic['severity'],
): number => diagnostics.filter((one) => one.severity === severity).length;

/** `1 error`, `2 warnings`. */
export const inWords = (count: number, severity: Diagnostic['severity']): string =>
  `${count} ${severity}${count === 1 ? '' : 's'}`;
