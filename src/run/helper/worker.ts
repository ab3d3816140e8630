// The process that calls the models of one helper. It gets the sources of these models on stdin, and the keys that they
// name in its environment; it has no journal, no tools and nobody to ask.
// WORKER-1. When stdin ends, the parent is gone or wants this process to end: every call is aborted, and it ends.

import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { readScript } from '../../base/disk/regular.ts';
import type { TemplatedText } from '../../definition/definition.ts';
import { resolveTemplate, resolveTemplates } from '../../definition/read/variables.ts';
import { fail, faultOf } from '../../kernel/fault.ts';
import { listViolations } from '../../kernel/schema.ts';
import type { ModelEvent, ProviderRequest } from '../../models/provider.ts';
import { type ModelRegistry, openModelRegistry } from '../../models/registry/model-registry.ts';
import type { ModelSources } from '../../models/settings.ts';
import { encodeEnvelope, type ParentEnvelope, parseParent } from './contract.ts';

export async function serveSubagent(input: Readable, output: Writable): Promise<void> {
  const calls = new Map<number, AbortController>();
  const sameMessages = openMessages();
  let registry: ModelRegistry | undefined;
  try {
    for await (const line of createInterface({ input })) {
      const envelope = understood(line);
      if (envelope.type === 'start')
        registry = openModels(envelope.job as { readonly sources: ModelSources<TemplatedText> });
      else if (envelope.type === 'stop') calls.get(envelope.id)?.abort();
      else {
        const call = new AbortController();
        calls.set(envelope.id, call);
        const request = { ...envelope.request, messages: sameMessages(envelope.request) };
        void answer(
          { ...envelope, request },
          registry ?? fail('internal', 'a call came before the start'),
          call.signal,
          output,
        ).finally(() => calls.delete(envelope.id));
      }
    }
  } finally {
    for (const call of calls.values()) call.abort(); // WORKER-1
    await registry?.close();
  }
  if (registry === undefined)
    fail('usage', 'stdin ended before a start envelope came. This command is for Cadre itself.');
}

function understood(line: string): ParentEnvelope {
  const parsed = parseParent(line);
  if ('envelope' in parsed) return parsed.envelope;
  return fail('internal', `The parent of this sub-agent sent a bad message: ${listViolations(parsed.violations)}`);
}

/** The same list for the same turn: a script knows a further attempt by it. */
function openMessages(): (request: ProviderRequest) => ProviderRequest['messages'] {
  const latest = new Map<string, { readonly text: string; readonly messages: ProviderRequest['messages'] }>();
  return ({ session, messages }) => {
    const text = JSON.stringify(messages);
    const before = latest.get(session);
    if (before?.text === text) return before.messages;
    latest.set(session, { text, messages });
    return messages;
  };
}

/** Never rejects. */
async function answer(
  { id, model, request }: Extract<ParentEnvelope, { type: 'call' }>,
  registry: ModelRegistry,
  signal: AbortSignal,
  output: Writable,
): Promise<void> {
  const send = (event: ModelEvent): void => void output.write(encodeEnvelope({ type: 'event', id, event }));
  try {
    const resolved = await registry.resolve(model);
    if (!resolved.ok) return send({ type: 'reply-fault', fault: resolved.fault });
    const { provider, model: name } = resolved.value;
    for await (const event of provider.stream({ ...request, model: name }, { signal })) {
      if (signal.aborted) return;
      send(event);
    }
  } catch (thrown) {
    send({ type: 'reply-fault', fault: faultOf(thrown) });
  }
}

const openModels = ({ sources }: { readonly sources: ModelSources<TemplatedText> }): ModelRegistry =>
  openModelRegistry<TemplatedText>(sources, {
    env: (name) => process.env[name],
    fill: (value) => resolveTemplate(value, process.env),
    fillOptions: (options) => resolveTemplates(options, process.env) as object,
    read: readScript,
  });
