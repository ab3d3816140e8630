// A server over a folder of cadres, and what the limits do to runs that wait.

import { afterEach, expect, test } from 'vitest';
import { gateTool, type ServedFolder, servedFolder } from './support/server.ts';

let served: ServedFolder | undefined;
afterEach(() => served?.remove());

const cadre = (script: string) =>
  `providers:\n  demo: { kind: scripted, script: ./${script} }\ndefaults: { models: [demo/any] }\n`;

test('all cadres below the folder are served, their agents by the name of their cadre', async () => {
  served = await servedFolder({
    'desk/cadre.yaml': cadre('s.yaml'),
    'desk/clerk.md': '---\ndescription: Helps.\n---\nHelp.\n',
    'desk/only.md': '---\ndescription: Alone.\n---\nHelp.\n',
    'desk/s.yaml': 'any: [{ answer: "from the desk", repeat: true }]\n',
    'shop/cadre.yaml': cadre('s.yaml'),
    'shop/clerk.md': '---\ndescription: Sells.\n---\nSell.\n',
    'shop/s.yaml': 'any: [{ answer: "from the shop", repeat: true }]\n',
  });
  const { body } = await served.get('/api/cadre');
  expect(body.agents.map(({ name }: { name: string }) => name)).toEqual(['desk/clerk', 'desk/only', 'shop/clerk']);
  expect(body.cadres.map(({ prefix }: { prefix: string }) => prefix)).toEqual(['desk/', 'shop/']);
  const shop = await served.post('/api/runs?wait=30s', { agent: 'shop/clerk', input: 'x' });
  expect(shop.body.outcome.text).toBe('from the shop');
  expect((await served.post('/api/runs?wait=30s', { agent: 'only', input: 'x' })).body.outcome.text).toBe(
    'from the desk',
  );
  const which = await served.post('/api/runs', { agent: 'clerk', input: 'x' });
  expect(which.body).toMatchObject({
    code: 'agent/unknown',
    detail: expect.stringContaining('desk/clerk, shop/clerk'),
  });
  expect((await served.get('/api/agents/desk%2Fclerk')).body.description).toBe('Helps.');
  const rows = (await served.get('/api/runs?agent=shop%2Fclerk')).body.items;
  expect(rows).toMatchObject([{ agent: 'clerk', prefix: 'shop/' }]);
});

test('a run that waits for its turn is recorded, can be followed and cancelled, and begins when its turn comes', async () => {
  const gate = gateTool();
  served = await servedFolder(
    {
      'cadre.yaml': `${cadre('s.yaml')}server: { maxRuns: 1, maxWaiting: 5 }\n`,
      'worker.md': '---\ndescription: Works.\ntools: [gate]\n---\nWork.\n',
      's.yaml': 'agents:\n  worker: [{ call: gate }, { answer: "{{input}}" }]\n',
    },
    { tools: [gate.tool] },
  );
  const first = (await served.post('/api/runs', { agent: 'worker', input: 'first' })).body;
  await gate.reached();
  const second = (await served.post('/api/runs', { agent: 'worker', input: 'second' })).body;
  const third = (await served.post('/api/runs', { agent: 'worker', input: 'third' })).body;
  expect([first.state, second.state, third.state]).toEqual(['running', 'waiting', 'waiting']);
  const stream = await served.stream(`/api/runs/${second.run}/events`);
  expect((await stream.nextOf('journal'))?.data.event.type).toBe('run-start');
  expect((await served.post(`/api/runs/${second.run}/cancel`)).body).toEqual({ accepted: 'taken' });
  expect((await stream.rest()).findLast(({ event }) => event === 'journal')?.data.event.outcome.kind).toBe('cancelled');
  expect(gate.calls).toBe(1);
  gate.open();
  expect((await served.server.context.engine.outcome(third.run)).kind).toBe('answered');
  expect((await served.get(`/api/runs/${first.run}`)).body.outcome.text).toBe('first');
});
