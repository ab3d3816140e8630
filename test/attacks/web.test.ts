// fetch_page: where it may not lead, and pages that are made to harm whoever reads them.

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { USUAL_WEB, type WebConfig } from '../../src/definition/definition.ts';
import type { ToolResult } from '../../src/kernel/message.ts';
import { NOTHING_SECRET } from '../../src/kernel/redacted.ts';
import { openSecrets } from '../../src/secrets/secrets.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { readInThread } from '../../src/tools/web/in-thread.ts';
import { webSource } from '../../src/tools/web/source.ts';
import { folderWith } from '../support/cli.ts';
import { built } from '../support/dist.ts';

built('tools/page-reader.js'); // the thread is part of the build, which must be as new as the source

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(
    servers.splice(0).map((server) => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    }),
  );
});

async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const html =
  (text: string): RequestListener =>
  (_request, response) =>
    void response.setHeader('content-type', 'text/html; charset=utf-8').end(text);

async function fetchPage(
  url: string,
  over: Partial<WebConfig> = {},
  context: Partial<ToolContext> = {},
): Promise<ToolResult> {
  const [tool] = await webSource({ ...USUAL_WEB, allowPrivate: true, ...over }).tools();
  const signal = new AbortController().signal;
  const given = { signal, callKey: 'r/0', progress() {}, redactor: NOTHING_SECRET, ...context };
  return (await tool!.execute({ url }, given)) as ToolResult;
}

test('a page comes as Markdown with its title and its address', async () => {
  const origin = await serving(
    html('<html><head><title>Ropes</title></head><body><h2>Long ropes</h2><p>Good.</p></body></html>'),
  );
  expect(await fetchPage(`${origin}/a#part`)).toEqual({
    status: 'ok',
    text: `Ropes\n${origin}/a\n\n## Long ropes\n\nGood.`,
  });
});

test.each([
  'http://127.0.0.1:1/',
  'http://localhost:1/',
  'http://[::1]:1/',
  'http://169.254.169.254/latest',
  'http://0x7f000001/',
  'http://10.0.0.1/',
])('%s is not reached, and the way out is told', async (url) => {
  await expect(fetchPage(url, { allowPrivate: false })).rejects.toThrow(
    /not an address of the public internet.*web: \{allowPrivate: true\} in cadre\.yaml/,
  );
});

test.each([
  'file:///etc/passwd',
  'ftp://example.com/',
  'javascript:alert(1)',
  'example.com',
  '//example.com',
  'http://a:b@example.com/',
])('%s is not fetched', async (url) => {
  await expect(fetchPage(url)).rejects.toThrow(/not an address of the web|name or a password/);
});

test('a redirect to another address of this machine is refused where `trust` names the source alone, and else asked about', async () => {
  let reached = false;
  const inner = await serving((_request, response) => {
    reached = true;
    response.end('secret');
  });
  const origin = await serving((_request, response) => void response.writeHead(302, { location: inner }).end());
  await expect(fetchPage(origin, {}, { isTrusted: true })).rejects.toThrow('not an address of the public internet');
  expect(await fetchPage(origin)).toMatchObject({ asks: { kind: 'request', url: `${inner}/`, from: `${origin}/` } });
  expect(reached).toBe(false);
});

test('an endless row of redirects ends', async () => {
  const origin = await serving(
    (request, response) => void response.writeHead(302, { location: `${request.url}x` }).end(),
  );
  await expect(fetchPage(`${origin}/`)).rejects.toThrow('redirects more than');
});

