// Secrets that stand where text is cut. Half a secret is not found any more, so each of these must be gone before.

import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith, type Ran } from '../support/cli.ts';
import { chatServer, type Reply } from './chat-server.ts';

const SECRET = 'pl4nted-Secret-0123456789-that-is-long-enough-to-be-cut-in-half';
const KEY_LINES = Array.from({ length: 8 }, (_, index) => `pl4ntedKeyLine${index}${'A'.repeat(40)}`);
const PRIVATE_KEY = ['-----BEGIN PRIVATE KEY-----', ...KEY_LINES, '-----END PRIVATE KEY-----'].join('\n');
const server = fileURLToPath(new URL('./stdio-server.mjs', import.meta.url));

const opened: { close(): void }[] = [];
const folders: Folder[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
  for (const one of folders.splice(0)) one.remove();
});

/** A text in which the secret begins `before` characters before the cut at `at`. */
const straddling = (at: number, before: number): string => `${'.'.repeat(at - before)}${SECRET}${'.'.repeat(2 * at)}`;

function open(files: Readonly<Record<string, string>>): Folder {
  const folder = folderWith({ '.env': `PLANTED=${SECRET}\n`, ...files });
  folders.push(folder);
  return folder;
}

async function expectClean(folder: Folder, ran: Ran): Promise<void> {
  const shown = await folder.cadre(['show', '--json']);
  const kept = readdirSync(join(folder.path, '.cadre'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  const all = [ran.stdout, ran.stderr, shown.stdout, ...kept].join('\n');
  expect(all).not.toMatch(/pl4n|Secret-0|in-half/);
}

const scripted = (steps: string, tools: string, config = ''): Record<string, string> => ({
  'cadre.yaml': `providers:\n  demo: { kind: scripted, script: demo.script.yaml }\ndefaults: { models: [demo/any], maxRetries: 1 }\n${config}`,
  'keeper.md': `---\ntools: [${tools}]\n---\nYou keep.\n`,
  'demo.script.yaml': `agents:\n  keeper:\n${steps}`,
});

async function answering(respond: (path: string) => { status: number; body: string }): Promise<number> {
  const http: Server = createServer((request, response) => {
    const { status, body } = respond(request.url ?? '');
    response.writeHead(status, { 'content-type': 'text/plain' }).end(body);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  opened.push(http);
  return (http.address() as AddressInfo).port;
}

test.each([20, SECRET.length - 5])(
  'a REST tool’s error body is cut after its secrets are gone (%i)',
  async (before) => {
    const port = await answering(() => ({ status: 500, body: straddling(2000, before) }));
    const rest = `restTools:\n  ask: { description: Asks., url: "http://127.0.0.1:${port}/", allowPrivate: true }\n`;
    const folder = open(scripted('    - call: ask\n    - answer: "{{last}}"\n', 'rest:ask', rest));
    const ran = await folder.cadre(['run', 'keeper', 'go']);
    expect(ran.stdout).toContain('ask answered 500');
    await expectClean(folder, ran);
  },
);

test.each([8, 30])(
  'a REST tool’s answer that is longer than its cap ends before half a secret (%i)',
  async (before) => {
    const port = await answering(() => ({ status: 200, body: straddling(3000, before) }));
    const rest = `restTools:\n  ask: { description: Asks., url: "http://127.0.0.1:${port}/", allowPrivate: true, maxBytes: 3000 }\n`;
    const folder = open(scripted('    - call: ask\n    - answer: "{{last}}"\n', 'rest:ask', rest));
    const ran = await folder.cadre(['run', 'keeper', 'go']);
    expect(ran.stdout).toContain('The answer is longer');
    await expectClean(folder, ran);
  },
);

test('a line that search_files shows in part holds no part of a secret', async () => {
  const folder = open({
    ...scripted('    - call: { search_files: { query: needle } }\n    - answer: "{{last}}"\n', 'files'),
    'long.txt': `${'.'.repeat(300)}${SECRET} ${'.'.repeat(20)} needle ${'.'.repeat(100)}${SECRET}${'.'.repeat(300)}\n`,
  });
  const ran = await folder.cadre(['run', 'keeper', 'go']);
  expect(ran.stdout).toContain('needle');
  await expectClean(folder, ran);
});

test('search_files does not tell what a secret begins with', async () => {
  const folder = open({
    ...scripted(
      '    - call: { search_files: { query: "pl4nted-Sec", path: leak.txt } }\n    - answer: "{{last}}"\n',
      'files',
    ),
    'leak.txt': `the key: ${SECRET}\n`,
  });
  const { stdout } = await folder.cadre(['run', 'keeper', 'go']);
  expect(stdout).toContain('No line matches');
});

test('a page of read_file that begins within a private key holds none of it', async () => {
  const folder = open({
    ...scripted('    - call: { read_file: { path: key.txt, from: 3, lines: 4 } }\n    - answer: "{{last}}"\n', 'files'),
    'key.txt': `one\n${PRIVATE_KEY}\nlast\n`,
  });
  const ran = await folder.cadre(['run', 'keeper', 'go']);
  expect(ran.stdout).toContain('last');
  await expectClean(folder, ran);
});

test('the last words of an MCP server are cut after their secrets are gone', async () => {
  const mcp = `mcpServers:\n  m: { command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(server)}, none, words.txt], cwd: . }\n`;
  const folder = open({
    ...scripted('    - answer: "done"\n', 'mcp:m', mcp),
    'words.txt': `${'.'.repeat(500)}${SECRET}${'.'.repeat(1980)}`,
  });
  const ran = await folder.cadre(['run', 'keeper', 'go']);
  expect(ran.stderr).toContain('its last words');
  await expectClean(folder, ran);
});

async function withModel(replies: readonly Reply[]): Promise<{ folder: Folder; asked: readonly string[] }> {
  const chat = await chatServer(replies);
  opened.push(chat);
  const folder = open({
    'cadre.yaml': `providers:\n  far: { kind: openai-compatible, baseUrl: "http://127.0.0.1:${chat.port}/v1", apiKey: some-key-of-ours }\ndefaults: { models: [far/m], maxRetries: 1 }\n`,
    'keeper.md': '---\ntools: [files]\n---\nYou keep.\n',
  });
  return { folder, asked: chat.asked };
}

test.each([380, 480])(
  'the words of a model server about an error are cut after its secrets are gone (%i)',
  async (at) => {
    const body = JSON.stringify({ error: { message: straddling(at, 10) } });
    const { folder } = await withModel([{ status: 400, body }]);
    const ran = await folder.cadre(['run', 'keeper', 'go']);
    expect(ran.stderr).toContain('answered 400');
    await expectClean(folder, ran);
  },
);

test('arguments that are not JSON are shown in part after their secrets are gone', async () => {
  const { folder } = await withModel([{ call: 'read_file', input: `{"path": ${'x'.repeat(100)}${SECRET}` }]);
  const ran = await folder.cadre(['run', 'keeper', 'go']);
  expect(ran.stderr).toContain('are not JSON');
  await expectClean(folder, ran);
});

test('a helper in a process of its own gives its model no secret, and cuts what it read after its secrets are gone', async () => {
  const chat = await chatServer([
    { call: 'subagent', input: JSON.stringify({ task: 'Read long.txt.' }) },
    { call: 'read_file', input: JSON.stringify({ path: 'long.txt' }) },
    { text: `It says ${SECRET}.` },
    { text: 'done' },
  ]);
  opened.push(chat);
  const folder = open({
    'cadre.yaml': `providers:\n  far: { kind: openai-compatible, baseUrl: "http://127.0.0.1:${chat.port}/v1", apiKey: some-key-of-ours }\ndefaults: { models: [far/m], maxRetries: 1 }\n`,
    'keeper.md': '---\ntools: [files]\nsubagent: { enabled: true, runner: subprocess }\n---\nYou keep.\n',
    'long.txt': `${'.'.repeat(100)}${SECRET}\n${'.'.repeat(20_000)}${SECRET}${'.'.repeat(40_000)}\n`,
  });
  const ran = await folder.cadre(['run', 'keeper', 'go']);
  const helper = chat.asked.find((body) => body.includes('long.txt, line'));
  expect(helper, ran.stderr).toContain('[redacted:PLANTED]');
  for (const body of chat.asked) expect(body).not.toMatch(/pl4n|in-half/);
  await expectClean(folder, ran);
});
