// Numbers, as a person writes them on the command line.

import { fail } from '../../kernel/fault.ts';

/** `says` are the words for what the option takes: `a whole number from 1 on`. */
export function wholeNumber(
  option: string,
  given: string,
  { least, most = Number.POSITIVE_INFINITY, says }: { readonly least: number; readonly most?: number; says: string },
): number {
  const number = Number(given);
  return Number.isInteger(number) && number >= least && number <= most
    ? number
    : fail('usage', `${option} takes ${says}, not "${given}".`);
}

export const COUNT = { least: 1, says: 'a whole number from 1 on' } as const;
