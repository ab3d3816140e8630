// The declaration of a REST tool, which is read once and filled with the inputs of each call.
// TEMPLATE-1. JsonObject fill path segments, query values, header values and the body, and nothing else: scheme, host and
//             port are those of the declaration.
// TEMPLATE-2. A value stays within its path segment: no slashes, and no segment that means "here" or "up".
// TEMPLATE-3. What the declaration fixes in the query stays as it is: an input cannot be a second parameter of that
//             name.

import type { JsonObject } from '../../base/text/json.ts';
import { fail } from '../../kernel/fault.ts';
import { isObjectSchema } from '../../kernel/schema.ts';
import { isToolName } from '../tool-name.ts';
import type { RestDeclaration } from './declaration.ts';

export interface RestTemplate {
  readonly declaration: RestDeclaration;
  readonly origin: string;
  readonly path: string;
  readonly query: string;
  /** The names that the query holds, as `sameName` writes them (TEMPLATE-3). */
  readonly fixed: ReadonlySet<string>;
  /** The parameters that are used in braces; the others go to query or body. */
  readonly placed: ReadonlySet<string>;
}

export interface RestRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const placeholder = /\{([^{}]+)\}/g;
const controls = /\p{Cc}/u;
const ownHeaders: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'upgrade',
]);

export function readTemplate(declaration: RestDeclaration): RestTemplate {
  const wrong = (what: string): never => fail('tool/source', `rest:${declaration.name}: ${what}`);
  if (!isToolName(declaration.name)) wrong('its name must be 1 to 64 letters, digits, "_" or "-".');
  const parts = /^(https?:\/\/[^/?#]+)([^?#]*)(?:\?([^#]*))?$/i.exec(declaration.url);
  if (parts === null) return wrong('its url must be an http or https address without a fragment.');
  const [, origin = '', path = '', query = ''] = parts;
  if (/[{}@\\]/.test(origin) || !URL.canParse(origin)) {
    wrong('the host of its url must be fixed: parameters belong in path, query, headers or body.');
  }
  if (path.split('/').some(isDotSegment)) wrong('its url has a "." or ".." in the path.');
  const keys = query.split('&').flatMap((pair) => (pair === '' ? [] : [pair.split('=', 1)[0] ?? '']));
  const open = keys.find((key) => namesIn(key).length > 0);
  if (open !== undefined) wrong(`its url has ${open} as the name of a query parameter: only values can be filled in.`);
  const headers = Object.entries(declaration.headers);
  for (const [name] of headers)
    if (ownHeaders.has(name.toLowerCase())) wrong(`the header "${name}" is not yours to set.`);
  const placed = new Set([path, query, ...headers.map(([, value]) => value)].flatMap(namesIn));
  const { parameters } = declaration;
  const properties = isObjectSchema(parameters) ? parameters['properties'] : undefined;
  for (const name of placed) {
    if (typeof properties === 'object' && properties !== null && !Object.hasOwn(properties, name)) {
      wrong(`"{${name}}" is not a property of its input schema.`);
    }
  }
  const asked = typeof properties === 'object' && properties !== null && asksByQuery(declaration) ? properties : {};
  const second = Object.keys(asked).find((name) => !placed.has(name) && keys.map(sameName).includes(sameName(name)));
  if (second !== undefined) wrong(`its input "${second}" has the name of a parameter that its url fixes. Rename it.`); // TEMPLATE-3
  return { declaration, origin, path, query, fixed: new Set(keys.map(sameName)), placed };
}

export function fill(template: RestTemplate, input: unknown, callKey: string): RestRequest {
  const { declaration, placed } = template;
  const inputs = inputsOf(input);
  const rest = Object.entries(inputs).filter(([name, value]) => !placed.has(name) && value !== undefined);
  const asQuery = asksByQuery(declaration);
  const body = asQuery || rest.length === 0 ? undefined : JSON.stringify(Object.fromEntries(rest));
  return {
    method: declaration.method,
    url: urlOf(template, inputs, asQuery ? rest : []),
    headers: {
      ...(declaration.method === 'GET' ? {} : { 'idempotency-key': callKey }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headersOf(declaration, inputs),
    },
    ...(body === undefined ? {} : { body }),
  };
}

const asksByQuery = ({ method }: RestDeclaration): boolean => method === 'GET' || method === 'DELETE';

function urlOf(template: RestTemplate, inputs: JsonObject, others: readonly (readonly [string, unknown])[]): URL {
  const path = template.path
    .split('/')
    .map((segment) => {
      const filled = segment.replace(placeholder, (_, name: string) => encodeURIComponent(segmentValue(inputs, name)));
      if (isDotSegment(filled))
        fail('tool/failed', `"${filled}" cannot be a part of the address. Give a proper value.`);
      return filled;
    })
    .join('/');
  const fixed = template.query.replace(placeholder, (_, name: string) => encodeURIComponent(textOf(inputs, name)));
  const search = new URLSearchParams();
  for (const [name, value] of others) {
    if (template.fixed.has(sameName(name))) {
      fail('tool/failed', `"${name}" is fixed in the address of this tool. Leave it out.`); // TEMPLATE-3
    }
    for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value]) search.append(name, plain(one));
  }
  const query = [fixed, search.toString()].filter((part) => part !== '').join('&');
  return new URL(template.origin + path + (query === '' ? '' : `?${query}`));
}

function headersOf(declaration: RestDeclaration, inputs: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(declaration.headers).map(([name, value]) => [
      name.toLowerCase(),
      value.replace(placeholder, (_, parameter: string) => {
        const text = textOf(inputs, parameter);
        if (controls.test(text)) fail('tool/failed', `"${parameter}" must be one line without control characters.`);
        return text;
      }),
    ]),
  );
}

/** TEMPLATE-2. */
function segmentValue(inputs: JsonObject, name: string): string {
  const text = textOf(inputs, name);
  if (text === '') fail('tool/failed', `"${name}" must not be empty.`);
  if (/[/\\]/.test(text) || controls.test(text)) {
    fail('tool/failed', `"${name}" must not hold slashes, backslashes or control characters.`);
  }
  return text;
}

function textOf(inputs: JsonObject, name: string): string {
  const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return fail('tool/failed', `"${name}" must be given as a text, a number, true or false.`);
}

function inputsOf(input: unknown): JsonObject {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input as JsonObject;
  return fail('tool/failed', 'The arguments must be an object.');
}

/** Servers treat some names as the same: `Key`, `key[]`, `key%5B0%5D`. */
function sameName(name: string): string {
  const [decoded = ''] = [...new URLSearchParams(`${name.replace(/[&=]/g, encodeURIComponent)}=`).keys()];
  return decoded.replace(/\[.*$/s, '').trim().replace(/[ .]/g, '_').toLowerCase();
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const namesIn = (text: string): readonly string[] => [...text.matchAll(placeholder)].map((match) => match[1] ?? '');
/** True for a segment that URLs read as a dot: `%2e` counts as one. */
const isDotSegment = (segment: string): boolean => /^(\.|%2e){1,2}$/i.test(segment);
