// A user and password in the address of a model or MCP server reach the server as a header, and nobody is shown them.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith } from '../support/cli.ts';

let folder: Folder | undefined;
let server: Server | undefined;
afterEach(() => {
  folder?.remove();
  server?.closeAllConnections();
  server?.close();
});

const BASIC = `Basic ${Buffer.from('ann:open sesame').toString('base64')}`;
const reply = {
  id: '1',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: { content: 'Hello.' }, finish_reason: 'stop' }],
};

/** Answers only who says the password. */
async function guarded(): Promise<{ readonly host: string; readonly said: string[] }> {
  const said: string[] = [];
  server = createServer((request, response) => {
    said.push(request.headers.authorization ?? '');
    if (request.headers.authorization !== BASIC) return void response.writeHead(401).end('{}');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify(reply)}\n\ndata: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, said };
}

const files = (provider: string): Readonly<Record<string, string>> => ({
  'cadre.yaml': `providers: { far: ${provider} }\ndefaults: { models: [far/m] }\n`,
  'a.md': '---\ndescription: d\n---\nYou are a.\n',
});

test.each(['openai-compatible', 'ollama'])('a user in the baseUrl of %s is sent as Authorization', async (kind) => {
  const { host, said } = await guarded();
  folder = folderWith(files(`{ kind: ${kind}, baseUrl: "http://\${FAR_USER}@${host}/v1" }`));
  const env = { FAR_USER: 'ann:open%20sesame' };
  const ran = await folder.cadre(['run', 'a', 'Hi.'], { env });
  expect(ran).toMatchObject({ exit: 0, stdout: 'Hello.\n' });
  expect(said).toEqual([BASIC]);
  const shown = await folder.cadre(['models'], { env });
  expect(shown.stdout + shown.stderr).not.toMatch(/sesame/);
});

test.each([
  ['{ kind: openai-compatible, baseUrl: "http://ann:x@h/v1", apiKey: key }', '`apiKey` that says Authorization too'],
  [
    '{ kind: anthropic, baseUrl: "http://ann:x@h/v1", headers: { authorization: y } }',
    '`headers` that says Authorization too',
  ],
  ['{ kind: bedrock, baseUrl: "http://ann:x@h/v1" }', 'requests to Bedrock are signed instead'],
])('two that say Authorization are refused by the check: %s', async (provider, why) => {
  folder = folderWith(files(provider));
  const { exit, stdout } = await folder.cadre(['check']);
  expect(exit).toBe(1);
  expect(stdout).toContain(why);
});

test('two of which a variable says one are refused before anything is sent', async () => {
  const { host, said } = await guarded();
  folder = folderWith(files(`{ kind: openai-compatible, baseUrl: "\${FAR}", apiKey: key }`));
  const env = { FAR: `http://ann:open%20sesame@${host}/v1` };
  const { exit, stderr } = await folder.cadre(['run', 'a', 'Hi.'], { env });
  expect(exit).toBe(1);
  expect(stderr).toContain('A request has one: remove the other.');
  expect(stderr).not.toContain('sesame');
  expect(said).toEqual([]);
});

test('a user in the url of an MCP server is sent as a header', async () => {
  const { host, said } = await guarded();
  folder = folderWith({
    'cadre.yaml': `mcpServers: { far: { url: "http://ann:open%20sesame@${host}/mcp" } }\nproviders: { s: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [s/m] }\n`,
    's.yaml': 'any: [{ answer: Yes. }]\n',
    'a.md': '---\ndescription: d\ntools: ["mcp:far"]\n---\nYou are a.\n',
  });
  const { stdout, stderr } = await folder.cadre(['tools', 'a', '--connect']);
  expect(new Set(said)).toEqual(new Set([BASIC]));
  expect(stdout + stderr).not.toMatch(/sesame|credentials/);
});
