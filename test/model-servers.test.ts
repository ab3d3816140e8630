// Models over HTTP as runs use them: what a server is sent under a budget, how many calls it gets at once, and what
// becomes of a run when it breaks off, is not there, or another one takes over.

import { afterEach, expect, test } from 'vitest';
import { type Cadre, loadCadre } from '../src/index.ts';
import { type Folder, folderWith } from './support/cli.ts';
import { freePort } from './support/free-port.mjs';
import { type Answering, type ModelServer, modelServer, type WireKind } from './support/model-server.ts';

const servers: ModelServer[] = [];
const folders: Folder[] = [];
const cadres: Cadre[] = [];

afterEach(async () => {
  for (const cadre of cadres.splice(0)) await cadre.close();
  for (const server of servers.splice(0)) await server.close();
  for (const folder of folders.splice(0)) folder.remove();
});

function signal(): { readonly given: Promise<void>; give(): void } {
  let give = (): void => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

async function serve(answering: Answering): Promise<ModelServer> {
  const server = await modelServer(answering);
  servers.push(server);
  return server;
}

const provider = (kind: WireKind, base: string, more = ''): string =>
  `{ kind: ${kind}, baseUrl: "${base}", apiKey: key${more === '' ? '' : `, ${more}`} }`;

const PRICE = 'price: { input: 1, output: 10 }';

function folderOf(files: Readonly<Record<string, string>>): Folder {
  const folder = folderWith(files);
  folders.push(folder);
  return folder;
}

async function load(files: Readonly<Record<string, string>>): Promise<Cadre> {
  const cadre = await loadCadre(folderOf(files).path, { store: 'memory' });
  cadres.push(cadre);
  return cadre;
}

test('a budget holds on Anthropic with reasoning, whose tokens come on top of the limit that is set', async () => {
  const budget = 0.1;
  let spent = 0;
  const server = await serve(({ body }) => {
    const output = Number(body['max_tokens']);
    spent += (1000 + output * 10) / 1e6;
    const turn = (body['messages'] as readonly unknown[]).length;
    return { call: { id: `c${turn}`, name: 'list_files', input: { path: '.' } }, usage: { input: 1000, output } };
  });
  const cadre = await load({
    'cadre.yaml': `providers: { far: ${provider('anthropic', server.base('anthropic'))} }
models: { thinker: { use: far/m, ${PRICE} } }
`,
    'a.md': `---
description: Thinks
models: [thinker]
tools: [files]
maxOutputTokens: 500
reasoning: medium
budget: { usd: ${budget} }
---
Think.
`,
  });
  expect(await (await cadre.run('a', 'go')).outcome()).toMatchObject({ kind: 'over-budget' });
  const asked = server.asked.map(({ body: { max_tokens, thinking } }) => ({ max_tokens, thinking }));
  // All that was wanted, then less reasoning, then none, each within what was left.
  expect(asked[0]).toEqual({ max_tokens: 500 + 8192, thinking: { type: 'enabled', budget_tokens: 8192 } });
  expect(asked.at(-1)?.max_tokens).toBeLessThan(2000);
  expect(spent).toBeGreaterThan(budget / 2);
  expect(spent).toBeLessThanOrEqual(budget);
});

const LIMITED = (base: string): Readonly<Record<string, string>> => ({
  'cadre.yaml': `providers: { far: ${provider('openai-compatible', base, 'concurrency: 2')} }
defaults: { models: [far/m] }
`,
  'a.md': '---\ndescription: Answers\n---\nAnswer.\n',
  'hurried.md': '---\ndescription: Has little time\ntimeout: 60ms\n---\nAnswer.\n',
});

test('a provider gets no more calls at once than its concurrency, over all runs of the process', async () => {
  const begin = signal();
  const full = signal();
  const open: (() => void)[] = [];
  const server = await serve(async ({ kind }) => {
    if (kind === 'anthropic') return { text: 'Done.' };
    if (server.asked.length === 2) full.give();
    await begin.given;
    // Answers come two by two.
    await new Promise<void>((answer) => {
      open.push(answer);
      if (open.length === 2) for (const one of open.splice(0)) one();
    });
    return { text: 'Done.' };
  });
  const files = {
    ...LIMITED(server.base('openai-compatible')),
    'cadre.yaml': `providers:
  far: ${provider('openai-compatible', server.base('openai-compatible'), 'concurrency: 2')}
  free: ${provider('anthropic', server.base('anthropic'))}
defaults: { models: [far/m] }
`,
    'free.md': '---\ndescription: Answers\nmodels: [free/m]\n---\nAnswer.\n',
  };
  const [one, two] = [await load(files), await load(files)];
  const runs = await Promise.all([one, two, one, two, one, two, one, two].map((cadre) => cadre.run('a', 'go')));
  // A call to another provider does not wait, and by the time it is answered all that can come has come.
  await full.given;
  await (await two.run('free', 'go')).outcome();
  expect(server.asked.filter(({ kind }) => kind === 'openai-compatible')).toHaveLength(2);
  begin.give();
  for (const run of runs) expect(await run.outcome()).toMatchObject({ kind: 'answered', text: 'Done.' });
  expect(server.asked).toHaveLength(9);
  expect(server.busiest).toBe(3);
});

test('a run whose time is up while it waits for its provider ends, and others get the place', async () => {
  const answers: (() => void)[] = [];
  const both = signal();
  const server = await serve(async () => {
    await new Promise<void>((answer) => {
      answers.push(answer);
      if (answers.length === 2) both.give();
      if (answers.length > 2) answer();
    });
    return { text: 'Done.' };
  });
  const cadre = await load(LIMITED(server.base('openai-compatible')));
  const busy = [await cadre.run('a', 'one'), await cadre.run('a', 'two')];
  await both.given;
  const hurried = await cadre.run('hurried', 'three');
  expect(await hurried.outcome()).toMatchObject({ kind: 'timed-out' });
  expect(server.asked).toHaveLength(2);
  const patient = await cadre.run('a', 'four');
  for (const answer of answers) answer();
  for (const run of [...busy, patient]) expect(await run.outcome()).toMatchObject({ kind: 'answered' });
  expect(server.busiest).toBe(2);
});

const breakingOff = (base: string): Readonly<Record<string, string>> => ({
  'cadre.yaml': `providers: { far: ${provider('openai-compatible', base)} }
models: { m: { use: far/m, ${PRICE} } }
`,
  'a.md': '---\ndescription: Answers\nmodels: [m]\nmaxRetries: 1\n---\nAnswer.\n',
});

test.each<[string, Answering]>([
  ['hit its limit', () => ({ text: 'The first half of it', finish: 'length' })],
  [
    'broke off in its stream',
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const delta = { content: 'The first half of it' };
      response.write(
        `data: ${JSON.stringify({ id: '1', created: 1, model: 'm', choices: [{ index: 0, delta }] })}\n\n`,
      );
      setImmediate(() => response.destroy());
      return undefined;
    },
  ],
])('the text of a reply that %s is the partial output of the run', async (_, answering) => {
  const server = await serve(answering);
  const folder = folderOf(breakingOff(server.base('openai-compatible')));
  const { stderr, exit } = await folder.cadre(['run', 'a', 'go']);
  expect(exit).toBe(1);
  expect(stderr).toContain('--- partial output of a, not an answer ---\nThe first half of it\n---');
  const end = folder.journal().at(-1) as { readonly outcome: { readonly fault: { readonly details?: object } } };
  expect(end).toMatchObject({ outcome: { kind: 'failed', partial: 'The first half of it' } });
  expect(end.outcome.fault.details ?? {}).not.toHaveProperty('written');
  expect((await folder.cadre(['replay', 'last'])).stdout).toContain('identical');
});

