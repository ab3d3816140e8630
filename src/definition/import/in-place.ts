// Agents of .claude/agents, read in place by the same table as an import. What an agent loses is a warning.

import { basename } from 'node:path/posix';
import type { MapNode } from '../../base/yaml/node.ts';
import type { ReportFinding } from '../diagnostic.ts';
import type { Source } from '../source.ts';
import { CLAUDE_MODELS, claudeTree } from './claude-tree.ts';
import { readForeign } from './foreign-file.ts';
import type { ImportNote } from './note.ts';

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
  const { tree, notes } = claudeTree(file.tree, basename(source.file).replace(/\.md$/i, ''), {
    isAgent: () => false,
    modelNamed: (short) => (aliases.has(short) || !Object.hasOwn(CLAUDE_MODELS, short) ? short : CLAUDE_MODELS[short]!),
  });
  for (const note of notes) {
    if (note.kind !== 'todo') report({ ...warningOf(note), source });
    else if (note.what === 'tools') report({ ...NO_TOOLS, source });
  }
  return { tree, body: file.body };
}

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
