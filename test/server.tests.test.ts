// Results of tests over HTTP, as the page and programs ask for them.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fileStore } from '../src/stores/file/file-store.ts';
import { casesText, headText, type RecordedCase, type TestHead } from '../src/views/tests/test-record.ts';
import { clientOf, SCRIPTED, type ServedFolder, servedFolder } from './support/server.ts';

const NONE = { unpriced: 0, calls: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

let served: ServedFolder;
beforeAll(async () => {
  served = await servedFolder({
    'cadre.yaml': `${SCRIPTED}\nserver: { tokens: { guest: { token: "guest-token-of-the-test", may: [see], agents: [greeter] } } }\n`,
    'greeter.md': '---\ndescription: Greets.\n---\nGreet them.\n',
    'payer.md': '---\ndescription: Pays.\n---\nPay.\n',
    'script.yaml': 'agents: { greeter: [{ answer: "Hello." }], payer: [{ answer: "Paid." }] }',
  });
});
afterAll(() => served.remove());

const keep = (id: string, agent: string, isEnded = true): Promise<void> => {
  const head: TestHead = {
    id,
    startedAt: 1000,
    ...(isEnded && { endedAt: 2000 }),
    command: 'cadre test',
    from: served.path,
    models: ['a', 'b'],
    planned: 1,
    counts: { passed: 1, failed: 0, skipped: 0 },
    spent: NONE,
    judges: NONE,
    agents: [{ folder: served.path, agent }],
    failed: [],
  };
  const one: RecordedCase = {
    name: 'it greets',
    file: 'greeter.test.yaml',
    line: 3,
    agent,
    folder: served.path,
    model: 'a',
    state: 'passed',
    failures: [],
    asked: [agent],
    called: [],
    runs: ['r1'],
    kept: false,
  };
  return fileStore(join(served.path, '.cadre')).tests.put(id, { head: headText(head), body: casesText([one]) });
};

test('results are listed, told of when they change, and read by id, beginning or last', async () => {
  expect((await served.get('/api/tests')).body).toEqual({ items: [] });
  const none = await served.get('/api/tests/last');
  expect([none.status, none.body.code]).toEqual([404, 'test/unknown']);
  const changes = await served.stream('/api/stream');
  await keep('20260101-000000-0001', 'greeter');
  await keep('20260102-000000-0002', 'payer', false);
  expect((await changes.nextOf('tests'))?.data).toMatchObject({ id: expect.stringMatching(/^2026010[12]/) });
  changes.close();
  expect((await served.get('/api/tests')).body.items).toMatchObject([
    { id: '20260102-000000-0002', state: 'running' },
    { id: '20260101-000000-0001', state: 'ended', models: ['a', 'b'] },
  ]);
  expect((await served.get('/api/tests/20260101')).body).toMatchObject({
    id: '20260101-000000-0001',
    cases: [{ name: 'it greets', model: 'a', runs: ['r1'] }],
  });
  expect((await served.get('/api/tests/last')).body.id).toBe('20260102-000000-0002');
  const several = await served.get('/api/tests/2026');
  expect([several.status, several.body.detail]).toEqual([404, expect.stringContaining('stands for 2 results')]);
  expect((await served.get('/api/tests/..%2Fruns')).status).toBe(404);
});

test('a token for some agents sees only results of those', async () => {
  const guest = clientOf(served.url, 'guest-token-of-the-test');
  const { items } = (await guest.get('/api/tests')).body;
  expect(items.map(({ id }: { id: string }) => id)).toEqual(['20260101-000000-0001']);
  const hidden = await guest.get('/api/tests/20260102-000000-0002');
  expect([hidden.status, hidden.body.code]).toEqual([404, 'test/unknown']);
});
