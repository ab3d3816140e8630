// The yaml package, loaded when it is first needed: everyday files are read without it. Waiting for it would make every
// reader of a file async, so it is loaded by `require`. The build keeps it as one file beside the chunks.

import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

let loaded: typeof Yaml | undefined;

export function yaml(): typeof Yaml {
  loaded ??= createRequire(import.meta.url)('yaml') as typeof Yaml;
  return loaded;
}
