// Files as callers give them: pictures and documents are put into the store, and texts stay texts.
// TAKE-FILE-1. All of them are looked at before the first is put, so a request that is refused leaves nothing.

import { createHash } from 'node:crypto';
import { escapeUnseen } from '../../base/text/escape-unseen.ts';
import { size } from '../../base/text/words.ts';
import type { Uploads } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';
import { type FileRef, MOST_FILES, MOST_REQUEST_BYTES, tooManyBytesWords } from '../../kernel/file-ref.ts';
import { fileName, lookAtFile } from '../../tools/media/look-at-file.ts';

const MEBI = 1_048_576;
/** All texts of one request. More belongs into files that the agent reads with its tools. */
export const MOST_TEXT_BYTES = 4 * MEBI;

/** A file with its bytes, which a text has as base64. */
export interface InputFile {
  readonly name: string;
  readonly data: Uint8Array | string;
}

/** A file with its bytes, or one that was uploaded before. */
export type GivenFile = InputFile | { readonly digest: string; readonly name?: string };

export interface TextFile {
  readonly name: string;
  readonly text: string;
}

interface TakenFiles {
  /** Pictures and documents, in their order. Each has a name of its own. */
  readonly files: readonly FileRef[];
  readonly texts: readonly TextFile[];
}

export interface FileTaker {
  readonly uploads: Uploads;
  /** The owner of the uploads. */
  readonly owner: string;
  /** A file of a run that the caller may see, which need not be uploaded again. */
  known?(digest: string): Promise<FileRef | undefined>;
}

/** Throws `input/invalid` for the first file that cannot be taken, with its name and the reason. */
export async function takeFiles(given: readonly GivenFile[], taker: FileTaker): Promise<TakenFiles> {
  if (given.length > MOST_FILES) invalid(`${given.length} files are too many: a request has at most ${MOST_FILES}.`);
  const media: MediaFile[] = [];
  const texts: TextFile[] = [];
  let bytes = 0;
  for (const one of given) {
    const held = await heldBy(one, taker);
    bytes += 'file' in held ? held.file.bytes : held.bytes.byteLength;
    if (bytes > MOST_REQUEST_BYTES) invalid(tooManyBytesWords());
    const looked = 'file' in held ? held : await lookedAt(held);
    if ('text' in looked) texts.push(looked);
    else media.push(looked);
  }
  if (texts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) > MOST_TEXT_BYTES) {
    const way = 'The agent can read longer ones with tools: [files].';
    invalid(`The text files have more than ${size(MOST_TEXT_BYTES)} together. ${way}`);
  }
  const { uploads, owner } = taker;
  for (const { file, bytes: own } of media) if (own !== undefined) await uploads.put(owner, file, own); // TAKE-FILE-1
  if (media.length > 0) await uploads.sweep();
  return { files: withOwnNames(media.map(({ file }) => file)), texts };
}

/** A picture or document. Without bytes, it lies in the store. */
interface MediaFile {
  readonly file: FileRef;
  readonly bytes?: Uint8Array;
}

interface NamedBytes {
  readonly name: string;
  readonly bytes: Uint8Array;
}

async function heldBy(given: GivenFile, taker: FileTaker): Promise<NamedBytes | MediaFile> {
  if ('digest' in given) return { file: await uploaded(given, taker) };
  const { name, data } = given;
  const bytes = typeof data === 'string' ? decoded(data, name) : data;
  const digest = createHash('sha256').update(bytes).digest('hex');
  const known = await taker.uploads.get(taker.owner, digest); // a client that sends its conversation sends a file with each request
  return known === undefined ? { name, bytes } : { file: { ...known, name: fileName(name) } };
}

async function lookedAt({ name, bytes }: NamedBytes): Promise<TextFile | MediaFile> {
  const looked = await lookAtFile(name, bytes);
  switch (looked.kind) {
    case 'text':
      return { name, text: looked.text };
    case 'media':
      return { file: looked.file, bytes };
    case 'refused':
      return refuse(name, looked.why);
  }
}

async function uploaded(
  { digest, name }: Extract<GivenFile, { digest: string }>,
  { uploads, owner, known }: FileTaker,
): Promise<FileRef> {
  const found = (await uploads.get(owner, digest)) ?? (await known?.(digest));
  if (found === undefined)
    return invalid(
      `There is no file ${JSON.stringify(digest.slice(0, 80))}: it was not uploaded, or more than a day ago. Upload it again.`,
    );
  return name === undefined ? found : { ...found, name: fileName(name) };
}

/** Uploads one file that a later request names by its digest. Throws `input/invalid`. */
export async function uploadFile({ name, bytes }: NamedBytes, { uploads, owner }: FileTaker): Promise<FileRef> {
  const looked = await lookedAt({ name, bytes });
  if ('text' in looked) return refuse(name, 'is a text. Send it with the request: files: [{name, data}]');
  await uploads.put(owner, looked.file, bytes);
  await uploads.sweep();
  return looked.file;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Nothing is decoded that could not be taken. */
function decoded(data: string, name: string): Uint8Array {
  if (/^(?:https?|data|file):/i.test(data.slice(0, 8)))
    refuse(name, 'is an address, and nothing is fetched. Send its bytes as base64');
  if (data.length > (MOST_REQUEST_BYTES / 3) * 4 + 4)
    refuse(name, `has more than ${size(MOST_REQUEST_BYTES)}, which is the most of a request`);
  if (!BASE64.test(data) || data.length % 4 === 1) refuse(name, 'is not base64');
  return new Uint8Array(Buffer.from(data, 'base64'));
}

/** A tool names a file by its name, so each has its own: `shot.png`, `shot (2).png`. */
function withOwnNames(files: readonly FileRef[]): readonly FileRef[] {
  const taken = new Set<string>();
  return files.map((file) => {
    let { name } = file;
    const [, stem = name, ending = ''] = /^(.*?)(\.[^.]*)?$/s.exec(name) ?? [];
    for (let count = 2; taken.has(name); count++) name = `${stem} (${count})${ending}`;
    taken.add(name);
    return name === file.name ? file : { ...file, name };
  });
}

const refuse = (name: string, why: string): never => invalid(`"${escapeUnseen(name.slice(0, 300))}" ${why}.`);

const invalid = (message: string): never => fail('input/invalid', message);
