// The process of a helper gets what the helper's own models need, and its words decide nothing: what it says is redacted
// before anything is cut or recorded, and the calls that it asks for are made by its parent, under the parent's rules.

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Approver } from '../../src/run/approver.ts';
import { builtWorker } from '../support/built-worker.ts';
import { type Story, tell } from '../support/subagent.ts';

const fixture = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/subagent/child.mjs');
const child = (mode: string, file: string) => ({ command: process.execPath, args: [fixture, mode, file] });
const noted = (): string => join(mkdtempSync(join(tmpdir(), 'cadre-helper-')), 'noted.json');

interface Noted {
  readonly env: Readonly<Record<string, string>>;
  readonly envelope: { readonly job: { readonly sources: { readonly providers: object } } };
}

const SECRETS = {
  CADRE_TEST_OTHER_KEY: 'of-another-provider-4711',
  CADRE_TEST_MCP_TOKEN: 'of-a-tool-server-4712',
  CADRE_TEST_API_TOKEN: 'of-this-machine-4713',
};
const IN_FILE = { DOTENV_PASSWORD: 'of-the-dotenv-4714', CADRE_TEST_OWN_KEY: 'of-its-own-model-4715' };
const WRITTEN = ['written-as-a-server-token-4716', 'written-as-a-key-4717', 'written-as-a-header-4718'];

const settings = [
  'providers:',
  '  demo: {kind: scripted, script: ./demo.script.yaml}',
  '  own: {kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1", apiKey: "${CADRE_TEST_OWN_KEY}"}',
  '  other: {kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1", apiKey: "${CADRE_TEST_OTHER_KEY}"}',
  `  third: {kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1", apiKey: "${WRITTEN[1]}"}`,
  'mcpServers:',
  '  notes: {command: notes, env: {TOKEN: "${CADRE_TEST_MCP_TOKEN}"}}',
  `  far: {url: "http://127.0.0.1:9/mcp", headers: {authorization: "Bearer ${WRITTEN[2]}"}}`,
  `server: {tokens: {ann: {token: "${WRITTEN[0]}"}}}`,
].join('\n');

const story: Story = {
  settings,
  models: '[demo/any, own/small]',
  files: {
    '.env': Object.entries(IN_FILE)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  },
};

beforeEach(() => Object.assign(process.env, SECRETS));
afterEach(() => {
  for (const name of Object.keys(SECRETS)) delete process.env[name];
});

test('it gets the key of its own model, and no other secret', async () => {
  const file = noted();
  await tell(story, 'subprocess', child('noting', file));
  const all = readFileSync(file, 'utf8');
  for (const secret of [...Object.values(SECRETS), IN_FILE.DOTENV_PASSWORD, ...WRITTEN]) {
    expect(all).not.toContain(secret);
    expect(all).not.toContain(Buffer.from(secret).toString('base64'));
  }
  const { env, envelope } = JSON.parse(all) as Noted;
  expect(env).toMatchObject({ CADRE_TEST_OWN_KEY: IN_FILE.CADRE_TEST_OWN_KEY });
  expect(Object.keys(env).filter((name) => name.startsWith('CADRE_'))).toEqual(['CADRE_TEST_OWN_KEY']);
  expect(Object.keys(envelope.job.sources.providers)).toEqual(['demo', 'own']);
});

test('all secrets of its parent are taken out of what it says, before that is cut, and unknown fields are left out', async () => {
  const everything = [...Object.values(SECRETS), ...Object.values(IN_FILE), ...WRITTEN];
  for (const secret of everything) {
    const file = noted();
    writeFileSync(file, secret);
    const asked: string[] = [];
    const approve: Approver = async (prompt, about) => {
      asked.push(`${prompt} ${JSON.stringify(about)}`);
      return { approved: true, note: 'Fine.' };
    };
    const { events, output } = await tell(
      { ...story, frontmatter: 'approve: [files]', config: { maxOutputBytes: 256 } },
      'subprocess',
      child('telling', file),
      approve,
    );
    expect(output.success).toBe(true);
    expect(asked).toHaveLength(1);
    for (const written of [JSON.stringify(events), JSON.stringify(output), asked.join()]) {
      expect(written).not.toContain(secret.slice(0, 12));
      expect(written).not.toContain('"extra"');
    }
  }
});

test('a call that it asks for is held to the tools, the folder, the arguments and the approvals of a helper', async () => {
  const diary = { name: 'read_file', arguments: { path: 'diary.txt' } };
  const file = noted();
  const calls = [
    { name: 'write_file', arguments: { path: 'diary.txt', text: 'mine' } },
    { name: 'list_files', arguments: { path: '../..' } },
    { name: 'list_files', arguments: { depth: 'all' } },
    diary,
    diary,
  ];
  writeFileSync(file, JSON.stringify(calls));
  const asked: string[] = [];
  const { output, events } = await tell(
    { ...story, frontmatter: 'tools: [files]\napprove: [read_file]', files: { 'diary.txt': 'the cellar' } },
    'subprocess',
    child('grasping', file),
    async (prompt) => ({ approved: asked.push(prompt) === 1, note: 'Once.' }),
  );
  const messages = JSON.parse(output.summary) as { role: string; result?: { text: string } }[];
  const texts = messages.flatMap(({ role, result }) => (role === 'tool' ? [result?.text] : []));
  expect(texts[0]).toContain('There is no tool named write_file.');
  expect(texts[1]).toContain('outside');
  expect(texts[2]).toContain('$.depth');
  expect(texts[3]).toContain('the cellar');
  expect(texts[4]).toContain('was not approved: Once.'); // one yes is one call
  expect(asked).toHaveLength(2);
  const made = events.filter(
    (event) => event.type === 'op-start' && event.op.kind === 'tool' && event.op.agent === 'parent/subagent',
  );
  expect(made).toHaveLength(2); // what is no tool, or does not fit, is not called
});

test("text that it reads in the workspace reaches its model without its parent's secrets", async () => {
  const secret = SECRETS.CADRE_TEST_OTHER_KEY;
  const { output, events } = await tell(
    {
      ...story,
      models: 'demo/any',
      settings: settings.replace(/^ {2}own:.*\n/m, ''),
      input: { task: 'Read.', files: ['notes.txt'] },
      files: { 'notes.txt': `The key is ${secret}.` },
      helper: [{ answer: '{{input}}' }],
    },
    'subprocess',
    await builtWorker(),
  );
  expect(output.summary).toContain('The key is [redacted:CADRE_TEST_OTHER_KEY].');
  expect(JSON.stringify(events)).not.toContain(secret);
});
