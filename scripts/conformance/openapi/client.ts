// A program on the client that was generated from the OpenAPI document. Its compiler has checked every path, parameter and field
// here against the document; each step prints what it found.

import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

declare const process: { readonly argv: readonly string[] };
const { GET, POST, PUT, DELETE } = createClient<paths>({ baseUrl: process.argv[2] ?? '' });

async function step(name: string, holds: () => Promise<boolean>): Promise<void> {
  const failure = await holds().then(
    (held) => (held ? undefined : 'it answered something else'),
    (thrown: unknown) => String(thrown),
  );
  console.log(JSON.stringify({ name, failure }));
}

let run = '';
let asking = '';

await step('the cadre lists its agents', async () => {
  const { data } = await GET('/api/cadre');
  return data?.agents.some(({ name }) => name === 'greeter') === true;
});
await step('an agent is shown', async () => {
  const { data } = await GET('/api/agents/{name}', { params: { path: { name: 'greeter' } } });
  return data?.name === 'greeter';
});
await step('an agent that nobody wrote is a problem document', async () => {
  const { error, response } = await GET('/api/agents/{name}', { params: { path: { name: 'nobody' } } });
  return response.status === 404 && error !== undefined && error.code === 'agent/unknown';
});
await step('a run is waited for', async () => {
  const { data, response } = await POST('/api/runs', {
    params: { query: { wait: '30s' } },
    body: { agent: 'greeter', input: 'Ada' },
  });
  run = data?.run ?? '';
  return response.status === 200 && run !== '';
});
await step('a run is shown with its outcome', async () => {
  const { data } = await GET('/api/runs/{run}', { params: { path: { run } } });
  return data?.outcome?.kind === 'answered';
});
await step('a run is among the runs', async () => {
  const { data } = await GET('/api/runs', { params: { query: { limit: 5 } } });
  return data?.items.some((one) => one.run === run) === true;
});
await step('an event of a run is read', async () => {
  const { data } = await GET('/api/runs/{run}/events/{seq}', { params: { path: { run, seq: 1 } } });
  return data !== undefined;
});
await step('a run is marked', async () => {
  const { response } = await POST('/api/runs/{run}/notes', {
    params: { path: { run } },
    body: { mark: 'good', text: 'Seen.' },
  });
  return response.status === 200;
});
await step('an input that is no input is refused', async () => {
  const { response } = await POST('/api/runs', { body: { agent: 'nobody', input: 'x' } });
  return response.status === 404;
});
await step('a question waits for a person', async () => {
  const { data } = await POST('/api/runs', {
    params: { query: { wait: '30s' } },
    body: { agent: 'asker', input: 'x' },
  });
  asking = data?.run ?? '';
  const listed = await GET('/api/approvals');
  return listed.data?.waiting.some((one) => one.run === asking) === true;
});
await step('a run that waits is cancelled', async () => {
  const { response } = await POST('/api/runs/{run}/cancel', { params: { path: { run: asking } }, body: {} });
  return response.status === 200;
});
await step('a filter is saved, listed and removed', async () => {
  const saved = await PUT('/api/filters/{name}', {
    params: { path: { name: 'mine' } },
    body: { query: 'agent:greeter' },
  });
  const { data } = await GET('/api/filters');
  const removed = await DELETE('/api/filters/{name}', { params: { path: { name: 'mine' } } });
  return saved.response.status === 204 && data !== undefined && removed.response.status === 204;
});
await step('the threads are listed', async () => (await GET('/api/threads')).response.status === 200);
await step('the server is alive and ready', async () => {
  const [alive, ready] = [await GET('/healthz'), await GET('/readyz')];
  return alive.response.status === 200 && ready.response.status === 200;
});
