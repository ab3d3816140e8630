// The form of a server's question as a person fills it in, and the answer that it gives. Pure.

import { type FormField, fieldValue } from '../../../../src/kernel/server-question.ts';

/** By the name of a field: its text, `yes` or `no`, or the options that are chosen. */
export type Draft = Readonly<Record<string, string | readonly string[]>>;

/** With the defaults of the form. */
export const newDraft = (fields: readonly FormField[]): Draft =>
  Object.fromEntries(fields.map((field) => [field.name, textOf(field)]));

function textOf({ type, fallback, options }: FormField): string | readonly string[] {
  if (type === 'some of' && options.length > 0)
    return Array.isArray(fallback) ? fallback.filter((one) => options.includes(one)) : [];
  if (fallback === undefined || fallback === null) return '';
  if (type === 'yes or no') return fallback === true ? 'yes' : 'no';
  return typeof fallback === 'string'
    ? fallback
    : Array.isArray(fallback)
      ? fallback.join(', ')
      : JSON.stringify(fallback);
}

type Filled =
  | { readonly ok: true; readonly answer: string }
  /** `problem` is a sentence for the next step. */
  | { readonly ok: false; readonly problem: string };

/** The answer as JSON. A field without a value is left out, unless its default would then come back. */
export function filledIn(fields: readonly FormField[], draft: Draft): Filled {
  const content: Record<string, unknown> = {};
  for (const field of fields) {
    const { name, type, fallback, isRequired } = field;
    const given = draft[name] ?? '';
    if (typeof given !== 'string') {
      if (given.length > 0 || isRequired || fallback !== undefined) content[name] = given;
      continue;
    }
    if (given.trim() === '' && type === 'text' && !isRequired && fallback !== undefined) content[name] = '';
    else if (given.trim() === '') {
      if (isRequired || fallback !== undefined) return { ok: false, problem: `Fill in ${name} first.` };
    } else {
      const read = fieldValue(field, given);
      if (!read.ok) return read;
      Object.assign(content, read.content);
    }
  }
  return { ok: true, answer: JSON.stringify(content) };
}
