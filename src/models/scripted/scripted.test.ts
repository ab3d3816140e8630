import { expect, test } from 'vitest';
import { type Message, okResult, user } from '../../kernel/message.ts';
import { collectEvents, describeProvider, PREPARED, sampleRequest } from '../provider.conformance.ts';
import type { ModelEvent, ModelProvider } from '../provider.ts';
import { loadScript } from './load.ts';
import { scriptedProvider } from './scripted.ts';

describeProvider('scripted', async () => ({
  model: 'any',
  provider: scriptedProvider(
    loadScript(
      `any:
        - when: { input: ${PREPARED.greet.input} }
          answer: ${PREPARED.greet.text}
        - when: { tool: list_files }
          answer: "${PREPARED.look.afterwards}"
        - when: { input: ${PREPARED.look.input} }
          call: { list_files: { path: . } }
        - when: { input: ${PREPARED.both.input} }
          calls: [{ list_files: { path: shelf } }, { read_file: { path: shelf/a.txt } }]
        - when: { input: ${PREPARED.wait.input} }
          fault: hang`,
      'conformance.script.yaml',
    ),
    'demo',
  ),
}));

const from = (yaml: string) => scriptedProvider(loadScript(yaml, 'demo.script.yaml'), 'demo');

/** A conversation in short: `> text` the user, `name: text` a result, anything else the agent's own text. */
function talk(...lines: readonly string[]): readonly Message[] {
  return lines.map((line, index): Message => {
    if (line.startsWith('> ')) return user(line.slice(2));
    const result = /^(\w+): (.*)$/s.exec(line);
    if (result) return { role: 'tool', call: `c${index}`, name: result[1] ?? '', result: okResult(result[2] ?? '') };
    return { role: 'assistant', text: line, calls: [] };
  });
}

async function reply(provider: ModelProvider, messages: readonly Message[], agent = 'librarian'): Promise<ModelEvent> {
  const events = await collectEvents(provider, sampleRequest({ messages, agent }));
  return events.at(-1) as ModelEvent;
}

async function said(provider: ModelProvider, ...lines: readonly string[]): Promise<string> {
  const end = await reply(provider, talk(...lines));
  if (end.type !== 'reply-end') throw new Error(JSON.stringify(end));
  return end.message.text;
}

async function faultCode(provider: ModelProvider, messages: readonly Message[]): Promise<string> {
  const end = await reply(provider, messages);
  return end.type === 'reply-fault' ? end.fault.code : end.type;
}

const threeSteps = `agents:
  librarian:
    - say: First.
    - say: Second.
    - say: Third.
`;

test('plain steps answer turn by turn, for sessions in any order', async () => {
  const provider = from(threeSteps);
  expect(await said(provider, '> a', 'First.', '> b')).toBe('Second.');
  expect(await said(provider, '> a')).toBe('First.');
  expect(await said(provider, '> a', 'x', '> b', 'y', '> c')).toBe('Third.');
  expect(await said(provider, '> another session')).toBe('First.');
});

test('a step with a condition answers first, and does not use up a plain step', async () => {
  const provider = from(`agents:
  librarian:
    - say: Plain one.
    - when: { last: shelf }
      answer: About the shelf.
    - say: Plain two.
`);
  expect(await said(provider, '> the shelf')).toBe('About the shelf.');
  expect(await said(provider, '> the shelf', 'About the shelf.', '> go on')).toBe('Plain one.');
  expect(await said(provider, '> hi', 'Plain one.', '> go on')).toBe('Plain two.');
  expect(await said(provider, '> hi', 'Plain one.', 'list: shelf', 'About the shelf.', '> go on')).toBe('Plain two.');
});

test('conditions look at turn, input, tool and everything that came since the last reply', async () => {
  const provider = from(`any:
  - when: { turn: 2, tool: read_file }
    answer: read at turn two
  - when: { last: "/order (\\\\d+)/i" }
    answer: "order {{match.1}}"
  - when: { input: "/^refund/" }
    answer: a refund
  - answer: nothing special
    repeat: true
`);
  expect(await said(provider, '> x', 'y', 'read_file: z', '> This is your last turn.')).toBe('read at turn two');
  expect(await said(provider, '> x', 'y', 'other: z')).toBe('nothing special');
  expect(await said(provider, '> please see Order 17')).toBe('order 17');
  expect(await said(provider, '> x', 'y', 'lookup: order 9', '> and hurry')).toBe('order 9');
  expect(await said(provider, '> refund it')).toBe('a refund');
  expect(await said(provider, '> refund it', 'ok', '> more')).toBe('a refund');
});

