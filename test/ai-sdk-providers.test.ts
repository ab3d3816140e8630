// Any provider of the AI SDK: an instance that a program hands in, and one that an installed package makes for cadre.yaml.

import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV2, LanguageModelV2CallOptions, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { afterEach, expect, test } from 'vitest';
import { type AiSdkProvider, type Cadre, type CadreOptions, loadCadre, type RunEvent } from '../src/index.ts';
import { type Folder, folderWith } from './support/cli.ts';
import { ROOT } from './support/fences.ts';
import { type Answering, type ModelServer, modelServer } from './support/model-server.ts';

const servers: ModelServer[] = [];
const folders: Folder[] = [];
const cadres: Cadre[] = [];

afterEach(async () => {
  for (const cadre of cadres.splice(0)) await cadre.close();
  for (const server of servers.splice(0)) await server.close();
  for (const folder of folders.splice(0)) folder.remove();
});

async function serve(answering: Answering): Promise<ModelServer> {
  const server = await modelServer(answering);
  servers.push(server);
  return server;
}

function folderOf(files: Readonly<Record<string, string>>): Folder {
  const folder = folderWith(files);
  folders.push(folder);
  return folder;
}

async function open(folder: Folder, options: CadreOptions): Promise<Cadre> {
  const cadre = await loadCadre(folder.path, options);
  cadres.push(cadre);
  return cadre;
}

const CLERK = '---\ndescription: Answers.\nmodels: [mine/small]\nreasoning: low\ntools: [files]\n---\nAnswer.\n';
const KEY = 'only-this-program-knows-it';

const compatible = (server: ModelServer): AiSdkProvider =>
  createOpenAICompatible({ name: 'house', baseURL: server.base('openai-compatible'), apiKey: KEY, includeUsage: true });

/** Looks for a file, then answers. */
const twoTurns: Answering = ({ body }) =>
  (body['messages'] as readonly unknown[]).length === 2
    ? { call: { id: 'c1', name: 'list_files', input: {} } }
    : { text: 'Two files.' };

async function eventsOf(cadre: Cadre, agent: string): Promise<readonly RunEvent[]> {
  const run = await cadre.run(agent, 'How many files?');
  const events: RunEvent[] = [];
  for await (const event of run.events()) events.push(event);
  return events;
}

test('an instance that a program hands in serves the models that are named after it, tools and all', async () => {
  const server = await serve(twoTurns);
  const folder = folderOf({ 'clerk.md': CLERK });
  const cadre = await open(folder, { providers: { mine: compatible(server) } });
  const events = await eventsOf(cadre, 'clerk');
  expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: { kind: 'answered', text: 'Two files.' } });
  expect(server.asked.map(({ headers, body }) => [headers.authorization, body['model']])).toEqual([
    [`Bearer ${KEY}`, 'small'],
    [`Bearer ${KEY}`, 'small'],
  ]);
  expect(server.asked[0]?.body['reasoning_effort']).toBe('low');
  expect(JSON.stringify(events)).not.toContain(KEY);
  expect(await cadre.replay('last')).toMatchObject({ result: { kind: 'identical', ended: true } });
  const fork = await cadre.fork('last', '0.4');
  expect(await fork.outcome()).toMatchObject({ kind: 'answered', text: 'Two files.' });
  // The command line has no such instance, and needs none to replay.
  expect(await folder.cadre(['replay', 'last'])).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/^identical/),
  });
});

test('a vendor that Cadre knows is spoken to by its own rules, whoever made the instance', async () => {
  const server = await serve(() => ({ text: 'Hello.' }));
  const claude = createAnthropic({ baseURL: server.base('anthropic'), apiKey: KEY });
  const cadre = await open(folderOf({ 'clerk.md': CLERK }), { providers: { mine: claude } });
  expect((await eventsOf(cadre, 'clerk')).at(-1)).toMatchObject({ outcome: { kind: 'answered' } });
  expect(server.asked[0]?.body['thinking']).toEqual({ type: 'enabled', budget_tokens: 2048 });
});

