// The build that tests of the command line run. A test on an older build says nothing about the source, so it is
// refused. It is not made here: another test process may be running the build that a new one would replace.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(fileURLToPath(new URL('../..', import.meta.url)));
const BUILT = 'dist/cli/main.js';

let why: string | undefined | false = false;

/** A file of the build, by its path below `dist`. Throws where the build is missing or older than the source. */
export function built(path: string): string {
  if (why === false) why = staleBuild(ROOT);
  if (why !== undefined) throw new Error(why);
  return join(ROOT, 'dist', path);
}

/**
 * The reason why the build of a folder cannot be tested. Undefined if it is as new as everything that it was made of.
 */
export function staleBuild(root: string): string | undefined {
  const builtAt = statSync(join(root, BUILT), { throwIfNoEntry: false })?.mtimeMs;
  if (builtAt === undefined) return `${BUILT} is missing. Run \`npm run build\`, then the test.`;
  const newer = [...sources(root)].find((file) => statSync(join(root, file)).mtimeMs > builtAt);
  if (newer === undefined) return undefined;
  return `${BUILT} is older than ${newer}, so this would test another program. Run \`npm run build\`, then the test.`;
}

function* sources(root: string): Generator<string> {
  yield 'rolldown.config.mjs';
  for (const folder of ['src', 'web'].filter((name) => existsSync(join(root, name)))) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (entry.isFile() && !/\.(?:test|conformance)\.ts$|\.md$/.test(entry.name))
        yield join(entry.parentPath, entry.name).slice(root.length + 1);
    }
  }
}
