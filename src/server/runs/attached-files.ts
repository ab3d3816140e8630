// Text files that a person attaches to a message, in the form of `cadre run --file`: a section for each below the text,
// between two lines that its text cannot hold, so that a file cannot pass for the request.

import { fenceData } from '../../patterns/fence.ts';
import type { AttachedFile } from '../protocol.ts';

export function withFiles(text: string, files: readonly AttachedFile[] = []): string {
  const sections = files.map(({ name, text: held }) =>
    fenceData(plain(held), `file ${name.replaceAll(/\s+/g, ' ').trim()}`),
  );
  return [text, ...sections].join('\n\n');
}

const plain = (text: string): string => text.replace(/^\uFEFF/, '').replace(/\r?\n$/, '');
