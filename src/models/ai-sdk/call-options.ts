// A request of ours as the options of one AI SDK call: tools, choice, settings, and how each provider is told to
// reason and to hold to a schema. Pure. Only what the agent's file sets is sent.
//
// Structured output: `final_report` stays a tool everywhere, because there are other tools beside it. OpenAI and
// Anthropic enforce its schema while writing (`strict`), where the schema is one that they take. Google enforces
// schemas on plain replies only, so there, with no other tool on offer, the answer is asked for as JSON text.

import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import type { ModelSettings } from '../../kernel/effect.ts';
import type { ToolSpec } from '../../kernel/message.ts';
import { isObjectSchema, type JsonSchema } from '../../kernel/schema.ts';
import { FINAL_REPORT } from '../../kernel/session/final-report.ts';
import { callableOnly } from '../callable-tools.ts';
import type { ProviderRequest } from '../provider.ts';
import { THINKING_TOKENS } from '../reasoning.ts';
import type { RemoteKind } from '../settings.ts';
import { OPTIONS_KEY } from './load-model.ts';
import { type PromptParts, promptOf } from './prompt.ts';
import { isStrict } from './strict.ts';
import { toolNames, type WireForms } from './wire-names.ts';

type Schema = LanguageModelV3FunctionTool['inputSchema'];

export function callOptions(
  asked: ProviderRequest,
  kind: RemoteKind,
  signal: AbortSignal,
  { names = toolNames(asked, kind), bytes }: PromptParts = {},
): LanguageModelV3CallOptions {
  const restriction = restrictionOf(asked, kind, names);
  const request = restriction === undefined ? callableOnly(asked) : asked;
  const { temperature, topP, maxOutputTokens } = request.settings;
  return {
    prompt: promptOf(request, kind, { names, bytes }),
    abortSignal: signal,
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(asJsonText(request, kind) ?? toolOptions(request, kind, names)),
    ...(restriction?.toolChoice && { toolChoice: restriction.toolChoice }),
    providerOptions: withOwn(ownOptions(request.settings, kind), restriction?.providerOptions),
  };
}

/**
 * Keeps a model to the tools that may be called, with the list of tools as it was: OpenAI by a list of names, Anthropic
 * and Google by the name of the only one. Undefined where nothing is restricted, and where that takes another list.
 */
function restrictionOf(
  request: ProviderRequest,
  kind: RemoteKind,
  names: WireForms,
): Pick<LanguageModelV3CallOptions, 'toolChoice' | 'providerOptions'> | undefined {
  const { callable, choice, settings } = request;
  if (callable === undefined || callable.length === 0) return undefined;
  const [only, ...more] = callable.map((name) => names.sent(name));
  switch (kind) {
    case 'openai':
      return { providerOptions: { openai: { allowedTools: { toolNames: [only as string, ...more], mode: choice } } } };
    case 'anthropic':
    case 'google':
      if (more.length > 0 || (kind === 'anthropic' && reasons(settings))) return undefined;
      return { toolChoice: { type: 'tool', toolName: only as string } };
    case 'openai-compatible':
    case 'ai-sdk':
      return undefined;
  }
}

function withOwn(own: SharedV3ProviderOptions, added: SharedV3ProviderOptions | undefined): SharedV3ProviderOptions {
  if (added === undefined) return own;
  const joined = Object.entries(added).map(([key, options]) => [key, { ...own[key], ...options }]);
  return { ...own, ...(Object.fromEntries(joined) as SharedV3ProviderOptions) };
}

function asJsonText(request: ProviderRequest, kind: RemoteKind): Partial<LanguageModelV3CallOptions> | undefined {
  const { output, tools, choice } = request;
  const alone = tools.length === 1 && tools[0]?.name === FINAL_REPORT;
  if (kind !== 'google' || !alone || choice !== 'auto') return undefined;
  if (output.format !== 'json' || !isObjectSchema(output.schema)) return undefined;
  return { responseFormat: { type: 'json', schema: output.schema as Schema } };
}

function toolOptions(
  request: ProviderRequest,
  kind: RemoteKind,
  names: WireForms,
): Partial<LanguageModelV3CallOptions> {
  if (request.tools.length === 0) return {};
  // Anthropic refuses a forced call while it reasons.
  const forced = request.choice === 'required' && !(kind === 'anthropic' && reasons(request.settings));
  return {
    tools: request.tools.map((spec) => ({ ...toolOf(spec, request, kind), name: names.sent(spec.name) })),
    toolChoice: { type: forced ? 'required' : 'auto' },
  };
}

function toolOf(spec: ToolSpec, request: ProviderRequest, kind: RemoteKind): LanguageModelV3FunctionTool {
  const { name, description, parameters } = spec;
  const tool: LanguageModelV3FunctionTool = { type: 'function', name, description, inputSchema: schemaOf(parameters) };
  if (kind === 'openai') {
    // Always sent, because its own default is strict, which refuses most schemas.
    return { ...tool, strict: holdsStrictly(spec, request) };
  }
  return kind === 'anthropic' && holdsStrictly(spec, request) ? { ...tool, strict: true } : tool;
}

const holdsStrictly = (spec: ToolSpec, request: ProviderRequest): boolean =>
  spec.name === FINAL_REPORT && request.output.format === 'json' && isStrict(spec.parameters);

const schemaOf = (schema: JsonSchema): Schema =>
  (typeof schema === 'boolean' ? { type: 'object', properties: {} } : schema) as Schema;

const reasons = ({ reasoning }: ModelSettings): boolean => reasoning !== undefined && reasoning !== 'none';

function ownOptions({ reasoning }: ModelSettings, kind: RemoteKind): SharedV3ProviderOptions {
  if (kind === 'ai-sdk') return {}; // see any-provider.ts
  const key = OPTIONS_KEY[kind];
  switch (kind) {
    case 'openai':
      // OpenAI stores nothing: its reasoning comes back to us encrypted, and is sent again.
      return { [key]: { store: false, ...(reasoning === undefined ? {} : { reasoningEffort: reasoning }) } };
    case 'openai-compatible':
      return reasoning === undefined ? {} : { [key]: { reasoningEffort: reasoning } };
    case 'anthropic': {
      if (reasoning === undefined || reasoning === 'none') return {};
      return { [key]: { thinking: { type: 'enabled', budgetTokens: THINKING_TOKENS[reasoning] } } };
    }
    case 'google': {
      if (reasoning === undefined) return {};
      const thinkingBudget = THINKING_TOKENS[reasoning];
      return { [key]: { thinkingConfig: { thinkingBudget, includeThoughts: thinkingBudget > 0 } } };
    }
  }
}
