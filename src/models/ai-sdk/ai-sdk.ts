// Providers over the network, through the AI SDK's provider packages: one adapter for all of them. It streams, maps
// and classifies, and never throws; it retries nothing, which is failover's work.

import type { LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { fault } from '../../kernel/fault.ts';
import type { ModelEvent, ModelProvider } from '../provider.ts';
import type { Access } from './access.ts';
import { callOptions } from './call-options.ts';
import { modelLoader } from './load-model.ts';
import { buildReply, type ReplyBuilder, reportedUsd, usageOf } from './reply.ts';
import { troubleOf } from './trouble.ts';
import { toolNames } from './wire-names.ts';

export function aiSdk(id: string, access: Access): ModelProvider {
  const load = modelLoader(id, access);
  return {
    id,
    async *stream(request, { signal }) {
      const names = toolNames(request, access.kind);
      const reply = buildReply(access.kind, names);
      try {
        const model = await load(request.model);
        const { stream } = await model.doStream(callOptions(request, access.kind, signal, names));
        for await (const part of stream) {
          if (part.type === 'error') {
            yield troubleOf(part.error, id, signal, Date.now());
            return;
          }
          if (part.type === 'finish') {
            yield endOf(part, reply, id, access);
            return;
          }
          const delta = reply.take(part);
          if (delta !== undefined) yield delta;
        }
        yield { type: 'reply-fault', fault: cutOff(id) };
      } catch (error) {
        yield troubleOf(error, id, signal, Date.now());
      }
    },
  };
}

const cutOff = (id: string) => fault('model/cut-off', `${id} ended the stream before the reply was complete.`);

function endOf(
  part: Extract<LanguageModelV3StreamPart, { type: 'finish' }>,
  reply: ReplyBuilder,
  id: string,
  access: Access,
): ModelEvent {
  const usage = usageOf(part.usage);
  const usd = reportedUsd(part.usage, access.kind);
  const spent = { ...(usage && { usage }), ...(usd === undefined ? {} : { usd }) };
  const message = reply.message();
  const { unified, raw } = part.finishReason;
  switch (unified) {
    case 'stop':
    case 'tool-calls':
      return { type: 'reply-end', message, finish: message.calls.length > 0 ? 'tool-calls' : 'stop', ...spent };
    case 'length':
    case 'content-filter':
      return { type: 'reply-end', message, finish: unified, ...spent };
    case 'other':
      // Some packages send a last part of their own when the server's never came: it then has no reason of its own.
      if (raw === undefined) return { type: 'reply-fault', fault: cutOff(id), ...(usage && { usage }) };
      return { type: 'reply-end', message, finish: message.calls.length > 0 ? 'tool-calls' : 'stop', ...spent };
    case 'error': {
      const malformed = raw === 'MALFORMED_FUNCTION_CALL';
      const why = fault(
        malformed ? 'model/malformed' : 'model/server',
        `${id} ended the reply with an error${raw === undefined ? '' : ` (${raw})`}.`,
      );
      return { type: 'reply-fault', fault: why, ...(usage && { usage }) };
    }
  }
}
