// Copy-ready frontmatter. In full: every key with its guidance, its effective value where it has one, and an example behind
// a # where it has none. The check accepts what it prints without a finding.

import { jsonOf } from '../../base/yaml/node.ts';
import { yaml } from '../../base/yaml/package.ts';
import type { AgentName } from '../../kernel/effect.ts';
import type { CadreDefinition } from '../definition.ts';
import { ALL_KEYS } from '../read/keys.ts';
import { withCatalog } from '../read/keys-forms.ts';
import type { Key } from '../read/shape-object.ts';
import { agentSettings, configFrom, defaultsFrom, usual } from './settings.ts';

/**
 * The file that `cadre new` writes for an agent. `texts` are those of the cadre it will belong to, for its defaults.
 */
export function shortAgentTemplate(name: AgentName, texts: ReadonlyMap<string, string> = new Map()): string {
  const isGiven = defaultsFrom(texts)?.entries.has('models') === true;
  const models = isGiven ? '' : `models: [${firstAlias(texts) ?? STARTING_MODEL}]\n`;
  return `---
description: Say in one sentence what this agent does.
${models}# tools: [files]          # what it may use
# agents: [other-agent]   # whom it may ask
# maxTurns: 10            # how often it may ask its model
---
${startingPrompt(name)}`;
}

const STARTING_MODEL = 'openai/gpt-5-mini';

const startingPrompt = (name: AgentName): string =>
  `You are ${name}. Say here who the agent is, what it does and how it answers.\n`;

/** The same with every key. */
export function fullAgentTemplate(name: AgentName, texts: ReadonlyMap<string, string> = new Map()): string {
  const starting: Readonly<Record<string, unknown>> = {
    name,
    description: 'Say in one sentence what this agent does.',
    models: [firstAlias(texts) ?? STARTING_MODEL],
  };
  const defaults = defaultsFrom(texts);
  const value = (key: string): Effective | undefined => {
    const given = defaults?.entries.get(key)?.value;
    if (given !== undefined) return { value: jsonOf(given), from: 'defaults of cadre.yaml' };
    return Object.hasOwn(starting, key) ? { value: starting[key] } : undefined;
  };
  return `${fenced(value)}\n${startingPrompt(name)}`;
}

/** The frontmatter of an agent with every value that holds for it, as `cadre help` shows it. */
export function agentTemplate(cadre: CadreDefinition, name: AgentName): string | undefined {
  const settings = agentSettings(cadre, name);
  if (settings === undefined) return undefined;
  const values = new Map(settings.map((one) => [one.key, one]));
  return fenced((key) => {
    const { value, from } = values.get(key) ?? {};
    if (value === undefined) return undefined;
    return from === 'defaults' ? { value, from: 'defaults of cadre.yaml' } : { value };
  });
}

/** A value as it stands in YAML, on one line. */
export const settingText = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : yaml().stringify(value, { lineWidth: 0, flowCollectionPadding: false, collectionStyle: 'flow' }).trimEnd();

interface Effective {
  readonly value: unknown;
  readonly from?: string;
}

const firstAlias = (texts: ReadonlyMap<string, string>): string | undefined =>
  Object.keys(configFrom(texts).config.models)[0];

function fenced(valueOf: (key: string) => Effective | undefined): string {
  const blocks = Object.entries(ALL_KEYS).map(([name, key]) => block(name, key, valueOf(name)));
  return `---\n${blocks.join('\n\n')}\n---\n`;
}

function block(name: string, key: Key<never> | Key<unknown>, effective: Effective | undefined): string {
  const origin = effective?.from === undefined ? '' : ` (This value: ${effective.from}.)`;
  const guidance = commented(wrapped(`${key.guidance}${origin}`));
  const { value } = effective ?? usual(key);
  if (value !== undefined) return `${guidance}\n${written(name, value)}`;
  return `${guidance}\n${commented((EXAMPLES[name] ?? `${name}:`).split('\n'))}`;
}

const written = (name: string, value: unknown): string =>
  yaml()
    .stringify({ [name]: value }, { lineWidth: 0, flowCollectionPadding: false, collectionStyle: 'any' })
    .trimEnd();

const commented = (lines: readonly string[]): string => lines.map((line) => `# ${line}`).join('\n');

function wrapped(text: string, width = 100): readonly string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    if (line !== '' && line.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

/**
 * Examples for keys that have no value of their own. Without the # each of them is valid, if agents of these names
 * exist.
 */
export const EXAMPLES: Readonly<Record<string, string>> = {
  name: 'name: my-agent',
  description: 'description: Answers questions about orders.',
  usage: 'usage: The number of an order, and the question.',
  models: 'models: [openai/gpt-5-mini]',
  temperature: 'temperature: 0.2',
  topP: 'topP: 0.9',
  maxOutputTokens: 'maxOutputTokens: 4096',
  reasoning: 'reasoning: low',
  input: 'input: {format: json, schema: {type: object, properties: {order: {type: string}}, required: [order]}}',
  output: 'output: {format: json, schema: {type: object, properties: {answer: {type: string}}, required: [answer]}}',
  ...Object.fromEntries(
    withCatalog([]).flatMap(({ key, keySpec: { example } }) => (example === undefined ? [] : [[key, example]])),
  ),
  timeout: 'timeout: 30m',
  budget: 'budget: {usd: 0.5, tokens: 200000, time: 10m, sessions: 20, depth: 3}',
};
