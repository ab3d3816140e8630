// The API of the server, asked as programs ask it. Every answer is also checked against what its route declares.

import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ADDRESSES } from '../src/server/routes/all-routes.ts';
import { gateTool, SCRIPTED, type ServedFolder, servedFolder } from './support/server.ts';

const gate = gateTool();
let served: ServedFolder;

beforeAll(async () => {
  served = await servedFolder(
    {
      'cadre.yaml': SCRIPTED,
      'greeter.md': '---\ndescription: Greets.\nusage: Say who you are.\n---\nGreet them.\n',
      'adder.md':
        '---\ndescription: Adds.\ninput: {format: json, schema: {type: object, properties: {a: {type: number}}, required: [a]}}\n---\nAdd.\n',
      'waiter.md': '---\ndescription: Waits.\ntools: [gate]\n---\nWait.\n',
      'asker.md': '---\ndescription: Asks.\ntools: [person]\n---\nAsk.\n',
      'payer.md': '---\ndescription: Pays.\ntools: [gate]\napprove: [gate]\n---\nPay.\n',
      'greeter.test.yaml':
        'agent: greeter\ncases:\n  one: {input: Ada, expect: {}}\n  again: {input: Ada, expect: {}}\n  two: {input: Bob, expect: {}}\n  three: {input: Cy, expect: {}}\n',
      'torn.test.yaml': 'agent: payer\ncases: [\n',
      'script.yaml': [
        'agents:',
        '  greeter: [{ answer: "Hello, {{input}}. Before: {{history}}", repeat: true }]',
        '  adder: [{ answer: "It is {{input.a}}.", repeat: true }]',
        '  waiter: [{ call: gate }, { answer: "Waited." }]',
        '  asker: [{ call: { ask_person: { question: "Which?", options: [red, blue] } } }, { answer: "{{last}}" }]',
        '  payer: [{ call: gate }, { answer: "Paid: {{last}}" }]',
      ].join('\n'),
    },
    { tools: [gate.tool] },
  );
});
afterAll(() => served.remove());

test('a run is started, waited for, shown and listed', async () => {
  const started = await served.post('/api/runs?wait=30s', { agent: 'greeter', input: 'Ada', label: 'first' });
  expect(started.status).toBe(200);
  expect(started.body).toMatchObject({
    state: 'ended',
    outcome: { kind: 'answered', text: expect.stringContaining('Hello, Ada.') },
  });
  const { run } = started.body;
  expect(started.headers.get('location')).toBe(`/api/runs/${run}`);
  const shown = await served.get(`/api/runs/${run}`);
  expect(shown.body).toMatchObject({ run, outcome: { kind: 'answered' }, totals: { calls: 1 } });
  const list = await served.get('/api/runs?label=first&limit=5');
  expect(list.body.items).toMatchObject([
    { run, agent: 'greeter', state: 'ended', outcome: 'answered', driver: 'none', prefix: '', calls: 1 },
  ]);
  expect((await served.get('/api/runs/first/summary')).body.run).toBe(run);
});

test('a run without wait is accepted, and its outcome comes later', async () => {
  const started = await served.post('/api/runs', { agent: 'greeter', input: 'Bob' });
  expect(started.status).toBe(202);
  const events = await served.stream(`/api/runs/${started.body.run}/events`);
  const all = await events.rest();
  expect(all.filter(({ event }) => event === 'journal').at(-1)?.data.event).toMatchObject({ type: 'run-end' });
});

test('pages of the list follow each other without a gap', async () => {
  for (const name of ['p1', 'p2', 'p3'])
    await served.post('/api/runs?wait=30s', { agent: 'greeter', input: name, label: 'page' });
  const first = (await served.get('/api/runs?label=page&limit=2')).body;
  const second = (await served.get(`/api/runs?label=page&limit=2&before=${first.next}`)).body;
  expect([...first.items, ...second.items].map(({ input }: { input: { text: string } }) => input.text)).toEqual([
    'p3',
    'p2',
    'p1',
  ]);
  expect(second.next).toBeUndefined();
});

