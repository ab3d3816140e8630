// Files that go with a message that is not sent yet: a text as it is, a picture or document by its digest. And the reasons
// why one does not go along.

import {
  type FileKind,
  type FileRef,
  kindOfFile,
  MOST_REQUEST_BYTES,
  tooManyBytesWords,
} from '../../../src/kernel/file-ref.ts';
import type { AgentInfo, StartRun } from '../../../src/server/protocol.ts';

export type ChosenFile =
  | { readonly name: string; readonly text: string }
  | {
      readonly name: string;
      readonly file: FileRef;
      /** The run that has it, if it was not uploaded here. */
      readonly run?: string;
      readonly picture?: ImageBitmap | undefined;
    };

/** The part of a request that has them. */
export const filesToSend = (files: readonly ChosenFile[]): Pick<StartRun, 'files'> =>
  files.length === 0 ? {} : { files: files.map(fileToSend) };

function fileToSend(one: ChosenFile): NonNullable<StartRun['files']>[number] {
  if ('text' in one) return one;
  const { name, file, run } = one;
  return { name, digest: file.digest, ...(run !== undefined && { run }) };
}

/** The files of a run whose message is sent again. */
export const chosenAgain = (run: string, files: readonly FileRef[] = []): readonly ChosenFile[] =>
  files.map((file) => ({ name: file.name, file, run }));

const bytesOf = (one: ChosenFile): number =>
  'text' in one ? new TextEncoder().encode(one.text).length : one.file.bytes;

/** Files that are about to be taken, as far as a request has room for them beside those that it has, and so many more bytes. */
export function filesThatFit<Given extends { readonly name: string; readonly size: number }>(
  given: readonly Given[],
  kept: readonly ChosenFile[],
  coming: number,
): { readonly fit: readonly Given[]; readonly refused: readonly string[] } {
  const others = kept.filter(({ name }) => !given.some((one) => one.name === name));
  let bytes = others.reduce((sum, one) => sum + bytesOf(one), coming);
  const fit: Given[] = [];
  const refused: string[] = [];
  for (const one of given) {
    if (bytes + one.size > MOST_REQUEST_BYTES) refused.push(`${one.name} cannot go along. ${tooManyBytesWords()}`);
    else {
      bytes += one.size;
      fit.push(one);
    }
  }
  return { fit, refused };
}

export type ChosenKind = FileKind | 'text';

export const kindOfChosen = (one: ChosenFile): ChosenKind => ('text' in one ? 'text' : kindOfFile(one.file));

/** The reason why files of a kind do not go along, if there is one. */
export type FileRefusal = (kind: ChosenKind) => string | undefined;

/** Where the agent is not known, the server decides. */
export const refusalBy =
  (agent: Pick<AgentInfo, 'name' | 'accepts' | 'input'> | undefined): FileRefusal =>
  (kind) => {
    if (agent === undefined) return undefined;
    const { name, accepts, input } = agent;
    if (kind === 'text') return input.format === 'json' ? `${name} takes JSON, so a text belongs into it.` : undefined;
    if (accepts === undefined || accepts.includes(kind)) return undefined;
    const what = kind === 'pdf' ? 'PDF files' : 'pictures';
    return `${name} takes no ${what}: its file does not accept them, or none of its models is known to see them.`;
  };

/** The first of them that does not go along, with the reason. */
export function refusedOf(files: readonly ChosenFile[], refusal: FileRefusal): string | undefined {
  const one = files.find((file) => refusal(kindOfChosen(file)) !== undefined);
  return one && `${one.name} cannot go along: ${refusal(kindOfChosen(one))}`;
}
