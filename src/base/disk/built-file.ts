// A file of this package's build, for what has to be started by its path: a thread of its own.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Undefined in a checkout before `npm run build`. Searches upwards, because a bundle may put this file anywhere. */
export function builtFile(path: string): string | undefined {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) {
      const file = join(folder, 'dist', path);
      return existsSync(file) ? file : undefined;
    }
    if (dirname(folder) === folder) return undefined;
  }
}
