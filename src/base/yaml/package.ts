// The yaml package, loaded when it is first needed: everyday files are read without it. Waiting for it would make every
// reader of a file async, so it is loaded by `require`. The build keeps it as one file beside the chunks.

import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

let loaded: typeof Yaml | undefined;

export function yaml(): typeof Yaml {
  loaded ??= createRequire(import.meta.url)('yaml') as typeof Yaml;
  return loaded;
}

/**
 * The options for every text of a user. Keys are texts; a tag that stands for more than JSON has is reported. `error`, and
 * not `silent`: with that the parser does not say that it leaves out all documents but the first. Other levels write warnings
 * to the console of the process.
 */
export const YAML_OPTIONS = {
  prettyErrors: false,
  stringKeys: true,
  resolveKnownTags: false,
  logLevel: 'error',
} as const;

/** A message of the parser without its advice to programs. */
export const yamlProblem = (message: string): string =>
  message.replace(/; please use YAML\.parseAllDocuments\(\)$/, '').replace(/^With stringKeys, all/, 'All');