test('a provider that the program hands in wins over cadre.yaml, whose limits and prices still hold', async () => {
  const server = await serve(() => ({ text: 'Hello.', usage: { input: 1_000_000, output: 0 } }));
  const folder = folderOf({
    'clerk.md': CLERK.replace('mine/small', 'priced'),
    'cadre.yaml':
      'providers: { mine: { kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1", concurrency: 1 } }\n' +
      'models: { priced: { use: mine/small, price: { input: 3, output: 3 } } }\n',
  });
  const cadre = await open(folder, { providers: { mine: compatible(server) } });
  const runs = await Promise.all([cadre.run('clerk', 'a'), cadre.run('clerk', 'b'), cadre.run('clerk', 'c')]);
  for (const run of runs) expect(await run.outcome()).toMatchObject({ kind: 'answered' });
  expect(server.busiest).toBe(1);
  const [first] = await cadre.store.list();
  expect(first?.usd).toBeCloseTo(3);
});

test('an instance of version 4 of the contract is told how much to reason in its own words', async () => {
  const asked: Readonly<Record<string, unknown>>[] = [];
  const usage = { inputTokens: { total: 7 }, outputTokens: { total: 3 } };
  const parts = [
    { type: 'ping' },
    { type: 'text-delta', id: '1', delta: 'Newer.' },
    { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
  ];
  const model = {
    specificationVersion: 'v4',
    provider: 'new.chat',
    modelId: 'small',
    async doStream(options: Readonly<Record<string, unknown>>) {
      asked.push(options);
      return { stream: ReadableStream.from(parts) as ReadableStream<unknown> };
    },
  };
  const cadre = await open(folderOf({ 'clerk.md': CLERK }), { providers: { mine: { languageModel: () => model } } });
  expect((await eventsOf(cadre, 'clerk')).at(-1)).toMatchObject({ outcome: { kind: 'answered', text: 'Newer.' } });
  expect(asked[0]).toMatchObject({ reasoning: 'low', providerOptions: {} });
});

test('an instance of version 2 of the contract is understood too', async () => {
  const asked: LanguageModelV2CallOptions[] = [];
  const parts: readonly LanguageModelV2StreamPart[] = [
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'Still here.' },
    { type: 'text-end', id: '1' },
    { type: 'finish', finishReason: 'stop', usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 } },
  ];
  const model: LanguageModelV2 = {
    specificationVersion: 'v2',
    provider: 'old.chat',
    modelId: 'small',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not asked for')),
    async doStream(options) {
      asked.push(options);
      return { stream: ReadableStream.from(parts) as ReadableStream<LanguageModelV2StreamPart> };
    },
  };
  const cadre = await open(folderOf({ 'clerk.md': CLERK }), { providers: { mine: { languageModel: () => model } } });
  const events = await eventsOf(cadre, 'clerk');
  expect(events.at(-1)).toMatchObject({ outcome: { kind: 'answered', text: 'Still here.' } });
  expect(JSON.stringify(events)).toContain('"input":7,"output":3');
  expect(asked[0]?.providerOptions).toEqual({ old: { reasoningEffort: 'low' } });
});

test('a version that this release does not know is named', async () => {
  const model = {
    specificationVersion: 'v9',
    provider: 'new',
    modelId: 'm',
    doStream: () => Promise.reject(new Error()),
  };
  const cadre = await open(folderOf({ 'clerk.md': CLERK }), { providers: { mine: { languageModel: () => model } } });
  expect((await eventsOf(cadre, 'clerk')).at(-1)).toMatchObject({
    outcome: { fault: { code: 'config/invalid', message: expect.stringContaining('speaks version "v9"') } },
  });
});

