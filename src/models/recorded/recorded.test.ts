import { appendFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fault } from '../../kernel/fault.ts';
import { okResult, user } from '../../kernel/message.ts';
import { collectEvents, describeProvider, type Opened, PREPARED, sampleRequest } from '../provider.conformance.ts';
import type { ModelProvider, ProviderRequest } from '../provider.ts';
import { loadScript } from '../scripted/load.ts';
import { scriptedProvider } from '../scripted/scripted.ts';
import { printOf } from './print.ts';
import { recordedProvider } from './recorded.ts';
import { openTape } from './tape.ts';

const folder = await mkdtemp(join(tmpdir(), 'cadre-recorded-'));
afterAll(() => rm(folder, { recursive: true }));

const script = (yaml: string) => scriptedProvider(loadScript(yaml, 's.yaml'), 'demo');

const conforming = () =>
  script(`any:
    - when: { input: ${PREPARED.greet.input} }
      answer: ${PREPARED.greet.text}
    - when: { tool: list_files }
      answer: "${PREPARED.look.afterwards}"
    - when: { input: ${PREPARED.look.input} }
      call: { list_files: { path: . } }
    - when: { input: ${PREPARED.both.input} }
      calls: [{ list_files: { path: shelf } }, { read_file: { path: shelf/a.txt } }]
    - when: { input: ${PREPARED.wait.input} }
      fault: hang`);

describeProvider('recorded, while recording', async () => ({
  model: 'm',
  provider: recordedProvider({ id: 'tape', file: join(folder, 'conformance.jsonl'), inner: async () => conforming() }),
}));

const unreachable = (): Promise<ModelProvider> => Promise.reject(new Error('the recorded provider was asked'));

let files = 0;
const newFile = () => join(folder, `${files++}.jsonl`);

/** Records the requests, and opens the recording again, without a provider behind it. */
async function played(inner: ModelProvider, requests: readonly ProviderRequest[], file = newFile()): Promise<Opened> {
  const recorder = recordedProvider({ id: 'tape', file, inner: async () => inner });
  for (const request of requests) await collectEvents(recorder, request);
  return { provider: recordedProvider({ id: 'tape', file, inner: unreachable }), model: 'm' };
}

const hello = sampleRequest({ messages: [user('hello')] });

test('a recorded answer is played back the same, without the other provider', async () => {
  const inner = script(
    'any: [{ say: hello to you too, call: { list_files: { path: x } }, usage: { input: 3, output: 4 } }]',
  );
  const { provider } = await played(inner, [hello]);
  const again = await collectEvents(provider, { ...hello, session: '0.7.1' });
  expect(again.at(-1)).toEqual((await collectEvents(inner, hello)).at(-1));
  expect(again[0]).toMatchObject({ type: 'text-delta' });
});

test('the time of a helper is not compared', async () => {
  const after = (text: string) =>
    sampleRequest({
      messages: [
        user('hello'),
        { role: 'assistant', text: '', calls: [{ id: 'c', name: 'subagent', arguments: { task: 'Count.' } }] },
        { role: 'tool', call: 'c', name: 'subagent', result: okResult(text) },
      ],
    });
  const inner = script('any: [{ when: { tool: subagent }, answer: Three. }]');
  const { provider } = await played(inner, [after('{"summary":"3","duration_ms":438,"truncated":[]}')]);
  expect(
    (await collectEvents(provider, after('{"summary":"3","duration_ms":45,"truncated":[]}'))).at(-1),
  ).toMatchObject({
    type: 'reply-end',
  });
  const other = (await collectEvents(provider, after('{"summary":"4","duration_ms":45,"truncated":[]}'))).at(-1);
  expect(other).toMatchObject({ type: 'reply-fault', fault: { code: 'model/recording' } });
});

