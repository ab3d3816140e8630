// The findings of the check, as the page shows them. Pure.

import type { Diagnostic } from '../../../../src/server/protocol.ts';

export const countOf = (
  diagnostics: readonly Pick<Diagnostic, 'severity'>[],
  severity: Diagnostic['severity'],
): number => diagnostics.filter((one) => one.severity === severity).length;

/** `1 error`, `2 warnings`. */
export const inWords = (count: number, severity: Diagnostic['severity']): string =>
  `${count} ${severity}${count === 1 ? '' : 's'}`;

type HandOver = Diagnostic & Required<Pick<Diagnostic, 'compared'>>;

/** The hand-overs from or to an agent in which schemas do not fit, each once: several findings may be about one. */
export function handOversOf(agent: string, diagnostics: readonly Diagnostic[]): readonly HandOver[] {
  const about = diagnostics.filter(
    (one): one is HandOver => one.compared?.given.agent === agent || one.compared?.taken.agent === agent,
  );
  return [...new Map(about.map((one) => [`${one.compared.given.agent} ${one.compared.taken.agent}`, one])).values()];
}