test('a value that is no provider is refused at once, with the way out', async () => {
  const { path } = folderOf({ 'clerk.md': CLERK });
  const model = createOpenAICompatible({ name: 'x', baseURL: 'http://127.0.0.1:9/v1' })('small');
  const providers = { mine: model } as unknown as Readonly<Record<string, AiSdkProvider>>;
  await expect(loadCadre(path, { providers })).rejects.toThrow('providers.mine is not a provider of the AI SDK');
  const named = { 'a/b': compatible(await serve(() => ({ text: '' }))) };
  await expect(loadCadre(path, { providers: named })).rejects.toThrow('"a/b" cannot be the name of a provider');
});

test('a run whose instance is not there is refused with the name of the provider', async () => {
  const folder = folderOf({ 'clerk.md': CLERK });
  const server = await serve((_asked, response) => void response.destroy());
  const cadre = await open(folder, { providers: { mine: compatible(server) } });
  const run = await cadre.run('clerk', 'x');
  await run.cancel('enough');
  await run.outcome();
  const forked = await folder.cadre(['fork', 'last', '--at', '0.0']);
  expect(forked).toMatchObject({ exit: 1, stderr: expect.stringContaining('needs a provider "mine"') });
  expect(forked.stderr).toContain('hand it to loadCadre in `providers`');
});