test('a wrong request says every violation, with the code of its fault', async () => {
  const wrong = await served.post('/api/runs', { agent: 7, colour: 'red' });
  expect(wrong.status).toBe(400);
  expect(wrong.headers.get('content-type')).toContain('application/problem+json');
  expect(wrong.body).toMatchObject({ code: 'request/invalid', status: 400 });
  expect(wrong.body.violations.map(({ path }: { path: string }) => path)).toEqual(
    expect.arrayContaining(['$.agent', '$.colour']),
  );
  expect((await served.post('/api/runs', '{"agent":')).body.code).toBe('request/invalid');
  expect((await served.get('/api/runs?limit=0&colour=red')).body.violations).toHaveLength(2);
  expect((await served.ask('POST', '/api/runs', 'agent=greeter', { 'content-type': 'text/plain' })).status).toBe(415);
  expect((await served.get('/api/nothing')).body.code).toBe('request/not-found');
  expect((await served.ask('DELETE', '/api/runs')).status).toBe(405);
  expect((await served.get('/api/runs/nobody')).body.code).toBe('run/unknown');
});

test('an input that does not fit is refused with its violations, and can be checked before', async () => {
  const refused = await served.post('/api/runs', { agent: 'adder', input: { a: 'x' } });
  expect([refused.status, refused.body.code]).toEqual([422, 'input/invalid']);
  expect(refused.body.violations).toMatchObject([{ path: '$.a' }]);
  expect((await served.post('/api/agents/adder/input', { input: { a: 1 } })).body).toEqual({
    ok: true,
    violations: [],
  });
  expect((await served.post('/api/agents/adder/input', { input: {} })).body).toMatchObject({
    ok: false,
    violations: [{ path: '$' }],
  });
  expect((await served.post('/api/agents/greeter/input', { input: ' ' })).body.message).toContain('takes a text');
  expect((await served.post('/api/runs', { agent: 'greter', input: 'x' })).body).toMatchObject({
    code: 'agent/unknown',
    detail: expect.stringContaining('Did you mean "greeter"?'),
  });
  expect((await served.post('/api/runs', { agent: 'greeter', input: 'x', stopAfter: 'adder' })).body).toMatchObject({
    code: 'usage',
    status: 400,
    detail: expect.stringContaining('a run of greeter has no stage "adder"'),
  });
});

test('a contract of the caller binds the answer, and a bad schema of it is refused', async () => {
  const bad = await served.post('/api/runs', {
    agent: 'greeter',
    input: 'x',
    output: { format: 'json', schema: { type: 7 } },
  });
  expect(bad.body.code).toBe('request/invalid');
  expect(bad.body.violations[0].path).toBe('$.output.schema.type');
});

test('the cadre tells its agents, graph, bounds, models and who asks', async () => {
  const { body } = await served.get('/api/cadre');
  expect(body.agents.map(({ name }: { name: string }) => name)).toEqual([
    'adder',
    'asker',
    'greeter',
    'payer',
    'waiter',
  ]);
  expect(body.bounds['greeter']).toMatchObject({ kind: 'bounded', calls: 10 });
  expect(body.models[0]).toMatchObject({ agent: 'adder', ready: true, state: 'ready: script' });
  expect(body.you).toMatchObject({ name: 'owner', may: ['see', 'run', 'approve', 'manage'] });
  expect(body.cadres).toMatchObject([{ prefix: '', state: 'ready' }]);
  const agent = (await served.get('/api/agents/greeter')).body;
  expect(agent.settings).toContainEqual({
    key: 'usage',
    value: 'Say who you are.',
    from: 'file',
    place: { file: 'greeter.md', line: 3 },
  });
  expect(agent.settings).toContainEqual({ key: 'maxRetries', value: '3', from: 'built-in' });
  expect(agent).toMatchObject({ name: 'greeter', usage: 'Say who you are.', reaches: ['greeter'], diagnostics: [] });
  expect(agent.system).toContain('Greet them.');
  expect(agent.template).toContain('maxTurns: 10');
});

