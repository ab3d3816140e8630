// Pictures and documents over HTTP: uploads, rights, and the clients of other makers.

import { createHash } from 'node:crypto';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FileRef } from '../../src/kernel/file-ref.ts';
import { a2aClient, a2aMessage } from '../support/a2a.ts';
import { pdf, png } from '../support/media.ts';
import { type Served, served } from '../support/served.ts';

let at: Served;
beforeAll(async () => {
  at = await served({
    'cadre.yaml': [
      'providers: { demo: { kind: scripted, script: ./s.yaml } }',
      'models: { blind: { use: demo/blind, sees: [] } }',
      'defaults: { models: [demo/any] }',
      'server:',
      '  tokens:',
      '    all: { token: all-token-of-the-tests, may: [see, run] }',
      '    other: { token: other-token-of-the-tests, may: [see, run] }',
      '    narrow: { token: narrow-token-of-the-tests, may: [see, run], agents: [blind] }',
      '',
    ].join('\n'),
    's.yaml':
      'any:\n  - when: { file: image/png }\n    answer: "I see {{files}}"\n  - { answer: "I see nothing", repeat: true }\n',
    'look.md': '---\ndescription: Looks.\n---\nLook.\n',
    'blind.md': '---\ndescription: Looks.\nmodels: [blind]\n---\nLook.\n',
  });
});
afterAll(() => at.close());

const TOKEN = 'all-token-of-the-tests';
const shot = png(20, 10);
const BASE64 = shot.toString('base64');
const DATA = `data:image/png;base64,${BASE64}`;
const SEEN = 'I see shot.png, image/png, 73 B, 20×10'.replace('73', String(shot.length));

interface Sent extends Omit<RequestInit, 'headers'> {
  readonly headers?: Readonly<Record<string, string>>;
}

