// Values that satisfy a JSON Schema, mostly: what a model writes as the arguments of a call.

import type { Dice } from './dice.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** `names` are those that the conversation mentions: ids and labels that a call may refer to. */
export function valueFor(schema: unknown, dice: Dice, names: readonly string[], key = ''): unknown {
  const { type, ...form } = (schema ?? {}) as Schema;
  if (form.const !== undefined) return form.const;
  if (form.enum !== undefined) return dice.pick(form.enum);
  const choice = dice.pick(form.oneOf ?? form.anyOf ?? []);
  if (choice !== undefined) return valueFor(choice, dice, names, key);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return objectFor(form, dice, names);
    case 'array': {
      const count = Math.max(form.minItems ?? 0, Math.min(form.maxItems ?? 2, dice.roll(3)));
      return Array.from({ length: count }, () => valueFor(form.items, dice, names, key));
    }
    case 'integer':
      return 1 + dice.roll(4);
    case 'number':
      return /seconds/i.test(key) ? [2, 60][dice.roll(2)] : 1 + dice.roll(50);
    case 'boolean':
      return dice.isWithin(50);
    default:
      return textFor(key, dice, names);
  }
}

function objectFor({ properties = {}, required = [] }: Schema, dice: Dice, names: readonly string[]): object {
  const given = Object.entries(properties).filter(([name]) => required.includes(name) || dice.isWithin(25));
  return Object.fromEntries(given.map(([name, schema]) => [name, valueFor(schema, dice, names, name)]));
}

const REFERS = /^(?:id|runIds?|labels?|groupId|handle|dependsOn|chainAfter)$/;

function textFor(key: string, dice: Dice, names: readonly string[]): string {
  if (key === 'path' || key === 'files') return 'helper.script.yaml';
  if (key === 'name') return dice.pick(['orders', 'returns', 'nobody']) ?? '';
  if (key === 'file') return 'table.md';
  const name = REFERS.test(key) ? dice.pick(names) : undefined;
  return name ?? `${key === '' ? 'value' : key} ${dice.roll(5)}`;
}

/** The ids and labels that a conversation mentions, the latest first. */
export function namesIn(text: string): readonly string[] {
  const found = text.matchAll(/"(?:runId|label|groupId|handle|id)\\*":\s*\\*"([^"\\]+)\\*"/g);
  return [...new Set([...found].map(([, name]) => name ?? ''))].reverse();
}
