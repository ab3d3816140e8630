// Providers over the network, through the AI SDK's provider packages: one adapter for all of them. It streams, maps
// and classifies, and never throws. It does not retry: failover does.

import type { LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { fault } from '../../kernel/fault.ts';
import { callableOnly } from '../callable-tools.ts';
import type { BytesOf, ModelEvent, ModelProvider, ProviderRequest } from '../provider.ts';
import type { AiSdkProvider } from '../provider-instance.ts';
import type { RemoteKind } from '../settings.ts';
import { digestsIn } from '../shown-files.ts';
import type { Access, OwnKind } from './access.ts';
import { asV3, familyOf, reasoningFor } from './any-provider.ts';
import { callOptions } from './call-options.ts';
import { type ModelLoader, modelLoader } from './load-model.ts';
import type { FileBytes } from './prompt.ts';
import { rehearse, rehearsedAnswer } from './rehearsal.ts';
import { buildReply, type ReplyBuilder, reportedUsd, usageOf } from './reply.ts';
import { requestSender } from './sent-request.ts';
import { troubleOf } from './trouble.ts';
import { toolNames } from './wire-names.ts';

/** One of the kinds whose package comes with Cadre. */
export const aiSdk = (id: string, access: Access): ModelProvider =>
  adapted(id, modelLoader(id, access, requestSender(rehearsedOnce(access.kind))), () => access.kind);

/** A provider that needs no server. */
export const rehearsal = (kind: OwnKind): ModelProvider =>
  adapted(
    'rehearsal',
    modelLoader('rehearsal', noServer(kind), async () => rehearsedAnswer(kind)),
    () => kind,
  );

const noServer = (kind: OwnKind): Access => ({
  kind,
  apiKey: 'none',
  baseUrl: 'http://rehearsal.invalid',
  headers: {},
});

/** The kinds that this process has rehearsed. */
const rehearsed = new Set<OwnKind>();

const rehearsedOnce = (kind: OwnKind) => (): void => {
  if (rehearsed.has(kind)) return;
  rehearsed.add(kind);
  void rehearse(rehearsal(kind));
};

/** Any provider of the AI SDK. How it is spoken to depends on whose model it is. */
export const anyAiSdk = (id: string, provider: AiSdkProvider): ModelProvider =>
  // Nobody knows which of its models can be kept to some of their tools.
  adapted(id, async (model) => asV3(provider.languageModel(model), id), familyOf, callableOnly);

function adapted(
  id: string,
  load: ModelLoader,
  kindOf: (model: LanguageModelV3) => RemoteKind,
  sent: (request: ProviderRequest) => ProviderRequest = (request) => request,
): ModelProvider {
  return {
    id,
    async *stream(asked, { signal, bytesOf }) {
      const request = sent(asked);
      let parts: ReadableStreamDefaultReader<LanguageModelV3StreamPart> | undefined;
      try {
        const model = await load(request.model);
        const kind = kindOf(model);
        const names = toolNames(request, kind);
        const reply = buildReply(kind, names);
        const bytes = await bytesIn(request, bytesOf);
        const options = callOptions(request, kind, signal, { names, bytes });
        const { stream } = await model.doStream({ ...options, ...reasoningFor(model, kind, request.settings) });
        parts = stream.getReader(); // an iterator of a stream takes several times as long for each part
        for (;;) {
          const { done, value: part } = await parts.read();
          if (done) break;
          if (part.type === 'error') {
            yield troubleOf(part.error, id, signal, Date.now());
            return;
          }
          if (part.type === 'finish') {
            yield endOf(part, reply, id, kind);
            return;
          }
          const delta = reply.take(part);
          if (delta !== undefined) yield delta;
        }
        yield { type: 'reply-fault', fault: cutOff(id) };
      } catch (error) {
        yield troubleOf(error, id, signal, Date.now());
      } finally {
        parts?.cancel().catch(() => {}); // a stream that broke has told its reader
      }
    },
  };
}

const NO_BYTES: FileBytes = new Map();

/** The bytes of the files in a request. Most have none. */
async function bytesIn(request: ProviderRequest, bytesOf: BytesOf | undefined): Promise<FileBytes> {
  const digests = bytesOf === undefined ? [] : digestsIn(request);
  if (bytesOf === undefined || digests.length === 0) return NO_BYTES;
  return new Map(await Promise.all(digests.map(async (digest) => [digest, await bytesOf(digest)] as const)));
}

const cutOff = (id: string) => fault('model/cut-off', `${id} ended the stream before the reply was complete.`);

function endOf(
  part: Extract<LanguageModelV3StreamPart, { type: 'finish' }>,
  reply: ReplyBuilder,
  id: string,
  kind: RemoteKind,
): ModelEvent {
  const usage = usageOf(part.usage);
  const usd = reportedUsd(part.usage, kind);
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
      // Some packages send a last part themselves when the server's never came: it then has no raw reason.
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
