// The files of a cadre that run: the functions that cadre.yaml names, the programs of MCP servers and files among their
// arguments, and what those import by relative paths, as far as it is written out.

import { readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { findProgram } from '../../base/disk/find-command.ts';
import type { CadreDefinition, McpServerConfig } from '../../definition/definition.ts';

const MOST_FILES = 2000;
const MOST_BYTES = 1_048_576;

/** Absolute paths. Some need not exist yet: whoever makes them would run them. */
export function ownCode({ folder, config }: CadreDefinition, workspace: string): readonly string[] {
  const servers = Object.values(config.mcpServers).flatMap((server) => programFiles(server, workspace));
  const functions = (config.functions ?? []).map((file) => join(folder, file));
  return withImports([...functions, ...servers]);
}

function programFiles({ command, args, cwd }: McpServerConfig, workspace: string): readonly string[] {
  if (command === undefined) return [];
  const path = process.env['PATH'];
  const program = findProgram(command, { path, cwd });
  const named = command.includes('/') ? [] : (path ?? '').split(delimiter).filter((one) => isIn(workspace, one));
  return [
    ...(command.includes('/') ? [resolve(cwd ?? '.', command)] : []),
    ...(program === undefined ? [] : [program]),
    ...named.map((one) => join(one, command)),
    ...args.flatMap((arg) => filesNamed(arg, cwd ?? '.')),
  ];
}

const isIn = (workspace: string, path: string): boolean =>
  isAbsolute(path) && !relative(workspace, path).startsWith('..');

/**
 * A program starts with one of these in a folder that it is given. The folder may as well be the one that it works on.
 */
const ENTRIES = ['package.json', 'index.js', 'index.mjs', 'index.cjs', 'index.ts', '__main__.py', '__init__.py'];

/** `server.mjs`, `--import=./hook.mjs`, a folder with its entry. */
function filesNamed(arg: string, cwd: string): readonly string[] {
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

function withImports(files: readonly string[]): readonly string[] {
  const all = new Set(files);
  for (const file of all) {
    if (all.size > MOST_FILES) break;
    for (const one of importsOf(file)) all.add(one);
  }
  return [...all];
}

const SCRIPT = /\.[cm]?[jt]sx?$/;
const RELATIVE = /(?:\bfrom|\bimport|\brequire|\bresolve|\bURL)\s*\(?\s*(['"`])(\.{1,2}\/[^'"`\n]*)\1/g;
/** The endings that `require` and tools of TypeScript add by themselves. */
const ENDINGS = [
  '.js',
  '.json',
  '.node',
  '.mjs',
  '.cjs',
  '.ts',
  '.mts',
  '.cts',
  '/index.js',
  '/index.ts',
  '/package.json',
];

function importsOf(file: string): readonly string[] {
  if (!SCRIPT.test(file) || (statSync(file, { throwIfNoEntry: false })?.size ?? Infinity) > MOST_BYTES) return [];
  const found = [...readFileSync(file, 'utf8').matchAll(RELATIVE)].map(([, , path = '']) => join(dirname(file), path));
  return found.flatMap((path) => {
    if (kindAt(path) === 'file') return [path];
    const there = ENDINGS.map((ending) => path + ending).filter((one) => kindAt(one) === 'file');
    return there.length > 0 ? there : path.endsWith(sep) ? [] : [path];
  });
}
