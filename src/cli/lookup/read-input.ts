// Reads the input of a run from the command line or a pipe, and checks it against the agent's input contract before
// anything is spent. A fault says how to phrase the input.

import { explainJsonError, readJson } from '../../base/text/json.ts';
import type { AgentDefinition } from '../../definition/definition.ts';
import { inputFor } from '../../engine/request.ts';
import type { RunInput } from '../../kernel/effect.ts';
import { fail, faultOf } from '../../kernel/fault.ts';
import type { JsonSchema } from '../../kernel/schema.ts';
import { oneLine } from '../render/width.ts';

/** The most that may come through a pipe. Longer material belongs in files that the agent reads. */
const MOST_BYTES = 16 * 1024 * 1024;

/** `-` reads stdin to its end; so does a missing input if stdin is not a terminal. */
export async function readGivenText(given: string | undefined): Promise<string | undefined> {
  if (given !== undefined && given !== '-') return given;
  const { stdin } = process; // opened only where it is wanted: it costs 3 ms
  if (stdin.isTTY === true && given === undefined) return undefined;
  const text = await readAll(stdin);
  return text.trim() === '' ? undefined : text.replace(/\r?\n$/, '');
}

async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MOST_BYTES) fail('usage', `The input from stdin is longer than ${MOST_BYTES} bytes.`);
  }
  const bytes = Buffer.concat(chunks);
  const { isUtf8 } = await import('node:buffer');
  if (!isUtf8(bytes)) fail('usage', 'The input from stdin is not text in UTF-8.');
  return bytes.toString('utf8');
}

/** Throws `usage` if there is no input, and `input/invalid` with every violation if it does not fit. */
export function inputOf(agent: AgentDefinition, text: string | undefined, asked = agent.name): RunInput {
  if (text === undefined || text.trim() === '') {
    fail('usage', `${agent.name} needs an input.\n${howToPhrase(agent, asked)}`);
  }
  try {
    return inputFor(agent, valueOf(agent, text));
  } catch (thrown) {
    const { code, message, details } = faultOf(thrown);
    return fail(code, `${message}\n${howToPhrase(agent, asked)}`, details);
  }
}

/** The value of a text for an agent: the text itself, or the JSON that it holds. */
export function valueOf(agent: AgentDefinition, text: string): unknown {
  if (agent.input.format !== 'json') return text;
  const parsed = readJson(text);
  if (parsed.ok) return parsed.value;
  return fail('input/invalid', `${agent.name} expects JSON, but the input ${oneLine(explainJsonError(parsed))}`);
}

/** The agent's own `usage`, and the command to type. */
export function howToPhrase(agent: AgentDefinition, asked = agent.name): string {
  const usage = agent.usage === undefined ? '' : `How to phrase it: ${agent.usage.trim()}\n`;
  const sample = agent.input.format === 'json' ? `'${JSON.stringify(sampleOf(agent.input.schema ?? true))}'` : '"…"';
  return `${usage}Like this: cadre run ${asked} ${sample}`;
}

const DEEPEST = 4;

/** A value of the schema's form, for a person to fill in. */
export function sampleOf(schema: JsonSchema, depth = 0): unknown {
  if (typeof schema === 'boolean') return '…';
  for (const key of ['const', 'default'] as const) if (schema[key] !== undefined) return schema[key];
  for (const key of ['enum', 'examples'] as const) {
    const values = schema[key];
    if (Array.isArray(values) && values.length > 0) return values[0] as unknown;
  }
  const type = Array.isArray(schema['type']) ? (schema['type'] as unknown[])[0] : schema['type'];
  if (type === 'object' || 'properties' in schema) return depth < DEEPEST ? sampleObject(schema, depth) : {};
  if (type === 'array') return depth < DEEPEST ? [sampleOf((schema['items'] ?? true) as JsonSchema, depth + 1)] : [];
  if (type === 'integer' || type === 'number') return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
  if (type === 'boolean') return true;
  return type === 'null' ? null : '…';
}

function sampleObject(schema: { readonly [key: string]: unknown }, depth: number): Record<string, unknown> {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  const shown = required.length > 0 ? properties.filter(([name]) => required.includes(name)) : properties.slice(0, 4);
  return Object.fromEntries(shown.map(([name, of]) => [name, sampleOf(of, depth + 1)]));
}
