// The texts that a change leaves in the store: before and after it, without their secrets.
// KEPT-1. A text is kept as it is only if it holds no secret. One that does is kept redacted, to be shown; to take the
//     change back, the replaced part is kept beside it if no secret reaches into that.
// KEPT-2. Of a file whose name says that it may hold secrets, nothing is kept.

import type { FileChange, FileState } from '../../../kernel/change.ts';
import type { Redactor } from '../../../kernel/redacted.ts';

interface Keeping {
  readonly redactor: Redactor;
  /** Keeps bytes in the store, and returns their digest. */
  keep(bytes: Uint8Array): Promise<string>;
}

interface FileSide {
  readonly bytes: Uint8Array;
  readonly state: FileState;
}

export type KeptTexts = Pick<FileChange, 'before' | 'after' | 'back'>;

export async function keptTexts(
  before: FileSide | undefined,
  after: FileSide | undefined,
  keeping: Keeping,
): Promise<KeptTexts> {
  const [was, will] = [await kept(before, keeping), await kept(after, keeping)];
  const back = was === undefined || was.kept === was.digest ? undefined : await backTo(before, after, keeping);
  return { ...(was && { before: was }), ...(will && { after: will }), ...(back && { back }) };
}

/** KEPT-1. Bytes that are not text and hold a secret are not kept at all. */
async function kept(side: FileSide | undefined, { redactor, keep }: Keeping): Promise<FileState | undefined> {
  if (side === undefined) return undefined;
  const { bytes, state } = side;
  const text = textOf(bytes);
  const clean = redactor.redact(text ?? Buffer.from(bytes).toString('latin1'));
  if (clean === (text ?? Buffer.from(bytes).toString('latin1'))) return { ...state, kept: await keep(bytes) };
  return text === undefined ? state : { ...state, kept: await keep(Buffer.from(clean)) };
}

async function backTo(
  before: FileSide | undefined,
  after: FileSide | undefined,
  { redactor, keep }: Keeping,
): Promise<FileChange['back']> {
  const [was, is] = [before && textOf(before.bytes), after && textOf(after.bytes)];
  if (was === undefined || is === undefined) return undefined;
  const start = commonStart(was, is);
  const end = commonEnd(was, is, start);
  const [head, middle, tail] = [was.slice(0, start), was.slice(start, was.length - end), was.slice(was.length - end)];
  const isClean = redactor.redact(middle) === middle;
  if (!isClean || redactor.redact(head) + middle + redactor.redact(tail) !== redactor.redact(was)) return undefined;
  const replaced = is.slice(start, is.length - end);
  return {
    at: Buffer.byteLength(head),
    bytes: Buffer.byteLength(replaced),
    blob: await keep(Buffer.from(middle)),
  };
}

/** The number of characters that are the same from the beginning on. Never splits a pair. */
function commonStart(left: string, right: string): number {
  let at = 0;
  while (at < left.length && at < right.length && left[at] === right[at]) at++;
  return isHighSurrogate(left.charCodeAt(at - 1)) ? at - 1 : at;
}

function commonEnd(left: string, right: string, start: number): number {
  const most = Math.min(left.length, right.length) - start;
  let count = 0;
  while (count < most && left[left.length - 1 - count] === right[right.length - 1 - count]) count++;
  return count > 0 && isLowSurrogate(left.charCodeAt(left.length - count)) ? count - 1 : count;
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** The text with its byte order mark, so that its bytes are those of the file. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    if (thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}
