// A request of a protocol as one schema of zod, parameter by parameter: what it must be, and what becomes of it. A
// parameter that cannot be honoured is refused by its name, and one that changes nothing is listed as such: nothing is
// ignored in silence. The reference page and the OpenAPI document are made of the same schema.
// PARAMETER-1. zod says only what JSON Schema can say, in words of ours. What depends on several parameters is said by the
//              function that uses them.

import { z } from 'zod';
import { didYouMean } from '../../base/text/nearest.ts';
import { fail } from '../../kernel/fault.ts';
import { invalid } from './fields.ts';

/** It must be there, and has the effect that `means` says. */
export const requires = <Schema extends z.ZodType>(means: string, schema: Schema): Schema =>
  schema.describe(`Honoured: ${means}`);

/** It has the effect that `means` says, if it is there. */
export const honours = <Schema extends z.ZodType>(means: string, schema: Schema) =>
  schema.nullish().describe(`Honoured: ${means}`);

/** It is accepted and changes nothing: clients send it without being asked to. */
export const accepts = (means: string) => z.unknown().optional().describe(`Accepted: ${means}`);

/** It is refused, but for the values that ask for nothing. */
export const refuses = (means: string, ...but: readonly unknown[]) =>
  z
    .custom<unknown>((value) => [null, undefined, ...but].some((one) => isSame(one, value)), {
      error: `cannot be honoured: ${means}`,
      params: { isRefused: true },
    })
    .optional()
    .meta({ description: `Refused: ${means}`, enum: [null, ...but] });

/** For the few values that stand in the tables. */
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Throws `request/invalid` for the first parameter that cannot be honoured, and for one that is not known. */
export function readHeadRequest<Request>(request: z.ZodObject & z.ZodType<Request>, body: unknown): Request {
  const read = request.safeParse(body);
  if (read.success) return read.data;
  const [first] = read.error.issues.toSorted((one, other) => rank(one) - rank(other));
  return refuse(first as z.core.$ZodIssue, request);
}

/** A parameter that has no place in the request says more than what is wrong with another. */
const rank = (issue: z.core.$ZodIssue): number => (issue.code === 'unrecognized_keys' || isRefused(issue) ? 0 : 1);

const isRefused = (issue: z.core.$ZodIssue): boolean => issue.code === 'custom' && issue.params?.['isRefused'] === true;

function refuse(issue: z.core.$ZodIssue, { shape }: z.ZodObject): never {
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0) {
    const name = (issue.keys[0] ?? '').slice(0, 80);
    const near = didYouMean(name, Object.keys(shape));
    return fail('request/invalid', `The parameter ${JSON.stringify(name)} is not known.${near}`, { param: name });
  }
  const { path, message } = innermost(issue);
  const place = placeOf(path).slice(0, MOST_PLACE);
  if (isRefused(issue)) return fail('request/invalid', `The parameter "${place}" ${message}`, { param: place });
  return invalid(place, message);
}

/** Picks the form that the value fits longest, where it may have several. */
function innermost(
  issue: z.core.$ZodIssue,
  outer: readonly PropertyKey[] = [],
): Pick<z.core.$ZodIssue, 'path' | 'message'> {
  const path = [...outer, ...issue.path];
  if (issue.code === 'unrecognized_keys') return { path: [...path, ...issue.keys.slice(0, 1)], message: issue.message };
  if (issue.code !== 'invalid_union') return { path, message: issue.message };
  const deeper = issue.errors.flat().find((one) => one.path.length > 0);
  return deeper === undefined ? { path, message: issue.message } : innermost(deeper, path);
}

/** Names in a place come from the client. */
const MOST_PLACE = 200;

/** As in `messages[2].content`. An object of a wrong type is wrong as a whole. */
const placeOf = (path: readonly PropertyKey[]): string =>
  (path.at(-1) === 'type' ? path.slice(0, -1) : path)
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`))
    .join('');
