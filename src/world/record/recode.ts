// Values as the journal will hold them, so that a first run sees what a replay will see.

import type { OpResult } from '../../journal/event.ts';
import type { SettledResult } from '../../kernel/effect.ts';

export const recodeResult = (settled: SettledResult): OpResult =>
  settled.ok ? { ok: true, value: recodeJson(settled.value) } : { ok: false, fault: recodeJson(settled.fault) };

/** The value after a round trip through JSON. Most values would not change, and are returned as they are. */
export function recodeJson<Value>(value: Value): Value {
  if (isPlain(value)) return value;
  return (value === undefined ? null : JSON.parse(JSON.stringify(value))) as Value;
}

function isPlain(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'object': {
      if (value === null) return true;
      if (Array.isArray(value)) return value.every(isPlain);
      if (Object.getPrototypeOf(value) !== Object.prototype || 'toJSON' in value) return false;
      for (const key in value) if (!isPlain((value as Record<string, unknown>)[key])) return false;
      return true;
    }
    default:
      return false;
  }
}