test('a conversation goes on: each message gets the history before it', async () => {
  const first = (await served.post('/api/runs?wait=30s', { agent: 'greeter', input: 'Ada', thread: 'new' })).body;
  expect(first.thread).toMatch(/^t/);
  const second = (await served.post('/api/runs?wait=30s', { agent: 'greeter', input: 'again', thread: first.thread }))
    .body;
  expect(second.outcome.text).toContain('Before: user: Ada');
  const thread = (await served.get(`/api/threads/${first.thread}`)).body;
  expect(thread).toMatchObject({ agent: 'greeter', history: [{ text: 'Ada' }, {}, { text: 'again' }, {}] });
  expect(thread.runs).toMatchObject([
    { run: first.run, ending: { kind: 'answered', text: first.outcome.text } },
    { run: second.run, ending: { text: second.outcome.text } },
  ]);
  expect((await served.post('/api/runs', { agent: 'greeter', input: 'x', thread: 'tnone' })).body.code).toBe(
    'thread/unknown',
  );
  expect((await served.post('/api/runs', { agent: 'adder', input: { a: 1 }, thread: first.thread })).status).toBe(409);
});

test('a message that is worded anew begins a branch of its thread, and the others stay', async () => {
  const say = async (input: string, more: object) =>
    (await served.post('/api/runs?wait=30s', { agent: 'greeter', input, ...more })).body;
  const first = await say('Branch one', { thread: 'new' });
  const { thread } = first;
  const second = await say('second', { thread });
  const anew = await say('second, worded anew', { thread, continues: first.run });
  expect(anew.outcome.text).toContain('Branch one');
  expect(anew.outcome.text).not.toContain('Before: second');
  const other = await say('first, worded anew', { thread, continues: null });
  expect(other.outcome.text).not.toContain('Branch one');
  const { runs } = (await served.get(`/api/threads/${thread}`)).body;
  expect(runs.map(({ run, continues }: { run: string; continues?: string }) => [run, continues])).toEqual([
    [first.run, undefined],
    [second.run, first.run],
    [anew.run, first.run],
    [other.run, undefined],
  ]);
  const refused = async (more: object) =>
    (await served.post('/api/runs', { agent: 'greeter', input: 'x', ...more })).body;
  expect(await refused({ continues: first.run })).toMatchObject({ code: 'request/invalid' });
  expect(await refused({ thread, continues: 'elsewhere' })).toMatchObject({ code: 'request/invalid' });
});

test('threads are listed with the newest message first, counted, found by words, and given in pages', async () => {
  const begun = [];
  for (const input of ['a lantern', 'a lamp', 'another lamp'])
    begun.push((await served.post('/api/runs?wait=30s', { agent: 'greeter', input, thread: 'new' })).body);
  const [lantern, lamp, another] = begun;
  await served.post('/api/runs?wait=30s', { agent: 'greeter', input: 'and its\nlamp oil', thread: lantern.thread });
  const found = (await served.get('/api/threads?q=lamp')).body;
  expect(found).toMatchObject({
    total: 3,
    items: [
      {
        thread: lantern.thread,
        title: 'a lantern',
        agent: 'greeter',
        messages: 2,
        state: 'ended',
        outcome: 'answered',
      },
      { thread: another.thread, messages: 1, waiting: 0 },
      { thread: lamp.thread },
    ],
  });
  const page = (await served.get('/api/threads?q=lamp&limit=2')).body;
  expect(page.items).toEqual(found.items.slice(0, 2));
  const rest = (await served.get(`/api/threads?q=lamp&limit=2&before=${encodeURIComponent(page.next)}`)).body;
  expect(rest).toEqual({ items: found.items.slice(2), total: 3 });
  expect((await served.get('/api/threads?q=lamp%20nobody')).body).toEqual({ items: [], total: 0 });
});

test('the agents say what their tests ask first, and which of their models cost nothing', async () => {
  const { agents, models } = (await served.get('/api/cadre')).body;
  const greeter = agents.find(({ name }: { name: string }) => name === 'greeter');
  expect(greeter.examples).toEqual(['Ada', 'Bob']);
  expect(agents.find(({ name }: { name: string }) => name === 'payer').examples).toBeUndefined();
  expect(models[0]).toMatchObject({ free: 'scripted' });
});

test('files that are attached to a message are part of the text', async () => {
  const { body } = await served.post('/api/runs?wait=30s', {
    agent: 'greeter',
    input: 'Read this',
    files: [{ name: 'notes.txt', text: 'tea at four' }],
  });
  expect(body.outcome.text).toContain('notes.txt');
  expect(body.outcome.text).toContain('tea at four');
});