test('each session gets its own of two answers to the same request', async () => {
  let count = 0;
  const counting: ModelProvider = {
    id: 'counting',
    async *stream() {
      const message = { role: 'assistant', text: `answer ${++count}`, calls: [] } as const;
      yield { type: 'reply-end', message, finish: 'stop' };
    },
  };
  const [left, right] = [
    { ...hello, session: '0.0' },
    { ...hello, session: '0.1' },
  ];
  const { provider } = await played(counting, [left, right]);
  expect((await collectEvents(provider, right)).at(-1)).toMatchObject({ message: { text: 'answer 2' } });
  expect((await collectEvents(provider, left)).at(-1)).toMatchObject({ message: { text: 'answer 1' } });
});

test.each<[string, Partial<ProviderRequest>, string]>([
  [
    'the system prompt',
    { system: 'You are a porter.' },
    'the system prompt: recorded "You are a librarian.", now "You are a porter."',
  ],
  ['the model', { model: 'other' }, 'the model: recorded "sample", now "other"'],
  ['a message', { messages: [user('hello there')] }, 'message 1, from the user: recorded'],
  ['one more message', { messages: [user('hello'), user('and?')] }, 'message 2 is new: from the user'],
  ['another agent', { agent: 'porter' }, 'nothing was recorded for agent "porter", turn 1, only for librarian'],
  ['another turn', { turn: 5 }, 'nothing was recorded for agent "librarian", turn 5'],
])('%s that differs is named', async (_, over, message) => {
  const { provider } = await played(script('any: [{ answer: hi }]'), [hello]);
  const request = sampleRequest({ messages: [user('hello')], ...over });
  const [event] = await collectEvents(
    provider,
    over.turn === undefined ? request : { ...request, messages: [user('x')] },
  );
  expect(event).toMatchObject({
    type: 'reply-fault',
    fault: { code: 'model/recording', message: expect.stringContaining(message) },
  });
});

test('each message is stored once, however many turns repeat it', async () => {
  const file = newFile();
  const long = 'a text that stands only once';
  const first = user(long);
  const requests = [1, 2, 3].map((turn) =>
    sampleRequest({
      messages: [
        first,
        ...Array.from({ length: turn }, (_, index) => ({
          role: 'tool' as const,
          call: `c${index}`,
          name: 'look',
          result: okResult(`result ${index}`),
        })),
      ],
    }),
  );
  await played(script('any: [{ answer: hi, repeat: true }]'), requests, file);
  expect((await readFile(file, 'utf8')).split(long)).toHaveLength(2);
});

test('faults are not recorded', async () => {
  const { provider } = await played(script('any: [{ fault: server, answer: hi }]'), [hello, hello]);
  expect((await collectEvents(provider, hello)).at(-1)).toMatchObject({ message: { text: 'hi' } });
});

test('a fault that a saved run went on with is played like an answer', async () => {
  const file = newFile();
  const refused = fault('model/bad-request', 'the server answered 400');
  await (await openTape(file)).add(hello, printOf(hello), { type: 'reply-fault', fault: refused });
  const events = await collectEvents(recordedProvider({ id: 'tape', file, inner: unreachable }), hello);
  expect(events).toEqual([{ type: 'reply-fault', fault: refused }]);
});

test('a damaged recording is refused with its line', async () => {
  const file = newFile();
  await played(script('any: [{ answer: hi }]'), [hello], file);
  await appendFile(file, '{"half\n');
  const [event] = await collectEvents(recordedProvider({ id: 'tape', file, inner: unreachable }), hello);
  expect(event).toMatchObject({
    fault: { code: 'model/recording', message: expect.stringMatching(/jsonl:\d+ is not/) },
  });
});

test('an answer that cannot be written is a fault, not a silent loss', async () => {
  const file = newFile();
  const inner = async () => {
    await mkdir(file); // now it cannot be appended to
    return script('any: [{ answer: hi }]');
  };
  const events = await collectEvents(recordedProvider({ id: 'tape', file, inner }), hello);
  expect(events.at(-1)).toMatchObject({
    type: 'reply-fault',
    fault: { code: 'model/recording', message: expect.stringContaining('could not be recorded') },
  });
});
