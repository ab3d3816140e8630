// The commands that a command may be, for lists of what must not run. `shell-words.ts` reads one command narrowly, for
// lists of what may. Neither is a wall: a shell (`sh -c`) and any program that runs others can do what a list forbids.

import { type CommandPattern, commandPattern, shellWords } from './shell-words.ts';

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
  if (isAt(0) || isGitOf(wanted, words)) return true;
  if (!RUNNERS.has(basename(words[0] ?? ''))) return false;
  return words.some(
    (word, index) => (index > 0 && (isAt(index) || isGitOf(wanted, words.slice(index)))) || SPLITS.test(word),
  );
}

/** `git -C . push` is `git push`: options before the command of git change where it runs, and not what it does. */
function isGitOf(wanted: CommandPattern, words: readonly string[]): boolean {
  if (wanted.words[0] !== 'git' || basename(words[0] ?? '') !== 'git') return false;
  const plain = ['git', ...words.slice(afterGitOptions(words))];
  const isLong = wanted.more ? plain.length >= wanted.words.length : plain.length === wanted.words.length;
  return isLong && wanted.words.every((word, index) => word === plain[index]);
}

function afterGitOptions(words: readonly string[]): number {
  let at = 1;
  while (words[at]?.startsWith('-') === true) at += TAKES_NEXT.has(words[at]!) ? 2 : 1;
  return at;
}

/** Options of git itself whose value is the next word. */
const TAKES_NEXT: ReadonlySet<string> = new Set(
  '-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source'.split(' '),
);

const basename = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** `env -S` runs the words that it finds in one of its own. */
const SPLITS = /^-[^-]*S|^--split-string/;
