// A cadre as it is recorded and run: its agents' texts without secrets. The configuration stays as it is, because the
// live world needs its keys. Only its text, which every run pins, is redacted.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentDefinition, CadreDefinition } from '../definition/definition.ts';
import { redactedValue } from './redacted-value.ts';
import type { Secrets } from './secrets.ts';

export function redactedCadre(cadre: CadreDefinition, secrets: Secrets): CadreDefinition {
  const texts = redactedMap(cadre.texts, (text) => secrets.redact(text));
  const agents = redactedMap(cadre.agents, (agent: AgentDefinition) => redactedValue(agent, secrets));
  return texts === cadre.texts && agents === cadre.agents ? cadre : { ...cadre, texts, agents };
}

function redactedMap<Value>(
  map: ReadonlyMap<string, Value>,
  redact: (value: Value) => Value,
): ReadonlyMap<string, Value> {
  const made = [...map].map(([name, value]) => [name, redact(value)] as const);
  return made.every(([name, value]) => map.get(name) === value) ? map : new Map(made);
}

/**
 * Returns today's file for a pinned text whose secrets were redacted before it was stored, if they differ in nothing
 * else. A resumed run needs the keys that are written out in cadre.yaml.
 */
export async function withSecretsOfToday(pinned: string, folder: string, file: string): Promise<string> {
  const parts = pinned.split(/\[redacted:[^\]\n]{1,200}\]/);
  if (parts.length === 1) return pinned;
  const today = await readFile(join(folder, file), 'utf8').catch(() => '');
  return holdsInOrder(today, parts) ? today : pinned;
}

/**
 * Does the text consist of these parts, with something between each two? Each part is taken where it first occurs, so
 * that no backtracking is needed: a later place would only leave less text for the parts that follow.
 */
function holdsInOrder(text: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let end = first.length;
  for (const part of parts.slice(1, -1)) {
    const at = text.indexOf(part, end + 1);
    if (at < 0) return false;
    end = at + part.length;
  }
  return end + 1 <= text.length - last.length;
}
