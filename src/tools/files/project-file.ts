// Reads a project file for a prompt, by the rules of the file tools.

import { decodeHead } from '../../base/text/decode-head.ts';
import { FaultError } from '../../kernel/fault.ts';
import type { Workspace } from './workspace.ts';

type FoundProjectFile =
  | {
      /** Its path in the workspace, without links. */
      readonly file: string;
      /** Its beginning, up to `headBytes`. */
      readonly text: string;
      /** The size of the whole file. */
      readonly bytes: number;
    }
  | { readonly leftOut: 'missing' | 'closed'; readonly why: string };

/** Never throws for what lies in the workspace. */
export async function readProjectFile(
  open: () => Promise<Workspace>,
  path: string,
  headBytes: number,
): Promise<FoundProjectFile> {
  const missing = (why: string): FoundProjectFile => ({ leftOut: 'missing', why });
  const closed = (why: string): FoundProjectFile => ({ leftOut: 'closed', why });
  try {
    const workspace = await open();
    const found = await workspace.find(path);
    if (found === undefined) return missing(`There is no "${path}" in the workspace ${workspace.root}.`);
    if (found.kind !== 'file') return closed(`"${path}" is not a regular file.`);
    const { bytes, size } = await workspace.head(found, headBytes);
    const text = decodeHead(bytes);
    return text === undefined ? closed(`"${path}" is not text in UTF-8.`) : { file: found.path, text, bytes: size };
  } catch (thrown) {
    if (!(thrown instanceof FaultError)) throw thrown;
    const { code, message } = thrown.fault;
    return code === 'tool/source' ? missing(message) : closed(message);
  }
}