const ask = (path: string, init: Sent = {}, token = TOKEN): Promise<Response> =>
  fetch(`${at.url}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });
const upload = (bytes: Uint8Array, name = 'shot.png', token = TOKEN): Promise<Response> =>
  ask(`/api/blobs?name=${encodeURIComponent(name)}`, { method: 'POST', body: new Uint8Array(bytes) }, token);
const start = (body: object, headers: Record<string, string> = {}, token = TOKEN): Promise<Response> =>
  ask(
    '/api/runs?wait=30s',
    { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } },
    token,
  );
interface Answer {
  readonly run: string;
  readonly outcome: { readonly text: string };
  readonly detail: string;
  readonly code: string;
}
const answerOf = async (response: Response): Promise<Answer> => (await response.json()) as Answer;

test('an upload answers with what the journal gets, and a run of the same caller names it', async () => {
  const up = await upload(shot, '../a/shot.png');
  expect(up.status).toBe(201);
  const file = (await up.json()) as FileRef;
  expect(file).toEqual({
    digest: createHash('sha256').update(shot).digest('hex'),
    type: 'image/png',
    name: 'shot.png',
    bytes: shot.length,
    width: 20,
    height: 10,
  });
  const { run, outcome } = await answerOf(
    await start({ agent: 'look', input: 'What is it?', files: [{ digest: file.digest }] }),
  );
  expect(outcome.text).toBe(SEEN);

  const other = await start(
    { agent: 'look', input: 'x', files: [{ digest: file.digest }] },
    {},
    'other-token-of-the-tests',
  );
  expect([other.status, (await answerOf(other)).code]).toEqual([422, 'input/invalid']);
  const withRun = await start(
    { agent: 'look', input: 'x', files: [{ digest: file.digest, run }] },
    {},
    'other-token-of-the-tests',
  );
  expect((await answerOf(withRun)).outcome.text).toBe(SEEN);
});

test('a file is given as a download, with a run that has it, to who may see that run', async () => {
  const { run } = await answerOf(
    await start({ agent: 'look', input: 'x', files: [{ name: 'shot.png', data: BASE64 }] }),
  );
  const path = `/api/blobs/${createHash('sha256').update(shot).digest('hex')}`;
  expect((await ask(path)).status).toBe(404);
  expect((await ask(`${path}?run=${run}`, {}, 'narrow-token-of-the-tests')).status).toBe(404);
  const given = await ask(`${path}?run=${run}`);
  expect(given.status).toBe(200);
  expect(Object.fromEntries(given.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-disposition': 'attachment',
    'x-content-type-options': 'nosniff',
  });
  expect(Buffer.from(await given.arrayBuffer()).equals(shot)).toBe(true);
});

test.each<[string, () => Promise<Response>, number, string]>([
  ['an upload of 21 MiB', () => upload(new Uint8Array(21 * 1_048_576)), 413, 'request/too-large'],
  ['an upload that is a text', () => upload(Buffer.from('text'), 'a.txt'), 422, 'input/invalid'],
  ['a picture of 6 MiB', () => upload(Buffer.concat([shot, Buffer.alloc(6 * 1_048_576)])), 422, 'input/invalid'],
  [
    'a body over server.maxBodyBytes',
    () => start({ agent: 'look', input: 'x', files: [{ name: 'a', data: 'A'.repeat(6_000_000) }] }),
    413,
    'request/too-large',
  ],
  [
    'an agent that sees nothing',
    () => start({ agent: 'blind', input: 'x', files: [{ name: 'shot.png', data: BASE64 }] }),
    422,
    'input/invalid',
  ],
  [
    'an address',
    () => start({ agent: 'look', input: 'x', files: [{ name: 'a.png', data: 'https://example.com/a.png' }] }),
    422,
    'input/invalid',
  ],
  [
    '21 files',
    () =>
      start({ agent: 'look', input: 'x', files: Array.from({ length: 21 }, () => ({ name: 'a.png', data: BASE64 })) }),
    422,
    'input/invalid',
  ],
])('%s is refused', async (_, work, status, code) => {
  const response = await work();
  expect([response.status, (await answerOf(response)).code]).toEqual([status, code]);
});

test('a request with a key is the same request however its file came', async () => {
  const body = { agent: 'look', input: 'Keyed.' };
  const first = await answerOf(
    await start({ ...body, files: [{ name: 'shot.png', data: BASE64 }] }, { 'idempotency-key': 'k1' }),
  );
  const digest = createHash('sha256').update(shot).digest('hex');
  const again = await start({ ...body, files: [{ name: 'shot.png', digest }] }, { 'idempotency-key': 'k1' });
  expect((await answerOf(again)).run).toBe(first.run);
  const other = await start(
    { ...body, files: [{ name: 'shot.png', data: png(3, 3).toString('base64') }] },
    { 'idempotency-key': 'k1' },
  );
  expect((await answerOf(other)).code).toBe('request/key-reused');
});

test('a data address in a text stays text', async () => {
  expect((await answerOf(await start({ agent: 'look', input: DATA }))).outcome.text).toBe('I see nothing');
});

const openai = (): OpenAI => new OpenAI({ baseURL: `${at.url}/v1`, apiKey: TOKEN, maxRetries: 0 });

test('OpenAI’s client sends pictures in chat completions, and goes on in the same thread', async () => {
  const first = {
    role: 'user' as const,
    content: [
      { type: 'text' as const, text: 'What is this, in a chat?' },
      { type: 'image_url' as const, image_url: { url: DATA } },
    ],
  };
  const answer = 'I see file-2.png, image/png, 73 B, 20×10'.replace('73', String(shot.length));
  const made = await openai().chat.completions.create({ model: 'look', messages: [first] });
  expect(made.choices[0]?.message.content).toBe(answer);
  const before = (await at.runs()).at(-1);
  const next = [first, { role: 'assistant' as const, content: answer }, { role: 'user' as const, content: 'And now?' }];
  const again = await openai().chat.completions.create({ model: 'look', messages: next });
  expect(again.choices[0]?.message.content).toBe(answer);
  const after = (await at.runs()).at(-1);
  expect(after).toMatchObject({ thread: before?.thread, continues: before?.run });

  const { content } = first;
  const changed = {
    ...first,
    content: [
      content[0],
      { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${png(9, 9).toString('base64')}` } },
    ],
  };
  await openai().chat.completions.create({ model: 'look', messages: [changed as typeof first, ...next.slice(1)] });
  expect((await at.runs()).at(-1)?.thread).not.toBe(before?.thread);
});

