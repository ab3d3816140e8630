// Tables of keys: what becomes of each key of an agent file of another tool. A key that no table knows is named as lost, and
// if its name says that it holds something back, nothing that acts is left.

import type { MapNode, YamlNode } from '../../base/yaml/node.ts';
import type { AgentDraft } from './draft.ts';
import { isEmpty, namesOf, scalarText } from './nodes.ts';
import type { LossSubject } from './note.ts';
import { unreadable } from './restriction.ts';

/** Takes the value of a key into the draft. */
export type KeyReader = (value: YamlNode, draft: AgentDraft, key: string) => void;

export type KeyTable = Readonly<Record<string, KeyReader>>;

/** Keys that nobody here knows, by names that say that they hold something back. */
const LIKE_A_RESTRICTION =
  /den(?:y|ied)|disallow|disable|forbid|block|exclude|restrict|prohibit|permission|read_?-?only|sandbox|allow|guard|polic(?:y|ies)|approval/i;

export function readKeys(written: MapNode, table: KeyTable, draft: AgentDraft): void {
  for (const { key, value } of written.entries.values()) {
    const read = Object.hasOwn(table, key) ? table[key] : undefined;
    if (read !== undefined) read(value, draft, key);
    else if (!isEmpty(value) && LIKE_A_RESTRICTION.test(key)) draft.restrictions.push(unreadable(key));
    else draft.lose(key.slice(0, 80), 'the key means nothing here');
  }
}

/** The key is about that program alone, and nobody misses it. */
export const skipKey: KeyReader = () => {};

export const leaveOut =
  (why: string, about?: LossSubject): KeyReader =>
  (value, draft, key) => {
    if (!isEmpty(value)) draft.lose(key, why, about);
  };

export const NO_COLOURS = leaveOut('colours are not kept');
export const NO_SERVERS = leaveOut(
  'declare them under mcpServers in cadre.yaml, and name them under `tools`, as mcp:<server>',
  'reference',
);

export const asText =
  (own: string): KeyReader =>
  (value, draft, key) => {
    const text = scalarText(value);
    if (text !== undefined) draft.put(own, text, key);
  };

/** Frontmatter that is no YAML is read line by line, and has its numbers as texts. */
const numberOf = (value: YamlNode): number => Number(scalarText(value) ?? Number.NaN);

export const asNumber =
  (own: string, min: number, max: number): KeyReader =>
  (value, draft, key) => {
    const number = numberOf(value);
    if (number >= min && number <= max) draft.put(own, number, key);
    else if (!isEmpty(value))
      draft.lose(`${key}: ${scalarText(value) ?? '…'}`, `${own} takes a number from ${min} to ${max}`);
  };

export const asCount =
  (own: string, max: number): KeyReader =>
  (value, draft, key) => {
    const number = numberOf(value);
    if (Number.isInteger(number) && number >= 1) draft.put(own, Math.min(number, max), key);
    else if (number !== 0 && !isEmpty(value))
      draft.lose(`${key}: ${scalarText(value) ?? '…'}`, `${own} takes a whole number`);
  };

const EFFORTS: ReadonlySet<string> = new Set(['none', 'low', 'medium', 'high']);

export const asReasoning: KeyReader = (value, draft, key) => {
  const effort = scalarText(value);
  if (effort === undefined) return;
  if (EFFORTS.has(effort)) draft.put('reasoning', effort, key);
  else draft.lose(`${key}: ${effort}`, 'none, low, medium and high are known');
};

/** Skills by their names, which is how they are found here. */
export const asSkills: KeyReader = (value, draft, key) => {
  if (value.kind === 'scalar' && typeof value.value === 'boolean') {
    if (value.value) draft.put('skills', true, key);
    return;
  }
  const names = namesOf(value);
  const usable = names.filter((name) => SKILL_NAME.test(name));
  if (usable.length > 0) draft.put('skills', usable, key);
  for (const name of names)
    if (!SKILL_NAME.test(name)) draft.lose(`${key}: ${name}`, 'that is no name of a skill', 'reference');
  if (value.kind === 'map' || (value.kind === 'list' && names.length < value.items.length))
    draft.lose(key, 'a skill is a folder with SKILL.md here; put it into skills/', 'reference');
};

export const SKILL_NAME = /^[\p{L}\p{M}\p{N}-]{1,64}$/u;

/** An answer that must be JSON of a schema. */
export function putSchema(draft: AgentDraft, key: 'output' | 'input', schema: unknown, from: string): void {
  if (typeof schema === 'object' && schema !== null && !Array.isArray(schema))
    draft.put(key, { format: 'json', schema }, from);
  else draft.lose(from, 'that is no schema', 'schema');
}
