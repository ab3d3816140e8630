// The parts of a prompt as a table: their sources and tokens.

import type { PromptView } from '../../views/talk/prompt-parts.ts';
import { table } from './table.ts';
import { oneLine } from './width.ts';

export function promptText(
  {
    title,
    parts,
    tools,
    tokens,
    teams = [],
  }: Pick<PromptView, 'parts' | 'tools' | 'tokens'> & {
    readonly title: string;
    readonly teams?: readonly { readonly team: string; readonly tokens: number; readonly text: string }[];
  },
  columns: number | undefined,
): readonly string[] {
  const rows = [
    ...parts.map(({ source, tokens: count, text }) => [
      source,
      String(count),
      source === 'tools' ? tools.map((tool) => `${tool.name} ${tool.tokens}`).join(', ') : oneLine(text).slice(0, 300),
    ]),
    ...teams.map(({ team, tokens: count, text }) => [
      `charter, in the team ${team}`,
      String(count),
      oneLine(text).slice(0, 300),
    ]),
  ];
  return [
    title,
    '',
    ...table(
      [{ title: 'SOURCE' }, { title: 'TOKENS', align: 'right' }, { title: 'BEGINS WITH', flexible: true }],
      rows,
      columns,
    ),
    '',
    `${tokens} tokens in all, estimated.`,
  ];
}
