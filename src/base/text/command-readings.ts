// The commands that a command may be, for lists of what must not run. `shell-words.ts` reads one command narrowly, for
// lists of what may. Neither is a wall: a shell (`sh -c`) and any program that runs others can do what a list forbids.

import { commandPattern, shellWords } from './shell-words.ts';

/** Programs that run the command in their words. */
const RUNNERS: ReadonlySet<string> = new Set(
  'env command exec nohup nice ionice timeout time setsid stdbuf sudo doas su watch strace xargs parallel busybox'.split(
    ' ',
  ),
);

/** True if a command may be one of the pattern: it is not plain, or it is one, or one that it runs in its words. */
export function mayRun(pattern: string, command: string): boolean {
  const parsed = shellWords(command);
  const wanted = commandPattern(pattern);
  if ('problem' in parsed || 'problem' in wanted) return true;
  const { words } = parsed;
  const isAt = (start: number): boolean => {
    const length = words.length - start;
    if (wanted.more ? length < wanted.words.length : length !== wanted.words.length) return false;
    return wanted.words.every((word, index) => {
      const given = words[start + index] ?? '';
      return word === given || (index === 0 && word === basename(given));
    });
  };
  if (isAt(0)) return true;
  if (!RUNNERS.has(basename(words[0] ?? ''))) return false;
  return words.some((word, index) => (index > 0 && isAt(index)) || SPLITS.test(word));
}

const basename = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** `env -S` runs the words that it finds in one of its own. */
const SPLITS = /^-[^-]*S|^--split-string/;
