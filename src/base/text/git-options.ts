// Words of git that run a program, change its configuration, or write to a place that they name. A `*` in a pattern of
// commands does not stand for them: `git diff *` would be any program (`--ext-diff`), and any file (`--output`).
// GIT-1. git takes the beginning of a long option for the option, so every beginning of a listed one counts.
// GIT-2. Short options may stand together in one word, so each letter of it counts.

const LONG: readonly string[] = [
  'access-hook',
  'browser',
  'cc-cmd',
  'cmd',
  'config',
  'config-env',
  'exec',
  'exec-path',
  'export-marks',
  'ext-diff',
  'extcmd',
  'git-dir',
  'header-cmd',
  'in-place',
  'index-output',
  'line-prefix',
  'open-files-in-pager',
  'output',
  'output-directory',
  'receive-pack',
  'reference',
  'run-command',
  'sendmail-cmd',
  'separate-git-dir',
  'smtp-server',
  'strategy',
  'template',
  'textconv',
  'to-cmd',
  'tool',
  'unsafe-paths',
  'upload-pack',
  'work-tree',
];
/** Options in full that begin like a listed one. */
const HARMLESS: ReadonlySet<string> = new Set(['--cc', '--index', '--text']);

/** Letters that write or run, whichever command of git has them: output, a pager, a program for each commit. */
const LETTERS = 'oOx';
/** These commands have more such letters. */
const MORE_LETTERS: Readonly<Record<string, string>> = { clone: 'cu', difftool: 't', mergetool: 't', config: 'e' };
/** Letters whose value may follow in the same word. `grep` has these letters with another meaning. */
const TAKES_VALUE = 'SGLU';

/** Commands that run or configure whatever their words say. */
const COMMANDS: ReadonlySet<string> = new Set([
  'bisect',
  'config',
  'daemon',
  'difftool',
  'filter-branch',
  'hook',
  'instaweb',
  'maintenance',
  'mergetool',
  'remote-ext',
  'send-email',
  'shell',
  'submodule',
  'upload-pack',
  'web--browse',
]);
/** These take the words after them as a command, or as part of it. */
const SUBCOMMANDS: ReadonlySet<string> = new Set(['bisect run', 'submodule foreach', 'hook run']);

export const isGit = (words: readonly string[]): boolean => words[0]?.split('/').at(-1) === 'git';

/** The first word from `start` on that a `*` does not stand for. `words` begin with git. */
export function wordBeyondStar(words: readonly string[], start: number): string | undefined {
  const at = commandAt(words);
  if (at > start) return words[start]; // before its command an option is for git itself: -c, --exec-path
  const command = words[at] ?? '';
  if (at >= start && COMMANDS.has(command)) return command;
  if (start <= at + 1 && SUBCOMMANDS.has(`${command} ${words[at + 1]}`)) return words[at + 1];
  for (const word of words.slice(Math.max(start, at + 1))) {
    if (word === '--') return undefined;
    if (word.startsWith('--') ? isBeginning(word) : word.startsWith('-') && hasLetter(word, command)) return word;
  }
  return undefined;
}

/** Options before the command whose value is a word of its own. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--attr-source',
]);

function commandAt(words: readonly string[]): number {
  let at = 1;
  while (words[at]?.startsWith('-') === true) at += WITH_VALUE.has(words[at] ?? '') ? 2 : 1;
  return at;
}

/** GIT-1. */
function isBeginning(word: string): boolean {
  const name = word.slice(2).split('=', 1)[0] ?? '';
  return !HARMLESS.has(word) && LONG.some((option) => option.startsWith(name));
}

/** GIT-2. */
function hasLetter(word: string, command: string): boolean {
  const letters = LETTERS + (MORE_LETTERS[command] ?? '');
  for (const letter of word.slice(1)) {
    if (letters.includes(letter)) return true;
    if (command !== 'grep' && TAKES_VALUE.includes(letter)) return false;
  }
  return false;
}
