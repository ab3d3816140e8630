// `${VAR}` in cadre.yaml: kept as a template with its place, filled in when the part that holds it is used. Values
// come from a `.env` beside cadre.yaml, then from the process environment, which is read and never changed.

import { join } from 'node:path';
import { readRegularText, UnusableFile } from '../../base/disk/regular.ts';
import { fail } from '../../kernel/fault.ts';
import type { TemplatedText } from '../definition.ts';
import { lineOf } from '../source.ts';
import { reportAt, type Shape, text } from './shape.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const VARIABLE = /\$\{([^}]*)\}/g;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A text that may hold variables. */
export const templatedText: Shape<TemplatedText> = {
  says: 'a text, which may hold ${VARIABLES}',
  schema: { type: 'string', minLength: 1 },
  read(node, path, reading) {
    const template = text(templatedText.says).read(node, path, reading);
    if (template === undefined) return undefined;
    for (const [whole, name = ''] of template.matchAll(VARIABLE)) {
      if (VARIABLE_NAME.test(name)) continue;
      reportAt(node, reading, {
        code: 'config/variable',
        message: `${whole} in \`${path}\` is not the name of a variable`,
        help: 'Write ${NAME} with letters, digits and _ only; there are no default values or expressions.',
      });
    }
    return { template, file: reading.source.file, line: lineOf(reading.source, node) };
  },
};

/** A text in which variables are not filled in. One that holds `${…}` gets a warning. */
export const literal: Shape<string> = {
  ...text(),
  read(node, path, reading) {
    const value = text().read(node, path, reading);
    if (value !== undefined && value.search(VARIABLE) >= 0)
      reportAt(node, reading, {
        code: 'config/variable',
        severity: 'warning',
        message: `\`${path}\` is used as it is written: \${…} is not filled in here`,
        help: 'Variables work in apiKey, baseUrl, url, env, headers and options.',
      });
    return value;
  },
};

/** The text with its variables filled in. Throws `config/unset-variable`. */
export function resolveTemplate({ template, file, line }: TemplatedText, environment: Environment): string {
  return fillIn(template, (name) => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value !== undefined) return value;
    return fail(
      'config/unset-variable',
      `${file}:${line} uses \${${name}}, which is not set. Set ${name} in the environment, or in a .env file beside ${file}.`,
      { variable: name, file, line },
    );
  });
}

/** Fills in every text of a value. */
export function resolveTemplates(value: unknown, environment: Environment): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => resolveTemplates(one, environment));
  if (isTemplated(value)) return resolveTemplate(value, environment);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolveTemplates(one, environment)]));
}

/** Every text of a value that may hold variables. */
export function templatesIn(value: unknown): readonly TemplatedText[] {
  if (typeof value !== 'object' || value === null) return [];
  return isTemplated(value) ? [value] : Object.values(value).flatMap(templatesIn);
}

export const isTemplated = (value: object): value is TemplatedText =>
  'template' in value && 'file' in value && 'line' in value && typeof value.template === 'string';

export const fillIn = (template: string, valueOf: (name: string) => string): string =>
  template.replaceAll(VARIABLE, (_whole, name: string) => valueOf(name));

/** The variables that `${VAR}` may name: the `.env` of the folder first, then the process environment. */
export const readEnvironment = (folder: string, base: Environment = process.env): Environment => ({
  ...base,
  ...readDotenv(folder),
});

/** The `.env` of a folder, empty where there is none. Throws `config/invalid` where it cannot be read. */
export function readDotenv(folder: string): Environment {
  const file = join(folder, '.env');
  try {
    return parseDotenv(readRegularText(file, { maxBytes: MAX_DOTENV_BYTES, ownedLike: folder }));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return {};
    const { message } = thrown as Error;
    return fail('config/invalid', thrown instanceof UnusableFile ? message : `${file} cannot be read: ${message}`);
  }
}

const MAX_DOTENV_BYTES = 1_048_576;

/** The variables that a template names. */
export const variablesIn = ({ template }: TemplatedText): readonly string[] =>
  [...template.matchAll(VARIABLE)].map(([, name = '']) => name);

/** `NAME=value` lines; `export`, comments, and single or double quotes (with \n, \" and \\ in the latter) are understood. `util.parseEnv` cuts `A=pa#ss` (decision 116). */
export function parseDotenv(dotenv: string): Environment {
  const values = new Map<string, string>();
  const line = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=[ \t]*("(?:[^"\\]|\\[^])*"|'[^']*'|[^\r\n]*)/gm;
  for (const [, name = '', written = ''] of dotenv.replace(/^\uFEFF/, '').matchAll(line)) {
    values.set(name, unquoted(written));
  }
  return Object.fromEntries(values);
}

function unquoted(written: string): string {
  if (written.length > 1 && written.startsWith("'") && written.endsWith("'")) return written.slice(1, -1);
  if (written.length > 1 && written.startsWith('"') && written.endsWith('"')) {
    const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
    return written.slice(1, -1).replaceAll(/\\([^])/g, (_whole, letter: string) => escapes[letter] ?? letter);
  }
  return written.replace(/(^|\s)#.*$/, '').trim();
}
