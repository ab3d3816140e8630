// `skills`: which skills an agent may use, and which of them stand in its prompt. What can be said of an entry without the
// disk is said here. An entry that is refused keeps its place in the list, so that findings about those after it point at them.

import { normalize } from 'node:path/posix';
import { secretIn } from '../../base/text/secret-names.ts';
import type { YamlNode } from '../../base/yaml/node.ts';
import type { SkillsUse } from '../definition.ts';
import { ALL_SKILLS, isSkillPath } from '../skill-paths.ts';
import { byForm, flag, list, type ReadContext, reportAt, type Shape, text } from './shape.ts';
import { key, object, refineShape } from './shape-object.ts';

const entry: Shape<string> = {
  ...refineShape(text(), usable),
  says: 'a skill by its name, or the path of a folder in the workspace, as in ./skills/',
};

function usable(written: string, node: YamlNode, _path: string, reading: ReadContext): string {
  const named = written.trim();
  const path = isSkillPath(named) ? `./${normalize(named).replace(/\/$/, '')}` : named;
  const why = unusableEntry(path);
  if (why !== undefined) reportAt(node, reading, { code: 'skill/unknown', ...why });
  return path;
}

/** The reason why no folder of the workspace can be meant. */
export function unusableEntry(entryPath: string): { readonly message: string; readonly help: string } | undefined {
  const path = entryPath.replace(/^\.\/(?=.)/, '');
  const shown = JSON.stringify(path);
  if (/[\p{Cc}\\]/u.test(path))
    return { message: `${shown} is not a usable path`, help: 'Write it with forward slashes, as in ./skills/pdf.' };
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path) || path === '..' || path.startsWith('../'))
    return {
      message: `${shown} is outside the workspace`,
      help: 'Skills lie in the workspace. Copy the folder into it.',
    };
  if (path === '.' || path === './')
    return { message: 'the workspace itself is no folder of skills', help: 'Name a folder in it, as in ./skills/.' };
  const secret = secretIn(path, 'folder');
  if (secret === undefined) return undefined;
  return { message: `${shown} is not looked into: "${secret}" may hold secrets`, help: 'Move the skill elsewhere.' };
}

const entries = list(entry, { most: { count: 100, help: 'Name a folder of skills.' } });

/** true, false or one entry. */
const allOrOne: Shape<readonly string[]> = {
  says: 'true, or the skill that it may use',
  schema: { anyOf: [flag.schema, entry.schema] },
  read(node, path, reading) {
    const isText = node.kind === 'scalar' && typeof node.value === 'string';
    if (!isText) return allOrNone.read(node, path, reading);
    const one = entry.read(node, path, reading);
    return one === undefined ? undefined : [one];
  },
};

const allOrNone = refineShape(flag, (isOn): readonly string[] => (isOn ? [ALL_SKILLS] : []));

const useShape: Shape<readonly string[]> = byForm({ scalar: allOrOne, list: entries });

const keysShape = object({
  use: key(useShape, 'true, or a list as skills takes it. Without it the skills of preload.'),
  preload: key(list(text('the name of a skill')), 'Skills whose whole text stands in the prompt.', { fallback: [] }),
});

export const skillsShape: Shape<SkillsUse> = byForm({
  scalar: refineShape(allOrOne, (use): SkillsUse => ({ use, preload: [] })),
  list: refineShape(entries, (use): SkillsUse => ({ use, preload: [] })),
  map: refineShape(keysShape, ({ use, preload = [] }): SkillsUse => ({ use: use ?? preload, preload })),
});
