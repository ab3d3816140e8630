// The fields of the form, as texts and as values. Pure.

import type { Field, FieldKind } from '../../parts/schema-fields.ts';

/** Required fields come first, then those that have a given value. The others are folded. */
export function foldedFields(
  fields: readonly Field[],
  given: ReadonlySet<string>,
): { readonly open: readonly Field[]; readonly folded: readonly Field[] } {
  const [required, optional] = [fields.filter((one) => one.required), fields.filter((one) => !one.required)];
  const isGiven = ({ name }: Field): boolean => given.has(name);
  return {
    open: [...required, ...optional.filter(isGiven)],
    folded: optional.filter((one) => !isGiven(one)),
  };
}

export type Values = Readonly<Record<string, unknown>>;

/** Only defaults: an optional object without any is left out until something is written in it. */
export const initialValues = (fields: readonly Field[]): Values =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const value = field.what.kind === 'object' ? initialValues(field.what.fields) : field.initial;
      return isLeftOut(value, field) ? [] : [[field.name, value]];
    }),
  );

/** An empty field is not sent. A required object is, as far as it is filled in. */
export const isLeftOut = (value: unknown, { what, required }: Field): boolean =>
  value === undefined || (what.kind === 'object' && !required && Object.keys(value as Values).length === 0);

/** The first required field without a value, in the order of the form: `place`, `to.city`. */
export function firstMissing(fields: readonly Field[], values: Values, above = ''): string | undefined {
  for (const { name, required, what } of foldedFields(fields, new Set(Object.keys(values))).open) {
    const value = values[name];
    if (value === undefined && required) return above + name;
    if (what.kind !== 'object' || value === undefined) continue;
    const within = firstMissing(what.fields, value as Values, `${above}${name}.`);
    if (within !== undefined) return within;
  }
  return undefined;
}

/** The value of a field's text. Undefined: it was left empty, so the key is left out. */
export function valueOf(text: string, what: FieldKind): unknown {
  if (text.trim() === '') return undefined;
  switch (what.kind) {
    case 'number':
      return Number.isNaN(Number(text)) ? text : Number(text);
    case 'list': {
      const items = text.split('\n').filter((line) => line.trim() !== '');
      return what.of === 'number' ? items.map((item) => (Number.isNaN(Number(item)) ? item : Number(item))) : items;
    }
    case 'json':
      try {
        return JSON.parse(text) as unknown;
      } catch {
        return text;
      }
    case 'text':
    case 'boolean':
    case 'choice':
    case 'object':
      return text;
  }
}

/** The text of a value in its field. */
export function writtenIn(value: unknown, what: FieldKind): string {
  if (value === undefined || value === null) return '';
  if (what.kind === 'list' && Array.isArray(value)) return value.join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
