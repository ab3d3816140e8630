// The files of a cadre that run: the functions that cadre.yaml names, the programs of MCP servers, files among their
// arguments, the files that these programs start from, and what all of them load.

import { delimiter, isAbsolute, join, relative, resolve } from 'node:path';
import { findProgram } from '../../base/disk/find-command.ts';
import type { CadreDefinition, McpServerConfig } from '../../definition/definition.ts';
import { startFiles } from '../../tools/files/start-files.ts';
import { filesNamed, modulesAt, withImports } from './imported-files.ts';

/** Absolute paths. Some need not exist yet: whoever makes them would run them. */
export function ownCode({ folder, config }: CadreDefinition, workspace: string): readonly string[] {
  const servers = Object.values(config.mcpServers).flatMap((server) => programFiles(server, workspace));
  const functions = (config.functions ?? []).map((file) => join(folder, file));
  return withImports([...functions, ...servers]);
}

function programFiles({ command, args, env, cwd = '.' }: McpServerConfig, workspace: string): readonly string[] {
  if (command === undefined) return [];
  const path = process.env['PATH'];
  const program = findProgram(command, { path, cwd });
  const named = command.includes('/') ? [] : (path ?? '').split(delimiter).filter((one) => isIn(workspace, one));
  const words = [...args, ...LOADING.map((name) => env[name]?.template ?? '')].flatMap(wordsIn);
  const modules = (env['PYTHONPATH']?.template ?? '').split(delimiter).map((folder) => resolve(cwd, folder));
  return [
    ...(command.includes('/') ? [resolve(cwd, command)] : []),
    ...(program === undefined ? [] : [program]),
    ...named.map((one) => join(one, command)),
    ...[command, ...words].flatMap((word) => startFiles(word).map((file) => join(resolve(cwd), file))), // env npm run mcp
    ...words.flatMap((word) => filesNamed(word, cwd)),
    ...words.flatMap((word, index) =>
      words[index - 1] === '-m' ? [resolve(cwd), ...modules].flatMap((folder) => modulesAt(word, folder)) : [],
    ), // python -m server
  ];
}

/** Variables whose value names files that a program loads before its own. */
const LOADING = ['NODE_OPTIONS', 'BASH_ENV', 'ENV', 'LD_PRELOAD', 'PERL5OPT', 'PYTHONSTARTUP', 'RUBYOPT'];

/** An argument as it is, and its words where it may be a line of a shell: `sh -c "node server.mjs"`. */
const wordsIn = (arg: string): readonly string[] => [arg, ...(/\s/.test(arg) ? arg.split(/[\s;&|"'()]+/) : [])];

const isIn = (workspace: string, path: string): boolean =>
  isAbsolute(path) && !relative(workspace, path).startsWith('..');
