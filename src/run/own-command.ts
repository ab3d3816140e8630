// The command that starts this program again: the built command line of the package that this file belongs to.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/** Undefined if the package has no built command line: in a checkout before `npm run build`. */
export function ownCommand(...words: readonly string[]): Command | undefined {
  const main = builtMain(dirname(fileURLToPath(import.meta.url)));
  return main === undefined ? undefined : { command: process.execPath, args: [main, ...words] };
}

/** Searches upwards, because a bundle may put this file anywhere in the package. */
function builtMain(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) {
      const { bin } = JSON.parse(readFileSync(file, 'utf8')) as { readonly bin?: { readonly cadre?: string } };
      const main = bin?.cadre === undefined ? undefined : join(folder, bin.cadre);
      return main !== undefined && existsSync(main) ? main : undefined;
    }
    if (dirname(folder) === folder) return undefined;
  }
}
