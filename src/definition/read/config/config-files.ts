// `files` of cadre.yaml: what the tools of `files:write` may change although they would refuse it.

import type { YamlNode } from '../../../base/yaml/node.ts';
import { list, type ReadContext, reportAt, type Shape } from '../shape.ts';
import { key, object, refineShape } from '../shape-object.ts';
import { literal } from '../variables.ts';

/** A pattern of paths in the workspace. */
const writablePath: Shape<string> = {
  ...refineShape(literal, openable),
  says: 'a path in the workspace, as in .env or agents/*.md',
};

/** A path that is never changed cannot be allowed: an entry that does nothing would mislead. */
function openable(written: string, node: YamlNode, path: string, reading: ReadContext): string | undefined {
  const names = written.toLowerCase().split('/');
  const isOutside = names.includes('..') || written.startsWith('/');
  if (!isOutside && !names.includes('.git') && !names.includes('.cadre')) return written;
  return reportAt(node, reading, {
    code: 'files/never',
    message: isOutside
      ? `\`${path}\` is "${written}", which is outside the workspace`
      : `\`${path}\` is "${written}", which is never changed, whatever is allowed`,
    help: isOutside ? 'Paths are relative to the workspace, as in .env or agents/*.md.' : 'Remove it.',
  });
}

export const filesShape = object({
  write: key(
    object({
      allow: key(
        list(writablePath),
        'Paths in the workspace that files:write may change although it would refuse them: agent files, cadre.yaml, .env and the like. `*` stands for a part of a name, `**` for any folders. Never .git, and never a store.',
      ),
    }),
    'Files that the tools of files:write may change.',
  ),
});
