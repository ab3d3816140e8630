// A page of another origin, with `cadre/client` in it: it starts a run, follows it over a line that breaks, and answers.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { cadreClient, Problem } from '../src/client/index.ts';
import { newPage } from './browser/support/page.ts';
import { asking, CONFIG } from './browser/support/scripts.ts';
import { served } from './browser/support/served.ts';
import { built } from './support/dist.ts';
import { tcpProxy, through } from './support/tcp-proxy.ts';

const HTML = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>My app</title>';

/** A server of an app of its own: a page, and the client as the package has it. */
async function frontEnd(): Promise<string> {
  const client = readFileSync(built('client/index.js'));
  const server = createServer((request, response) => {
    const isClient = request.url === '/client.js';
    response.writeHead(200, { 'content-type': isClient ? 'text/javascript' : 'text/html' });
    response.end(isClient ? client : HTML);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serving(cors: readonly string[]) {
  const config = `${CONFIG}\nserver: {cors: ${JSON.stringify(cors)}}`;
  const server = await served({ files: { ...asking(), 'cadre.yaml': config } });
  const { origin, searchParams } = new URL(server.openUrl);
  const { hostname: host, port } = new URL(origin);
  const line = await tcpProxy({ host, port: Number(port) });
  onTestFinished(() => line.close());
  return { ...server, line, url: through(line, origin), token: searchParams.get('token') ?? '' };
}

test('a page of another origin starts a run, follows it over a line that breaks, and answers what waits', async () => {
  const app = await frontEnd();
  const { line, url, token } = await serving([app]);
  const page = await newPage({ expected: /net::ERR_/ });
  await page.goto(app);
  await page.evaluate(`(async () => {
    const { cadreClient } = await import('/client.js');
    const cadre = (globalThis.cadre = cadreClient(${JSON.stringify({ url, token })}));
    const { run } = await cadre.start({ agent: 'clerk', input: 'Read it.' });
    Object.assign(globalThis, { run, seen: [], lost: 0, ended: '' });
    (async () => {
      for await (const { type, data } of cadre.follow(run, { onLost: () => globalThis.lost++ })) {
        if (type === 'journal') globalThis.seen.push(data.event.seq);
        if (type === 'journal' && data.event.type === 'run-end') globalThis.ended = data.event.outcome.text;
      }
    })();
  })()`);
  const waiting = `cadre.approvals({ run }).then(({ waiting }) => waiting.length)`;
  await expect.poll(() => page.evaluate(waiting)).toBe(1);
  await expect.poll(() => page.evaluate('seen.length')).toBeGreaterThan(2);

  line.cut();
  await expect.poll(() => page.evaluate('lost')).toBeGreaterThan(0);
  line.heal();
  await page.evaluate(`(async () => {
    const { waiting: [one] } = await cadre.approvals({ run });
    await cadre.answer(run, one.path, { approved: true, seen: one.digest });
  })()`);
  await expect.poll(() => page.evaluate('ended')).toBe('I have **read** it.');
  const seen = await page.evaluate<readonly number[]>('seen');
  expect(seen).toEqual(seen.map((_, index) => index));
});

test('a page of an origin that is not listed is refused, and one that is never has the log-in of our own page', async () => {
  const app = await frontEnd();
  const { url, token, openUrl, line } = await serving([app]);
  const page = await newPage({ expected: /CORS|net::ERR_|401|403/ });
  await page.goto(through(line, openUrl)); // our own page: the browser has its cookie from now on
  await page.locator('main').waitFor();
  const status = (init: string, path = '/api/runs') =>
    page.evaluate(
      `fetch(${JSON.stringify(new URL(path, url).href)}, ${init}).then((it) => it.status, () => 'refused')`,
    );
  const withToken = `{ headers: { authorization: 'Bearer ${token}' } }`;

  await page.goto(app);
  await expect.poll(() => status(withToken)).toBe(200);
  expect(await status(`{}`)).toBe(401);
  expect(await status(`{ credentials: 'include' }`)).toBe('refused');
  expect(await status(withToken, '/v1/models')).toBe(200);
  expect(await status(withToken, '/runs')).toBe('refused'); // the page itself is for no other

  await page.goto(await frontEnd());
  expect(await status(withToken)).toBe('refused');
});

test('a program is told why it is refused, and stops waiting when it wants to', async () => {
  const { url, token } = await serving([]);
  const cadre = cadreClient({ url, token });
  const refused = async (work: Promise<unknown>): Promise<Partial<Problem>> => {
    const problem = await work.catch((thrown: unknown) => thrown);
    expect(problem).toBeInstanceOf(Problem);
    return problem as Problem;
  };
  expect(await refused(cadre.start({ agent: 'nobody', input: '' }))).toMatchObject({
    status: 404,
    code: 'agent/unknown',
  });
  expect(await refused(cadreClient({ url }).runs())).toMatchObject({ status: 401, code: 'request/unauthorized' });
  expect(await refused(cadre.outcome('20200101-000000-0000000'))).toMatchObject({ code: 'run/unknown' });
  expect(await refused(cadreClient({ url: 'http://127.0.0.1:1' }).runs())).toMatchObject({ code: 'client/offline' });

  const { run } = await cadre.start({ agent: 'clerk', input: 'Read it.' }, { key: 'once' });
  expect((await cadre.start({ agent: 'clerk', input: 'Read it.' }, { key: 'once' })).run).toBe(run);
  const waits = new AbortController();
  const outcome = cadre.outcome(run, { signal: waits.signal });
  waits.abort(new Error('enough'));
  await expect(outcome).rejects.toThrow('enough');
  await cadre.cancel(run, { reason: 'not needed' });
  expect(await cadre.outcome(run)).toMatchObject({ kind: 'cancelled' });
  expect((await cadre.runs({ limit: 5 })).items.map((row) => row.run)).toEqual([run]);
  expect(await cadre.run(run)).toMatchObject({ run });
});
