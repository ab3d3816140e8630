// Ajv's errors as the kernel's violations: JSON paths, and messages that a model can act on.

import type { ErrorObject } from 'ajv';
import type { Violation } from '../../kernel/schema.ts';

const maxListed = 100;
const maxNames = 30;
/** A key or an allowed value may be as long as the arguments: a violation shows its beginning. */
const maxText = 300;

export function violationsOf(errors: readonly ErrorObject[] | null | undefined, value: unknown): readonly Violation[] {
  const all = errors ?? [];
  const unique = new Map<string, Violation>();
  for (const error of all.slice(0, maxListed)) {
    const found = violationOf(error, value);
    const violation: Violation = { path: shortened(found.path), message: shortened(found.message) };
    unique.set(`${violation.path} ${violation.message}`, violation);
  }
  const listed = [...unique.values()];
  if (all.length <= maxListed) return listed;
  return [...listed, { path: '$', message: `has ${all.length - maxListed} more violations` }];
}

const shortened = (text: string): string =>
  text.length <= maxText
    ? text
    : `${text.slice(0, maxText).replace(/[\uD800-\uDBFF]$/, '')}… (${text.length} characters)`;

function violationOf(error: ErrorObject, value: unknown): Violation {
  const path = jsonPath(error.instancePath, value);
  const params: Readonly<Record<string, unknown>> = error.params;
  switch (error.keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return {
        path: path + step(String(params['additionalProperty'] ?? params['unevaluatedProperty'])),
        message: `is not a known property${knownNames(error.parentSchema)}`,
      };
    case 'enum':
      return { path, message: `must be one of ${list(params['allowedValues'])}` };
    case 'const':
      return { path, message: `must be ${JSON.stringify(params['allowedValue'])}` };
    case 'required':
      return { path, message: `must have the property ${JSON.stringify(params['missingProperty'])}` };
    case 'false schema':
      return { path, message: 'must not be given at all' };
    default:
      return { path, message: error.message ?? `violates "${error.keyword}"` };
  }
}

function knownNames(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return '';
  const names = Object.keys(schema.properties ?? {});
  return names.length === 0 ? '' : `; known are ${list(names)}`;
}

function list(values: unknown): string {
  if (!Array.isArray(values)) return JSON.stringify(values);
  const shown = values.slice(0, maxNames).map((value) => JSON.stringify(value));
  if (values.length > maxNames) shown.push(`${values.length - maxNames} more`);
  return shown.join(', ');
}

/** `/items/2/price` in a value whose `items` is an array: `$.items[2].price`. */
function jsonPath(pointer: string, value: unknown): string {
  let path = '$';
  let here = value;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    path += Array.isArray(here) ? `[${key}]` : step(key);
    here = typeof here === 'object' && here !== null && Object.hasOwn(here, key) ? Reflect.get(here, key) : undefined;
  }
  return path;
}

const step = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`);
