// Checks a request from outside against the cadre before anything is spent: the agent exists, and it takes the input.

import { join } from 'node:path';
import { isTooDeep, TOO_DEEP } from '../base/text/json.ts';
import { nearest } from '../base/text/nearest.ts';
import type { AgentDefinition, CadreDefinition } from '../definition/definition.ts';
import type { RunInput } from '../kernel/effect.ts';
import { fail } from '../kernel/fault.ts';
import { listViolations } from '../kernel/schema.ts';
import { schemaCheck } from '../tools/json-schema.ts';

const LISTED = 12;

/**
 * Finds an agent by its name, with or without `agent__`, or by an alias of cadre.yaml. Throws `agent/unknown`, naming
 * the nearest.
 */
export function agentIn(cadre: CadreDefinition, asked: string): AgentDefinition {
  const found = agentNamed(cadre, asked);
  if (found !== undefined) return found;
  refuseFaulty(cadre, asked);
  const known = [...cadre.agents.keys(), ...Object.keys(cadre.config.aliases ?? {})];
  const near = nearest(asked, known);
  const more = known.length > LISTED ? ` and ${known.length - LISTED} more` : '';
  return fail(
    'agent/unknown',
    `There is no agent ${JSON.stringify(asked.slice(0, 80))} in ${cadre.folder}. It has: ` +
      `${known.slice(0, LISTED).join(', ')}${more}.${near === undefined ? '' : ` Did you mean "${near}"?`}`,
  );
}

/** Throws `agent/invalid` for an agent that is there and cannot run. */
export function refuseFaulty({ faulty, folder }: CadreDefinition, asked: string): void {
  const name = asked.startsWith('agent__') ? asked.slice('agent__'.length) : asked;
  const file = faulty?.get(name);
  if (file === undefined) return;
  fail('agent/invalid', `${name} cannot run: ${file} has errors. See: cadre check ${join(folder, file)}`);
}

/** The same, or undefined if there is none. */
export function agentNamed({ agents, config }: CadreDefinition, asked: string): AgentDefinition | undefined {
  const { aliases = {} } = config;
  const name = asked.startsWith('agent__') ? asked.slice('agent__'.length) : asked;
  const meant = Object.hasOwn(aliases, asked) ? aliases[asked] : name;
  return agents.get(meant ?? name);
}

/** A text, or a JSON value for an agent that takes JSON. Throws `input/invalid` with every violation. */
export function inputFor(agent: AgentDefinition, input: unknown): RunInput {
  if (agent.input.format !== 'json') {
    if (typeof input === 'string' && input.trim() !== '') return { text: input };
    return fail('input/invalid', `${agent.name} takes a text that is not empty.`);
  }
  if (isTooDeep(input)) return fail('input/invalid', `The input of ${agent.name} ${TOO_DEEP}.`);
  const text = JSON.stringify(input) as string | undefined;
  if (text === undefined) return fail('input/invalid', `${agent.name} takes JSON, and this is ${typeof input}.`);
  const data: unknown = JSON.parse(text);
  const violations = schemaCheck(agent.input.schema ?? true, data);
  if (violations.length === 0) return { text, data };
  return fail('input/invalid', `The input does not satisfy what ${agent.name} takes:\n${listViolations(violations)}`, {
    violations,
  });
}

const LABEL = /^[\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,63}$/u;

/** The label as a field of a request. */
export function labelOf({ label }: { readonly label?: string }): { readonly label?: string } {
  if (label === undefined) return {};
  if (!LABEL.test(label)) fail('usage', 'A label has up to 64 letters, digits, spaces, "_", "." and "-".');
  return { label };
}
