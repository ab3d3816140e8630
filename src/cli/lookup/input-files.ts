// Text files that go with the input of a run: `--file notes.md`. Each becomes a section below the input, between two lines
// that its text cannot hold, so that a file cannot pass for the request.

import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path';
import { readRegular, UnusableFile } from '../../base/disk/regular.ts';
import type { AgentDefinition } from '../../definition/definition.ts';
import { fail } from '../../kernel/fault.ts';
import { fenceData } from '../../patterns/fence.ts';
import { oneLine } from '../render/width.ts';

/** All files of one input together. More belongs into files that the agent reads with its tools. */
export const MAX_INPUT_FILES_BYTES = 4 * 1_048_576;

/** The input with its files below it. Throws `usage` for a file that is not a text of a fitting size. */
export function inputWithFiles(
  agent: AgentDefinition,
  input: string | undefined,
  files: readonly string[],
): string | undefined {
  if (files.length === 0) return input;
  if (agent.input.format === 'json') {
    const way = `cadre run ${agent.name} - < ${basename(files[0] ?? 'input.json')}`;
    fail('usage', `${agent.name} takes JSON, and --file adds text. If the file is its input, write: ${way}`);
  }
  let room = MAX_INPUT_FILES_BYTES;
  const sections = files.map((file) => {
    const bytes = bytesOf(file, room);
    room -= bytes.length;
    return fenceData(
      bytes
        .toString('utf8')
        .replace(/^\uFEFF/, '')
        .replace(/\r?\n$/, ''),
      `file ${oneLine(file)}`,
    );
  });
  return [...(input === undefined ? [] : [input]), ...sections].join('\n\n');
}

function bytesOf(file: string, room: number): Buffer {
  const refuse = (why: string): never => fail('usage', `--file ${file} ${why}`);
  if (file === '-') return refuse('names no file. A pipe is the input itself: cadre run <agent> -');
  let bytes: Buffer;
  try {
    bytes = readRegular(file, { maxBytes: room });
  } catch (thrown) {
    if (thrown instanceof UnusableFile) {
      const cap = `All files of an input may have ${MAX_INPUT_FILES_BYTES} bytes.`;
      const help = thrown.trouble === 'too-large' ? ` ${cap} The agent can read longer ones with tools: [files].` : '';
      return refuse(`cannot be used: ${thrown.message}.${help}`);
    }
    return refuse(`cannot be read: ${(thrown as Error).message}`);
  }
  if (bytes.includes(0) || !isUtf8(bytes)) refuse(`is not text in UTF-8 (${bytes.length} bytes).`);
  return bytes;
}
