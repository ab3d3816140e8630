// Collects the parts of one streamed reply into our message. Knows neither network nor faults.

import type { LanguageModelV3StreamPart, LanguageModelV3Usage, SharedV3ProviderMetadata } from '@ai-sdk/provider';
import { parseJson } from '../../base/text/json.ts';
import type { AssistantMessage, ToolCall } from '../../kernel/message.ts';
import type { Usage } from '../../kernel/usage.ts';
import type { ModelEvent } from '../provider.ts';
import type { RemoteKind } from '../settings.ts';
import type { Echo } from './echo.ts';
import type { WireForms } from './wire-names.ts';

/** A part while it arrives. */
type ReplyPiece =
  | { readonly kind: 'text' | 'reasoning'; text: string; meta?: SharedV3ProviderMetadata }
  | { readonly kind: 'call'; readonly call: ToolCall; meta?: SharedV3ProviderMetadata };

export interface ReplyBuilder {
  /** Takes in a part, and returns its delta if it has one. */
  take(part: LanguageModelV3StreamPart): ModelEvent | undefined;
  message(): AssistantMessage;
}

/** `names` maps the names that were sent back to the tools' own. */
export function buildReply(kind: RemoteKind, names: Pick<WireForms, 'meant'>): ReplyBuilder {
  const pieces: ReplyPiece[] = [];
  const open = new Map<string, Extract<ReplyPiece, { text: string }>>();
  const callNames = new Map<string, string>();

  const piece = (what: 'text' | 'reasoning', id: string): Extract<ReplyPiece, { text: string }> => {
    let found = open.get(`${what} ${id}`);
    if (found === undefined) {
      found = { kind: what, text: '' };
      pieces.push(found);
      open.set(`${what} ${id}`, found);
    }
    return found;
  };
  const begin = (what: 'text' | 'reasoning', id: string) => {
    open.delete(`${what} ${id}`);
    return piece(what, id);
  };

  return {
    take(part) {
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start':
          note(begin(part.type === 'text-start' ? 'text' : 'reasoning', part.id), part.providerMetadata);
          return undefined;
        case 'text-end':
        case 'reasoning-end':
          note(piece(part.type === 'text-end' ? 'text' : 'reasoning', part.id), part.providerMetadata);
          return undefined;
        case 'text-delta':
        case 'reasoning-delta': {
          const into = piece(part.type === 'text-delta' ? 'text' : 'reasoning', part.id);
          into.text += part.delta;
          note(into, part.providerMetadata);
          return part.delta === '' ? undefined : { type: part.type, text: part.delta };
        }
        case 'tool-input-start':
          callNames.set(part.id, names.meant(part.toolName));
          return undefined;
        case 'tool-input-delta':
          return { type: 'call-delta', name: callNames.get(part.id) ?? '', text: part.delta };
        case 'tool-call': {
          if (part.providerExecuted === true) return undefined;
          const call = parseCall(part.toolCallId, names.meant(part.toolName), part.input);
          const made: ReplyPiece = { kind: 'call', call };
          note(made, part.providerMetadata);
          pieces.push(made);
          return undefined;
        }
        default:
          return undefined;
      }
    },
    message: () => assemble(pieces, kind),
  };
}

function note(piece: ReplyPiece, meta: SharedV3ProviderMetadata | undefined): void {
  if (meta === undefined) return;
  const merged: SharedV3ProviderMetadata = { ...piece.meta };
  for (const [key, value] of Object.entries(meta)) merged[key] = { ...merged[key], ...value };
  piece.meta = merged;
}

function parseCall(id: string, name: string, input: string): ToolCall {
  if (input.trim() === '') return { id, name, arguments: {} };
  try {
    return { id, name, arguments: parseJson(input) };
  } catch {
    return { id, name, arguments: null, malformed: input }; // judged in attempt.ts
  }
}

function assemble(pieces: readonly ReplyPiece[], kind: RemoteKind): AssistantMessage {
  const join = (what: 'text' | 'reasoning') => pieces.flatMap((one) => (one.kind === what ? one.text : [])).join('');
  const reasoning = join('reasoning');
  const echo: Echo = {
    from: kind,
    parts: pieces
      .filter((one) => one.kind === 'call' || one.text !== '' || one.meta !== undefined)
      .map((one) => {
        const meta = one.meta === undefined ? {} : { meta: one.meta };
        return one.kind === 'call'
          ? { kind: 'call', id: one.call.id, ...meta }
          : { kind: one.kind, chars: one.text.length, ...meta };
      }),
  };
  return {
    role: 'assistant',
    text: join('text'),
    calls: pieces.flatMap((one) => (one.kind === 'call' ? one.call : [])),
    ...(reasoning === '' ? {} : { reasoning }),
    ...(pieces.some((one) => one.meta !== undefined) ? { echo } : {}),
  };
}

export function usageOf({ inputTokens, outputTokens }: LanguageModelV3Usage): Usage | undefined {
  // An incomplete report does not count: what it leaves out would count as 0.
  if (inputTokens.total === undefined || outputTokens.total === undefined) return undefined;
  return {
    input: inputTokens.total,
    output: outputTokens.total,
    ...(inputTokens.cacheRead ? { cacheRead: inputTokens.cacheRead } : {}),
    ...(inputTokens.cacheWrite ? { cacheWrite: inputTokens.cacheWrite } : {}),
    ...(outputTokens.reasoning ? { reasoning: outputTokens.reasoning } : {}),
  };
}

/** Some routers say what a call cost, in USD, beside its tokens. */
export function reportedUsd(usage: LanguageModelV3Usage, kind: RemoteKind): number | undefined {
  const cost = kind === 'openai-compatible' ? usage.raw?.['cost'] : undefined;
  return typeof cost === 'number' && cost >= 0 ? cost : undefined;
}
