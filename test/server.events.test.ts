// The streams of the server: no gap and no repeat, whoever reads, however slowly, and from wherever.

import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadCadre } from '../src/definition/load.ts';
import { openEngine } from '../src/engine/open.ts';
import { fileStore } from '../src/stores/file/file-store.ts';
import { type Gate, gateTool, SCRIPTED, type ServedFolder, type SseMessage, servedFolder } from './support/server.ts';

let gate: Gate;
let served: ServedFolder;

beforeEach(async () => {
  gate = gateTool();
  served = await servedFolder(
    {
      'cadre.yaml': SCRIPTED,
      'walker.md': '---\ndescription: Walks.\ntools: [gate]\nmaxTurns: 60\nstuck: off\n---\nWalk.\n',
      'talker.md': '---\ndescription: Talks.\ntools: [gate]\n---\nTalk.\n',
      'writer.md': '---\ndescription: Writes.\n---\nWrite.\n',
      'asker.md': '---\ndescription: Asks.\ntools: [gate]\napprove: [gate]\n---\nAsk.\n',
      'script.yaml': [
        'agents:',
        '  walker: [{ call: gate, repeat: 5 }, { answer: "There." }]',
        '  talker: [{ say: "one two three", call: gate }, { answer: "four five six" }]',
        '  writer: [{ answer: "Written." , repeat: true }]',
        '  asker: [{ call: gate }, { answer: "Asked." }]',
      ].join('\n'),
    },
    { tools: [gate.tool] },
  );
});
afterEach(() => served.remove());

const journalOf = (messages: readonly SseMessage[]): readonly number[] =>
  messages.filter(({ event }) => event === 'journal').map(({ id }) => id as number);
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, seq) => seq);

test('a client that reconnects at every sequence number gets each event once', async () => {
  gate.open();
  const { run } = (await served.post('/api/runs?wait=30s', { agent: 'walker', input: 'go' })).body;
  const whole = await (await served.stream(`/api/runs/${run}/events`)).rest();
  const all = journalOf(whole);
  expect(all).toEqual(upTo(all.length));
  expect(all.length).toBeGreaterThan(15);
  for (const last of all.slice(0, -1)) {
    const rest = await (await served.stream(`/api/runs/${run}/events`, { 'last-event-id': String(last) })).rest();
    expect(journalOf(rest)).toEqual(all.slice(last + 1));
  }
  const over = await served.stream(`/api/runs/${run}/events`, { 'last-event-id': String(all.at(-1)) });
  expect(over.status).toBe(204);
});

test('a client that leaves after every event, while the run is at work, misses nothing', async () => {
  const { run } = (await served.post('/api/runs', { agent: 'walker', input: 'go' })).body;
  await gate.reached();
  const got: number[] = [];
  for (let ended = false; !ended; ) {
    const headers = got.length === 0 ? {} : { 'last-event-id': String(got.at(-1)) };
    const stream = await served.stream(`/api/runs/${run}/events`, headers);
    const next = await stream.nextOf('journal');
    stream.close();
    if (next === undefined) break;
    got.push(next.id as number);
    ended = next.data.event.type === 'run-end';
    if (got.length === 3) gate.open();
  }
  expect(got).toEqual(upTo(got.length));
});

test('live text comes in between, without an id; one who comes later gets what was written so far', async () => {
  const { run } = (await served.post('/api/runs', { agent: 'talker', input: 'go' })).body;
  await gate.reached();
  const stream = await served.stream(`/api/runs/${run}/events`);
  expect((await stream.nextOf('state'))?.data).toMatchObject({ state: 'running', driver: 'this' });
  gate.open();
  const rest = await stream.rest();
  const live = rest.filter(({ event, data }) => event === 'live' && data.type === 'text');
  expect(live.length).toBeGreaterThan(0);
  expect(live.every(({ id }) => id === undefined)).toBe(true);
  expect(live.map(({ data }) => data.text).join('')).toContain('four five six');
});

test('a reader that takes nothing neither slows the run nor holds its events, and gets all of them when it reads', async () => {
  const { run } = (await served.post('/api/runs', { agent: 'walker', input: 'x'.repeat(3900) })).body;
  await gate.reached();
  const slow = await new Promise<IncomingMessage>((resolve) => {
    const asked = request(
      `${served.url}/api/runs/${run}/events`,
      { headers: { authorization: `Bearer ${served.token}` } },
      resolve,
    );
    asked.end();
  });
  slow.pause();
  gate.open();
  await served.server.context.engine.outcome(run);
  let text = '';
  for await (const chunk of slow) text += String(chunk);
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  expect(ids).toEqual(upTo(ids.length));
  expect(text).toContain('"type":"run-end"');
});

test('two hundred readers of one run get the same events', async () => {
  const { run } = (await served.post('/api/runs', { agent: 'walker', input: 'go' })).body;
  await gate.reached();
  const streams = await Promise.all(Array.from({ length: 200 }, () => served.stream(`/api/runs/${run}/events`)));
  gate.open();
  const all = await Promise.all(streams.map(async (one) => journalOf(await one.rest())));
  expect(all.every((ids) => ids.length === all[0]?.length)).toBe(true);
  expect(all[0]).toEqual(upTo(all[0]?.length ?? 0));
});

