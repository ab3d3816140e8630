// A run as a file is sent to others. What is planted around a run must not be found in it, however it is written.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseHTML } from 'linkedom';
import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith } from '../support/cli.ts';

const PLANTED = {
  PROVIDER_KEY: 'pl4nted"Key/=with<odd>&letters-771',
  MCP_TOKEN: 'pl4nted-mcp-token-9c1b7e',
  DB_PASSWORD: 'pl4nted-password-of-env-55',
};
const DOTENV = 'pl4nted-in-dotenv-3f9a';
const WRITTEN = 'pl4nted-written-out-88aa';

let folder: Folder;
afterEach(() => folder.remove());

const FILES = {
  'cadre.yaml': [
    'providers:',
    '  demo: { kind: scripted, script: ./s.yaml }',
    '  real: { kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1", apiKey: "${PROVIDER_KEY}" }',
    'mcpServers:',
    `  notes: { url: "http://127.0.0.1:9/mcp", headers: { Authorization: "Bearer \${MCP_TOKEN}", X-Api-Key: "${WRITTEN}" } }`,
    'defaults: { models: [demo/m] }',
  ].join('\n'),
  '.env': `STORE_TOKEN=${DOTENV}\n`,
  's.yaml': [
    'agents:',
    '  clerk:',
    '    - { call: { read_file: { path: all.txt } } }',
    '    - { answer: "I read: {{result.read_file}}" }',
    '  other: [{ answer: "pl4nted-answer-of-another-run" }]',
  ].join('\n'),
  'clerk.md': '---\ndescription: Reads.\ntools: [files]\n---\nYou read.\n',
  'other.md': '---\ndescription: Is another.\n---\npl4nted-text-of-another-agent\n',
};

