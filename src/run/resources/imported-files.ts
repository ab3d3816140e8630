// The files that a program of the user loads, as far as its text says so: relative imports of JavaScript, modules that lie
// beside a Python script, and what a package.json names. Some need not exist yet: whoever makes them would run them.

import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { isJsonObject } from '../../kernel/schema-parts.ts';

const MOST_FILES = 2000;
const MOST_BYTES = 1_048_576;

/** The files, and all that they load. */
export function withImports(files: readonly string[]): readonly string[] {
  const all = new Set(files);
  for (const file of all) {
    if (all.size > MOST_FILES) break;
    for (const one of importsOf(file)) all.add(one);
  }
  return [...all];
}

const SCRIPT = /\.[cm]?[jt]sx?$/;

function importsOf(file: string): readonly string[] {
  const read = basename(file) === PACKAGE ? inPackage : SCRIPT.test(file) ? inScript : file.endsWith('.py') && inPython;
  if (read === false || (statSync(file, { throwIfNoEntry: false })?.size ?? Infinity) > MOST_BYTES) return [];
  return read(readFileSync(file, 'utf8'), dirname(file), file);
}

const RELATIVE = /(?:\bfrom|\bimport|\brequire|\bresolve|\bURL)\s*\(?\s*(['"`])(\.{1,2}\/[^'"`\n]*)\1/g;
/** Node finds these in the package.json above the file. */
const MAPPED = /(?:\bfrom|\bimport|\brequire|\bresolve)\s*\(?\s*(['"`])#/;
/** The endings that `require` adds by itself, in its order, and then those of other tools. */
const ENDINGS = [
  '.js',
  '.json',
  '.node',
  '/package.json',
  '/index.js',
  '/index.json',
  '/index.node',
  '.ts',
  '/index.ts',
  '.mjs',
  '.cjs',
  '.mts',
  '.cts',
];
/** Tools of TypeScript look for these first, also where the text says `.js`. */
const TYPED_ENDINGS = ['.ts', '.tsx', '/index.ts', ...ENDINGS];
const TYPED = /\.[cm]?tsx?$/;
const COMPILED = /\.([cm]?)jsx?$/;

function inScript(text: string, folder: string, file: string): readonly string[] {
  const isTyped = TYPED.test(file);
  const paths = [...text.matchAll(RELATIVE)].map(([, , path = '']) => join(folder, path));
  const files = paths.flatMap((path) => [...(isTyped ? sourcesOf(path) : []), ...filesTried(path, isTyped)]);
  return MAPPED.test(text) ? [...files, ...packageAbove(folder)] : files;
}

const sourcesOf = (path: string): readonly string[] =>
  COMPILED.test(path) ? [path.replace(COMPILED, '.$1ts'), path.replace(COMPILED, '.$1tsx')] : [];

/** The files that are looked for up to the first that is there. One before it would be loaded in its place. */
function filesTried(path: string, isTyped: boolean): readonly string[] {
  if (kindAt(path) === 'file') return [path];
  const endings = isTyped ? TYPED_ENDINGS : ENDINGS;
  const there = endings.findIndex((ending) => kindAt(path + ending) === 'file');
  const tried = endings.slice(0, there < 0 ? undefined : there + 1).map((ending) => path + ending);
  return path.endsWith(sep) ? tried.map((one) => join(one)) : [path, ...tried];
}

const PACKAGE = 'package.json';

function packageAbove(folder: string): readonly string[] {
  const file = join(folder, PACKAGE);
  if (kindAt(file) === 'file') return [file];
  return dirname(folder) === folder ? [] : packageAbove(dirname(folder));
}

/** The entries of a package, and the files that its scripts name. */
function inPackage(text: string, folder: string): readonly string[] {
  let described: unknown;
  try {
    described = JSON.parse(text);
  } catch {
    return []; // nobody can start it
  }
  if (!isJsonObject(described)) return [];
  const { main, module, bin, exports, imports, scripts } = described;
  const entries = textsIn([main, module, bin, exports, imports]).map((path) => join(folder, path));
  const words = textsIn([scripts]).flatMap((line) => line.split(/[\s;&|"']+/));
  return [
    ...entries.filter((path) => kindAt(path) === 'file' || SCRIPT.test(path)),
    ...words.flatMap((word) => filesNamed(word, folder)),
  ];
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const PYTHON_IMPORT = /^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import\b|import[ \t]+([\w., \t]+))/gm;

/** Python looks beside the script before it looks anywhere else, so a file that is not there yet counts, too. */
function inPython(text: string, folder: string): readonly string[] {
  return [...text.matchAll(PYTHON_IMPORT)].flatMap(([, from, names = '']) =>
    (from === undefined ? names.split(',') : [from]).flatMap((name) =>
      modulesAt(name.trim().split(/\s/, 1)[0] ?? '', folder),
    ),
  );
}

/**
 * The files of `a.b`: its packages, and the module itself. They count before they are there, because Python looks in this
 * folder first: `a/__main__.py` would run in the place of an installed package `a`.
 */
export function modulesAt(name: string, folder: string): readonly string[] {
  const dots = /^\.*/.exec(name)?.[0].length ?? 0;
  const from = dots > 1 ? resolve(folder, ...Array.from({ length: dots - 1 }, () => '..')) : folder;
  const parts = name
    .slice(dots)
    .split('.')
    .filter((part) => part !== '');
  return parts.flatMap((_, index) => {
    const path = join(from, ...parts.slice(0, index + 1));
    return [`${path}.py`, join(path, '__init__.py'), join(path, '__main__.py')];
  });
}

/** A program starts with one of these in a folder that it is given. The folder may as well be the one that it works on. */
const ENTRIES = [PACKAGE, 'index.js', 'index.mjs', 'index.cjs', 'index.ts', '__main__.py', '__init__.py'];

/** The files that an argument means: `server.mjs`, `--import=./hook.mjs`, a folder with its entry. */
export function filesNamed(arg: string, cwd: string): readonly string[] {
  const texts = [arg, arg.slice(arg.indexOf('=') + 1)].filter((text) => text !== '' && !text.startsWith('-'));
  return [...new Set(texts)].flatMap((text) => {
    const path = resolve(cwd, text.replace(/^file:\/\//, ''));
    const kind = kindAt(path);
    if (kind === 'folder') return ENTRIES.map((entry) => join(path, entry)).filter((entry) => kindAt(entry) === 'file');
    return kind === 'file' || /^[^\s:]*\.(?:[cm]?[jt]s|py|sh|rb)$/.test(text) ? [path] : [];
  });
}

function kindAt(path: string): 'file' | 'folder' | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : undefined;
}
