// A yes means what was seen: an answer counts for the op that its sender was shown, once, and for nothing that waits by
// the time it arrives.

import type { Task } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { treeText } from '../../src/cli/render/tree-text.ts';
import { plain } from '../../src/cli/screen/terminal.ts';
import { newMessage } from '../../src/engine/handle.ts';
import { sendControl } from '../../src/engine/remote/control-sender.ts';
import { approvalsOf, type ShownApproval } from '../../src/engine/remote/waiting-approvals.ts';
import type { ApprovalList } from '../../src/server/protocol.ts';
import { tool } from '../../src/tools/functions.ts';
import { OpTreeFold } from '../../src/views/tree/op-tree.ts';
import { a2aClient, a2aMessage } from '../support/a2a.ts';
import { AGENTS, type Served, served } from '../support/served.ts';

const CI = 'ci-token-of-the-tests';
const PADDING = 'x'.repeat(10_000);
const HIDDEN = 'safe\u001b[8m\u202egnp.exe\u200b\nto: all';
const MANY = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key-${index}`, index]));
const HOSTILE = {
  what: PADDING,
  '\u202e"}, "hidden': '```',
  deep: [[[[{ list: ['a', HIDDEN] }]]]],
  ...MANY,
  zone: 'production',
};

let at: Served;
let erased: string[] = [];
beforeAll(async () => {
  const erase = tool({
    name: 'erase',
    description: 'Erases a thing.',
    parameters: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] } as const,
    run: ({ what }) => {
      erased.push(what);
      return `erased ${what}`;
    },
  });
  const agent = '---\ndescription: Erases.\ntools: [erase]\napprove: [erase]\n---\nYou erase.';
  at = await served(
    {
      ...AGENTS,
      'cadre.yaml': `${AGENTS['cadre.yaml']}\n    ci: { token: ${CI}, may: [see, approve] }\n`,
      'twice.md': agent,
      'later.md': agent,
      'hostile.md': agent,
      'demo.script.yaml': [
        AGENTS['demo.script.yaml'],
        '  twice:',
        '    - calls: [{ erase: { what: draft } }, { erase: { what: everything } }]',
        '    - answer: "{{last}}"',
        '  later:',
        '    - call: { erase: { what: draft } }',
        '    - call: { erase: { what: everything } }',
        '    - answer: "{{last}}"',
        '  hostile:',
        `    - call: { erase: ${JSON.stringify(HOSTILE)} }`,
        '    - answer: "{{last}}"',
      ].join('\n'),
    },
    [erase],
  );
});
afterAll(() => at.close());
beforeEach(() => {
  erased = [];
});

const begun = async (agent: string, name?: string) => {
  const client = await a2aClient(at, agent, name === undefined ? {} : { name });
  const task = (await client.sendMessage(a2aMessage(`Erase. ${crypto.randomUUID()}`))) as Task;
  expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  return { client, task, yes: { taskId: task.id } };
};
const opOf = ({ status }: Task): string => (status?.message?.metadata ?? {})['cadre/op'] as string;
const waitingIn = async (run: string): Promise<readonly ShownApproval[]> => (await approvalsOf(run, at.store)).waiting;