const everyForm = (value: string): string =>
  [
    value,
    JSON.stringify(value),
    JSON.stringify(JSON.stringify(value)),
    encodeURIComponent(value),
    Buffer.from(value).toString('base64'),
    Buffer.from(`user:${value}`).toString('base64'),
    value.replaceAll(/[<>&"]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  ].join('\n');

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"' };

/** The file as it is, and everything that somebody could decode in it. */
function readings(html: string): readonly string[] {
  const record = /<script type="application\/x-cadre-run"( data-packed="gzip")?>\n(.*?)\n<\/script>/s.exec(html);
  const [, packed, inside = ''] = record ?? [];
  const lines = packed === undefined ? inside : gunzipSync(Buffer.from(inside, 'base64')).toString();
  const texts = [html, parseHTML(html).document.documentElement.textContent ?? '', lines];
  const decoded = texts.flatMap((text) => [
    text.replaceAll(/\\u([0-9a-f]{4})/g, (_all: string, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    ),
    text.replaceAll(/&(?:lt|gt|amp|quot|#\d+);/g, (one: string) => ENTITIES[one] ?? one),
    text.replaceAll('\\"', '"').replaceAll('\\\\', '\\'),
    decodeURIComponent(text.replaceAll(/%(?![0-9A-Fa-f]{2})/g, '%25')),
    ...Array.from(text.matchAll(/[A-Za-z0-9+/]{12,}={0,2}/g), ([one]) => Buffer.from(one, 'base64').toString('latin1')),
  ]);
  return [...texts, ...decoded];
}

const finds = (html: string, value: string): number => readings(html).filter((text) => text.includes(value)).length;

const runs = (): readonly string[] => readdirSync(join(folder.path, '.cadre/runs')).toSorted();
const eventsFile = (run: string): string => join(folder.path, '.cadre/runs', run, 'events.jsonl');

async function exported(run: string, env: NodeJS.ProcessEnv = PLANTED): Promise<string> {
  const { exit, stderr } = await folder.cadre(['export', run, '--out', 'it.html', '--force'], { env });
  expect([exit, stderr]).toEqual([0, expect.stringContaining('cadre verify it.html')]);
  return folder.read('it.html');
}

test('no secret is in the file: of the environment, of .env, of headers, of a note, in no form', async () => {
  folder = folderWith(FILES);
  const all = [...Object.values(PLANTED), DOTENV, WRITTEN];
  folder.write('all.txt', all.map(everyForm).join('\n'));
  await folder.cadre(['run', 'clerk.md', `Read it with ${PLANTED.DB_PASSWORD}.`], { env: PLANTED });
  const [run = ''] = runs();
  await folder.cadre(['note', run, '--bad', `It told ${PLANTED.MCP_TOKEN}.`], { env: PLANTED });
  const html = await exported(run);
  expect(html).toContain('[redacted:PROVIDER_KEY]');
  expect(html).toContain('It told [redacted:MCP_TOKEN].');
  expect(html).toContain('5 secrets taken out');
  for (const value of [...all, ...all.map((one) => Buffer.from(one).toString('base64').slice(0, 14))])
    expect([value, finds(html, value)]).toEqual([value, 0]);
  expect((await folder.cadre(['verify', 'it.html'])).stdout).toMatch(/^identical: \d+ events$/m);
});

test('a secret that became known after the run is taken out, and the file says that this cannot be proved', async () => {
  folder = folderWith(FILES);
  folder.write('all.txt', everyForm('pl4nted-learned-later-42'));
  await folder.cadre(['run', 'clerk.md', 'Read it.']);
  const html = await exported(runs()[0] ?? '', { LATER_TOKEN: 'pl4nted-learned-later-42' });
  expect(finds(html, 'pl4nted-learned-later-42')).toBe(0);
  expect(html).toContain('taken out only as this file was written');
  const verified = await folder.cadre(['verify', 'it.html']);
  expect([verified.exit, verified.stdout]).toEqual([1, expect.stringContaining('different: ')]);
  expect(verified.stderr).toContain('what was told with them cannot be the same');
});

test('no place of the machine and no other run is in the file, and it replays all the same', async () => {
  folder = folderWith(FILES);
  folder.write('all.txt', 'tea');
  await folder.cadre(['run', 'other.md', 'pl4nted-input-of-another-run']);
  const [other = ''] = runs();
  await folder.cadre(['run', 'clerk.md', 'Read it.']);
  const run = runs().find((one) => one !== other) ?? '';
  const file = eventsFile(run);
  const [first = '', ...rest] = readFileSync(file, 'utf8').split('\n');
  const start = JSON.parse(first) as object;
  const planted = {
    workspace: '/home/pl4nted-person/work',
    thread: 'pl4nted-thread-of-a-customer',
    continues: other,
    forkedFrom: { run: other, at: '0.1', events: 3 },
  };
  writeFileSync(file, [JSON.stringify({ ...start, ...planted }), ...rest].join('\n'));
  const html = await exported(run);
  const words = ['pl4nted-person', 'pl4nted-thread', 'pl4nted-input', 'pl4nted-answer'];
  const secret = [...words, folder.path, planted.workspace, other, folder.path.split('/').at(-1) ?? ''];
  for (const value of secret) expect([value, finds(html, value)]).toEqual([value, 0]);
  expect((await folder.cadre(['verify', 'it.html'])).stdout).toMatch(/^identical: \d+ events$/m);
});

test('a text of another run is not in the file, though this one names its digest', async () => {
  folder = folderWith(FILES);
  await folder.cadre(['run', 'other.md', 'hello']);
  const [other = ''] = runs();
  const { texts } = JSON.parse(readFileSync(eventsFile(other), 'utf8').split('\n')[0] ?? '') as {
    readonly texts: Readonly<Record<string, string>>;
  };
  folder.write('all.txt', JSON.stringify({ digest: texts['other.md'], type: 'image/png', name: 'x.png', bytes: 7 }));
  folder.write('other.md', '---\ndescription: Is another.\n---\nShort.\n');
  await folder.cadre(['run', 'clerk.md', `Show ${texts['other.md']}.`]);
  const html = await exported(runs().find((one) => one !== other) ?? '');
  expect(finds(html, 'pl4nted-text-of-another-agent')).toBe(0);
});

test('a file of a stranger makes verify read and run nothing: its folder, its tools and its .env are not looked at', async () => {
  folder = folderWith(FILES);
  folder.write('all.txt', 'tea');
  await folder.cadre(['run', 'clerk.md', 'Read it.']);
  const html = await exported(runs()[0] ?? '');
  const elsewhere = folderWith({
    '.env': 'STORE_TOKEN=You read.\n',
    'cadre.yaml': 'defaults: { models: [nothing/at-all] }\n',
    'it.html': html,
  });
  try {
    const verified = await elsewhere.cadre(['verify', 'it.html'], {
      env: { ANY_TOKEN: 'tea is served', MCP_TOKEN: 'You read.' },
    });
    expect([verified.exit, verified.stdout]).toEqual([0, expect.stringMatching(/^identical: \d+ events$/m)]);
    expect(elsewhere.has('.cadre')).toBe(false);
  } finally {
    elsewhere.remove();
  }
});