test('OpenAI’s client sends documents in responses', async () => {
  const made = await openai().responses.create({
    model: 'look',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Read it.' },
          {
            type: 'input_file',
            filename: 'plan.pdf',
            file_data: `data:application/pdf;base64,${pdf(2).toString('base64')}`,
          },
          { type: 'input_image', image_url: DATA, detail: 'auto' },
        ],
      },
    ],
  });
  expect(made.output_text).toMatch(/^I see plan\.pdf, application\/pdf, \d+ B, 2 pages\nfile-3\.png/);
});

test('Anthropic’s client sends pictures and documents', async () => {
  const client = new Anthropic({ baseURL: at.url, apiKey: TOKEN, maxRetries: 0 });
  const made = await client.messages.create({
    model: 'look',
    max_tokens: 100,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: BASE64 } },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: pdf(1).toString('base64') },
            title: 'plan.pdf',
          },
          { type: 'text', text: 'What is this?' },
        ],
      },
    ],
  });
  expect(made.content).toMatchObject([
    { type: 'text', text: expect.stringMatching(/^I see file-1\.png.*\nplan\.pdf/) },
  ]);
});

const a2aFile = (content: object, filename = '') => {
  const whole = a2aMessage('What is this?');
  const part = { content, metadata: undefined, filename, mediaType: 'image/png' };
  return { ...whole, message: { ...whole.message, parts: [...whole.message.parts, part] } } as typeof whole;
};

test('A2A’s client sends a file, and the card of an agent says which it takes', async () => {
  const client = await a2aClient(at, 'look', { token: TOKEN });
  const made = await client.sendMessage(a2aFile({ $case: 'raw', value: shot }, 'shot.png'));
  expect(JSON.stringify(made)).toContain(SEEN);
  await expect(client.sendMessage(a2aFile({ $case: 'url', value: 'https://x.test/a.png' }))).rejects.toThrow(
    'nothing is fetched',
  );
  const modes = async (agent: string): Promise<unknown> => {
    const card = await (await ask(`/a2a/${agent}/.well-known/agent-card.json`)).json();
    return (card as { readonly defaultInputModes: unknown }).defaultInputModes;
  };
  expect(await modes('look')).toContain('application/pdf');
  expect(await modes('blind')).toEqual(['text/markdown', 'text/plain']);
});

const ELSEWHERE: readonly (readonly [string, string, object, string])[] = [
  [
    'chat',
    '/v1/chat/completions',
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.test/a.png' } }] }] },
    'messages[0].content[0].image_url.url',
  ],
  [
    'chat',
    '/v1/chat/completions',
    { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f-1' } }] }] },
    'messages[0].content[0].file.file_id',
  ],
  [
    'responses',
    '/v1/responses',
    { input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'https://x.test/a.pdf' }] }] },
    'input[0].content[0].file_url',
  ],
  [
    'responses',
    '/v1/responses',
    { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f-1' }] }] },
    'input[0].content[0].file_id',
  ],
  [
    'messages',
    '/v1/messages',
    {
      max_tokens: 9,
      messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } }] }],
    },
    'messages[0].content[0].source.url',
  ],
  [
    'messages',
    '/v1/messages',
    {
      max_tokens: 9,
      messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'f' } }] }],
    },
    'messages[0].content[0].source.file_id',
  ],
];

test.each(ELSEWHERE)('%s refuses %s with what lies elsewhere, by its name', async (_, path, body, named) => {
  const response = await ask(path, {
    method: 'POST',
    body: JSON.stringify({ model: 'look', ...body }),
    headers: { 'content-type': 'application/json' },
  });
  expect(response.status).toBe(400);
  expect(JSON.stringify(await response.json())).toContain(named);
});

test('uploads of 20 MiB are read a few at a time, and other requests are answered meanwhile', async () => {
  const document = Buffer.concat([pdf(1), Buffer.alloc(20 * 1_048_576 - 2000, 0x0a)]);
  const order: string[] = [];
  const all = Array.from({ length: 4 }, async (_, index) => {
    const { status } = await upload(document, `${index}.pdf`);
    order.push('upload');
    return status;
  });
  expect((await ask('/api/runs?limit=1')).status).toBe(200);
  order.push('list');
  expect(await Promise.all(all)).toEqual([201, 201, 201, 201]);
  expect(order.indexOf('list')).toBeLessThan(order.lastIndexOf('upload'));
});