test('a key gives the same run again, and is good for one request', async () => {
  const key = { 'idempotency-key': 'k-1' };
  const asked = { agent: 'greeter', input: 'once' };
  const [one, other] = await Promise.all([served.post('/api/runs', asked, key), served.post('/api/runs', asked, key)]);
  expect(one.body.run).toBe(other.body.run);
  expect((await served.post('/api/runs?wait=30s', asked, key)).body).toMatchObject({
    run: one.body.run,
    state: 'ended',
  });
  const reused = await served.post('/api/runs', { agent: 'greeter', input: 'twice' }, key);
  expect([reused.status, reused.body.code]).toEqual([422, 'request/key-reused']);
  expect((await served.get('/api/runs?text=once')).body.items).toHaveLength(1);
});

test('an answer that does not fit a question is refused, and the question waits on', async () => {
  const { run } = (await served.post('/api/runs', { agent: 'asker', input: 'x' })).body;
  const question = await vi.waitUntil(async () => (await served.get(`/api/approvals?run=${run}`)).body.waiting[0], {
    timeout: 20_000,
  });
  const verdict = `/api/runs/${run}/ops/${question.path}/verdict`;
  for (const body of [{ approved: true }, { approved: true, answer: 'green' }]) {
    const refused = await served.post(verdict, body);
    expect([refused.status, refused.body.code]).toEqual([422, 'approval/answer']);
  }
  expect((await served.post(verdict, { approved: true, answer: 'red' })).body).toEqual({ accepted: 'taken' });
});

test('a filter that no run can satisfy is refused by its name', async () => {
  const refused = await served.get('/api/runs?outcome=done');
  expect([refused.status, refused.body.code]).toEqual([400, 'request/invalid']);
  expect(refused.body.detail).toContain('query outcome must be one of "answered"');
});

test('a label that is none is refused', async () => {
  const refused = await served.post('/api/runs', { agent: 'greeter', input: 'x', label: 'a/b' });
  expect([refused.status, refused.body.code]).toEqual([400, 'usage']);
});

test('a call waits for a person, and a second verdict is told who was first', async () => {
  const { run } = (await served.post('/api/runs', { agent: 'payer', input: 'now' })).body;
  const stream = await served.stream(`/api/runs/${run}/events`);
  for (let found = await stream.nextOf('journal'); found?.data.event.op?.kind !== 'approval'; )
    found = await stream.nextOf('journal');
  const { waiting } = (await served.get('/api/approvals')).body;
  expect(waiting).toMatchObject([{ run, agent: 'payer', about: { name: 'gate' }, tool: { repeat: 'safe' } }]);
  const verdict = `/api/runs/${run}/ops/${waiting[0].path}/verdict`;
  expect((await served.post(`/api/runs/${run}/ops/0.99/verdict`, { approved: true })).body.code).toBe(
    'approval/unknown',
  );
  expect((await served.post(verdict, { approved: false, note: 'Too dear.' })).body).toEqual({ accepted: 'taken' });
  const again = await served.post(verdict, { approved: true });
  expect([again.status, again.body.by]).toEqual([409, 'owner']);
  const end = (await stream.rest()).findLast(({ event }) => event === 'journal');
  expect(end?.data.event.outcome.text).toContain('Too dear.');
  expect((await served.get('/api/approvals')).body.waiting).toEqual([]);
});

test('a run at work is cancelled, and a message reaches it', async () => {
  const { run } = (await served.post('/api/runs', { agent: 'waiter', input: 'now' })).body;
  await gate.reached();
  expect((await served.get(`/api/runs/${run}/summary`)).body).toMatchObject({
    state: 'running',
    driver: 'this',
    now: 'waiter: calls gate',
  });
  expect((await served.post(`/api/runs/${run}/messages`, { text: 'Hurry.' })).body).toEqual({ accepted: 'taken' });
  expect((await served.post(`/api/runs/${run}/cancel`, { reason: 'Enough.' })).body).toEqual({ accepted: 'taken' });
  const end = (await (await served.stream(`/api/runs/${run}/events`)).rest()).findLast(
    ({ event }) => event === 'journal',
  );
  expect(end?.data.event.outcome).toMatchObject({ kind: 'cancelled' });
  expect((await served.post(`/api/runs/${run}/stop`)).body.code).toBe('run/finished');
});

