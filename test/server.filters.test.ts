// Filters of the list of runs that are saved under a name, over HTTP.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf, SCRIPTED, type ServedFolder, servedFolder } from './support/server.ts';

const GUEST = 'guest-token-of-the-test';
const LOOKER = 'looker-token-of-the-test';

let served: ServedFolder;
beforeAll(async () => {
  served = await servedFolder({
    'cadre.yaml': `${SCRIPTED}
server:
  tokens:
    guest: { token: "${GUEST}", may: [see, run], agents: [greeter] }
    looker: { token: "${LOOKER}", may: [see] }
`,
    'greeter.md': '---\ndescription: Greets.\n---\nGreet them.\n',
    'script.yaml': 'agents: { greeter: [{ answer: "Hello." }] }',
  });
});
afterAll(() => served.remove());

const names = async (client: Pick<ServedFolder, 'get'>): Promise<readonly string[]> =>
  (await client.get('/api/filters')).body.items.map(({ name }: { readonly name: string }) => name);

test('a filter is saved, listed, replaced and removed, and its name may have any letters', async () => {
  const query = 'q=cost%3A%3E0.01&state=unanswered';
  expect((await served.ask('PUT', '/api/filters/dear%2C%20failed%2F2', { query })).status).toBe(204);
  expect((await served.ask('PUT', '/api/filters/chats', { query: '' })).status).toBe(204);
  expect((await served.ask('PUT', '/api/filters/chats', { query: 'q=thread%3At' })).status).toBe(204);
  expect((await served.get('/api/filters')).body.items).toEqual([
    { name: 'chats', query: 'q=thread%3At' },
    { name: 'dear, failed/2', query },
  ]);
  expect((await served.ask('DELETE', '/api/filters/chats')).status).toBe(204);
  expect((await served.ask('DELETE', '/api/filters/chats')).status).toBe(204);
  expect(await names(served)).toEqual(['dear, failed/2']);
  expect((await served.ask('PUT', `/api/filters/${'n'.repeat(61)}`, { query })).status).toBe(400);
});

test('a caller that may use only some agents has its own filters, and one that may only see saves none', async () => {
  const [guest, looker] = [clientOf(served.url, GUEST), clientOf(served.url, LOOKER)];
  await served.ask('PUT', '/api/filters/all', { query: 'q=secret' });
  await guest.ask('PUT', '/api/filters/mine', { query: 'q=hello' });
  expect(await names(guest)).toEqual(['mine']);
  expect(await names(served)).not.toContain('mine');
  expect(await names(looker)).toContain('all');
  expect((await looker.ask('PUT', '/api/filters/x', { query: '' })).body.code).toBe('request/forbidden');
  expect((await looker.ask('DELETE', '/api/filters/all')).body.code).toBe('request/forbidden');
});