test('the conversation before the run is no turn of the session, and a condition and a placeholder look at it', async () => {
  const provider = from(`agents:
  librarian:
    - when: { history: '/shelf ([0-9]+)/', turn: 1 }
      answer: "{{match.1}} of {{history}} for {{input}}"
    - answer: "first, for {{input}}"
    - answer: "second, for {{input}}"`);
  const ask = async (history: number, ...lines: readonly string[]): Promise<string> => {
    const request = sampleRequest({ messages: talk(...lines), agent: 'librarian', history });
    const turn = lines.slice(history).filter((line) => !line.startsWith('> ')).length + 1;
    const end = (await collectEvents(provider, { ...request, turn })).at(-1);
    return end?.type === 'reply-end' ? end.message.text : JSON.stringify(end);
  };
  const before = ['> on shelf 7', 'I see'];
  expect(await ask(2, ...before, '> which?')).toBe('7 of user: on shelf 7\nassistant: I see for which?');
  expect(await ask(2, '> hello', 'Hi', '> which?')).toBe('first, for which?');
  expect(await ask(2, '> hello', 'Hi', '> which?', 'Hm', '> well?')).toBe('second, for which?');
  expect(await ask(0, '> on shelf 7')).toBe('first, for on shelf 7');
});

test('repeat answers that many turns, or all that follow', async () => {
  const provider = from(`agents:
  librarian:
    - say: twice
      repeat: 2
    - say: for ever
      repeat: true
`);
  const turns = async (count: number) =>
    said(provider, '> go', ...Array.from({ length: count - 1 }, () => ['said', '> on']).flat());
  expect(await Promise.all([1, 2, 3, 50].map(turns))).toEqual(['twice', 'twice', 'for ever', 'for ever']);
});

test('placeholders quote the input, the last message, results by tool and JSON inside them', async () => {
  const provider = from(`any:
  - say: "{{agent}} at {{turn}}: {{input}} / {{last}} / {{result.read_file}} / {{result.stock.items.0.name}} / \\\\{{kept}}"
    call: { order: { items: "{{result.stock.items}}", note: "for {{input}}" } }
    repeat: true
`);
  const messages = talk('> tea', 'ok', 'read_file: Assam', 'stock: {"items":[{"name":"cup"}]}', 'last: done');
  const end = await reply(provider, messages, 'waiter');
  expect(end).toMatchObject({
    message: {
      text: 'waiter at 2: tea / done / Assam / cup / {{kept}}',
      calls: [{ name: 'order', arguments: { items: [{ name: 'cup' }], note: 'for tea' } }],
    },
  });
});

test('a placeholder without a value is a fault that says why', async () => {
  const end = await reply(from('any: [{ answer: "{{result.read_file}}" }]'), talk('> hi'));
  expect(end).toMatchObject({
    type: 'reply-fault',
    fault: { code: 'model/unscripted', message: expect.stringContaining('{{result.read_file}}') },
  });
});

test('report calls final_report with its mapping, or with its text as content', async () => {
  const provider = from(`agents:
  librarian:
    - report: { city: Oslo }
    - report: All done.
`);
  expect(await reply(provider, talk('> a'))).toMatchObject({
    message: { calls: [{ name: 'final_report', arguments: { city: 'Oslo' } }] },
  });
  expect(await reply(provider, talk('> a', 'b', '> c'))).toMatchObject({
    message: { calls: [{ name: 'final_report', arguments: { content: 'All done.' } }] },
  });
});

test('each fault spoils one attempt of a call, then the step answers', async () => {
  const provider = from(`agents:
  librarian:
    - fault: rate-limit
      repeat: 2
    - fault: [{ status: 503, retryAfter: 1.5s }, reset]
      answer: at last
`);
  const call = talk('> go');
  const other = talk('> go');
  expect(await faultCode(provider, call)).toBe('model/rate-limit');
  expect(await faultCode(provider, call)).toBe('model/rate-limit');
  expect(await faultCode(provider, other)).toBe('model/rate-limit');
  expect(await reply(provider, call)).toMatchObject({ fault: { code: 'model/server' }, retryAfterMs: 1500 });
  expect(await faultCode(provider, call)).toBe('model/network');
  expect(await reply(provider, call)).toMatchObject({ message: { text: 'at last' } });
  expect(await reply(provider, call)).toMatchObject({ message: { text: 'at last' } });
});