test('a hundred runs at once all end', async () => {
  const started = await Promise.all(
    Array.from({ length: 100 }, (_, number) => served.post('/api/runs', { agent: 'walker', input: `run ${number}` })),
  );
  await gate.reached(100);
  gate.open();
  for (const { body } of started) {
    const outcome = await served.server.context.engine.outcome(body.run);
    expect(outcome.kind).toBe('answered');
  }
});

/** The engine as another process has it. */
const otherEngine = async () =>
  openEngine(await loadCadre(served.path, { knownTools: ['gate'] }), {
    store: fileStore(`${served.path}/.cadre`, { warn() {} }),
    tools: [gate.tool],
    warn() {},
  });

test('a run that another process began is followed to its end', async () => {
  const other = await otherEngine();
  const run = await other.start({ agent: 'walker', input: { text: 'elsewhere' } });
  await gate.reached();
  const stream = await served.stream(`/api/runs/${run}/events`);
  expect((await stream.nextOf('journal'))?.id).toBe(0);
  gate.open();
  await other.outcome(run);
  const rest = await stream.rest();
  expect(rest.findLast(({ event }) => event === 'journal')?.data.event.type).toBe('run-end');
  await other.close();
});

test('the stream of all changes tells of runs, of calls that wait, and of files', async () => {
  const stream = await served.stream('/api/stream');
  expect((await stream.next())?.event).toBe('now');
  const { run } = (await served.post('/api/runs', { agent: 'writer', input: 'go' })).body;
  let row = await stream.nextOf('run');
  while (row?.data.outcome === undefined) row = await stream.nextOf('run');
  expect(row.data).toMatchObject({ run, agent: 'writer', outcome: 'answered' });
  served.write('writer.md', '---\ndescription: Writes.\ncolour: red\n---\nWrite.\n');
  const files = await stream.nextOf('agents');
  expect(files?.data.diagnostics).toMatchObject([{ code: 'key/unknown', file: 'writer.md' }]);
  stream.close();
});

test('a run that another process begins is told of, also where there was none before', async () => {
  const stream = await served.stream('/api/stream');
  expect((await stream.next())?.event).toBe('now');
  const other = await otherEngine();
  const run = await other.start({ agent: 'walker', input: { text: 'elsewhere' } });
  expect((await stream.nextOf('run'))?.data).toMatchObject({ run, agent: 'walker' });
  gate.open();
  await other.outcome(run);
  await other.close();
  stream.close();
});

test('all readers are told of a verdict for a run that no process works on, whoever gave it', async () => {
  const asked = (await served.post('/api/runs', { agent: 'asker', input: 'may I?' })).body.run;
  await expect.poll(async () => (await served.get('/api/approvals')).body.waiting.length).toBe(1);
  const [{ path }] = (await served.get('/api/approvals')).body.waiting;
  const stream = await served.stream('/api/stream');
  await served.get('/api/runs'); // by then the stream has looked at what is there, too
  // The events of a process that ended while its run waited.
  const run = '20260101-000000-000abcd';
  const journal = await readFile(join(served.path, `.cadre/runs/${asked}/events.jsonl`), 'utf8');
  served.write(`.cadre/runs/${run}/events.jsonl`, journal.replaceAll(asked, run));
  expect((await stream.nextOf('approval'))?.data).toEqual({ change: 'came', run, path });
  expect((await served.get(`/api/runs/${run}/summary`)).body.state).toBe('broken-off');
  await served.post(`/api/runs/${run}/ops/${path}/verdict`, { approved: true });
  expect((await stream.nextOf('approval'))?.data).toEqual({ change: 'went', run, path });
  expect((await served.get('/api/approvals')).body).toMatchObject({
    waiting: [{ run: asked }],
    untaken: [{ run, path }],
  });
  stream.close();
});

test('files are read again: new runs use them if the check passes, and runs at work keep theirs', async () => {
  const { run } = (await served.post('/api/runs', { agent: 'talker', input: 'go' })).body;
  await gate.reached();
  const stream = await served.stream('/api/stream');
  await stream.next();
  const saved = stream.nextOf('agents');
  served.write(
    'script.yaml',
    'agents:\n  talker: [{ answer: "another script" }]\n  writer: [{ answer: "Rewritten." }]\n',
  );
  await saved;
  const later = (await served.post('/api/runs?wait=30s', { agent: 'writer', input: 'x' })).body;
  expect(later.outcome.text).toBe('Rewritten.');
  const broken = stream.nextOf('agents');
  served.write('writer.md', '---\ndescription: 7\n---\nWrite.\n');
  await broken;
  const info = (await served.get('/api/cadre')).body;
  expect(info.cadres[0].state).toBe('outdated');
  expect(info.agents.find(({ name }: { name: string }) => name === 'writer').state).toBe('outdated');
  expect((await served.post('/api/runs?wait=30s', { agent: 'writer', input: 'x' })).body.outcome.text).toBe(
    'Rewritten.',
  );
  const gone = stream.nextOf('agents');
  served.write('newcomer.md', '---\ndescription: New.\n---\nNew.\n');
  await gone;
  expect((await served.get('/api/agents/newcomer')).status).toBe(200);
  stream.close();
  gate.open();
  const outcome = await served.server.context.engine.outcome(run);
  expect(outcome).toMatchObject({ kind: 'answered', text: 'four five six' });
});
