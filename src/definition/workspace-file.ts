// Looks at a text of the workspace for the check: is it there, and may it stand in a prompt? A run reads it itself, by the rules of
// the file tools. Never throws.

import { realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readRegular, UnusableFile } from '../base/disk/regular.ts';
import { decodeHead } from '../base/text/decode-head.ts';
import { secretIn } from '../base/text/secret-names.ts';

/** The part of a file that shows if it is text. */
const HEAD_BYTES = 65_536;

/** The reason why a file of the workspace cannot stand in a prompt. `missing` if nothing is there. */
export function workspaceFileProblem(
  workspace: string,
  path: string,
): 'missing' | { readonly why: string } | undefined {
  const file = join(workspace, path);
  try {
    const bytes = readRegular(file, { maxBytes: HEAD_BYTES, head: HEAD_BYTES, within: workspace });
    const secret = secretIn(relative(realpathSync(workspace), realpathSync(file)), 'file');
    if (secret !== undefined) return { why: `${path} leads to "${secret}", which may hold secrets` };
    return decodeHead(bytes) === undefined ? { why: `${path} is not text in UTF-8` } : undefined;
  } catch (thrown) {
    if (thrown instanceof UnusableFile)
      return {
        why:
          thrown.trouble === 'outside'
            ? `${path} is a link that leads out of the workspace`
            : `${path} is not a regular file`,
      };
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
    return { why: `${path} cannot be read: ${message}` };
  }
}
