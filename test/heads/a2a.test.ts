// The A2A head with the official client, and with requests of revision 0.3 as their clients send them.

import { TaskState } from '@a2a-js/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tool } from '../../src/tools/functions.ts';
import { a2aClient, a2aMessage } from '../support/a2a.ts';
import { AGENTS, type Served, served } from '../support/served.ts';

let at: Served;
beforeAll(async () => {
  const erase = tool({
    name: 'erase',
    description: 'Erases a thing.',
    parameters: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] } as const,
    run: ({ what }) => `erased ${what}`,
  });
  at = await served(
    {
      ...AGENTS,
      'eraser.md': '---\ndescription: Erases.\ntools: [erase]\napprove: [erase]\n---\nYou erase.',
      'asker.md': '---\ndescription: Asks.\ntools: [person]\n---\nYou ask.',
      'demo.script.yaml': [
        AGENTS['demo.script.yaml'],
        '  eraser:',
        '    - call: { erase: { what: draft } }',
        '    - answer: "{{last}}"',
        '  asker:',
        '    - call: { ask_person: { question: Which colour?, options: [red, blue] } }',
        '    - answer: "It is {{last}}."',
      ].join('\n'),
    },
    [erase],
  );
});
afterAll(() => at.close());

function fetchWith(token = at.token): typeof fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };
}

const clientOf = (agent: string, token = at.token) => a2aClient(at, agent, { token });

type Tasked = { readonly id: string; readonly contextId: string; readonly status?: { readonly state: TaskState } };
const answerOf = (task: unknown): unknown =>
  (task as { artifacts: { parts: { content: { value: unknown } }[] }[] }).artifacts[0]?.parts[0]?.content.value;

test('an agent has a card, and a message to it is a task that ends with an answer', async () => {
  const client = await clientOf('echo');
  expect((await client.getAgentCard()).name).toBe('echo');
  const task = await client.sendMessage(a2aMessage('Hello.'));
  expect(task).toMatchObject({ status: { state: TaskState.TASK_STATE_COMPLETED } });
  expect(answerOf(task)).toBe('You said: Hello.');
});