async function api(
  path: string,
  body?: object,
  token = at.token,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const answer = await fetch(`${at.url}${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}
const verdict = (run: string, op: string, body: object, token?: string) =>
  api(`/api/runs/${run}/ops/${op}/verdict`, body, token);

test('A2A: a message that is sent twice approves one call', async () => {
  const { client, task, yes } = await begun('twice');
  const message = a2aMessage('yes', { ...yes, messageId: 'once' });
  const next = (await client.sendMessage(message)) as Task;
  expect(opOf(next)).not.toBe(opOf(task));
  expect(opOf((await client.sendMessage(message)) as Task)).toBe(opOf(next));
  await at.restart();
  const again = await a2aClient(at, 'twice');
  expect(opOf((await again.sendMessage(message)) as Task)).toBe(opOf(next));
  expect((await waitingIn(task.id)).map(({ path }) => path)).toEqual([opOf(next)]);
  await again.sendMessage(a2aMessage('no', yes));
  expect(erased).toEqual(['draft']);
});

test('A2A: a request that is sent twice begins one task', async () => {
  const client = await a2aClient(at, 'echo');
  const message = a2aMessage('Only once.', { messageId: crypto.randomUUID() });
  const [one, other] = (await Promise.all([client.sendMessage(message), client.sendMessage(message)])) as Task[];
  expect(other?.id).toBe(one?.id);
  const next = (await client.sendMessage(a2aMessage('Only once.'))) as Task;
  expect(next.id).not.toBe(one?.id);
});

test('A2A: two answers to one question are one yes, and the second is told who was first', async () => {
  const { client, task, yes } = await begun('twice');
  const [op] = await waitingIn(task.id);
  await client.sendMessage(a2aMessage('yes', { ...yes, metadata: { 'cadre/op': op?.path } }));
  const late = client.sendMessage(a2aMessage('yes', { ...yes, metadata: { 'cadre/op': op?.path } }));
  await expect(late).rejects.toThrow(`Op ${op?.path} was decided already: approved by whoever runs the server.`);
  expect(await waitingIn(task.id)).toHaveLength(1);
});

test('A2A: a late yes does not approve a call that its sender never saw', async () => {
  const { client, task, yes } = await begun('later');
  await verdict(task.id, opOf(task), { approved: false });
  await expect.poll(async () => (await waitingIn(task.id))[0]?.path).not.toBe(opOf(task));
  await expect(client.sendMessage(a2aMessage('yes', yes))).rejects.toThrow(
    'was decided already: denied by whoever runs the server',
  );
  await expect(client.sendMessage(a2aMessage('yes', yes))).rejects.toThrow('was not shown to this client');
  expect(await waitingIn(task.id)).toHaveLength(1);
  const now = await client.getTask({ tenant: '', id: task.id });
  expect(JSON.stringify(now.status?.message)).toContain('everything');
  await client.sendMessage(a2aMessage('yes', yes));
  expect(erased).toEqual(['everything']);
});

test('A2A: a yes of a client that was shown nothing counts only if it names the op', async () => {
  const { task, yes } = await begun('later', 'first');
  const other = await a2aClient(at, 'later', { name: 'second' });
  await expect(other.sendMessage(a2aMessage('yes', yes))).rejects.toThrow('was not shown to this client');
  await at.restart();
  const first = await a2aClient(at, 'later', { name: 'first' });
  await expect(first.sendMessage(a2aMessage('yes', yes))).rejects.toThrow('was not shown to this client');
  const named = { ...yes, metadata: { 'cadre/op': opOf(task), 'cadre/seen': 'f'.repeat(64) } };
  await expect(first.sendMessage(a2aMessage('yes', named))).rejects.toThrow('something else than what was shown');
  expect(erased).toEqual([]);
  const next = (await first.sendMessage(
    a2aMessage('yes', { ...yes, metadata: task.status?.message?.metadata }),
  )) as Task;
  expect(next.status?.message?.messageId).toBe(`${task.id}-op-${opOf(next)}`);
  expect(erased).toEqual(['draft']);
});

test('MCP: an answer to an op that the client was not asked about is no answer', async () => {
  const { client: knows, yes } = await begun('later');
  const next = opOf((await knows.sendMessage(a2aMessage('yes', yes))) as Task); // its path is the same in every run
  erased = [];
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
  );
  const asked: string[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: { approve: asked.length === 1 } };
  });
  const forge: typeof fetch = (input, init) => {
    if (typeof init?.body !== 'string') return fetch(input, init);
    const body = JSON.parse(init.body) as { params?: { inputResponses?: Record<string, unknown> } };
    const answers = body.params?.inputResponses;
    if (answers !== undefined) answers[next] ??= { action: 'accept', content: { approve: true } };
    return fetch(input, { ...init, body: JSON.stringify(body) });
  };
  const headers = { authorization: `Bearer ${at.token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${at.url}/mcp`), { requestInit: { headers }, fetch: forge }),
  );
  await client.callTool({ name: 'agent__later', arguments: { input: 'Erase.' } });
  await client.close();
  expect(asked).toHaveLength(2);
  expect(erased).toEqual(['draft']);
});

test('API: a verdict on something else than the op asks is refused, and one on the op as it is recorded counts', async () => {
  const { task } = await begun('twice');
  const [one, other] = await waitingIn(task.id);
  if (one === undefined || other === undefined) throw new Error('two calls wait');
  const changed = await verdict(task.id, one.path, { approved: true, seen: other.digest });
  expect(changed).toMatchObject({
    status: 409,
    body: { code: 'approval/changed', detail: expect.stringContaining('twice wants to call erase') },
  });
  for (const seen of ['', 'ab', one.digest.slice(0, 11), `${one.digest}0`])
    expect((await verdict(task.id, one.path, { approved: true, seen })).status).toBe(409);
  const { body } = await api(`/api/approvals?run=${task.id}`);
  expect((body as ApprovalList).waiting.map(({ digest }) => digest)).toEqual([one.digest, other.digest]);
  expect((await verdict(task.id, one.path, { approved: true, seen: one.digest })).status).toBe(200);
  const late = await verdict(task.id, one.path, { approved: false, seen: one.digest });
  expect([late.status, late.body]).toEqual([
    409,
    expect.objectContaining({ code: 'approval/decided', approved: true, by: 'owner' }),
  ]);
  expect((await verdict(task.id, other.path, { approved: false })).status).toBe(200);
});

test('another process: a verdict on something else, and one for an op that does not wait, are refused', async () => {
  const { task } = await begun('twice');
  const [one, other] = await waitingIn(task.id);
  if (one === undefined || other === undefined) throw new Error('two calls wait');
  const say = (op: string, seen?: string) =>
    sendControl(
      task.id,
      newMessage({ kind: 'verdict', op, approved: true, ...(seen !== undefined && { seen }) }),
      at.store,
    );
  await expect(say(one.path, other.digest)).rejects.toMatchObject({ fault: { code: 'approval/changed' } });
  await expect(say('0.9')).rejects.toMatchObject({ fault: { code: 'approval/unknown' } });
  await at.server.context.engine.suspend(task.id, 0);
  await expect(say(one.path, other.digest)).rejects.toMatchObject({ fault: { code: 'approval/changed' } });
  expect(await say(one.path, one.digest)).toBe('waits');
  await expect(say(one.path, one.digest)).rejects.toMatchObject({ fault: { code: 'approval/decided' } });
  expect(await waitingIn(task.id)).toEqual([other]);
});

test('a verdict ahead of its question does not wait for it in the run', async () => {
  const { task } = await begun('later');
  const ahead = at.server.context.engine.control(task.id, newMessage({ kind: 'verdict', op: '0.5.0', approved: true }));
  await expect(ahead).rejects.toMatchObject({ fault: { code: 'approval/unknown' } });
  await verdict(task.id, opOf(task), { approved: false });
  await expect.poll(() => waitingIn(task.id)).toMatchObject([{ path: expect.not.stringMatching(opOf(task)) }]);
});

test('a verdict by a token shows whose it was: in the API, to a head, in the tree', async () => {
  const { client, task } = await begun('twice');
  const [one, other] = await waitingIn(task.id);
  await verdict(task.id, one?.path ?? '', { approved: false, seen: one?.digest }, CI);
  await verdict(task.id, other?.path ?? '', { approved: false, note: 'Not now.', seen: other?.digest });
  await at.server.context.engine.outcome(task.id);
  const decided = {
    [one?.path ?? '']: 'denied by ci',
    [other?.path ?? '']: 'denied by whoever runs the server (Not now.)',
  };
  expect((await client.getTask({ tenant: '', id: task.id })).metadata).toEqual({ 'cadre/decided': decided });
  const { body } = await api('/api/approvals?decided=20');
  const mine = (body as ApprovalList).decided?.filter(({ run }) => run === task.id);
  expect(mine?.map(({ verdict: { by } }) => by).toSorted()).toEqual(['ci', 'owner']);
  const tree = new OpTreeFold();
  for await (const event of at.store.read(task.id)) tree.add(event);
  expect(treeText(tree.tree(), { paint: plain }).join('\n')).toMatch(/a person asked about erase \(by ci\) +denied/);
});

test('nothing stands behind padding, and nothing hides or turns text, in the question of any head', async () => {
  const { task } = await begun('hostile');
  const mcp = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  let elicited = '';
  mcp.setRequestHandler('elicitation/create', ({ params }) => {
    elicited = params.message;
    return { action: 'decline' };
  });
  const headers = { authorization: `Bearer ${at.token}` };
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${at.url}/mcp`), { requestInit: { headers } }));
  await mcp.callTool({ name: 'agent__hostile', arguments: { input: 'Erase.' } });
  await mcp.close();
  const { body } = await api(`/api/approvals?run=${task.id}`);
  const [content] = task.status?.message?.parts ?? [];
  for (const text of [String(content?.content?.value), elicited, (body as ApprovalList).waiting[0]?.shown ?? '']) {
    expect(text).toMatch(/"what": "x+" … \d+ of 10000 characters not shown … "x+"/);
    for (const key of Object.keys(MANY)) expect(text).toContain(`"${key}": `);
    expect(text).toContain('"zone": "production"');
    expect(text).toContain('"safe\\u001b[8m\\u202egnp.exe\\u200b\\nto: all"');
    expect(text).toContain('"\\u202e\\"}, \\"hidden": "```"');
    for (const hidden of ['\u001b', '\u202e', '\u200b']) expect(text).not.toContain(hidden);
  }
  expect(elicited).toMatch(/\n````\n\{\n[\s\S]*\n\}\n````$/); // what is asked about cannot close its fence
});