test('a run is forked, replayed and compared', async () => {
  const { run } = (await served.post('/api/runs?wait=30s', { agent: 'greeter', input: 'Eve' })).body;
  const preview = (await served.get(`/api/runs/${run}/fork?at=0.1`)).body;
  expect(preview).toMatchObject({ at: '0.1', again: [] });
  const forked = await served.post(`/api/runs/${run}/fork`, { at: '0.1' });
  expect(forked.body.events).toBe(preview.events);
  await (await served.stream(`/api/runs/${forked.body.run}/events`)).rest();
  expect((await served.get(`/api/runs/${forked.body.run}/summary`)).body.forkedFrom).toMatchObject({ run, at: '0.1' });
  expect((await served.post(`/api/runs/${run}/replay`)).body).toMatchObject({
    kind: 'identical',
    ended: true,
    changed: [],
  });
  expect((await served.get(`/api/diff?a=${run}&b=${forked.body.run}`)).body.parting).toBeUndefined();
  expect((await served.get(`/api/runs/${run}/fork?at=0.77`)).status).toBe(400);
  const prompt = (await served.get(`/api/runs/${run}/prompts/0.1`)).body;
  expect(prompt).toMatchObject({ agent: 'greeter', session: '0', op: '0.1' });
  expect(prompt.parts.map(({ source }: { source: string }) => source)).toEqual(['own text', 'tools']);
  expect((await served.get(`/api/runs/${run}/prompts/0.77`)).status).toBe(400);
  const pinned = (await served.get(`/api/runs/${run}/agents`)).body;
  expect(pinned.agents).toHaveLength(5);
  expect(pinned.prices).toEqual({}); // a script has none
});

test('texts that are long are cut on the stream, and whole when asked for', async () => {
  const input = `start ${'é'.repeat(5000)}`;
  const { run } = (await served.post('/api/runs?wait=30s', { agent: 'greeter', input })).body;
  const lines = (await served.get(`/api/runs/${run}/events`, { accept: 'application/x-ndjson' })).text
    .trim()
    .split('\n');
  const first = JSON.parse(lines[0] ?? '');
  expect(first.cut).toEqual([['/event/input/text'.replace('/event', ''), 10_006]]);
  expect(first.event.input.text).toHaveLength(4000);
  expect((await served.get(`/api/runs/${run}/events/0`)).body.input.text).toBe(input);
  expect((await served.get(`/api/runs/${run}/events/9999`)).status).toBe(404);
  const digest = Object.values(first.event.texts as Record<string, string>)[0];
  expect((await served.get(`/api/blobs/${digest}`)).status).toBe(200);
  expect((await served.get(`/api/blobs/${digest}?run=${run}`)).status).toBe(200);
  expect((await served.get(`/api/blobs/${'0'.repeat(64)}`)).status).toBe(404);
  expect((await served.get('/api/blobs/..%2f..%2fserver-token')).status).toBe(400);
});

test('the OpenAPI document passes its linter, and has every route', async () => {
  const { text, body } = await served.get('/openapi.json');
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  expect(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`),
  ).toEqual([]);
  expect(Object.keys(body.paths)).toContain('/api/runs/{run}/ops/{path}/verdict');
});

test('each address of the API and the heads is in the document, and asks for a token unless it is open', async () => {
  const { body } = await served.get('/openapi.json');
  for (const { method, path, permission } of ADDRESSES) {
    const documented = path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}');
    expect({ path, methods: Object.keys(body.paths[documented] ?? {}) }).toEqual({
      path,
      methods: expect.arrayContaining([method.toLowerCase()]),
    });
    if (permission === 'open') continue;
    const asked = await fetch(`${served.url}${path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, 'x')}`, { method });
    await asked.text();
    expect({ method, path, status: asked.status }).toEqual({ method, path, status: 401 });
  }
});

test('anyone may ask whether it is alive', async () => {
  expect(await (await fetch(`${served.url}/healthz`)).json()).toEqual({ ok: true });
  expect(await (await fetch(`${served.url}/readyz`)).json()).toEqual({ ok: true });
});
