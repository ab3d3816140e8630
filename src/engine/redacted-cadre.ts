// A cadre as it is recorded and run: its agents' texts without secrets. The configuration stays as it is, because the
// live world needs its keys; only its text, which every run pins, is redacted.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentDefinition, CadreDefinition } from '../agents/definition.ts';
import { redactedValue } from '../world/redacted.ts';
import type { Secrets } from '../world/secrets.ts';

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
 * A pinned text whose secrets were taken out before it was stored: today's file, if that differs in nothing else. A
 * run that is taken up again needs the keys that are written out in cadre.yaml.
 */
export async function withSecretsOfToday(pinned: string, folder: string, file: string): Promise<string> {
  const parts = pinned.split(/\[redacted:[^\]\n]*\]/);
  if (parts.length === 1) return pinned;
  const today = await readFile(join(folder, file), 'utf8').catch(() => '');
  const pattern = parts.map((part) => part.replace(/[\\^$.|?+*()[\]{}]/g, '\\$&')).join('[^]{1,4000}?');
  return new RegExp(`^${pattern}$`).test(today) ? today : pinned;
}
