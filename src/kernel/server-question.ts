// A question that a server asks a person in the middle of a call: a message, and a form of plain fields. It waits at the same
// kind of op as an approval, and its answer is a text: the fields as JSON or, where there is one, its bare value.

import { type JsonObject, readJson } from '../base/text/json.ts';
import { nearest } from '../base/text/nearest.ts';
import type { JsonSchema } from './schema.ts';

/** The unfinished result of a call, with what the server wants back when it is called again. */
export interface UnfinishedCall {
  /** Its questions, by the names that the answers go by. */
  readonly requests: JsonObject;
  /** Given back as it is. */
  readonly state?: string;
}

export interface ServerQuestion {
  /** The key in `mcpServers`. */
  readonly server: string;
  readonly message: string;
  /** JSON Schema of an object whose properties are texts, numbers, truth values and choices. */
  readonly form: JsonSchema;
  /** The call goes on with these. Absent where the server waits for the answer. */
  readonly unfinished?: UnfinishedCall;
  /** The name of the question in an unfinished call. */
  readonly key?: string;
}

export type ServerAnswer =
  | { readonly action: 'accept'; readonly content: JsonObject }
  /** A person said no. */
  | { readonly action: 'decline' }
  /** Nobody is there, or the call is stopped. */
  | { readonly action: 'cancel' };

/** `about` of the approval. */
interface AskedByServer extends ServerQuestion {
  readonly kind: 'question';
}

export const serverPrompt = ({ server, message }: ServerQuestion): string =>
  `The MCP server "${server}" asks: ${message.replace(/\s+/g, ' ').trim().slice(0, SHOWN_OF_MESSAGE)}`;

const SHOWN_OF_MESSAGE = 120;

export const askedAboutQuestion = (question: ServerQuestion): AskedByServer => ({ kind: 'question', ...question });

/** `about` comes from a record, so it may be anything. */
export function serverQuestionIn(about: unknown): ServerQuestion | undefined {
  const { kind, ...question } = (about ?? {}) as Partial<AskedByServer>;
  const isIt = kind === 'question' && typeof question.message === 'string' && typeof question.form === 'object';
  return isIt ? (question as ServerQuestion) : undefined;
}

/** A field of a form, as people see it. */
export interface FormField {
  readonly name: string;
  readonly type: 'text' | 'number' | 'integer' | 'yes or no' | 'one of' | 'some of';
  readonly isRequired: boolean;
  readonly options: readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly fallback?: unknown;
}

/** The form comes from a server, so it may be anything: what cannot be understood is a text. */
export function fieldsOf(form: JsonSchema): readonly FormField[] {
  const { properties, required } = (typeof form === 'object' ? form : {}) as JsonObject;
  const names = isObject(properties) ? Object.entries(properties) : [];
  const needed = Array.isArray(required) ? required : [];
  return names.slice(0, MOST_FIELDS).map(([name, shape]) => fieldOf(name, shape, needed.includes(name)));
}

const MOST_FIELDS = 100;

function fieldOf(name: string, shape: unknown, isRequired: boolean): FormField {
  const { type, title, description, default: fallback, items, ...rest } = isObject(shape) ? shape : {};
  const choices = type === 'array' ? choicesIn(items) : choicesIn(rest);
  return {
    name,
    type: typeOf(type, choices.length > 0),
    isRequired,
    options: choices,
    ...(typeof title === 'string' && title !== name && { title }),
    ...(typeof description === 'string' && { description }),
    ...(fallback !== undefined && { fallback }),
  };
}

function typeOf(type: unknown, isChoice: boolean): FormField['type'] {
  if (type === 'array') return 'some of';
  if (type === 'boolean') return 'yes or no';
  if (type === 'number' || type === 'integer') return type;
  return isChoice ? 'one of' : 'text';
}