test('a stream begins with the task and ends with its state', async () => {
  const client = await clientOf('echo');
  const kinds: string[] = [];
  let text = '';
  for await (const { payload } of client.sendMessageStream(a2aMessage('Hello to all of you.'))) {
    kinds.push(payload?.$case ?? '');
    if (payload?.$case === 'artifactUpdate') {
      const [part] = payload.value.artifact?.parts ?? [];
      text = payload.value.append ? text + String(part?.content?.value) : String(part?.content?.value);
    }
    if (payload?.$case === 'statusUpdate') expect(payload.value.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  }
  expect([...new Set(kinds)]).toEqual(['task', 'artifactUpdate', 'statusUpdate']);
  expect(kinds.length).toBeGreaterThan(4);
  expect(text).toBe('You said: Hello to all of you.');
});

test('messages of one context are one thread, also after a restart', async () => {
  const first = (await (await clientOf('echo')).sendMessage(a2aMessage('my name is Ada'))) as Tasked;
  await at.restart();
  const client = await clientOf('echo');
  const second = await client.sendMessage(a2aMessage('Who am I?', { contextId: first.contextId }));
  expect(answerOf(second)).toBe('Your name is Ada.');
  expect((second as Tasked).contextId).toBe(first.contextId);
  const listed = await client.listTasks({
    tenant: '',
    contextId: first.contextId,
    status: TaskState.TASK_STATE_UNSPECIFIED,
    pageToken: '',
    statusTimestampAfter: undefined,
  });
  expect(listed.tasks.map(({ id }) => id)).toEqual([(second as Tasked).id, first.id]);
});

test('a task that needs a yes waits for input, survives a restart, and goes on with the answer', async () => {
  const waiting = (await (await clientOf('eraser')).sendMessage(a2aMessage('Erase.'))) as Tasked;
  expect(waiting.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  await at.restart();
  const client = await clientOf('eraser');
  const still = await client.getTask({ tenant: '', id: waiting.id });
  expect(still.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  expect(JSON.stringify(still.status?.message)).toContain('draft');
  const unclear = client.sendMessage(a2aMessage('What?', { taskId: waiting.id }));
  await expect(unclear).rejects.toThrow('waits for a yes or a no');
  const done = await client.sendMessage(a2aMessage('yes', { taskId: waiting.id }));
  expect((done as Tasked).id).toBe(waiting.id);
  expect(answerOf(done)).toContain('erased draft');
});

test('a question of an agent is answered by a message, in a stream too', async () => {
  const client = await clientOf('asker');
  let task: Tasked | undefined;
  let last: unknown;
  for await (const { payload } of client.sendMessageStream(a2aMessage('Paint it.'))) {
    if (payload?.$case === 'task') task = payload.value as Tasked;
    last = payload;
  }
  expect(last).toMatchObject({
    $case: 'statusUpdate',
    value: { status: { state: TaskState.TASK_STATE_INPUT_REQUIRED } },
  });
  expect(JSON.stringify(last)).toContain('Which colour?\\n\\n1. red\\n2. blue');
  const states: unknown[] = [];
  for await (const { payload } of client.sendMessageStream(a2aMessage('2', { taskId: task!.id }))) {
    if (payload?.$case === 'statusUpdate') states.push(payload.value.status?.state);
  }
  expect(states).toEqual([TaskState.TASK_STATE_COMPLETED]);
  expect(answerOf(await client.getTask({ tenant: '', id: task!.id }))).toBe('It is blue.');
});

test('a task is cancelled by its id, and not by a connection that closes', async () => {
  const client = await clientOf('slow');
  let id = '';
  for await (const { payload } of client.sendMessageStream(a2aMessage('Go.'))) {
    if (payload?.$case === 'task') id = payload.value.id;
    if (payload?.$case === 'artifactUpdate') break;
  }
  expect((await client.getTask({ tenant: '', id })).status?.state).toBe(TaskState.TASK_STATE_WORKING);
  const cancelled = await client.cancelTask({ tenant: '', id, metadata: undefined });
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  await expect(client.cancelTask({ tenant: '', id, metadata: undefined })).rejects.toThrow('is over');
});

test('a run that fails is a task that failed', async () => {
  const task = (await (await clientOf('tired')).sendMessage(a2aMessage('x'))) as Tasked;
  expect(task.status?.state).toBe(TaskState.TASK_STATE_FAILED);
  expect(JSON.stringify(task)).toContain('Still at it.');
});

test('a task that failed tells no path of the machine, whether sent, streamed or asked for', async () => {
  const client = await clientOf('broken');
  const task = (await client.sendMessage(a2aMessage('x'))) as Tasked;
  const streamed: unknown[] = [];
  for await (const update of client.sendMessageStream(a2aMessage('x'))) streamed.push(update);
  for (const told of [task, streamed, await client.getTask({ tenant: '', id: task.id })]) {
    expect(JSON.stringify(told)).toContain('the server refused the key (as scripted at ./demo.script.yaml');
    expect(JSON.stringify(told)).not.toContain(at.folder);
  }
});

test('the cards of all agents are told by their addresses if no single one begins', async () => {
  const answer = await fetchWith()(`${at.url}/.well-known/agent-card.json`);
  expect(answer.status).toBe(404);
  const { error } = (await answer.json()) as { error: { message: string } };
  expect(error.message).toContain(`${at.url}/a2a/boss/.well-known/agent-card.json`);
  const address = /http\S+agent-card\.json/.exec(error.message)?.[0] ?? '';
  expect((await fetchWith()(address)).status).toBe(200);
});

test('unknown agents and tasks, and tokens that may not, are refused', async () => {
  await expect(clientOf('nobody')).rejects.toThrow();
  await expect(clientOf('echo', 'nonsense')).rejects.toThrow();
  const client = await clientOf('echo');
  await expect(client.getTask({ tenant: '', id: '20200101-000000-000aaaa' })).rejects.toThrow();
  const other = (await (await clientOf('boss')).sendMessage(a2aMessage('Ask.'))) as Tasked;
  await expect(client.getTask({ tenant: '', id: other.id })).rejects.toThrow('There is no task');
});

test('a client of revision 0.3 finds the card, sends, streams and asks for its task', async () => {
  const card = (await (await fetchWith()(`${at.url}/a2a/echo/.well-known/agent-card.json`)).json()) as Record<
    string,
    unknown
  >;
  expect(card).toMatchObject({ name: 'echo', url: `${at.url}/a2a/echo`, preferredTransport: 'JSONRPC' });
  const post = async (method: string, params: object): Promise<Response> =>
    fetchWith()(String(card['url']), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
    });
  const said = { kind: 'message', messageId: 'a', role: 'user', parts: [{ kind: 'text', text: 'Hello.' }] };
  const sent = (await (await post('message/send', { message: said })).json()) as { result: Record<string, unknown> };
  expect(sent.result).toMatchObject({ kind: 'task', status: { state: 'completed' } });
  const stream = await (await post('message/stream', { message: { ...said, messageId: 'b' } })).text();
  expect(stream).toContain('"state":"completed"');
  const got = (await (await post('tasks/get', { id: sent.result['id'] })).json()) as { result: unknown };
  expect(JSON.stringify(got.result)).toContain('You said: Hello.');
  const lost = (await (await post('tasks/get', { id: 'nowhere' })).json()) as { error: unknown };
  expect(lost.error).toMatchObject({ code: -32001 });
});