test('a server that is not there under a small budget fails as that, and spends nothing', async () => {
  const files = breakingOff(`http://127.0.0.1:${await freePort()}/v1`);
  const folder = folderOf({
    ...files,
    'a.md': '---\ndescription: Answers\nmodels: [m]\nmaxRetries: 2\nbudget: { usd: 0.02 }\n---\nAnswer.\n',
  });
  const { stderr, exit } = await folder.cadre(['run', 'a', 'go']);
  expect(exit).toBe(1);
  expect(stderr).toMatch(
    /failed: far could not be reached.*ECONNREFUSED.*, 2 attempts \(model\/network\)\. Trying again may help\./,
  );
  const attempts = folder.journal().filter(({ type }) => type === 'attempt');
  expect(attempts.map(({ spent }) => spent)).toEqual([{ model: 'far/m' }, { model: 'far/m' }]);
});

test('when a model fails in the middle, another provider goes on with what was said', async () => {
  const server = await serve(({ kind, body }, response) => {
    if (kind === 'anthropic') return { text: 'It says ABC.' };
    if (JSON.stringify(body['messages']).includes('"role":"tool"')) {
      response.writeHead(400).end('{"error":{"message":"out of order"}}');
      return undefined;
    }
    return { call: { id: 'functions.read_file:0', name: 'read_file', input: { path: 'note.txt' } } };
  });
  const folder = folderOf({
    'cadre.yaml': `providers:
  first: ${provider('openai-compatible', server.base('openai-compatible'))}
  second: ${provider('anthropic', server.base('anthropic'))}
defaults: { models: [first/m, second/m] }
`,
    'a.md': '---\ndescription: Reads\ntools: [files]\n---\nRead.\n',
    'note.txt': 'ABC',
  });
  const { stdout, stderr } = await folder.cadre(['run', 'a', 'go']);
  expect({ stdout, stderr }).toMatchObject({ stdout: 'It says ABC.\n' });
  expect((await folder.cadre(['replay', 'last'])).stdout).toContain('identical');
});

