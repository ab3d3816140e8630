// Interfaces and types, copied from the source as text: one field a line, each after its comment, as the formatter leaves them.
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** An interface or type alias with its comment, from the text of one file. */
export function declarationOf(name, source) {
  const found = new RegExp(
    `(/\\*\\*(?:(?!\\*/)[^])*\\*/\\n)?(?:export )?(?:interface|type) ${name}\\b[^=;{]*[={]`,
  ).exec(source);
  if (found === null) return undefined;
  const begin = found.index + (found[1]?.length ?? 0);
  const body = source.slice(begin, endOf(source, begin));
  return { name, comment: proseOf(found[1] ?? ''), body, code: `${found[1] ?? ''}${body}` };
}

/** The end of a declaration that begins here: its closing brace, or the semicolon outside of all brackets. */
function endOf(source, begin) {
  const isAlias = /^(?:export )?type /.test(source.slice(begin));
  let depth = 0;
  for (let at = begin; at < source.length; at++) {
    if (source.startsWith('/*', at)) at = source.indexOf('*/', at) + 1;
    else if (source.startsWith('//', at)) at = source.indexOf('\n', at);
    else if ('{([<'.includes(source[at])) depth++;
    else if ('})]'.includes(source[at]) || (source[at] === '>' && source[at - 1] !== '=')) {
      depth--;
      if (depth === 0 && source[at] === '}' && !isAlias) return at + 1;
    } else if (source[at] === ';' && depth === 0) return at + 1;
  }
  return source.length;
}

export function proseOf(comment) {
  return comment
    .replace(/^\s*\/\*\*|\*\/\s*$/g, '')
    .replaceAll(/^\s*\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The declaration that a name leads to from a file, through what that file declares, imports or passes on. */
export function lookUp(name, file) {
  const source = readFileSync(join(root, file), 'utf8');
  const here = declarationOf(name, source);
  if (here !== undefined) return { ...here, file };
  for (const [, names, from] of source.matchAll(/(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)'/g)) {
    const isNamed = names.split(',').some((one) => one.trim().replace(/^type /, '') === name);
    const target = posix.join(posix.dirname(file), from);
    const found = isNamed ? lookUp(name, target) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
