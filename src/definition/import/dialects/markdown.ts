// Dialects whose agents are Markdown files share this: a name, a description, tools and a prompt.

import type { MapNode } from '../../../base/yaml/node.ts';
import type { ForeignAgent } from '../dialect.ts';
import { AgentDraft, type DraftContext } from '../draft.ts';
import { type KeyTable, readKeys, skipKey } from '../key-table.ts';
import { namesOf, textAt } from '../nodes.ts';
import { grantedTools, type ToolTable } from '../tool-table.ts';

/** The draft with its name, its description, its tools and its prompt, and with every key that the table takes. */
export function markdownDraft(
  { file, called }: ForeignAgent,
  context: DraftContext,
  { keys, tools }: { readonly keys: KeyTable; readonly tools: ToolTable },
): AgentDraft {
  const draft = new AgentDraft(file.tree, context);
  draft.tellName(called);
  const description = textAt(file.tree, 'description');
  if (description !== undefined) draft.put('description', description);
  draft.tellDescription();
  draft.prompt = file.body;
  if (!file.isYaml) draft.tell('changed', 'frontmatter', 'it is not YAML, and was read line by line');
  takeTools(draft, file.tree, tools); // what a restriction means depends on them
  readKeys(file.tree, { name: skipKey, description: skipKey, tools: skipKey, ...keys }, draft);
  return draft;
}

/** The tools that a list or a text with commas names; all of them where there is none. */
function takeTools(draft: AgentDraft, tree: MapNode, table: ToolTable): void {
  const node = tree.entries.get('tools')?.value;
  draft.namesTools = node !== undefined && node.kind !== 'map';
  if (draft.namesTools) draft.take(grantedTools(namesOf(node), table, (name) => draft.context.agentNamed(name)));
  else draft.take({ rights: table.all, notes: [] });
}