/** Choices with titles are named by their values: those are the answer. */
function choicesIn(shape: unknown): readonly string[] {
  const { enum: values, oneOf, anyOf } = isObject(shape) ? shape : {};
  const titled = [oneOf, anyOf].find(Array.isArray) ?? [];
  const found: readonly unknown[] = Array.isArray(values)
    ? values
    : titled.map((one: unknown) => (isObject(one) ? one['const'] : undefined));
  return found.filter((one) => typeof one === 'string');
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type FormAnswer =
  | { readonly ok: true; readonly content: JsonObject }
  | { readonly ok: false; readonly problem: string };

/** The fields of an answer, with the defaults of those that it leaves out. Whether they fit the form is not looked at. */
export function formAnswer(form: JsonSchema, text: string): FormAnswer {
  const fields = fieldsOf(form);
  const given = readAnswer(fields, text.trim());
  if (!given.ok) return given;
  const names = fields.map(({ name }) => name);
  const unknown = Object.keys(given.content).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const near = nearest(unknown, names);
    return {
      ok: false,
      problem: `The form has no field ${JSON.stringify(unknown)}.${near === undefined ? '' : ` Did you mean "${near}"?`} It has: ${names.join(', ')}.`,
    };
  }
  const defaults = fields.flatMap(({ name, fallback }) =>
    fallback === undefined || name in given.content ? [] : [[name, fallback] as const],
  );
  return { ok: true, content: { ...Object.fromEntries(defaults), ...given.content } };
}

function readAnswer(fields: readonly FormField[], text: string): FormAnswer {
  const read = readJson(text);
  if (read.ok && isObject(read.value)) return { ok: true, content: read.value };
  const [only] = fields;
  if (fields.length === 1 && only !== undefined) return bareValue(only, text, read.ok ? read.value : undefined);
  if (fields.length === 0) return { ok: true, content: {} };
  return {
    ok: false,
    problem: `The form has ${fields.length} fields. Answer with JSON, such as ${exampleAnswer(fields)}.`,
  };
}

/** The value of one field, as a person writes it. */
export const fieldValue = (field: FormField, text: string): FormAnswer => {
  const read = readJson(text.trim());
  return bareValue(field, text.trim(), read.ok ? read.value : undefined);
};

function bareValue({ name, type }: FormField, text: string, value: unknown): FormAnswer {
  const content = (one: unknown): FormAnswer => ({ ok: true, content: { [name]: one } });
  switch (type) {
    case 'text':
    case 'one of':
      return content(text);
    case 'some of':
      return content(Array.isArray(value) ? value : text.split(',').map((one) => one.trim()));
    case 'number':
    case 'integer':
      if (typeof value === 'number') return content(value);
      return {
        ok: false,
        problem: `${name} takes ${type === 'integer' ? 'an integer' : 'a number'}, not ${JSON.stringify(text.slice(0, 80))}.`,
      };
    case 'yes or no': {
      if (/^(true|yes|y)$/i.test(text)) return content(true);
      if (/^(false|no|n)$/i.test(text)) return content(false);
      return { ok: false, problem: `${name} takes yes or no, not ${JSON.stringify(text.slice(0, 80))}.` };
    }
  }
}

/** An answer of the right form, for people to go by. */
export function exampleAnswer(fields: readonly FormField[]): string {
  const values = fields.map(
    ({ name, type, fallback, options }) => [name, fallback ?? exampleOf(type, options)] as const,
  );
  return JSON.stringify(Object.fromEntries(values));
}

function exampleOf(type: FormField['type'], options: readonly string[]): unknown {
  switch (type) {
    case 'number':
    case 'integer':
      return 1;
    case 'yes or no':
      return true;
    case 'some of':
      return options.slice(0, 1);
    default:
      return options[0] ?? '…';
  }
}

/** `port (integer, required, default 8080): where it listens` */
export function fieldWords({ name, type, isRequired, title, description, fallback, options }: FormField): string {
  const kind = options.length > 0 ? `${type} ${options.join(', ')}` : type;
  const facts = [
    kind,
    ...(isRequired ? ['required'] : []),
    ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
  ];
  const says = [title, description].filter((one) => one !== undefined).join('. ');
  return `${name} (${facts.join('; ')})${says === '' ? '' : `: ${says}`}`;
}
