// Reads the import statements of source files as text, so that type imports count too.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

export interface Import {
  readonly from: string;
  readonly line: number;
  readonly specifier: string;
  readonly typeOnly: boolean;
}

/** The TypeScript files below a folder, by their paths from the root of the repository. */
export function sourceFiles(folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return sourceFiles(path);
      return /\.tsx?$/.test(path) ? [path] : [];
    })
    .sort();
}

/** The text of a file with its comments blanked, line numbers kept. */
export function codeOf(file: string): string {
  const text = readFileSync(join(root, file), 'utf8');
  return text
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/^\s*\/\*[\s\S]*?\*\//gm, (comment) => comment.replace(/[^\n]/g, ''));
}

export function importsOf(from: string): readonly Import[] {
  const code = codeOf(from);
  const lineAt = (index: number) => code.slice(0, index).split('\n').length;
  const statements = code.matchAll(
    /^[ \t]*(?:import|export)\s+(type\s+)?(?:[\w$*{},\s]+?\s+from\s*)?(['"])([^'"\n]+)\2/gm,
  );
  const calls = code.matchAll(/\bimport\(\s*(['"])([^'"\n]+)\1/g);
  return [
    ...[...statements].map((match) => ({
      from,
      line: lineAt(match.index + match[0].search(/\S/)),
      specifier: match[3] ?? '',
      typeOnly: match[1] !== undefined,
    })),
    ...[...calls].map((match) => ({ from, line: lineAt(match.index), specifier: match[2] ?? '', typeOnly: false })),
  ];
}

/** The file an import leads to, or undefined when it is a package. */
export function targetOf(found: Import): string | undefined {
  if (!found.specifier.startsWith('.')) return undefined;
  return relative(root, resolve(root, dirname(found.from), found.specifier)).replaceAll('\\', '/');
}

export function show(found: Import): string {
  return `${found.from}:${found.line} imports ${found.specifier}`;
}

/** Each cycle once, as the path that closes it. */
export function cycles(files: readonly string[], imports: readonly Import[]): readonly (readonly string[])[] {
  const edges = new Map(files.map((file) => [file, new Set<string>()]));
  for (const found of imports) edges.get(found.from)?.add(targetOf(found) ?? '');
  const done = new Set<string>();
  const path: string[] = [];
  const closed: string[][] = [];
  const visit = (file: string): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      closed.push([...path.slice(start), file]);
      return;
    }
    if (done.has(file)) return;
    path.push(file);
    for (const next of edges.get(file) ?? []) visit(next);
    path.pop();
    done.add(file);
  };
  for (const file of files) visit(file);
  return closed;
}
