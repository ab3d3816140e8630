// A page of another origin, with `cadre/client` in it: it starts a run, follows it over a line that breaks, and answers.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { cadreClient, Problem } from '../src/client/index.ts';
import { newPage } from './browser/support/page.ts';
import { agent, asking, CONFIG, type Files, scripted } from './browser/support/scripts.ts';
import { served } from './browser/support/served.ts';
import { built } from './support/dist.ts';
import { tcpProxy, through } from './support/tcp-proxy.ts';

const HTML = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>My app</title>';

/** A server of an app of its own: a page, the client as the package has it, and scripts of the app by their names. */
async function frontEnd(own: Readonly<Record<string, string>> = {}): Promise<string> {
  const scripts = new Map(Object.entries({ ...own, '/client.js': readFileSync(built('client/index.js'), 'utf8') }));
  const server = createServer((request, response) => {
    const script = scripts.get(request.url ?? '');
    response.writeHead(200, { 'content-type': script === undefined ? 'text/html' : 'text/javascript' });
    response.end(script ?? HTML);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serving(cors: readonly string[], files: Files = asking()) {
  const config = `${CONFIG}\nserver: {cors: ${JSON.stringify(cors)}}`;
  const server = await served({ files: { ...files, 'cadre.yaml': config } });
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

/** The script of the guide page, for this server. */
function guideScript(url: string, token: string): string {
  const page = readFileSync(new URL('../docs/start/chat-in-my-app.md', import.meta.url), 'utf8');
  const [, code = ''] = /```ts\n([^]*?)```/.exec(page) ?? [];
  expect(code.split('\n').length - 1).toBeLessThanOrEqual(30);
  return code
    .replace("'cadre/client'", "'/client.js'")
    .replace("'https://agents.example.com'", JSON.stringify(url))
    .replace(/\btoken \}/, `token: ${JSON.stringify(token)} }`);
}

/** It asks before it reads, and writes its answer word by word. */
const FRONT_DESK = scripted(
  { 'front-desk': agent('tools: [files]\napprove: [files]\n') },
  {
    pace: { chunk: '60ms' },
    agents: {
      'front-desk': [
        { when: { tool: 'read_file' }, answer: 'I have read it and there is nothing new in it.' },
        { call: { read_file: { path: 'cadre.yaml' } }, repeat: true },
      ],
    },
  },
);

test('the script of the guide page is a chat in a browser: text as it is written, a line that breaks, an approval, a thread', async () => {
  const app = await frontEnd();
  const { url, token, line } = await serving([app], FRONT_DESK);
  const page = await newPage({ expected: /net::ERR_/ });
  await page.route('**/chat.js', (one) =>
    one.fulfill({ contentType: 'text/javascript', body: guideScript(url, token) }),
  );
  await page.goto(app);
  await page.evaluate(`(async () => {
    const { say } = await import('/chat.js');
    Object.assign(globalThis, { say, shown: [], asked: [] });
    globalThis.talk = (text) =>
      say(text, (one) => globalThis.shown.push(one), async (one) => (globalThis.asked.push(one), true));
  })()`);
  await page.evaluate(`void (globalThis.first = talk('Read it.'))`);
  await expect.poll(() => page.evaluate('shown.length')).toBeGreaterThan(2);
  line.cut();
  line.heal();
  const outcome = await page.evaluate<{ text: string }>('first');
  expect(outcome.text).toBe('I have read it and there is nothing new in it.');
  expect(await page.evaluate('asked.length')).toBe(1);
  const shown = await page.evaluate<readonly string[]>('shown');
  for (const one of shown) expect(outcome.text.startsWith(one)).toBe(true); // after the break too, nothing comes twice
  await page.evaluate(`talk('And again.')`);
  const client = cadreClient({ url, token });
  const { items } = await client.threads();
  expect(items.map(({ messages }) => messages)).toEqual([2]);
});

test('a long answer comes whole, and an event gives its texts whole', async () => {
  const answer = 'ä'.repeat(9000);
  const { url, token } = await serving([], scripted({ clerk: agent('') }, { agents: { clerk: [{ answer }] } }));
  const cadre = cadreClient({ url, token });
  const { run } = await cadre.start({ agent: 'clerk', input: 'Go.' });
  expect(await cadre.outcome(run)).toMatchObject({ kind: 'answered', text: answer });
  const cuts: number[] = [];
  for await (const { type, data } of cadre.follow(run)) if (type === 'journal' && data.cut) cuts.push(data.event.seq);
  expect(cuts.length).toBeGreaterThan(0);
  expect(JSON.stringify(await cadre.event(run, cuts[0]!))).toContain(answer);
});

test('files, messages, a stop, a thread and the changes of a run go through the client', async () => {
  const { url, token } = await serving([]);
  const cadre = cadreClient({ url, token });
  const files = [{ name: 'note.txt', text: 'the note' }];
  const { run, thread } = await cadre.start({ agent: 'clerk', input: 'Read it.', thread: 'new', files });
  const waiting = async () => (await cadre.approvals({ run })).waiting;
  await expect.poll(async () => (await waiting()).length).toBe(1);
  await cadre.send(run, { text: 'Hurry.', files });
  await cadre.stop(run, { reason: 'enough' });
  const [one] = await waiting();
  if (one !== undefined) await cadre.answer(run, one.path, { approved: true, seen: one.digest });
  expect((await cadre.outcome(run)).kind).toMatch(/answered|stopped/);
  const { runs } = await cadre.thread(thread!);
  expect(runs.map((row) => row.run)).toEqual([run]);
  expect(JSON.stringify(runs)).toContain('the note');
  expect(await cadre.changes(run)).toEqual({ files: [], isUndone: false });
  const sent: unknown[] = [];
  for await (const { type, data } of cadre.follow(run)) if (type === 'journal') sent.push(data.event);
  expect(JSON.stringify(sent)).toContain('Hurry.');
});
