// A conversation that began at one provider and goes on at another: what the next one is sent must be what it takes.

import { afterEach, describe, expect, test } from 'vitest';
import { type ModelServer, modelServer, type WireKind } from '../../../test/support/model-server.ts';
import { errorResult, type Message, okResult, type ToolCall, user } from '../../kernel/message.ts';
import { collectEvents, sampleRequest, TOOLS } from '../provider.conformance.ts';
import type { ModelEvent } from '../provider.ts';
import { aiSdk } from './ai-sdk.ts';

const KINDS: readonly WireKind[] = ['openai', 'anthropic', 'google', 'openai-compatible'];

let server: ModelServer;
afterEach(() => server.close());

async function asked(kind: WireKind, messages: readonly Message[], call?: string) {
  server = await modelServer(() =>
    call === undefined ? { text: 'Done.' } : { call: { id: 'c9', name: call, input: { path: 'x' } } },
  );
  const provider = aiSdk('next', { kind, apiKey: 'key', baseUrl: server.base(kind), headers: {} });
  const events = await collectEvents(provider, sampleRequest({ model: 'm', messages }));
  return { end: events.at(-1), body: server.asked[0]?.body ?? {} };
}

const done = (end: ModelEvent | undefined) =>
  expect(end).toMatchObject({ type: 'reply-end', message: { text: 'Done.' } });

const round = (calls: readonly ToolCall[], text = ''): readonly Message[] => [
  { role: 'assistant', text, calls },
  ...calls.map(({ id, name }): Message => ({ role: 'tool', call: id, name, result: okResult(`result of ${name}`) })),
];

const call = (id: string, name = 'read_file', given: unknown = { path: 'a' }): ToolCall => ({
  id,
  name,
  arguments: given,
});

describe.each(KINDS)('%s', (kind) => {
  test.each([
    ['an id with dots and colons', [call('functions.read_file:0')]],
    ['an id that is far too long', [call('x'.repeat(300))]],
    ['an id that is empty', [call('')]],
    ['two calls under one id', [call('1'), call('1', 'list_files')]],
    ['a tool that the model made up, with a space', [call('c1', 'read file')]],
    ['names that would become alike', [call('c1', 'read file'), call('c2', 'read:file'), call('c3', 'read_file')]],
    ['a name that is far too long', [call('c1', 'n'.repeat(200))]],
    ['a name that is empty', [call('c1', '')]],
    ['arguments that are an array', [call('c1', 'read_file', ['a']), call('c2')]],
    ['arguments that are a text', [call('c1', 'read_file', 'a')]],
    ['arguments that are missing', [call('c1', 'read_file', null)]],
  ])('takes a conversation with %s', async (_, calls) => {
    const { end } = await asked(kind, [user('Go.'), ...round(calls), user('And?')]);
    done(end);
  });

  test('takes the same id again in every turn, and space before a call', async () => {
    const turn = round([call('call_0')], '\n');
    const { end } = await asked(kind, [user('Go.'), ...turn, ...turn, ...turn]);
    done(end);
  });

  test('a conversation that has grown begins as it began', async () => {
    const short = [user('Go.'), ...round([call('functions.a:0', 'no such'), call('1')])];
    const before = JSON.stringify(parts((await asked(kind, short)).body));
    await server.close();
    const long = [...short, ...round([call('1', 'no_such'), call('functions.a:0', 'no:such')])];
    const after = JSON.stringify(parts((await asked(kind, long)).body));
    expect(strip(after).startsWith(strip(before).slice(0, -1))).toBe(true);
  });
});

const parts = (body: Readonly<Record<string, unknown>>): unknown =>
  body['messages'] ?? body['contents'] ?? body['input'];
/** The mark of Anthropic's cache moves with the end of the conversation. */
const strip = (text: string): string => text.replaceAll(',"cache_control":{"type":"ephemeral"}', '');

test('a call that cannot be sent as one is told in words, with its result after the results of the others', async () => {
  const calls = [call('c1', 'read_file', ['a.txt']), call('c2')];
  const refused: Message = { role: 'tool', call: 'c1', name: 'read_file', result: errorResult('$ must be an object') };
  const fine: Message = { role: 'tool', call: 'c2', name: 'read_file', result: okResult('ABC') };
  const { end, body } = await asked('anthropic', [user('Go.'), { role: 'assistant', text: '', calls }, refused, fine]);
  done(end);
  expect(body['messages']).toMatchObject([
    { role: 'user' },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: '[Call of "read_file" with these arguments, which are not an object]\n["a.txt"]' },
        { type: 'tool_use', id: 'c2' },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c2' },
        { type: 'text', text: expect.stringMatching(/"read_file"[^]*\$ must be an object$/) },
      ],
    },
  ]);
});

test('a tool whose name this provider does not take is offered under another, and called by its own', async () => {
  const [tool] = TOOLS;
  if (tool === undefined) throw new Error('no tool');
  server = await modelServer(({ body }) => {
    const [offered] = body['tools'] as readonly [{ readonly functionDeclarations: readonly { name: string }[] }];
    return { call: { id: 'c', name: offered.functionDeclarations[0]?.name ?? '', input: { path: 'x' } } };
  });
  const provider = aiSdk('next', { kind: 'google', apiKey: 'key', baseUrl: server.base('google'), headers: {} });
  const events = await collectEvents(provider, sampleRequest({ model: 'm', tools: [{ ...tool, name: '9to5' }] }));
  expect(events.at(-1)).toMatchObject({ message: { calls: [{ name: '9to5', arguments: { path: 'x' } }] } });
});
