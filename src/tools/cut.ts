// Cuts text without splitting a character. Only redacted text may be cut: redaction does not find half a secret.

import type { RedactedText } from '../kernel/redacted.ts';

declare const redacted: unique symbol;

/** UTF-8 of redacted text. */
export type RedactedBytes = Buffer & { readonly [redacted]: true };

export const redactedBytes = (text: RedactedText): RedactedBytes => Buffer.from(text) as RedactedBytes;

/** The last place at or before byte `index` that is between two characters. */
export function cutBefore(bytes: RedactedBytes, index: number): number {
  let at = clamp(index, bytes.length);
  while (at > 0 && at < bytes.length && isInside(bytes[at]!)) at--;
  return at;
}

/** The first place at or after byte `index` that is between two characters. */
export function cutAfter(bytes: RedactedBytes, index: number): number {
  let at = clamp(index, bytes.length);
  while (at < bytes.length && isInside(bytes[at]!)) at++;
  return at;
}

/** Like `slice`, but without the half of a surrogate pair that it may leave at either end. */
export const redactedExcerpt = (text: RedactedText, start: number, end: number): RedactedText =>
  text.slice(start, end).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '') as RedactedText;

const clamp = (index: number, length: number): number => Math.max(0, Math.min(index, length));
const isInside = (byte: number): boolean => (byte & 0b1100_0000) === 0b1000_0000;
