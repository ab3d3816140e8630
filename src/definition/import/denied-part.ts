// A part of a tool that another program denies, as entries of `deny` that deny the same calls or more. Where none do, the
// whole tool has to go.

import { NOT_IN_GLOBS } from '../../base/text/glob.ts';
import { hostProblem } from '../../base/text/host.ts';
import { patternProblem } from '../../base/text/shell-words.ts';

export interface DeniedPart {
  readonly rules: readonly string[];
  /** False if the entries deny more than was meant. */
  readonly isExact: boolean;
}

/** `git push:*`, `git push *`, `rm -rf*`. What stands before the word with the first star counts. */
export function deniedCommand(pattern: string): DeniedPart | undefined {
  const plain = pattern.trim().replace(/:\*$/, ' *');
  const words = plain.split(/[ \t]+/);
  const starred = words.findIndex((word) => word.includes('*'));
  const fixed = starred < 0 ? plain : [...words.slice(0, starred), '*'].join(' ');
  if (starred === 0 || patternProblem(fixed) !== undefined || /[()]/.test(fixed)) return undefined;
  return { rules: [`shell(${fixed})`], isExact: fixed === plain };
}

export function deniedHost(host: string): DeniedPart | undefined {
  const plain = host.replace(/^domain:/, '').trim();
  return hostProblem(plain) === undefined ? { rules: [`web(${plain})`], isExact: true } : undefined;
}

/** `gitignore`: a name without a slash means it in every folder. `stars`: a star also stands for slashes. */
export type PathReading = 'gitignore' | 'stars';

/** A file that must not be read must not be found by a search either, and a search looks at every file of a folder. */
export function deniedPath(
  right: 'files' | 'files:write',
  pattern: string,
  reading: PathReading,
): DeniedPart | undefined {
  const globs = globsOf(pattern.trim(), reading);
  if (globs === undefined) return undefined;
  return right === 'files'
    ? { rules: [...globs.map((one) => `read_file(path=${one})`), 'search_files'], isExact: true }
    : { rules: globs.map((one) => `files:write(path=${one})`), isExact: true };
}

function globsOf(written: string, reading: PathReading): readonly string[] | undefined {
  const isRooted = /^\/(?!\/)/.test(written) && reading === 'gitignore';
  const path = written.replace(isRooted ? /^\/+/ : /^(?:\.\/)+/, '').replace(/\/$/, '');
  const parts = path.split('/');
  const isClosed = path === '' || /^[~/$]|[()\s,]/.test(path) || NOT_IN_GLOBS.test(path) || parts.includes('..');
  if (isClosed) return undefined;
  const last = parts.at(-1)!;
  if (reading === 'stars' && isUnclear(parts, last)) return undefined;
  const isAnywhere = reading === 'gitignore' ? parts.length === 1 && !isRooted : path.startsWith('*');
  const spread = reading === 'stars' && /^\*+[^*]/.test(last) ? [...parts.slice(0, -1), '**', last] : parts;
  const base = isAnywhere && parts[0] !== '**' ? ['**', ...parts].join('/') : spread.join('/');
  return /[*?]/.test(last) ? [base, `${base}/**`] : [base];
}

/** A star that also stands for a slash may end in any folder: only at either end is it known where it leads. */
function isUnclear(parts: readonly string[], last: string): boolean {
  const inner = parts.slice(parts[0]!.startsWith('*') ? 1 : 0, -1);
  return (
    parts.some((part) => part.includes('?')) ||
    inner.some((part) => part.includes('*') && part !== '**') ||
    /[^*]\*+[^*]/.test(last)
  );
}
