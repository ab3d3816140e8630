// A question of an MCP server in the middle of a call, as clients of the A2A head and the MCP head get it and answer it.

import { fileURLToPath } from 'node:url';
import { TaskState } from '@a2a-js/sdk';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { a2aClient, a2aMessage } from '../support/a2a.ts';
import { type Served, served } from '../support/served.ts';

const SERVER = fileURLToPath(new URL('../fixtures/mcp/asking-server.mjs', import.meta.url));
const FORMS = ['request', 'unfinished'] as const;

let at: Served;
beforeAll(async () => {
  const command = JSON.stringify(process.execPath);
  at = await served({
    'cadre.yaml': [
      'providers: { demo: { kind: scripted, script: ./s.yaml } }',
      'defaults: { models: [demo/m] }',
      'mcpServers:',
      ...FORMS.map(
        (form) => `  ${form}: { command: ${command}, args: [${JSON.stringify(SERVER)}, /dev/null, ${form}] }`,
      ),
    ].join('\n'),
    's.yaml': JSON.stringify({
      agents: Object.fromEntries(
        FORMS.map((form) => [`by-${form}`, [{ call: { order: {} } }, { answer: '{{last}}' }]]),
      ),
    }),
    ...Object.fromEntries(
      FORMS.map((form) => [`by-${form}.md`, `---\ndescription: d\ntools: [mcp:${form}]\n---\nYou work.\n`]),
    ),
  });
});
afterAll(() => at.close());

const ANSWER = { size: 'large', count: 2, wrapped: true };
const accepted = JSON.stringify({ action: 'accept', content: ANSWER });

interface Task {
  readonly id: string;
  readonly status?: { readonly state: TaskState };
}

const stateOf = (task: unknown) => (task as Task).status?.state;

test.each(FORMS)(
  'A2A, %s: the task waits for input, shows the fields, and goes on with a text of JSON',
  async (form) => {
    const client = await a2aClient(at, `by-${form}`);
    const waiting = await client.sendMessage(a2aMessage('Order.'));
    expect(stateOf(waiting)).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const shown = JSON.stringify(waiting);
    expect(shown).toContain('What do you want?');
    expect(shown).toContain('count (integer; required)');
    const { id: taskId } = waiting as Task;
    await expect(client.sendMessage(a2aMessage('{"count": 0}', { taskId }))).rejects.toThrow(/count/);
    const done = await client.sendMessage(a2aMessage(JSON.stringify(ANSWER), { taskId }));
    expect(stateOf(done)).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(JSON.stringify(done)).toContain(JSON.stringify(accepted).slice(1, -1));
  },
);

test.each(FORMS)('A2A, %s: an answer may be data, and a no is told to the server as declined', async (form) => {
  const client = await a2aClient(at, `by-${form}`);
  const say = async (value: object) => {
    const { id: taskId } = (await client.sendMessage(a2aMessage('Order.'))) as Task;
    const { message, ...rest } = a2aMessage('', { taskId });
    const content = { $case: 'data' as const, value };
    const parts = [{ content, metadata: undefined, filename: '', mediaType: 'application/json' }];
    return JSON.stringify(await client.sendMessage({ ...rest, message: { ...message, parts } }));
  };
  expect(await say({ answer: ANSWER })).toContain(JSON.stringify(accepted).slice(1, -1));
  expect(await say({ decline: true })).toContain(String.raw`{\"action\":\"decline\"}`);
});

const ERAS = [
  ['2025-11-25', {}],
  ['2026-07-28', { versionNegotiation: { mode: 'auto' } }],
] as const;

test.each(FORMS.flatMap((form) => ERAS.map(([era, options]) => [form, era, options] as const)))(
  'MCP, %s asked by a server, %s spoken by the client: the form reaches its user, and the answer goes back',
  async (form, _, options) => {
    const client = new Client(
      { name: 'test', version: '1' },
      { ...options, capabilities: { elicitation: { form: {} } } },
    );
    const asked: object[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params);
      return asked.length === 1 ? { action: 'accept', content: ANSWER } : { action: 'decline' };
    });
    const headers = { authorization: `Bearer ${at.token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${at.url}/mcp`), { requestInit: { headers } }));
    const call = async () =>
      JSON.stringify((await client.callTool({ name: `agent__by-${form}`, arguments: { input: 'Order.' } })).content);
    expect(await call()).toContain(JSON.stringify(accepted).slice(1, -1));
    expect(asked).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('What do you want?'),
        requestedSchema: expect.objectContaining({
          properties: expect.objectContaining({ size: { type: 'string', enum: ['small', 'large'], default: 'small' } }),
          required: ['count'],
        }),
      }),
    ]);
    expect(await call()).toContain(String.raw`{\"action\":\"decline\"}`);
    await client.close();
  },
);
