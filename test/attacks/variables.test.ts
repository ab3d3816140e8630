// Values of variables in places where nobody expects a secret: addresses.

import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Folder, folderWith } from '../support/cli.ts';

const IN_THE_PATH = 'key/in-the+path 1';
const IN_THE_QUERY = 'key-in-the-query-2';
const PASSWORD = 'pa55word-of-the-address';

let echo: Server;
let folder: Folder;

beforeAll(async () => {
  echo = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ url: request.url, sent: request.headers.authorization })
        .replaceAll('/', '\\/')
        .replaceAll('=', '\\u003d'),
    );
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const { port } = echo.address() as AddressInfo;
  folder = folderWith({
    'cadre.yaml': `providers:
  demo: { kind: scripted, script: demo.script.yaml }
  far: { kind: openai-compatible, baseUrl: "http://me:${PASSWORD}@127.0.0.1:${port}/v1" }
defaults: { models: [demo/any], maxRetries: 1 }
restTools:
  ask: { description: Asks., url: "http://127.0.0.1:${port}/hooks/\${IN_PATH}?k=\${IN_QUERY}", allowPrivate: true }
`,
    'keeper.md': '---\ntools: [rest:ask]\n---\nYou ask.\n',
    'other.md': '---\nmodels: [far/model]\n---\nYou are far away.\n',
    'demo.script.yaml': 'agents:\n  keeper:\n    - call: ask\n    - answer: "It said {{last}}"\n',
  });
});

afterAll(() => {
  echo.close();
  folder.remove();
});

const kept = (place: string): string =>
  readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');

const env = { IN_PATH: encodeURIComponent(IN_THE_PATH), IN_QUERY: IN_THE_QUERY };

test('the value of a variable in the address of a REST tool is neither shown nor recorded', async () => {
  const { stdout, stderr, exit } = await folder.cadre(['run', 'keeper', 'go'], { env });
  expect(exit, stderr).toBe(0);
  expect(stdout).toContain('[redacted:IN_PATH]');
  expect(stdout).toContain('[redacted:IN_QUERY]');
  const all = stdout + stderr + kept(join(folder.path, '.cadre'));
  for (const secret of ['key/in', 'in-the+path', 'in-the%2Bpath', 'in-the-query']) expect(all).not.toContain(secret);
});

test('the password of an address is neither shown nor recorded', async () => {
  const { stdout, stderr, exit } = await folder.cadre(['run', 'other', 'go'], { env });
  expect(exit).not.toBe(0);
  expect(stderr).toContain('far answered 200');
  const all = stdout + stderr + kept(join(folder.path, '.cadre'));
  for (const secret of ['pa55word', btoa(`me:${PASSWORD}`).slice(8, 28)]) expect(all).not.toContain(secret);
});

test('the password of an address is not in the line that a finding shows', async () => {
  const twice = folderWith({
    'cadre.yaml': `providers:\n  far: { kind: openai-compatible, baseUrl: "http://me:${PASSWORD}@127.0.0.1:9/v1", apiKey: key }\n`,
    'other.md': '---\nmodels: [far/model]\n---\nYou are far away.\n',
  });
  const { stdout, stderr, exit } = await twice.cadre(['check']);
  twice.remove();
  expect([exit, stdout + stderr]).toEqual([1, expect.stringContaining('key/misplaced')]);
  expect(stdout + stderr).toContain('http://me:*');
  expect(stdout + stderr).not.toContain('pa55word');
});
