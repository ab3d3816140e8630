// Finds out if a file is a picture or a document, and its size, or a text, or something that is not taken. Its bytes decide,
// and neither its name nor what its sender calls it.

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { mediaTypeOf } from '../../base/media/file-type.ts';
import { measure } from '../../base/media/measure.ts';
import { escapeUnseen } from '../../base/text/escape-unseen.ts';
import { size } from '../../base/text/words.ts';
import { type FileRef, kindOfFile } from '../../kernel/file-ref.ts';

const MEBI = 1_048_576;
const MOST_PICTURE_BYTES = 5 * MEBI;
export const MOST_PDF_BYTES = 20 * MEBI;
const MOST_PDF_PAGES = 100;
/** The longest side of a picture. Models are shown it smaller, and providers refuse more. */
const MOST_PIXELS = 16_384;
const LONGEST_NAME = 200;

type LookedAtFile =
  | { readonly kind: 'media'; readonly file: FileRef }
  | { readonly kind: 'text'; readonly text: string }
  /** The reason, as the end of a sentence whose subject is the file. */
  | { readonly kind: 'refused'; readonly why: string };

/** Never rejects for what is in the file. */
export async function lookAtFile(name: string, bytes: Uint8Array): Promise<LookedAtFile> {
  const type = mediaTypeOf(bytes);
  if (type === undefined) {
    if (!bytes.includes(0) && isUtf8(bytes)) return { kind: 'text', text: new TextDecoder().decode(bytes) };
    const first = 'is neither text in UTF-8 nor a PNG, JPEG, GIF, WebP or PDF by its first bytes';
    return refused(`${first} (${size(bytes.byteLength)})`);
  }
  const isPdf = kindOfFile({ type }) === 'pdf';
  const most = isPdf ? MOST_PDF_BYTES : MOST_PICTURE_BYTES;
  if (bytes.byteLength > most)
    return refused(`has ${amount(bytes.byteLength)}, and ${isPdf ? 'a PDF' : 'a picture'} has at most ${amount(most)}`);
  const measured = await measure(bytes, type);
  if ('trouble' in measured) {
    const trouble = escapeUnseen(measured.trouble).slice(0, 200).replace(/\.$/, '');
    return refused(`cannot be read as ${type}: ${trouble}`);
  }
  if ('pages' in measured && measured.pages > MOST_PDF_PAGES)
    return refused(`has ${measured.pages} pages, and a PDF has at most ${MOST_PDF_PAGES}`);
  if ('width' in measured && Math.max(measured.width, measured.height) > MOST_PIXELS) {
    const { width, height } = measured;
    return refused(
      `has ${width}×${height} pixels, and a side of a picture has at most ${MOST_PIXELS}. Make it smaller`,
    );
  }
  const digest = createHash('sha256').update(bytes).digest('hex');
  return { kind: 'media', file: { digest, type, name: fileName(name), bytes: bytes.byteLength, ...measured } };
}

/** A file may be larger than the most by a byte. */
const amount = (bytes: number): string => `${size(bytes)} (${bytes.toLocaleString('en-US')} bytes)`;

const refused = (why: string): LookedAtFile => ({ kind: 'refused', why });

/** The last part of a path, and not too long. */
export function fileName(given: string): string {
  const last = given.split(/[\\/]/).filter(Boolean).at(-1)?.trim() ?? '';
  const name = last === '' ? 'file' : last;
  if (name.length <= LONGEST_NAME) return name;
  const [, ending = ''] = /(\.[A-Za-z0-9]{1,8})$/.exec(name) ?? [];
  return `${name.slice(0, LONGEST_NAME - ending.length - 1).replace(/[\ud800-\udbff]$/, '')}…${ending}`;
}
