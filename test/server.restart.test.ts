// The server as a process: killed at work, asked to end, started again.

import type { ChildProcess } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith } from './support/cli.ts';
import { clientOf, SCRIPTED, type ServerClient } from './support/server.ts';

const RUNS = 50;

const FILES = {
  'cadre.yaml': `${SCRIPTED}server: { maxRuns: 40, grace: 8s }\nfunctions: ./tools.mjs\n`,
  'worker.md': '---\ndescription: Works.\ntools: [step]\n---\nWork.\n',
  'payer.md': '---\ndescription: Pays.\ntools: [step]\napprove: [step]\n---\nPay.\n',
  'tools.mjs': [
    "import { appendFileSync } from 'node:fs';",
    'export const step = {',
    "  name: 'step', description: 'Takes a step.', parameters: { type: 'object', properties: { of: { type: 'string' } } },",
    "  run({ of }) { appendFileSync(new URL('./steps.txt', import.meta.url), `${of}\\n`); return 'done'; },",
    '};',
  ].join('\n'),
  'script.yaml': [
    'pace: { delay: 150ms }',
    'agents:',
    '  worker: [{ call: { step: { of: "{{input}} 1" } } }, { call: { step: { of: "{{input}} 2" } } }, { answer: "{{input}} is done" }]',
    '  payer: [{ call: { step: { of: "paid" } } }, { answer: "Paid." }]',
  ].join('\n'),
};

let folder: Folder | undefined;
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  folder?.remove();
});

interface Process extends ServerClient {
  readonly child: ChildProcess;
  readonly said: () => string;
}

async function serve(at: Folder): Promise<Process> {
  const child = at.start(['serve', '--port', '0']);
  children.push(child);
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  const address = await new Promise<URL>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => resolve(new URL(text.trim())));
    child.on('close', () => reject(new Error(`It did not start: ${said}`)));
  });
  return { ...clientOf(address.origin, address.searchParams.get('token') ?? ''), child, said: () => said };
}

const gone = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode);
    else child.on('exit', resolve);
  });

test('killed with fifty runs at work, all go on at the next start; no finished call is made again, and clients miss nothing', async () => {
  folder = folderWith(FILES);
  const first = await serve(folder);
  const started = await Promise.all(
    Array.from({ length: RUNS }, (_, number) =>
      first.post('/api/runs', { agent: 'worker', input: `n${number}` }, { 'idempotency-key': `k${number}` }),
    ),
  );
  const runs = started.map(({ body }) => body.run as string);
  const waiting = (await first.post('/api/runs', { agent: 'payer', input: 'pay' })).body.run as string;
  const before = new Map<string, number[]>();
  for (const run of runs.slice(0, 5)) {
    const stream = await first.stream(`/api/runs/${run}/events`);
    const ids: number[] = [];
    for (let event = await stream.nextOf('journal'); ids.length < 4; event = await stream.nextOf('journal'))
      ids.push(event?.id as number);
    before.set(run, ids);
    stream.close();
  }
  first.child.kill('SIGKILL');
  await gone(first.child);

  const second = await serve(folder);
  expect(second.token).toBe(first.token);
  for (const run of runs) {
    const last = before.get(run)?.at(-1);
    const stream = await second.stream(
      `/api/runs/${run}/events`,
      last === undefined ? {} : { 'last-event-id': String(last) },
    );
    const ids = (await stream.rest()).filter(({ event }) => event === 'journal').map(({ id }) => id as number);
    const all = [...(before.get(run) ?? []), ...ids];
    expect(all).toEqual(all.map((_, index) => index));
    const shown = (await second.get(`/api/runs/${run}`)).body;
    expect(shown.outcome.kind).toBe('answered');
    expect(opsOf(shown.tree).filter(({ kind }) => kind === 'tool')).toHaveLength(2);
    const lines = (await second.get(`/api/runs/${run}/events`, { accept: 'application/x-ndjson' })).text.trim();
    const ends = lines.split('\n').flatMap((line) => {
      const { event } = JSON.parse(line);
      return event.type === 'op-end' ? [event.path as string] : [];
    });
    expect(new Set(ends).size).toBe(ends.length); // what had ended was not done again
  }
  const again = await second.post('/api/runs', { agent: 'worker', input: 'n7' }, { 'idempotency-key': 'k7' });
  expect(again.body.run).toBe(runs[7]);
  const steps = folder.read('steps.txt').trim().split('\n');
  expect(new Set(steps).size).toBe(steps.length); // no step was taken twice
  expect(steps.length).toBeGreaterThan(RUNS);
  expect((await second.get('/api/runs?limit=500')).body.items).toHaveLength(RUNS + 1);

  let approvals = (await second.get('/api/approvals')).body.waiting;
  while (approvals.length === 0) approvals = (await second.get('/api/approvals')).body.waiting;
  expect(approvals).toMatchObject([{ run: waiting }]);
  await second.post(`/api/runs/${waiting}/ops/${approvals[0].path}/verdict`, { approved: true });
  await (await second.stream(`/api/runs/${waiting}/events`)).rest();
  expect((await second.get(`/api/runs/${waiting}`)).body.outcome.text).toBe('Paid.');
});

test('asked to end, it takes no more runs, lets calls come back, and leaves nothing in doubt', async () => {
  folder = folderWith({ ...FILES, 'cadre.yaml': `${SCRIPTED}server: { grace: 1s }\nfunctions: ./tools.mjs\n` });
  const first = await serve(folder);
  const runs = (
    await Promise.all(
      Array.from({ length: 10 }, (_, number) => first.post('/api/runs', { agent: 'worker', input: `n${number}` })),
    )
  ).map(({ body }) => body.run as string);
  const stream = await first.stream(`/api/runs/${runs[0]}/events`);
  await stream.nextOf('journal');
  first.child.kill('SIGTERM');
  expect(await gone(first.child)).toBe(0);
  const second = await serve(folder);
  for (const run of runs) {
    await (await second.stream(`/api/runs/${run}/events`)).rest();
    const shown = (await second.get(`/api/runs/${run}/summary`)).body;
    expect(shown).toMatchObject({ outcome: 'answered', inDoubt: 0 });
  }
  expect(folder.read('steps.txt').trim().split('\n')).toHaveLength(20);
  second.child.kill('SIGTERM');
  expect(await gone(second.child)).toBe(0);
});

interface Op {
  readonly kind: string;
  readonly children: readonly Op[];
}

const opsOf = (op: Op): readonly Op[] => [op, ...op.children.flatMap(opsOf)];
