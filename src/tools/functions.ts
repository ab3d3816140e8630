// Tools made from functions of the host program.

import type { StandardSchemaV1 } from '@standard-schema/spec';
import { isTooDeep, TOO_DEEP } from '../base/text/json.ts';
import { errorResult, type ToolResult } from '../kernel/message.ts';
import { type JsonSchema, listViolations } from '../kernel/schema.ts';
import { wrongArguments } from '../kernel/session/notices.ts';
import type { InputOf } from './input-of.ts';
import { jsonSchemaOf, standardViolations } from './standard-input.ts';
import type { Tool, ToolContext, ToolSource } from './tool.ts';
import { isToolName } from './tool-name.ts';

interface FunctionParts {
  /** `[a-zA-Z0-9_-]`, at most 64 characters. */
  readonly name: string;
  readonly description: string;
  /** May a call be made again when a crash left its outcome unknown? Default: never. */
  readonly repeat?: 'safe' | 'never';
}

/** A tool whose input a JSON Schema describes. Written out in place, the schema gives `run` the type of its input. */
export interface FunctionTool<Input> extends FunctionParts {
  /** The JSON Schema of `Input`: what `run` gets has passed it. */
  readonly parameters: JsonSchema;
  readonly input?: undefined;
  /** Its value becomes the result: text as it is, anything else as JSON. A throw becomes an error result. */
  run(input: Input, context: ToolContext): unknown;
}

/** The same, typed by the schema itself. */
export interface SchemaTool<Schema extends JsonSchema> extends FunctionTool<InputOf<Schema>> {
  readonly parameters: Schema;
}

/** A tool whose input a Standard Schema describes, such as one of zod. */
interface StandardTool<Schema extends StandardSchemaV1> extends FunctionParts {
  /** The input of `run` has passed it, with the changes that it makes. */
  readonly input: Schema;
  /** The JSON Schema that models see. Default: the one that the schema provides. */
  readonly parameters?: JsonSchema;
  run(input: StandardSchemaV1.InferOutput<Schema>, context: ToolContext): unknown;
}

export function tool<const Schema extends JsonSchema>(definition: SchemaTool<Schema>): Tool;
export function tool<Schema extends StandardSchemaV1>(definition: StandardTool<Schema>): Tool;
export function tool<Input = unknown>(definition: FunctionTool<Input>): Tool;
export function tool(definition: AnyFunctionTool): Tool {
  const { name, description, repeat = 'never', input: schema } = definition;
  if (!isToolName(name)) {
    throw new TypeError(`A tool cannot be named "${name}": use 1 to 64 of the letters a-z, A-Z, 0-9, "_" and "-".`);
  }
  const parameters = definition.parameters ?? (schema && jsonSchemaOf(schema, name)) ?? noSchema(name);
  return {
    spec: { name, description, parameters },
    repeat,
    async execute(given, context) {
      const unchecked: StandardSchemaV1.Result<unknown> = { value: given };
      const checked = schema === undefined ? unchecked : await schema['~standard'].validate(given);
      if (checked.issues) return errorResult(wrongArguments(name, listViolations(standardViolations(checked))));
      return output(name, await definition.run(checked.value as never, context));
    },
  };
}

/** Any of the forms that `tool` takes. */
export type AnyFunctionTool = FunctionTool<never> | StandardTool<StandardSchemaV1<unknown, never>>;

function noSchema(name: string): never {
  throw new TypeError(
    `The tool "${name}" has neither \`parameters\` (a JSON Schema) nor \`input\` (a Standard Schema).`,
  );
}

/** A source of the tools that one program hands in. */
export const functionSource = (name: string, tools: readonly Tool[]): ToolSource => ({
  name,
  tools: async () => tools,
  async close() {},
});

function output(name: string, value: unknown): string | ToolResult {
  if (typeof value === 'string') return value;
  if (value === undefined) return 'done';
  if (isToolResult(value)) return value;
  if (isTooDeep(value)) throw new TypeError(`What ${name} returned ${TOO_DEEP}.`);
  const text: string | undefined = JSON.stringify(value, undefined, 2);
  if (text === undefined) throw new TypeError(`${name} returned a ${typeof value}, which cannot be shown to a model.`);
  return text;
}

/** Only an exact result counts: the program's own data that happens to have a `status` stays data. */
const isToolResult = (value: unknown): value is ToolResult =>
  typeof value === 'object' &&
  value !== null &&
  'status' in value &&
  (value.status === 'ok' || value.status === 'error') &&
  'text' in value &&
  typeof value.text === 'string' &&
  Object.keys(value).length === 2;
