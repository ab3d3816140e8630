// Text files that a person attaches to a message: a section for each, behind the text.

import type { AttachedFile } from '../protocol.ts';

/** The text and then each file under its name. */
export function withFiles(text: string, files: readonly AttachedFile[] = []): string {
  return [text, ...files.map(({ name, text: held }) => `## FILE ${name.replaceAll(/\s+/g, ' ')}\n\n${held}`)].join(
    '\n\n',
  );
}
