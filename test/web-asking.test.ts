// fetch_page asks: once for each host in a run, and again where a redirect leads to another host.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { USUAL_WEB } from '../src/definition/definition.ts';
import { replay } from '../src/engine/history/replay.ts';
import type { RunEvent } from '../src/journal/event.ts';
import type { RunStore } from '../src/journal/store.ts';
import type { AskedCall } from '../src/kernel/approval.ts';
import type { Verdict } from '../src/kernel/effect.ts';
import { type Approver } from '../src/run/approver.ts';
import { ruledTools } from '../src/run/resources/ruled-tools.ts';
import { services } from '../src/run/services.ts';
import { webSource } from '../src/tools/web/source.ts';
import { type AgentSketch, bench, brokenOff, cadre, finish, lastText, type Model } from './support/cadre.ts';

const servers: Server[] = [];
const asked: string[] = [];
afterEach(async () => {
  asked.length = 0;
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

/** Redirects from `/to?<address>`, and answers with its name elsewhere. */
async function host(name: string): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://x');
    if (pathname === '/to') response.writeHead(302, { location: decodeURIComponent(search.slice(1)) }).end();
    else response.setHeader('content-type', 'text/plain').end(`${name}${request.url}`);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const to = (from: string, target: string): string => `${from}/to?${encodeURIComponent(target)}`;

/** One call of each turn: of these addresses in order. The answer is the last result. */
const fetching =
  (...urls: readonly string[]): Model =>
  (request) => {
    const url = urls[request.turn - 1];
    return url === undefined ? lastText(request) : { calls: [{ name: 'fetch_page', args: { url } }] };
  };

const YES: Verdict = { approved: true, by: 'ann' };

function story(model: Model, sketch: Partial<AgentSketch> = {}, answer: Verdict = YES, store?: RunStore) {
  const of = cadre({ name: 'reader', tools: ['web'], ...sketch });
  const approve: Approver = async (_prompt, about) => {
    const { preview } = about as AskedCall;
    asked.push(preview?.kind === 'request' ? preview.url : 'something else');
    return answer;
  };
  const source = webSource({ ...USUAL_WEB, allowPrivate: true });
  const made = bench(of, model, {
    ...(store !== undefined && { store }),
    approve,
    toolsOf: async (agent) => {
      const boxed = (await source.tools()).map((tool) => ({ tool, address: `web/${tool.spec.name}` }));
      return ruledTools(agent, boxed);
    },
  });
  return { ...made, of };
}

const isVerdict = (event: RunEvent): boolean => event.type === 'op-end' && event.kind === 'approval';

const go = { agent: 'reader', input: { text: 'go' } };

test('a host is asked about once in a run, with the address, and another host again', async () => {
  const [one, two] = [await host('one'), await host('two')];
  const made = story(fetching(`${one}/a?leak=1`, `${one}/b`, `${two}/c`, `${one}/d`));
  const { outcome, events } = await finish(made, go);
  expect(outcome).toMatchObject({ text: expect.stringContaining('one/d') });
  expect(asked).toEqual([`${one}/a?leak=1`, `${two}/c`]);
  expect(await replay(events, made.of, services)).toMatchObject({ kind: 'identical', ended: true });
});

test('a no keeps the request from being sent, and is a no to that call alone', async () => {
  const one = await host('one');
  const made = story(fetching(`${one}/a`, `${one}/b`), {}, { approved: false, note: 'Not there.' });
  const { outcome } = await finish(made, go);
  expect(outcome).toMatchObject({ text: 'The call of fetch_page was not approved: Not there.' });
  expect(asked).toEqual([`${one}/a`, `${one}/b`]);
});

test('a redirect to another host asks again and goes on from there, and one on the same host does not', async () => {
  const [one, two] = [await host('one'), await host('two')];
  const made = story(fetching(to(one, `${one}/here`), to(one, `${two}/there`), `${two}/again`));
  const { outcome, events } = await finish(made, go);
  expect(outcome).toMatchObject({ text: expect.stringContaining('two/again') });
  expect(asked).toEqual([to(one, `${one}/here`), `${two}/there`]);
  expect(await replay(events, made.of, services)).toMatchObject({ kind: 'identical', ended: true });
});

test('trust of the source asks nobody, and trust of a host asks for others only, after a redirect too', async () => {
  const [one, two] = [await host('one'), await host('two')];
  const urls = [`${one}/a`, to(one, `${two}/b`)];
  await finish(story(fetching(`${one}/a`, `${two}/b`), { trust: ['web'] }), go);
  expect(asked).toEqual([]);
  const trust = [`web(${new URL(one).host})`];
  await finish(story(fetching(...urls), { trust }), go);
  expect(asked).toEqual([`${two}/b`]);
  const both = [...trust, `web(${new URL(two).host})`];
  const { outcome } = await finish(story(fetching(...urls), { trust: both }), go);
  expect(outcome).toMatchObject({ text: expect.stringContaining('two/b') });
  expect(asked).toHaveLength(1);
  await finish(story(fetching(`${one}/a`, `${one}/b`), { trust, approve: [`web(${new URL(one).host})`] }), go);
  expect(asked.slice(1)).toEqual([`${one}/a`]);
});

test('hosts that redirect to each other for ever end the call', async () => {
  const [one, two] = [await host('one'), await host('two')];
  const loop = to(one, to(two, to(one, to(two, to(one, to(two, to(one, `${one}/end`)))))));
  const { outcome } = await finish(story(fetching(loop)), go);
  expect(outcome).toMatchObject({ text: expect.stringContaining('redirects more than 5 times') });
  expect(asked).toHaveLength(2);
});

test('a run that is broken off anywhere between question and page goes on, and no host is asked about twice', async () => {
  const [one, two] = [await host('one'), await host('two')];
  const model = fetching(to(one, `${two}/there`), `${two}/again`);
  const { events, run } = await finish(story(model), go);
  for (let count = 1; count < events.length; count++) {
    const decided = events.slice(0, count).filter(isVerdict);
    asked.length = 0;
    const again = story(model, {}, YES, await brokenOff(events, count, run));
    expect(await (await again.engine.resume(run)).outcome(), `after ${count}`).toMatchObject({
      text: expect.stringContaining('two/again'),
    });
    expect(asked.length, `after ${count}`).toBe(Math.max(0, 2 - decided.length));
  }
});
