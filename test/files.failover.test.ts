// A request with files whose first model fails, and one whose list has models that see less, through the built command line:
// the bytes that each provider gets, the record, and the views of it.

import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Folder, folderWith } from './support/cli.ts';
import { pdf, png } from './support/media.ts';
import { type ModelServer, modelServer } from './support/model-server.ts';

const SHOT = png(40, 30);
const PLAN = pdf(2);
const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

let folder: Folder;
let server: ModelServer;
/** The model that fails, by its name at its provider. */
let failing: string;

beforeEach(async () => {
  failing = '';
  server = await modelServer(({ body, url }, response) => {
    if (body['model'] !== failing && !url.includes(`/${failing}:`)) return { text: 'I see it.' };
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: 'This key was withdrawn.' } }));
    return undefined;
  });
  const provider = (kind: 'openai' | 'anthropic' | 'openai-compatible'): string =>
    `{ kind: ${kind}, baseUrl: "${server.base(kind)}", apiKey: key }`;
  folder = folderWith({
    'cadre.yaml': [
      'providers:',
      `  one: ${provider('openai')}`,
      `  two: ${provider('anthropic')}`,
      `  far: ${provider('openai-compatible')}`,
      'models:',
      '  first: { use: one/gpt-5 }',
      '  second: { use: two/claude-sonnet-4-5 }',
      '  blind: { use: far/blind }',
      '  pictures: { use: far/eyes, sees: [image] }',
    ].join('\n'),
    'safe.md': '---\ndescription: Looks.\nmodels: [first, second]\nmaxRetries: 1\n---\nLook.\n',
    'mixed.md': '---\ndescription: Looks.\nmodels: [blind, pictures, second]\nmaxRetries: 1\n---\nLook.\n',
  });
  folder.write('shot.png', SHOT);
  folder.write('plan.pdf', PLAN);
});
afterEach(async () => {
  folder.remove();
  await server.close();
});

/** The model of each call, and the digests of the files that its provider got. */
const calls = (): readonly (readonly [unknown, readonly string[]])[] =>
  server.asked.map(({ body }) => {
    const all = [...JSON.stringify(body).matchAll(/"(?:data:[a-z/]+;base64,)?([A-Za-z0-9+/]{60,}={0,2})"/g)];
    return [body['model'], all.map(([, data = '']) => digestOf(Buffer.from(data, 'base64')))] as const;
  });

test('the second provider gets the same files as the first, which failed', async () => {
  failing = 'gpt-5';
  const ran = await folder.cadre(['run', 'safe', 'Look.', '--file', 'shot.png', '--file', 'plan.pdf']);
  expect([ran.exit, ran.stdout]).toEqual([0, 'I see it.\n']);
  const files = [digestOf(SHOT), digestOf(PLAN)];
  expect(calls()).toEqual([
    ['gpt-5', files],
    ['claude-sonnet-4-5', files],
  ]);
  const events = folder.journal();
  expect(events.find(({ type }) => type === 'attempt')).toMatchObject({ then: { kind: 'failover', to: 'second' } });
  expect((await folder.cadre(['show', 'last', '--tree'])).stdout).toContain('2 attempts');
  expect((await folder.cadre(['replay', 'last'])).stdout).toContain('identical');
});

test('models that see less of the files are passed over, and record, tree and reasons name them', async () => {
  const ran = await folder.cadre(['run', 'mixed', 'Look.', '--file', 'shot.png', '--file', 'plan.pdf']);
  expect([ran.exit, ran.stdout]).toEqual([0, 'I see it.\n']);
  expect(calls()).toEqual([['claude-sonnet-4-5', [digestOf(SHOT), digestOf(PLAN)]]]);
  const end = folder.journal().find(({ type, kind }) => type === 'op-end' && kind === 'model');
  expect(end).toMatchObject({ result: { value: { passedOver: ['blind', 'pictures'] } } });
  const words = 'blind, pictures passed over, which see less of the files';
  expect((await folder.cadre(['show', 'last', '--tree'])).stdout).toContain(words);
  expect((await folder.cadre(['show', 'last', '--why'])).stdout).toContain(words);
  expect((await folder.cadre(['replay', 'last'])).stdout).toContain('identical');
});

test('the model that sees the picture alone is asked for a picture, and one that sees nothing for a text', async () => {
  await folder.cadre(['run', 'mixed', 'Look.', '--file', 'shot.png']);
  await folder.cadre(['run', 'mixed', 'Listen.']);
  expect(calls()).toEqual([
    ['eyes', [digestOf(SHOT)]],
    ['blind', []],
  ]);
  const shown = (await folder.cadre(['show', 'last', '--tree'])).stdout;
  expect(shown).not.toContain('passed over');
});

test('a call whose seeing model fails says who was passed over', async () => {
  failing = 'claude-sonnet-4-5';
  const ran = await folder.cadre(['run', 'mixed', 'Look.', '--file', 'plan.pdf']);
  expect(ran.exit).not.toBe(0);
  expect(calls().map(([model]) => model)).toEqual(['claude-sonnet-4-5']);
  expect((await folder.cadre(['show', 'last', '--tree'])).stdout).toContain('blind, pictures passed over');
});
