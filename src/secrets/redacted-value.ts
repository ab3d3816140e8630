// Values without secrets: texts and names of keys, however deep; faults, and what was thrown.

import { type Fault, FaultError } from '../kernel/fault.ts';
import { asRecorded, type Redactor } from '../kernel/redacted.ts';
import { redactedExcerpt } from '../tools/cut.ts';

/** The longest message of a fault: a page of HTML is not a message. */
const LONGEST_MESSAGE = 4000;

/** A fault from outside, with its message cut to `longest` characters. The code that makes a fault does not cut it. */
export function redactedFault(fault: Fault, secrets: Redactor, longest = LONGEST_MESSAGE): Fault {
  const clean = redactedValue(fault, secrets);
  if (clean.message.length <= longest) return clean;
  return { ...clean, message: `${redactedExcerpt(asRecorded(clean.message), 0, longest)}…` };
}

/** Texts and names of keys, however deep. What holds no secret is given back as it is, not copied. */
export function redactedValue<Value>(value: Value, secrets: Redactor): Value {
  return deeply(value, secrets) as Value;
}

/** Nearly always nothing is found: nothing is copied before the first find, and nothing is looked at twice. */
function deeply(value: unknown, secrets: Redactor): unknown {
  if (typeof value === 'string') return secrets.redact(value);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? redactedList(value, secrets) : redactedFields(value, secrets);
}

function redactedList(list: readonly unknown[], secrets: Redactor): unknown {
  let made: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const clean = deeply(list[index], secrets);
    if (made === undefined && clean !== list[index]) made = list.slice(0, index);
    made?.push(clean);
  }
  return made ?? list;
}

function redactedFields(fields: object, secrets: Redactor): unknown {
  let made: [string, unknown][] | undefined;
  for (const name in fields) {
    const inner = fields[name as never] as unknown;
    const cleanName = secrets.redact(name);
    const clean = deeply(inner, secrets);
    if (made === undefined && (cleanName !== name || clean !== inner)) made = fieldsBefore(name, fields);
    made?.push([cleanName, clean]);
  }
  return made === undefined ? fields : Object.fromEntries(made);
}

function fieldsBefore(name: string, fields: object): [string, unknown][] {
  const entries = Object.entries(fields);
  return entries.slice(
    0,
    entries.findIndex(([one]) => one === name),
  );
}

/** The value of some work as it is, or its throw without secrets. */
export async function thrownRedacted<Value>(work: () => Value | Promise<Value>, secrets: Redactor): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    throw redactedThrow(thrown, secrets);
  }
}

function redactedThrow(thrown: unknown, secrets: Redactor): unknown {
  if (thrown instanceof FaultError) {
    const fault = redactedFault(thrown.fault, secrets);
    return fault === thrown.fault ? thrown : new FaultError(fault);
  }
  if (!(thrown instanceof Error)) return typeof thrown === 'string' ? secrets.redact(thrown) : thrown;
  const message = secrets.redact(thrown.message);
  return message === thrown.message ? thrown : new Error(message);
}
