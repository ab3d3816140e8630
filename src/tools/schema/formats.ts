// Formats, in time that is linear in the text. Ajv's regular expressions for them backtrack, some of them again
// and again; they are matched in one pass instead.

import type { Ajv } from 'ajv';
import { linear, type PatternTest } from './patterns.ts';

const PART = "(?:[a-z0-9._~!$&'()*+,;=:@-]|%[0-9a-f]{2})";
const AUTHORITY = "(?:[a-z0-9._~!$&'()*+,;=:@-]|%[0-9a-f]{2}|\\[[0-9a-f:.v]+\\])*";
/** RFC 3986: a scheme, and no letter that an address cannot hold. Ajv's is hidden in a function. */
const URI = new RegExp(
  `^[a-z][a-z0-9+.-]*:(?://${AUTHORITY}(?:/${PART}*)*|(?:${PART}|/)*)(?:[?#](?:${PART}|[/?#])*)?$`,
  'i',
);

export function addLinearFormats(ajv: Ajv): void {
  const patterns = Object.entries(ajv.formats).filter((entry): entry is [string, RegExp] => entry[1] instanceof RegExp);
  for (const [name, pattern] of [...patterns, ['uri', URI] as const]) {
    let made: PatternTest | undefined;
    ajv.addFormat(name, (text: string) => {
      made ??= linear(pattern);
      return made.test(text);
    });
  }
}
