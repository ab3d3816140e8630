// `projectFiles`: paths of texts in the workspace. What can be said of a path without the disk is said here. A path that is
// refused keeps its place in the list, so that findings about those after it point at them.

import { normalize } from 'node:path/posix';
import { secretIn } from '../../base/text/secret-names.ts';
import type { YamlNode } from '../../base/yaml/node.ts';
import { type ReadContext, reportAt, type Shape, text } from './shape.ts';
import { oneOrMore, refineShape } from './shape-object.ts';

const projectFile: Shape<string> = {
  ...refineShape(text(), openable),
  says: 'the path of a text in the workspace, as in AGENTS.md',
};

function openable(written: string, node: YamlNode, _path: string, reading: ReadContext): string {
  const path = normalize(written.trim());
  const why = closedPath(path);
  if (why !== undefined) reportAt(node, reading, { code: 'project-file/closed', ...why });
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

export const projectFilesShape = oneOrMore(projectFile, { most: { count: 100, help: 'Name fewer files.' } });
