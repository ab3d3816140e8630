// `projectFiles`: paths of texts in the workspace. What can be said of a path without the disk is said here. A path that is
// refused keeps its place in the list, so that findings about those after it point at them.

import { normalize } from 'node:path/posix';
import { secretIn } from '../../base/text/secret-names.ts';
import type { YamlNode } from '../../base/yaml/node.ts';
import { byForm, list, type ReadContext, type Shape, text } from './shape.ts';
import { refineShape } from './shape-object.ts';

const MOST_FILES = 100;

const projectFile: Shape<string> = {
  ...refineShape(text(), openable),
  says: 'the path of a text in the workspace, as in AGENTS.md',
};

function openable(written: string, node: YamlNode, _path: string, reading: ReadContext): string {
  const path = normalize(written.trim());
  const why = closedPath(path);
  if (why !== undefined) reading.report({ code: 'project-file/closed', source: reading.source, at: node, ...why });
  return path;
}

/** The reason why no text of the workspace can be meant. */
export function closedPath(path: string): { readonly message: string; readonly help: string } | undefined {
  const shown = JSON.stringify(path);
  if (/[\p{Cc}\\]/u.test(path))
    return { message: `${shown} is not a usable path`, help: 'Write it with forward slashes, as in docs/AGENTS.md.' };
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path) || path === '..' || path.startsWith('../'))
    return { message: `${shown} is outside the workspace`, help: 'Paths are relative to the workspace and below it.' };
  const secret = secretIn(path, 'file');
  if (secret === undefined) return undefined;
  const help = 'Put what the prompt needs into a file of its own.';
  return { message: `${shown} is not read into a prompt: "${secret}" may hold secrets`, help };
}

const files = refineShape(list(projectFile), (paths, node, path, reading) => {
  if (paths.length <= MOST_FILES) return paths;
  const message = `\`${path}\` has ${paths.length} entries, and the limit is ${MOST_FILES}`;
  reading.report({ code: 'value/range', source: reading.source, at: node, message, help: 'Name fewer files.' });
  return paths.slice(0, MOST_FILES);
});

export const projectFilesShape: Shape<readonly string[]> = byForm({
  scalar: refineShape(projectFile, (path) => [path] as readonly string[]),
  list: files,
});
