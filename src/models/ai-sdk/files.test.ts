// Pictures and documents as each provider gets them: against a server that is not ours, and by the bodies that their
// documentation shows.

import { readFileSync } from 'node:fs';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pdf, pictureRef, png } from '../../../test/support/media.ts';
import { type ModelServer, modelServer, type WireKind } from '../../../test/support/model-server.ts';
import type { FileRef } from '../../kernel/file-ref.ts';
import { type Message, user } from '../../kernel/message.ts';
import { sampleRequest } from '../provider.conformance.ts';
import type { BytesOf, ModelEvent, ModelProvider } from '../provider.ts';
import { aiSdk } from './ai-sdk.ts';

const shot: FileRef = pictureRef('shot.png', { digest: '1'.repeat(64) });
const plan: FileRef = pictureRef('plan.pdf', { digest: '2'.repeat(64), type: 'application/pdf', pages: 1 });
const picture = png(2, 2);
const paper = pdf(1);
const bytesOf: BytesOf = async (digest) => Uint8Array.from(digest === shot.digest ? picture : paper);
const IMAGE = picture.toString('base64');
const PDF = paper.toString('base64');

const asked: Message = { role: 'user', text: 'What is this?', files: [shot, plan] };
const beside: Message = { role: 'user', text: '{"a":1}', files: [shot], beside: '[file 1: shot.png]' };
const byTool: readonly Message[] = [
  user('Look at it.'),
  { role: 'assistant', text: '', calls: [{ id: 'c1', name: 'read_file', arguments: { path: 'shot.png' } }] },
  {
    role: 'tool',
    call: 'c1',
    name: 'read_file',
    result: { status: 'ok', text: 'It shows:', shown: { files: [shot], handle: '0.1', tokens: 9 } },
  },
];

async function answered(provider: ModelProvider, model: string, messages: readonly Message[]): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  const options = { signal: new AbortController().signal, bytesOf };
  for await (const event of provider.stream(sampleRequest({ model, messages }), options)) events.push(event);
  return events;
}

/** The messages of a body, wherever its provider has them. */
async function sent(kind: WireKind, messages: readonly Message[]): Promise<readonly Record<string, unknown>[]> {
  const server: ModelServer = await modelServer(() => ({ text: 'Done.' }));
  try {
    const access = { kind, apiKey: 'key', baseUrl: server.base(kind), headers: {} };
    const events = await answered(aiSdk('far', access), 'm', messages);
    expect(events.at(-1)).toMatchObject({ type: 'reply-end', message: { text: 'Done.' } });
    const body = server.asked[0]?.body ?? {};
    const list = (body['messages'] ?? body['contents'] ?? body['input']) as readonly Record<string, unknown>[];
    return list.filter(({ role }) => role !== 'system' && role !== 'developer');
  } finally {
    await server.close();
  }
}

interface DocumentedParts {
  /** The page of the provider's documentation that shows these parts, and another one. */
  readonly page: string;
  readonly also: string;
  readonly content: readonly Record<string, unknown>[];
}

/** The parts of a message as a provider's documentation shows them, with our text, picture and document in their places. */
function documented(kind: WireKind): readonly Record<string, unknown>[] {
  const text = readFileSync(new URL(`../../../test/fixtures/file-parts/${kind}.json`, import.meta.url), 'utf8');
  const ours = { '<text>': 'What is this?', '<name>': 'plan.pdf', '<image>': IMAGE, '<pdf>': PDF };
  const filled = Object.entries(ours).reduce((all, [place, own]) => all.replaceAll(place, own), text);
  return (JSON.parse(filled) as DocumentedParts).content;
}

const KINDS: readonly WireKind[] = ['openai', 'anthropic', 'google', 'openai-compatible'];

/** The fields that the SDK adds: all of them are optional in the documentation. */
const ADDED: ReadonlySet<string> = new Set(['cache_control', 'title', 'detail', 'citations', 'context']);

const withoutAdded = (part: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(part).filter(([key]) => !ADDED.has(key)));

test.each(KINDS)('%s gets a picture and a document in the parts that its documentation shows', async (kind) => {
  const [message] = await sent(kind, [asked]);
  expect(message?.['role']).toBe('user');
  const parts = (message?.['content'] ?? message?.['parts']) as readonly Record<string, unknown>[];
  expect(parts.map(withoutAdded)).toEqual(documented(kind));
});

test.each(KINDS)(
  '%s gets the picture of a tool after the results, and the lines beside JSON as a part',
  async (kind) => {
    const byTools = JSON.stringify(await sent(kind, byTool));
    expect(byTools.indexOf('It shows:')).toBeGreaterThan(0);
    expect(byTools.indexOf(IMAGE)).toBeGreaterThan(byTools.indexOf('[What read_file shows]'));
    expect(byTools.indexOf('[What read_file shows]')).toBeGreaterThan(byTools.indexOf('It shows:'));
    const withLines = JSON.stringify(await sent(kind, [beside]));
    expect(withLines).toContain('"[file 1: shot.png]"');
  },
);

const MODELS: Readonly<Record<WireKind, readonly [path: string, model: string]>> = {
  openai: ['/v1', 'gpt-5'],
  anthropic: ['/v1', 'claude-sonnet-4-5'],
  google: ['/v1beta', 'gemini-2.5-flash'],
  'openai-compatible': ['/v1', 'local'],
};

describe.each(KINDS)('a server that is not ours takes them as %s', (kind) => {
  let mock: LLMock;
  beforeAll(async () => {
    mock = new LLMock({ port: 0 });
    mock.onMessage('What is this?', { content: 'A grey square.' });
    await mock.start();
  });
  afterAll(() => mock.stop());

  test('with a picture and a document', async () => {
    const [path, model] = MODELS[kind];
    const provider = aiSdk('mock', { kind, apiKey: 'key', baseUrl: `${mock.url}${path}`, headers: {} });
    const events = await answered(provider, model, [asked]);
    expect(events.at(-1)).toMatchObject({ type: 'reply-end', message: { text: 'A grey square.' } });
    const [taken] = mock.getRequests();
    expect(JSON.stringify(taken?.body)).toContain('What is this?');
  });
});

test('a file that the store does not have any more ends the call with that fault', async () => {
  const access = { kind: 'openai', apiKey: 'key', baseUrl: 'http://127.0.0.1:1/v1', headers: {} } as const;
  const gone = { signal: new AbortController().signal, bytesOf: () => Promise.reject(new Error('gone')) };
  const events: ModelEvent[] = [];
  for await (const event of aiSdk('far', access).stream(sampleRequest({ model: 'm', messages: [asked] }), gone))
    events.push(event);
  expect(events).toMatchObject([{ type: 'reply-fault', fault: { message: expect.stringContaining('gone') } }]);
});
