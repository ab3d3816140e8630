// Marks of people on runs: by commands, over HTTP, in the list, and in a test that is made of the run.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cli } from './crash/support/cli.ts';
import { clientOf, SCRIPTED, type ServedFolder, servedFolder } from './support/server.ts';

const GUEST = 'guest-token-of-the-test';
const LOOKER = 'looker-token-of-the-test';

let served: ServedFolder;
beforeAll(async () => {
  served = await servedFolder({
    'cadre.yaml': `${SCRIPTED}
server:
  tokens:
    guest: { token: "${GUEST}", may: [see, run], agents: [greeter] }
    looker: { token: "${LOOKER}", may: [see] }
`,
    'greeter.md': '---\ndescription: Greets.\n---\nGreet them.\n',
    'keeper.md': '---\ndescription: Keeps.\n---\nKeep it.\n',
    'script.yaml': 'agents: { greeter: [{ answer: "Hello." }], keeper: [{ answer: "Kept.", delay: 60s }] }',
  });
});
afterAll(() => served.remove());

const finished = async (): Promise<string> => {
  const started = await served.ask('POST', '/api/runs?wait=30s', { agent: 'greeter', input: 'Hello' });
  return started.body.run;
};
const marks = async (run: string): Promise<readonly string[]> => {
  const { body } = await served.get(`/api/runs/${run}/summary`);
  return (body.notes ?? []).map((note: { by: string; mark: string; text?: string }) =>
    [note.by, note.mark, note.text].join(' ').trim(),
  );
};
const command = (...words: readonly string[]) => cli([...words, '--store', join(served.path, '.cadre')]);

test('a mark that the page puts is that of the command line, which replaces it and takes it back', async () => {
  const run = await finished();
  const put = await served.ask('POST', `/api/runs/${run}/notes`, { mark: 'good' });
  expect(put.body.items).toEqual([{ run, by: 'owner', at: expect.any(Number), mark: 'good' }]);
  const replaced = await command('note', run, '--bad', 'too short\n\u202Eand late');
  expect(replaced.stdout).toMatch(/bad, by you, .*: too short .*and late$/m);
  expect(replaced.stdout).not.toContain('\u202E');
  expect(await marks(run)).toEqual(['owner bad too short\n\u202Eand late']);
  expect(JSON.parse((await command('note', run, '--none', '--json')).stdout)).toEqual({ run, notes: [] });
  expect(await marks(run)).toEqual([]);
  expect((await command('note', run)).stderr).toContain('has no marks');
});

test('each token has its own mark, and one that may only see, or not this agent, puts none', async () => {
  const run = await finished();
  const [guest, looker] = [clientOf(served.url, GUEST), clientOf(served.url, LOOKER)];
  await guest.ask('POST', `/api/runs/${run}/notes`, { mark: 'bad', text: 'rude' });
  await served.ask('POST', `/api/runs/${run}/notes`, { mark: 'good' });
  expect([...(await marks(run))].sort()).toEqual(['guest bad rude', 'owner good']);
  expect((await looker.ask('POST', `/api/runs/${run}/notes`, { mark: 'good' })).body.code).toBe('request/forbidden');
  await guest.ask('POST', `/api/runs/${run}/notes`, { mark: 'none' });
  expect(await marks(run)).toEqual(['owner good']);
  for (const wrong of [{}, { mark: 'great' }, { mark: 'good', text: 'x'.repeat(2001) }, { mark: 'good', by: 'ann' }])
    expect((await served.ask('POST', `/api/runs/${run}/notes`, wrong)).status).toBe(400);
});

test('lists and sums choose runs by their marks', async () => {
  const [good, bad] = [await finished(), await finished()];
  await served.ask('POST', `/api/runs/${good}/notes`, { mark: 'good' });
  await served.ask('POST', `/api/runs/${bad}/notes`, { mark: 'bad' });
  const { body } = await served.get('/api/runs?q=mark%3Abad&limit=1');
  expect([body.items[0].run, body.total]).toEqual([bad, 1]);
  expect((await served.get('/api/runs/spent?by=day&q=mark%3Abad')).body.total.runs).toBe(1);
  const listed = JSON.parse((await command('runs', '--mark', 'bad', '--json')).stdout);
  expect(
    listed.map((row: { run: string; notes: readonly { mark: string }[] }) => [row.run, row.notes[0]?.mark]),
  ).toEqual([[bad, 'bad']]);
  expect((await command('runs', '--mark', 'good')).stdout).toMatch(/MARK[^]*good/);
  expect(await command('runs', '--mark', 'great')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('good or bad'),
  });
  await served.ask('POST', `/api/runs/${bad}/notes`, { mark: 'none' });
});

test('a run at work is not marked, nor one that is not there, and two marks at once are refused', async () => {
  const { run } = (await served.ask('POST', '/api/runs', { agent: 'keeper', input: 'Keep' })).body;
  expect(await command('note', run, '--good')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('still at work'),
  });
  expect((await served.ask('POST', `/api/runs/${run}/notes`, { mark: 'good' })).body.code).toBe('run/locked');
  await served.ask('POST', `/api/runs/${run}/cancel`, {});
  expect((await served.ask('POST', '/api/runs/nothing/notes', { mark: 'good' })).status).toBe(404);
  expect(await command('note', run, '--good', '--bad')).toMatchObject({ code: 2 });
});

test('a mark stands as a comment in a test of the run, and a bad one leaves the answer to the person', async () => {
  const saved = async (name: string, ...note: readonly string[]): Promise<string> => {
    const run = await finished();
    await command('note', run, ...note);
    const file = join(served.path, `${name}.test.yaml`);
    expect((await command('show', run, '--save-test', file)).code).toBe(0);
    expect((await cli(['test', file], { cwd: served.path })).code).toBe(0);
    return readFileSync(file, 'utf8');
  };
  expect(await saved('good', '--good')).toMatch(/# good, by owner, \d{4}-.*\n[^]*equals: Hello\./);
  const bad = await saved('bad', '--bad', 'no name\n  in it');
  expect(bad).toMatch(/# bad, by owner, .*: no name in it\n/);
  expect(bad).not.toContain('equals');
});

test('the report of a run has its marks, and a replay of it stays identical', async () => {
  const run = await finished();
  await command('note', run, '--bad', 'no');
  expect(JSON.parse((await command('show', run, '--json')).stdout).notes).toMatchObject([{ mark: 'bad', text: 'no' }]);
  expect((await served.get(`/api/runs/${run}`)).body.notes).toMatchObject([{ mark: 'bad' }]);
  expect((await command('show', run)).stdout).toMatch(/^mark +bad, by you, .*: no$/m);
  expect((await command('replay', run)).stdout).toContain('identical');
});