test('usage that a provider reports too low is in the ledger as reported, and counts for the budget', async () => {
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(100);
  const server = await serve(({ body }) => {
    const turn = (body['messages'] as readonly unknown[]).length;
    const usage = { input: 0, output: 0 };
    return { text: '', call: { id: `c${turn}`, name: 'read_file', input: { path: 'note.txt' } }, usage };
  });
  const files = (trust: string): Readonly<Record<string, string>> => ({
    'cadre.yaml': `providers: { far: ${provider('openai-compatible', server.base('openai-compatible'), trust)} }
defaults: { models: [far/m] }
`,
    'a.md':
      '---\ndescription: Reads\ntools: [files]\nmaxTurns: 6\nmaxOutputTokens: 50\nbudget: { tokens: 8000 }\n---\nRead.\n',
    'note.txt': text,
  });
  const doubted = folderOf(files(''));
  expect((await doubted.cadre(['run', 'a', 'go'])).exit).toBe(4);
  const [first] = doubted.journal().filter(({ type, kind }) => type === 'op-end' && kind === 'model');
  expect(first).toMatchObject({
    result: { value: { spent: { usage: { input: 0, output: 0 }, counted: { tokens: expect.any(Number) } } } },
  });
  const trusted = folderOf(files('trustUsage: true'));
  expect((await trusted.cadre(['run', 'a', 'go'])).exit).toBe(3);
  expect(JSON.stringify(trusted.journal())).not.toContain('"counted"');
});

test('a child waits for what its sibling holds of the budget, and is not refused for it', async () => {
  const folder = folderOf({
    'cadre.yaml': 'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/x] }\n',
    'boss.md': '---\ndescription: Asks\nagents: [kid]\nbudget: { tokens: 4500 }\n---\nAsk.\n',
    'kid.md': '---\ndescription: Works\n---\nWork.\n',
    's.yaml': `agents:
  boss:
    - calls: [{ agent__kid: { input: one, reason: r } }, { agent__kid: { input: two, reason: r } }]
    - answer: Done.
  kid: [{ answer: "Worked on {{input}}.", repeat: true }]
`,
  });
  expect(await folder.cadre(['run', 'boss', 'go'])).toMatchObject({ stdout: 'Done.\n', exit: 0 });
  const kids = folder.journal().filter(({ type, kind }) => type === 'op-end' && kind === 'run');
  expect(kids).toMatchObject([
    { result: { value: { kind: 'answered', text: 'Worked on one.' } } },
    { result: { value: { kind: 'answered', text: 'Worked on two.' } } },
  ]);
  expect((await folder.cadre(['replay', 'last'])).stdout).toContain('identical');
});

test('cadre.yaml says where a limit of a provider or its trust is not one', async () => {
  const folder = folderOf({
    'cadre.yaml': `providers:
  far: { kind: openai, concurrency: 0, trustUsage: maybe }
`,
    'a.md': '---\ndescription: Answers\nmodels: [far/m]\n---\nAnswer.\n',
  });
  const { stdout, stderr, exit } = await folder.cadre(['check']);
  expect(exit).toBe(1);
  expect(stdout + stderr).toMatch(/concurrency[^]*from 1[^]*trustUsage[^]*true or false/);
});