test('a fault that nothing follows stays', async () => {
  const provider = from('agents: { librarian: [{ fault: refused-key }] }');
  const call = talk('> go');
  for (let attempt = 0; attempt < 4; attempt++) expect(await faultCode(provider, call)).toBe('model/refused-key');
});

test.each([
  ['server', { type: 'reply-fault', fault: { code: 'model/server' } }],
  ['bad-request', { type: 'reply-fault', fault: { code: 'model/bad-request' } }],
  ['cut-off', { type: 'reply-fault', fault: { code: 'model/cut-off' } }],
  ['empty', { type: 'reply-end', finish: 'stop', message: { text: '', calls: [] } }],
  ['malformed', { type: 'reply-end', message: { calls: [{ arguments: null, malformed: '{"unfinished": ' }] } }],
  ['content-filter', { type: 'reply-end', finish: 'content-filter' }],
])('the fault %s looks like the real one', async (kind, expected) => {
  expect(await reply(from(`any: [{ fault: ${kind} }]`), talk('> go'))).toMatchObject(expected);
});

test('a stall sends half of the reply and then nothing until the abort', async () => {
  const controller = new AbortController();
  const provider = from('any: [{ fault: stall, answer: 12345678 }]');
  const events: ModelEvent[] = [];
  for await (const event of provider.stream(sampleRequest(), controller)) {
    events.push(event);
    controller.abort();
  }
  expect(events).toMatchObject([
    { type: 'text-delta', text: '1234' },
    { type: 'reply-fault', fault: { code: 'cancelled' } },
  ]);
});

test('with a pace, the text comes word by word', async () => {
  const events = await collectEvents(from('any: [{ answer: one two three, chunk: 1ms, delay: 1ms }]'), sampleRequest());
  expect(events.flatMap((event) => (event.type === 'text-delta' ? event.text : []))).toEqual(['one', ' two', ' three']);
});

test('usage is what the step says, else an estimate that is the same every time', async () => {
  const provider = from(`agents:
  librarian:
    - answer: priced
      usage: { input: 120, output: 30, cacheRead: 100, usd: 0.25 }
    - answer: estimated
`);
  expect(await reply(provider, talk('> a'))).toMatchObject({
    usage: { input: 120, output: 30, cacheRead: 100 },
    usd: 0.25,
  });
  const [one, two] = [await reply(provider, talk('> a', 'b', '> c')), await reply(provider, talk('> a', 'b', '> c'))];
  expect(one).toEqual(two);
});

test('a call that nobody scripted is a fault that shows what to add', async () => {
  const end = await reply(from(threeSteps), talk('> a', 'b', 'list_files: a.txt b.txt'), 'porter');
  expect(end).toMatchObject({ type: 'reply-fault', fault: { code: 'model/unscripted' } });
  expect(end.type === 'reply-fault' && end.fault.message).toBe(
    [
      'demo.script.yaml has no answer for agent "porter", turn 2. It has no steps for this agent.',
      'The last message, the result of list_files: "a.txt b.txt"',
      'Add:',
      'agents:',
      '  porter:',
      '    - when: { turn: 2 }',
      '      answer: …',
    ].join('\n'),
  );
});

test('the step to add for a JSON answer is a report with the keys that it must have', async () => {
  const schema = {
    type: 'object',
    properties: { order: { type: 'integer' }, note: { type: 'string' }, 'due date': { type: 'string' } },
    required: ['order', 'due date'],
  };
  const request = {
    ...sampleRequest(),
    agent: 'clerk',
    output: { format: 'json', schema } as const,
    tools: [{ name: 'final_report', description: 'Ends it.', parameters: schema }],
  };
  const [end] = await collectEvents(from('agents: {}'), request);
  const advice = end?.type === 'reply-fault' ? (end.fault.message.split('Add:\n')[1] ?? '') : '';
  expect(advice).toBe('agents:\n  clerk:\n    - when: { turn: 1 }\n      report: { order: …, "due date": … }');
  const ends = await collectEvents(from(advice), request); // what it advises can be added as it stands
  expect(ends.at(-1)).toMatchObject({
    message: { calls: [{ name: 'final_report', arguments: { order: '…', 'due date': '…' } }] },
  });
});

test('steps that answered nothing are reported with their line', async () => {
  const provider = from(threeSteps);
  await said(provider, '> a', 'b', '> c');
  expect(provider.unused().map(({ agent, file, line }) => `${file}:${line} ${agent}`)).toEqual([
    'demo.script.yaml:3 librarian',
    'demo.script.yaml:5 librarian',
  ]);
});
