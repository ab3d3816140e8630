// Agents of .claude/agents, read in place by the same table as an import. What an agent loses is a warning.

import type { MapNode } from '../../../base/yaml/node.ts';
import type { ReportFinding } from '../../diagnostic.ts';
import type { Source } from '../../source.ts';
import { agentNameOf, fileNameOf } from '../agent-name.ts';
import { readForeign } from '../foreign-file.ts';
import { CLAUDE_MODELS } from '../model-names.ts';
import { textAt } from '../nodes.ts';
import type { ImportNote } from '../note.ts';
import { claude } from './claude.ts';

/** True if a file of a cadre lies in .claude/agents, or the cadre is that folder. */
export const isOfClaude = (file: string, folder: string): boolean =>
  file.startsWith('.claude/agents/') || /[\\/]\.claude[\\/]agents$/.test(folder);

export function claudeFrontmatter(
  source: Source,
  aliases: ReadonlySet<string>,
  report: ReportFinding,
): { readonly tree: MapNode | undefined; readonly body: string } {
  const file = readForeign(source);
  if (file === undefined) {
    report({
      code: 'frontmatter/unclosed',
      source,
      message: 'the frontmatter that begins here is never closed, or is too long',
      help: 'Put a line of exactly --- between the last key and the system prompt.',
    });
    return { tree: undefined, body: '' };
  }
  const called = textAt(file.tree, 'name') ?? fileNameOf(source.file);
  const draft = claude.draft(
    { from: source.file, dialect: claude, file, called },
    {
      name: agentNameOf(called),
      workspace: '',
      declared: new Set(),
      agentNamed: nothing,
      agentAt: nothing,
      textAt: nothing,
      modelNamed: (short) =>
        aliases.has(short) || !Object.hasOwn(CLAUDE_MODELS, short) ? short : CLAUDE_MODELS[short]!,
    },
  );
  const tree = draft.finished();
  for (const note of draft.notes) {
    if (note.kind !== 'todo') report({ ...warningOf(note), source });
    else if (note.what === 'tools') report({ ...NO_TOOLS, source });
  }
  return { tree, body: file.body };
}

/** In place an agent stands by itself. */
const nothing = (): undefined => undefined;

const NO_TOOLS = {
  code: 'claude/no-tools',
  message: 'it names tools, and none of them is left here',
  help: 'Take it over with cadre import, and name the tools that it needs in the new file.',
} as const;

/**
 * A task that is left to a person is an error of the check, with its place: a server or a model that is not declared,
 * no tool left.
 */
const warningOf = ({ kind, what, why }: ImportNote) => ({
  code: kind === 'lost' ? 'claude/lost' : 'claude/renamed',
  severity: 'warning' as const,
  message: kind === 'lost' ? `"${what}" is left out: ${why}` : `"${what}": ${why}`,
  help: kind === 'lost' ? '' : 'Refer to it by that name.',
});