/** A folder that has a real package installed. */
function withPackages(files: Readonly<Record<string, string>>, ...names: readonly string[]): Folder {
  const folder = folderOf(files);
  for (const name of names) {
    mkdirSync(join(folder.path, 'node_modules/@ai-sdk'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(folder.path, 'node_modules', name));
  }
  return folder;
}

const packaged = (name: string, options: string): string =>
  `providers: { mine: { kind: ai-sdk, package: "${name}", options: ${options} } }\n`;

test('cadre.yaml names an installed package, and the command line runs on it', async () => {
  const server = await serve(twoTurns);
  const options = `{ name: house, baseURL: "${server.base('openai-compatible')}", apiKey: "\${HOUSE}", includeUsage: true, headers: { x-team: "blue" } }`;
  const folder = withPackages(
    { 'clerk.md': CLERK, 'cadre.yaml': packaged('@ai-sdk/openai-compatible', options), '.env': `HOUSE=${KEY}\n` },
    '@ai-sdk/openai-compatible',
  );
  expect(await folder.cadre(['check'])).toMatchObject({ exit: 0, stdout: '' });
  expect((await folder.cadre(['models'])).stdout).toMatch(/installed: @ai-sdk\/openai-compatible \d/);
  const ran = await folder.cadre(['run', 'clerk', 'How many files?']);
  expect(ran).toMatchObject({ exit: 0, stdout: 'Two files.\n' });
  expect(server.asked[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-team': 'blue' });
  expect(JSON.stringify(folder.journal())).not.toContain(KEY);
  expect(await folder.cadre(['replay', 'last'])).toMatchObject({ exit: 0 });
});

test('a variable of the options that is not set is named with its line, before anything is spent', async () => {
  const folder = folderOf({
    'clerk.md': CLERK,
    'cadre.yaml': packaged('@ai-sdk/openai-compatible', '{ baseURL: "http://127.0.0.1:9/v1", apiKey: "${HOUSE}" }'),
  });
  const ran = await folder.cadre(['run', 'clerk', 'x']);
  expect(ran).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('cadre.yaml:1 uses ${HOUSE}, which is not set'),
  });
});

test('a package that is not installed is a warning of the check and the reason why no run begins', async () => {
  const folder = folderOf({ 'clerk.md': CLERK, 'cadre.yaml': packaged('@ai-sdk/nowhere', '{}') });
  const checked = await folder.cadre(['check']);
  expect(checked).toMatchObject({ exit: 0, stdout: expect.stringContaining('provider/not-installed') });
  expect(checked.stdout).toContain('npm install @ai-sdk/nowhere');
  expect((await folder.cadre(['models'])).stdout).toContain('not installed: npm install @ai-sdk/nowhere');
  const ran = await folder.cadre(['run', 'clerk', 'x']);
  expect(ran.exit).toBe(1);
  expect(ran.stderr).toContain('provider "mine" needs the package @ai-sdk/nowhere, which is not installed.');
  expect(folder.journal()).toEqual([]);
});

test('looking at a folder runs nothing of a package, and one without a factory says what it exports', async () => {
  const folder = folderOf({
    'clerk.md': CLERK,
    'cadre.yaml': packaged('loud', '{}'),
    'node_modules/loud/package.json': '{"name":"loud","version":"1.2.3","exports":{".":{"import":"./main.mjs"}}}',
    'node_modules/loud/main.mjs':
      "import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL('../../ran', import.meta.url), '');\nexport const loud = 1;\n",
  });
  for (const command of [['check'], ['models'], ['graph'], ['help', 'clerk']]) await folder.cadre(command);
  expect(existsSync(join(folder.path, 'ran'))).toBe(false);
  const ran = await folder.cadre(['run', 'clerk', 'x']);
  expect(existsSync(join(folder.path, 'ran'))).toBe(true);
  expect(ran.stderr).toContain('exports no function create… that makes a provider. It exports: loud.');
});

test('keys of other kinds are sent to options, and the name of a package is not a path', async () => {
  const folder = folderOf({
    'clerk.md': CLERK,
    'cadre.yaml': 'providers:\n  mine: { kind: ai-sdk, package: ../evil, apiKey: "${K}" }\n  other: { kind: ai-sdk }\n',
  });
  const { stdout } = await folder.cadre(['check']);
  expect(stdout).toContain('`providers.mine.package` is "../evil", but takes the name of an npm package');
  expect(stdout).toContain('Put it under options, as the package calls it');
  expect(stdout).toContain('`providers.other` is of kind ai-sdk and has no `package`');
});

test('a redirect of such a server is not followed', async () => {
  const server = await serve((_asked, response) => {
    response.writeHead(307, { location: 'http://127.0.0.1:9/elsewhere' });
    response.end();
    return undefined;
  });
  const options = `{ name: house, baseURL: "${server.base('openai-compatible')}" }`;
  const folder = folderOf({ 'clerk.md': CLERK, 'cadre.yaml': packaged('@ai-sdk/openai-compatible', options) });
  const ran = await folder.cadre(['run', 'clerk', 'x']);
  expect(ran.stderr).toContain('set `options.baseURL` of provider "mine" in cadre.yaml');
});

test('a helper in a process of its own has the package and its key, and not an instance of the program', async () => {
  const server = await serve(({ body }) => {
    const offered = (body['tools'] as readonly { function: { name: string } }[] | undefined) ?? [];
    const isHelper = !offered.some(({ function: { name } }) => name === 'subagent');
    if (isHelper) return { text: 'Counted.' };
    const turns = (body['messages'] as readonly unknown[]).length;
    return turns > 2 ? { text: 'Done.' } : { call: { id: 'c1', name: 'subagent', input: { task: 'Count.' } } };
  });
  const agent =
    '---\ndescription: Delegates.\nmodels: [mine/small]\nsubagent: { enabled: true, runner: subprocess }\n---\nDelegate.\n';
  const options = `{ name: house, baseURL: "${server.base('openai-compatible')}", apiKey: "\${HOUSE}", includeUsage: true }`;
  const config = { 'cadre.yaml': packaged('@ai-sdk/openai-compatible', options), '.env': `HOUSE=${KEY}\n` };
  const folder = folderOf({ 'lead.md': agent, ...config });
  expect(await folder.cadre(['run', 'lead', 'x'])).toMatchObject({ exit: 0, stdout: 'Done.\n' });
  expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill(`Bearer ${KEY}`));

  const cadre = await open(folderOf({ 'lead.md': agent }), { providers: { mine: compatible(server) } });
  const events = JSON.stringify(await eventsOf(cadre, 'lead'));
  expect(events).toContain('was handed in by the program that began the run, and this process does not have it');
});
