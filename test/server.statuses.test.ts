// Statuses that the OpenAPI document names and that are the answer to no other test: `npm run conformance -- openapi` looks
// whether each of them is reached.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCRIPTED, type ServedFolder, servedFolder } from './support/server.ts';

let served: ServedFolder;
beforeAll(async () => {
  served = await servedFolder({
    'cadre.yaml': SCRIPTED,
    'greeter.md': '---\ndescription: Greets.\n---\nGreet them.\n',
    'slow.md': '---\ndescription: Takes long.\ntimeout: 50ms\n---\nTake long.\n',
    'clerk.md': '---\ndescription: Writes.\ntools: [files:write]\ntrust: [files:write]\n---\nWrite.\n',
    'script.yaml': [
      'agents:',
      '  greeter: [{ answer: "Hello, {{input}}.", repeat: true }]',
      '  slow: [{ answer: Late., delay: 60s, repeat: true }]',
      '  clerk: [{ call: { write_file: { path: note.txt, content: One. } } }, { answer: Written. }, { call: { write_file: { path: other.txt, content: One. } } }, { answer: Written. }]',
    ].join('\n'),
  });
});
afterAll(() => served.remove());

const ended = async (agent: string): Promise<string> =>
  (await served.post('/api/runs?wait=30s', { agent, input: 'x' })).body.run;

/** Changes the journal of a run, as a crash or somebody with an editor does. */
function changeJournal(run: string, change: (lines: readonly string[]) => readonly string[]): void {
  const file = join(served.path, '.cadre/runs', run, 'events.jsonl');
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  writeFileSync(file, `${change(lines).join('\n')}\n`);
}

test.each<[string, string, object | undefined]>([
  ['POST', '/api/agents/nobody/input', { input: 'x' }],
  ['POST', '/api/runs/none/messages', { text: 'Hurry.' }],
  ['POST', '/api/runs/none/resume', {}],
  ['POST', '/api/runs/none/fork', { at: '0.1' }],
  ['GET', '/api/runs/none/prompts/0.1', undefined],
  ['POST', '/api/runs/none/replay', {}],
  ['POST', '/api/runs/none/undo', {}],
  ['POST', '/api/runs/none/test', { name: 'one' }],
])('%s %s names nothing that is known, which is 404', async (method, path, body) => {
  expect((await served.ask(method, path, body)).status).toBe(404);
});

test('a run that has ended takes no message, no cancel and no resume', async () => {
  const run = await ended('greeter');
  for (const [path, body] of [
    ['messages', { text: 'Hurry.' }],
    ['cancel', {}],
    ['resume', {}],
  ] as const) {
    const { status, body: problem } = await served.post(`/api/runs/${run}/${path}`, body);
    expect([path, status, problem.code]).toEqual([path, 409, 'run/finished']);
  }
});

test('a fork with a model that nobody knows is refused', async () => {
  const run = await ended('greeter');
  const { status, body } = await served.post(`/api/runs/${run}/fork`, { at: '0.1', models: ['nowhere/m'] });
  expect([status, body.code]).toEqual([422, 'model/unknown']);
});

test('the changes of a run are taken back, unless somebody has changed the file since', async () => {
  const first = await ended('clerk');
  expect((await served.post(`/api/runs/${first}/undo`)).status).toBe(200);
  const second = await ended('clerk');
  writeFileSync(join(served.path, 'note.txt'), 'Mine.');
  writeFileSync(join(served.path, 'other.txt'), 'Mine.');
  const { status, body } = await served.post(`/api/runs/${second}/undo`);
  expect([status, body.code]).toEqual([409, 'undo/conflict']);
});

test('a run becomes a test', async () => {
  const run = await ended('greeter');
  expect((await served.post(`/api/runs/${run}/test`, { name: 'greets' })).status).toBe(201);
});

test('a run that its agent gives no time is 504 at a head', async () => {
  const asked = { model: 'slow', messages: [{ role: 'user', content: 'x' }] };
  expect((await served.post('/v1/chat/completions', asked)).status).toBe(504);
});

test('a client of MCP ends its session', async () => {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const accept = { accept: 'application/json, text/event-stream' };
  const began = await served.post('/mcp', message, accept);
  const session = began.headers.get('mcp-session-id') ?? '';
  const over = await served.ask('DELETE', '/mcp', undefined, { 'mcp-session-id': session });
  expect([began.status, over.status]).toEqual([200, 200]);
});

test('the card of a folder is that of the one agent that no other leads to', async () => {
  const folder = await servedFolder({
    'cadre.yaml': SCRIPTED,
    'desk.md': '---\ndescription: Takes every question.\nrouter: { destinations: [books] }\n---\nAsk.\n',
    'books.md': '---\ndescription: Keeps the books.\n---\nKeep.\n',
    'script.yaml': 'agents: {}\n',
  });
  const { status, body } = await folder.get('/.well-known/agent-card.json');
  await folder.remove();
  expect([status, body.name]).toEqual([200, 'desk']);
});

test('a run that was broken off goes on', async () => {
  const run = await ended('greeter');
  changeJournal(run, (lines) => lines.slice(0, -1));
  const { status, body } = await served.post(`/api/runs/${run}/resume`);
  expect([status, body]).toEqual([202, { run }]);
});

test('a run whose journal is damaged in its middle cannot be read', async () => {
  const run = await ended('greeter');
  changeJournal(run, (lines) => lines.with(1, 'no JSON'));
  const { status, body } = await served.get(`/api/runs/${run}`);
  expect([status, body.code]).toEqual([500, 'journal/corrupt']);
});

test('a run does not become a test if its record is not what its agents do', async () => {
  const run = await ended('greeter');
  changeJournal(run, ([start = '', ...rest]) => [start.replace('"text":"x"', '"text":"y"'), ...rest]);
  const { status, body } = await served.post(`/api/runs/${run}/test`, { name: 'changed' });
  expect([status, body.code]).toEqual([409, 'journal/divergence']);
});

test('a fork uses no provider that cadre.yaml does not have today', async () => {
  const run = await ended('greeter');
  served.write('cadre.yaml', SCRIPTED.replace('script.yaml', 'other.yaml'));
  const { status, body } = await served.post(`/api/runs/${run}/fork`, { at: '0.1' });
  served.write('cadre.yaml', SCRIPTED);
  expect([status, body.code]).toEqual([409, 'config/pinned-only']);
});

test('a run is not replayed with agents that have errors today', async () => {
  const run = await ended('greeter');
  served.write('greeter.md', '---\ndescription: Greets.\nmaxTurn: 5\n---\nGreet them.\n');
  const { status, body } = await served.post(`/api/runs/${run}/replay`);
  expect([status, body.code]).toEqual([422, 'agent/invalid']);
  expect(body.detail).toContain('greeter cannot run: greeter.md has errors');
});
