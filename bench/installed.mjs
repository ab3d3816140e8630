// The version of an installed peer, read from its own package.json.

import { readFileSync } from 'node:fs';

export const versionOf = (name) =>
  JSON.parse(readFileSync(new URL(`./node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;
