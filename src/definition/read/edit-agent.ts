// An agent's file with another system prompt or another budget. The rest of the text stays as it is, to the letter.

import { fail } from '../../kernel/fault.ts';
import type { AgentDefinition } from '../definition.ts';
import { opensFrontmatter, splitFrontmatter } from './frontmatter.ts';
import { yamlTree } from './yaml-tree.ts';

/** A budget as an agent file says it. */
export interface BudgetText {
  readonly usd?: number;
  readonly tokens?: number;
  /** A duration: `10m`. */
  readonly time?: string;
  readonly sessions?: number;
  readonly depth?: number;
  readonly allowUnpriced?: boolean;
}

/**
 * `prompt` may come with a frontmatter, as a copy of the file does: it must be the one that the agent has. Throws
 * `usage` for another one, and for a text that says nothing.
 */
export function withPrompt({ name, text }: Pick<AgentDefinition, 'name' | 'text'>, prompt: string): string {
  const { head } = partsOf(text, name);
  const body = bodyOf(prompt, name, text).trim();
  if (body === '') fail('usage', `The new text of ${name} is empty.`);
  return `${head}\n${body}\n`;
}

function bodyOf(prompt: string, name: string, text: string): string {
  if (!opensFrontmatter(prompt)) return prompt;
  const given = splitFrontmatter(prompt);
  if (given !== undefined && sameYaml(given.yaml, splitFrontmatter(text)?.yaml)) return given.body;
  return fail(
    'usage',
    `The new text of ${name} begins with a frontmatter that is not the one of its file. ` +
      'Leave it out: only the system prompt is replaced. Other keys are changed by a fork with the agents of a folder: --agent-dir.',
  );
}

const sameYaml = (given: string, own: string | undefined): boolean =>
  own !== undefined && given.replaceAll('\r\n', '\n').trim() === own.replaceAll('\r\n', '\n').trim();

export function withBudget({ name, text }: Pick<AgentDefinition, 'name' | 'text'>, budget: BudgetText): string {
  const { yaml, offset } = partsOf(text, name);
  const line = `budget: ${JSON.stringify(budget)}`; // JSON is YAML too
  const tree = yamlTree({ file: name, text }, yaml, offset, () => {});
  const entry = tree?.kind === 'map' ? tree.entries.get('budget') : undefined;
  if (entry !== undefined) return text.slice(0, entry.start) + line + text.slice(entry.value.end);
  const end = offset + yaml.length;
  return `${text.slice(0, end)}${yaml === '' || yaml.endsWith('\n') ? '' : '\n'}${line}\n${text.slice(end)}`;
}

/** `head`: the text up to the end of the frontmatter, its closing fence with it. */
function partsOf(
  text: string,
  name: string,
): { readonly yaml: string; readonly offset: number; readonly head: string } {
  const parts = splitFrontmatter(text);
  if (parts === undefined) return fail('internal', `The file of ${name} has no frontmatter.`);
  const { yaml, offset } = parts;
  const close = text.indexOf('\n', offset + yaml.length);
  return { yaml, offset, head: close < 0 ? `${text}\n` : text.slice(0, close + 1) };
}
