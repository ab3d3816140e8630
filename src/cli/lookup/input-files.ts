// Files that go with the input of a run: `--file notes.md --file shot.png`.

import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path';
import { readRegular, UnusableFile } from '../../base/disk/regular.ts';
import { size } from '../../base/text/words.ts';
import type { AgentDefinition } from '../../definition/definition.ts';
import { inputWithFiles } from '../../engine/files/input-with-files.ts';
import { type InputFile } from '../../engine/files/take-files.ts';
import type { RunStore } from '../../journal/store.ts';
import type { RunInput } from '../../kernel/effect.ts';
import { fail } from '../../kernel/fault.ts';
import { MOST_REQUEST_BYTES } from '../../kernel/file-ref.ts';
import { OWN_UPLOADS } from '../../run/name-files.ts';
import { valueOf } from './read-input.ts';

/** Throws `usage` for a path that cannot be read, and `input/invalid` for a file that is not taken. */
export async function inputOfFiles(
  agent: AgentDefinition,
  text: string | undefined,
  paths: readonly string[],
  store: Pick<RunStore, 'uploads'>,
): Promise<RunInput> {
  const files = readFiles(paths);
  if (agent.input.format === 'json') refuseTexts(agent, files);
  const input = text === undefined ? undefined : valueOf(agent, text);
  return inputWithFiles(agent, input, files, { uploads: store.uploads, owner: OWN_UPLOADS });
}

type ReadFile = InputFile & { readonly data: Buffer };

/** `asked` is the word by which the person named them. */
export function readFiles(paths: readonly string[], asked = '--file'): readonly ReadFile[] {
  let room = MOST_REQUEST_BYTES;
  return paths.map((path) => {
    const data = bytesOf(path, room, asked);
    room -= data.length;
    return { name: path, data };
  });
}

/** A text that goes with JSON is meant to be the input itself. */
function refuseTexts({ name }: AgentDefinition, files: readonly ReadFile[]): void {
  const text = files.find(({ data }) => !data.includes(0) && isUtf8(data));
  if (text === undefined) return;
  const way = `cadre run ${name} - < ${basename(text.name)}`;
  fail('usage', `${name} takes JSON, and --file ${text.name} is a text. If the file is its input, write: ${way}`);
}

function bytesOf(file: string, room: number, asked: string): Buffer {
  const refuse = (why: string): never => fail('usage', `${asked} ${file} ${why}`);
  if (file === '-') return refuse('names no file. A pipe is the input itself: cadre run <agent> -');
  try {
    return readRegular(file, { maxBytes: room });
  } catch (thrown) {
    if (!(thrown instanceof UnusableFile)) return refuse(`cannot be read: ${(thrown as Error).message}`);
    if (thrown.trouble !== 'too-large') return refuse(`cannot be used: ${thrown.message}.`);
    return fail(
      'input/invalid',
      `${asked} ${file} is too large: all files of a request have at most ${size(MOST_REQUEST_BYTES)}.`,
    );
  }
}
