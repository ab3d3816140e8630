import { expect, test } from 'vitest';
import { type AssistantMessage, errorResult, okResult, user } from '../../kernel/message.ts';
import { sampleRequest, TOOLS } from '../provider.conformance.ts';
import { callOptions } from './call-options.ts';
import { isStrict } from './strict.ts';

const { signal } = new AbortController();
const closed = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;
const report = { name: 'final_report', description: 'Answer.', parameters: closed };

test('the results of one reply become one message, errors marked as such', () => {
  const reply: AssistantMessage = {
    role: 'assistant',
    text: 'Looking.',
    calls: [
      { id: 'a', name: 'list_files', arguments: { path: '.' } },
      { id: 'b', name: 'read_file', arguments: { path: 'x' } },
    ],
  };
  const { prompt } = callOptions(
    sampleRequest({
      messages: [
        user('Go.'),
        reply,
        { role: 'tool', call: 'a', name: 'list_files', result: okResult('x') },
        { role: 'tool', call: 'b', name: 'read_file', result: errorResult('no x') },
      ],
    }),
    'openai',
    signal,
  );
  expect(prompt).toEqual([
    { role: 'system', content: 'You are a librarian.' },
    { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Looking.' },
        { type: 'tool-call', toolCallId: 'a', toolName: 'list_files', input: { path: '.' } },
        { type: 'tool-call', toolCallId: 'b', toolName: 'read_file', input: { path: 'x' } },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'a', toolName: 'list_files', output: { type: 'text', value: 'x' } },
        { type: 'tool-result', toolCallId: 'b', toolName: 'read_file', output: { type: 'error-text', value: 'no x' } },
      ],
    },
  ]);
});

test('an echo goes back to the kind of provider that made it, part by part, and to no other', () => {
  const message: AssistantMessage = {
    role: 'assistant',
    text: 'One.Two.',
    reasoning: 'Hm.',
    calls: [{ id: 'a', name: 'list_files', arguments: {} }],
    echo: {
      from: 'anthropic',
      parts: [
        { kind: 'reasoning', chars: 3, meta: { anthropic: { signature: 's' } } },
        { kind: 'text', chars: 4 },
        { kind: 'call', id: 'a' },
        { kind: 'text', chars: 4 },
      ],
    },
  };
  const partsFor = (kind: 'anthropic' | 'google') =>
    callOptions(sampleRequest({ messages: [user('x'), message, user('y')] }), kind, signal).prompt[2]?.content;
  expect(partsFor('anthropic')).toMatchObject([
    { type: 'reasoning', text: 'Hm.', providerOptions: { anthropic: { signature: 's' } } },
    { type: 'text', text: 'One.' },
    { type: 'tool-call', toolCallId: 'a' },
    { type: 'text', text: 'Two.' },
  ]);
  expect(partsFor('google')).toMatchObject([
    { type: 'text', text: 'One.Two.' },
    { type: 'tool-call', toolCallId: 'a' },
  ]);
});

test('Anthropic is told to cache after the system prompt and after the last message', () => {
  const { prompt } = callOptions(sampleRequest({ messages: [user('a'), user('b')] }), 'anthropic', signal);
  expect(prompt.map(({ providerOptions }) => providerOptions?.['anthropic'] !== undefined)).toEqual([
    true,
    false,
    true,
  ]);
});

test('only what is set is sent', () => {
  const bare = callOptions(sampleRequest({ tools: [] }), 'openai-compatible', signal);
  expect(Object.keys(bare).sort()).toEqual(['abortSignal', 'prompt', 'providerOptions']);
  const full = callOptions(
    sampleRequest({ settings: { temperature: 0, topP: 0.5, maxOutputTokens: 7, reasoning: 'low' } }),
    'openai-compatible',
    signal,
  );
  expect(full).toMatchObject({
    temperature: 0,
    topP: 0.5,
    maxOutputTokens: 7,
    toolChoice: { type: 'auto' },
    providerOptions: { compatible: { reasoningEffort: 'low' } },
  });
});

test('a required call is asked for, but not of an Anthropic model that reasons', () => {
  const choice = (kind: 'anthropic' | 'openai', reasoning: 'none' | 'high') =>
    callOptions(sampleRequest({ choice: 'required', settings: { reasoning } }), kind, signal).toolChoice;
  expect(choice('openai', 'high')).toEqual({ type: 'required' });
  expect(choice('anthropic', 'none')).toEqual({ type: 'required' });
  expect(choice('anthropic', 'high')).toEqual({ type: 'auto' });
});

test('final_report is held to its schema where the provider can, beside other tools', () => {
  const output = { format: 'json', schema: closed } as const;
  const strictness = (kind: 'openai' | 'anthropic' | 'openai-compatible') =>
    callOptions(sampleRequest({ tools: [TOOLS[0]!, report], output }), kind, signal).tools?.map(
      (tool) => tool.type === 'function' && tool.strict,
    );
  expect(strictness('openai')).toEqual([false, true]);
  expect(strictness('anthropic')).toEqual([undefined, true]);
  expect(strictness('openai-compatible')).toEqual([undefined, undefined]);
});

test('Google is asked for JSON text when final_report is the only tool', () => {
  const output = { format: 'json', schema: closed } as const;
  const alone = callOptions(sampleRequest({ tools: [report], output }), 'google', signal);
  expect(alone).toMatchObject({ responseFormat: { type: 'json', schema: closed } });
  expect(alone.tools).toBeUndefined();
  const among = callOptions(sampleRequest({ tools: [TOOLS[0]!, report], output }), 'google', signal);
  expect(among.responseFormat).toBeUndefined();
  expect(among.tools).toHaveLength(2);
});

test.each([
  [closed, true],
  [{ ...closed, required: [] }, false],
  [{ ...closed, additionalProperties: true }, false],
  [{ ...closed, properties: { city: { type: 'string', pattern: 'x' } } }, false],
  [{ type: 'array', items: closed }, true],
  [{ anyOf: [closed, { type: 'object' }] }, false],
  [true, false],
])('%j is strict: %s', (schema, strict) => {
  expect(isStrict(schema)).toBe(strict);
});

const many = [TOOLS[0]!, report, { ...report, name: 'handoff-to' }];

test.each([
  ['openai', ['final_report'], 3, { type: 'auto' }],
  ['openai', ['final_report', 'handoff-to'], 3, { type: 'auto' }],
  ['anthropic', ['final_report'], 3, { type: 'tool', toolName: 'final_report' }],
  ['anthropic', ['final_report', 'handoff-to'], 2, { type: 'auto' }],
  ['google', ['final_report'], 3, { type: 'tool', toolName: 'final_report' }],
  ['google', ['final_report', 'handoff-to'], 2, { type: 'auto' }],
  ['openai-compatible', ['final_report'], 1, { type: 'auto' }],
  ['ai-sdk', ['final_report'], 1, { type: 'auto' }],
] as const)('%s is kept to %j with a list of %i tools', (kind, callable, count, choice) => {
  const options = callOptions(sampleRequest({ tools: many, callable }), kind, signal);
  expect([options.tools?.length, options.toolChoice]).toEqual([count, choice]);
  const allowed = { toolNames: callable, mode: 'auto' };
  if (kind === 'openai') expect(options.providerOptions?.['openai']).toEqual({ store: false, allowedTools: allowed });
});

test('an Anthropic model that reasons cannot be kept to a tool, so it is sent that one alone', () => {
  const asked = sampleRequest({ tools: many, callable: ['final_report'], settings: { reasoning: 'low' } });
  expect(callOptions(asked, 'anthropic', signal).tools?.map(({ name }) => name)).toEqual(['final_report']);
});