test('an endless page is cut, an endless wait ends, and other types are named', async () => {
  const endless = await serving((_request, response) => {
    response.setHeader('content-type', 'text/html');
    const timer = setInterval(() => response.write('<p>on and on</p>'.repeat(1000)), 1);
    response.on('close', () => clearInterval(timer));
  });
  expect((await fetchPage(endless, { maxBytes: 50_000 })).text).toContain(
    '[The page is longer: only its first 48.8 KiB were read.]',
  );
  const silent = await serving(() => {});
  expect(await fetchPage(silent, { timeoutMs: 50 })).toMatchObject({
    status: 'error',
    text: expect.stringContaining('did not answer within 50 ms'),
  });
  const image = await serving(
    (_request, response) => void response.setHeader('content-type', 'image/png').end('\u0000PNG'),
  );
  expect((await fetchPage(image)).text).toContain('bytes of image/png, not shown');
  const missing = await serving(
    (_request, response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('<p>no'),
  );
  expect(await fetchPage(missing)).toMatchObject({ status: 'error', text: expect.stringContaining('answered 404') });
});

test('secrets in a page are redacted, also where HTML hides them', async () => {
  const origin = await serving(html('<p>hunter2hunter2</p><p>hunter2&#104;unter2</p>'));
  const secrets = openSecrets((add) => add('KEY', 'hunter2hunter2'));
  const { text } = await fetchPage(origin, {}, { redactor: secrets });
  expect(secrets.redact(text)).not.toContain('hunter2'); // the result as a whole is redacted once more
  expect(text).toContain('redacted:KEY');
});

test.each([
  ['deeply nested', '<div>'.repeat(200_000)],
  ['many links in each other', '<a href=x>'.repeat(100_000)],
])('a page that is %s cannot keep this process from hearing its clock', async (_what, text) => {
  const origin = await serving(html(text));
  let ticks = 0;
  const clock = setInterval(() => ticks++, 20);
  const stop = new AbortController();
  try {
    const reading = fetchPage(origin, {}, { signal: stop.signal }).then(
      () => 'read',
      () => 'given up',
    );
    await new Promise<void>((resolve) => {
      const look = setInterval(() => ticks > 20 && (clearInterval(look), resolve()), 20);
    });
    stop.abort(new Error('Enough.'));
    expect(['read', 'given up']).toContain(await reading);
    expect(ticks).toBeGreaterThan(20);
  } finally {
    clearInterval(clock);
  }
});

test('a page that takes too much memory ends its thread and nothing else', async () => {
  const { signal } = new AbortController();
  const read = readInThread({ deadlineMs: 60_000, memoryMb: 24 });
  await expect(read('<p>a</p>'.repeat(200_000), 'https://example.com', signal)).rejects.toThrow(/memory limit/);
});

test('through the command line: listed as web, off by default, and the model is told what is refused', async () => {
  const origin = await serving(html('<p>Inside.</p>'));
  const folder = folderWith({
    'cadre.yaml': 'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/m] }\n',
    's.yaml': JSON.stringify({
      agents: { reader: [{ call: { fetch_page: { url: origin } } }, { answer: '{{last}}' }] },
    }),
    'reader.md': '---\ntools: [web]\ntrust: ["web(127.0.0.1)"]\n---\nYou read.\n',
  });
  try {
    expect((await folder.cadre(['run', 'reader', 'go'])).stdout).toContain('web: {allowPrivate: true} in cadre.yaml');
    folder.write('cadre.yaml', `${folder.read('cadre.yaml')}web: { allowPrivate: true }\n`);
    expect((await folder.cadre(['run', 'reader', 'go'])).stdout).toContain('Inside.');
    expect((await folder.cadre(['replay'])).stdout).toContain('identical');
  } finally {
    folder.remove();
  }
});

test('through the command line: nobody there means no, before anything leaves this machine', async () => {
  let reached = false;
  const origin = await serving((_request, response) => {
    reached = true;
    response.end('read');
  });
  const folder = folderWith({
    'cadre.yaml':
      'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/m] }\nweb: { allowPrivate: true }\n',
    's.yaml': JSON.stringify({
      agents: { reader: [{ call: { fetch_page: { url: `${origin}/?file=secret` } } }, { answer: '{{last}}' }] },
    }),
    'reader.md': '---\ntools: [web]\n---\nYou read.\n',
  });
  try {
    const denied = await folder.cadre(['run', 'reader', 'go']);
    expect(denied.stdout).toMatch(/was not approved[^]*name it under trust/);
    expect(denied.stderr).toContain('trust: [web]');
    expect(reached).toBe(false);
    expect((await folder.cadre(['run', 'reader', 'go', '--approve', 'web'])).stdout).toContain('read');
  } finally {
    folder.remove();
  }
});
