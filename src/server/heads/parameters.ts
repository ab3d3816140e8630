// The effect of each parameter of a protocol in a head. A parameter that cannot be honoured is refused by its name, and
// one that changes nothing is listed as such: nothing is ignored in silence. The reference page shows these tables.

import { didYouMean } from '../../base/text/nearest.ts';
import { fail } from '../../kernel/fault.ts';

type HeadParameter =
  /** It has the effect that `means` says. */
  | { readonly use: 'honoured'; readonly means: string }
  /** It is accepted and changes nothing: clients send it without being asked to. */
  | { readonly use: 'accepted'; readonly means: string }
  /** It is refused, but for the values that ask for nothing. */
  | { readonly use: 'refused'; readonly means: string; readonly but?: readonly unknown[] };

export type Parameters = Readonly<Record<string, HeadParameter>>;

/** Throws `request/invalid` for the first parameter that cannot be honoured, and for one that is not known. */
export function checkParameters(body: Readonly<Record<string, unknown>>, known: Parameters): void {
  for (const [name, value] of Object.entries(body)) {
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined;
    if (parameter === undefined) {
      const shown = name.slice(0, 80);
      fail(
        'request/invalid',
        `The parameter ${JSON.stringify(shown)} is not known.${didYouMean(shown, Object.keys(known))}`,
        {
          param: shown,
        },
      );
    }
    if (parameter.use !== 'refused' || value === null) continue;
    if (parameter.but?.some((one) => isSame(one, value)) === true) continue;
    fail('request/invalid', `The parameter "${name}" cannot be honoured: ${parameter.means}`, { param: name });
  }
}

/** Compares the few values that stand in the tables. */
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
