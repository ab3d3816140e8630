// Sign-ins at a real authorization server, for the tools of a real MCP server. Both listen on loopback.

import { afterEach, expect, test } from 'vitest';
import { FaultError } from '../src/kernel/fault.ts';
import type { ToolResult } from '../src/kernel/message.ts';
import { NOTHING_SECRET } from '../src/kernel/redacted.ts';
import { signInOf } from '../src/kernel/sign-in.ts';
import { memoryStore } from '../src/stores/memory.ts';
import { invoke } from '../src/tools/invoke.ts';
import { signInByPerson } from '../src/tools/mcp/sign-in/by-person.ts';
import { recordIn, type SignInClient, type SignInVault, signInId } from '../src/tools/mcp/sign-in/record.ts';
import type { SignInEndpoint } from '../src/tools/mcp/sign-in/server.ts';
import { signInFetch } from '../src/tools/mcp/sign-in/sign-in-fetch.ts';
import { signOut } from '../src/tools/mcp/sign-in/sign-out.ts';
import { mcpSource } from '../src/tools/mcp/source.ts';
import type { ToolSource } from '../src/tools/tool.ts';
import { browse, type SignInServer, signInServer } from './support/sign-in-server.mjs';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serverFor(options: Parameters<typeof signInServer>[0] = {}): Promise<SignInServer> {
  const server = await signInServer(options);
  closing.push(() => server.close());
  return server;
}

const newVault = (): SignInVault => memoryStore().signIns as SignInVault;

/** Every value that became a secret. */
const secrets: string[] = [];

function endpoint(
  url: string,
  vault: SignInVault,
  auth: Partial<SignInClient> = {},
  more: object = {},
): SignInEndpoint {
  const client = {
    grant: 'authorization_code',
    noteSecret: (_: string, value: string) => secrets.push(value),
  } as const;
  return { kind: 'http', name: 'notes', url, headers: {}, ...more, auth: { ...client, vault, ...auth } };
}

/** A person who signs in with a browser. */
const signIn = (server: SignInEndpoint, more: Partial<Parameters<typeof signInByPerson>[1]> = {}) =>
  signInByPerson(server, {
    signal: new AbortController().signal,
    open: (address) => void browse(address.href),
    ...more,
  });

function open(server: SignInEndpoint): ToolSource {
  const source = mcpSource(server, { restartPauseMs: 1 });
  closing.push(() => source.close());
  return source;
}

async function call(source: ToolSource, name: string, input: object): Promise<ToolResult> {
  const tool = (await source.tools()).find(({ spec }) => spec.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const signal = new AbortController().signal;
  const context = { signal, callKey: 'k', progress() {}, redactor: NOTHING_SECRET };
  return invoke(tool, { id: '1', name, arguments: input }, context, {
    timeoutMs: 20_000,
    capBytes: 9999,
    keep: async () => '',
  });
}

const names = async (source: ToolSource) => (await source.tools()).map(({ spec }) => spec.name);

const wantedOf = async (work: Promise<unknown>) => {
  const thrown = await work.then(
    () => undefined,
    (why: unknown) => why,
  );
  return thrown instanceof FaultError ? signInOf(thrown.fault) : thrown;
};

async function recordAt(server: SignInEndpoint) {
  const kept = await server.auth.vault?.get(signInId(server));
  return kept && recordIn(kept.body);
}

/** As if the time of its token were nearly over. */
async function makeDue(server: SignInEndpoint): Promise<void> {
  const record = await recordAt(server);
  await server.auth.vault?.put(
    signInId(server),
    { head: '{"server":"notes"}', body: JSON.stringify({ ...record, renewAt: 0 }) },
    'any',
  );
}

test('a server that nobody has signed in to says so with the command, and is not called', async () => {
  const { url, calls } = await serverFor();
  const source = open(endpoint(url, newVault()));
  await expect(source.tools()).rejects.toMatchObject({
    fault: {
      code: 'tool/source',
      message: 'The MCP server "notes" wants a sign-in. Nobody has signed in. Sign in with: cadre sign-in notes',
      details: { signIn: { server: 'notes', url } },
    },
  });
  expect(calls).toEqual([]);
});

test('after a sign-in the tools are listed and called, and the tokens are secrets', async () => {
  const { url, calls } = await serverFor();
  const server = endpoint(url, newVault());
  const source = open(server);
  await expect(source.tools()).rejects.toThrow('wants a sign-in');
  const { tokens, client, port } = await signIn(server);
  expect(await names(source)).toEqual(['read_notes', 'write_note']);
  expect(await call(source, 'read_notes', { about: 'food' })).toMatchObject({
    status: 'ok',
    text: 'Notes about food: buy milk.',
  });
  expect(calls).toEqual([['read_notes', 'food']]);
  expect(secrets).toEqual(expect.arrayContaining([tokens?.access_token, tokens?.refresh_token]));
  expect(client?.['redirect_uris' as never]).toEqual([`http://127.0.0.1:${port}/callback`]);
});

test('a second sign-in goes on with the registration and its port, unless that port is taken', async () => {
  const { url } = await serverFor();
  const server = endpoint(url, newVault());
  const first = await signIn(server);
  const again = await signIn(server);
  expect([again.client?.client_id, again.port]).toEqual([first.client?.client_id, first.port]);
  const { createServer } = await import('node:http');
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(first.port, '127.0.0.1', resolve));
  closing.push(async () => taken.close());
  const third = await signIn(server);
  expect(third.port).not.toBe(first.port);
  expect(third.client?.client_id).not.toBe(first.client?.client_id);
});

test('a token is renewed before it ends, once for all requests of one moment', async () => {
  const notes = await serverFor();
  const server = endpoint(notes.url, newVault());
  const { tokens } = await signIn(server);
  const source = open(server);
  await source.tools();
  await makeDue(server);
  const before = notes.tokenRequests();
  const results = await Promise.all(Array.from({ length: 5 }, () => call(source, 'read_notes', {})));
  expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'ok'));
  expect(notes.tokenRequests() - before).toBe(1);
  const renewed = (await recordAt(server))?.tokens;
  expect(renewed?.access_token).not.toBe(tokens?.access_token);
  expect(secrets).toContain(renewed?.access_token);
});

test('a token that the server does not take any more is renewed at its 401', async () => {
  const notes = await serverFor();
  const server = endpoint(notes.url, newVault());
  const { tokens } = await signIn(server);
  const source = open(server);
  await source.tools();
  await (await notes.provider.AccessToken.find(tokens?.access_token ?? ''))?.destroy();
  expect(await call(source, 'write_note', { text: 'once' })).toMatchObject({ status: 'ok' });
  expect(notes.calls).toEqual([['write_note', 'once']]);
});

test('two processes that find the token due send one request, and both go on', async () => {
  const notes = await serverFor();
  const vault = newVault();
  const server = endpoint(notes.url, vault);
  await signIn(server);
  const [one, other] = [open(server), open(endpoint(notes.url, vault))];
  await Promise.all([one.tools(), other.tools()]);
  await makeDue(server);
  const before = notes.tokenRequests();
  const results = await Promise.all([one, other].map((source) => call(source, 'read_notes', {})));
  expect(results.map(({ status }) => status)).toEqual(['ok', 'ok']);
  expect(notes.tokenRequests() - before).toBe(1);
});

test('a sign-in that the authorization server has ended wants another one', async () => {
  const notes = await serverFor();
  const server = endpoint(notes.url, newVault());
  const { tokens } = await signIn(server);
  await (await notes.provider.RefreshToken.find(tokens?.refresh_token ?? ''))?.destroy();
  await (await notes.provider.AccessToken.find(tokens?.access_token ?? ''))?.destroy();
  const source = open(server);
  expect(await wantedOf(source.tools())).toMatchObject({
    server: 'notes',
    why: 'Its authorization server says: invalid_grant.',
  });
  expect((await recordAt(server))?.tokens).toBeUndefined();
  await signIn(server);
  expect(await names(source)).toEqual(['read_notes', 'write_note']);
});

test('without a refresh token the end of the token wants another sign-in', async () => {
  const notes = await serverFor({ refresh: false });
  const server = endpoint(notes.url, newVault());
  const { tokens } = await signIn(server);
  expect(tokens?.refresh_token).toBeUndefined();
  const source = open(server);
  await source.tools();
  await (await notes.provider.AccessToken.find(tokens?.access_token ?? ''))?.destroy();
  expect(await wantedOf(call(source, 'read_notes', {}))).toMatchObject({ why: 'It refused the token of the sign-in.' });
});

test('a call that needs more scopes names them, and is made after a sign-in that brought them', async () => {
  const notes = await serverFor();
  notes.hooks.scopesFor = (tool) => (tool === 'write_note' ? ['notes:write'] : []);
  const server = endpoint(notes.url, newVault());
  await signIn(server);
  const source = open(server);
  const wanted = await wantedOf(call(source, 'write_note', { text: 'x' }));
  expect(wanted).toMatchObject({ server: 'notes', scopes: expect.arrayContaining(['notes:write']) });
  expect(notes.calls).toEqual([]);
  await signIn(server, { scopes: ['notes:write'] });
  expect(await call(source, 'write_note', { text: 'x' })).toMatchObject({ status: 'ok' });
  expect(await call(source, 'read_notes', {})).toMatchObject({ status: 'ok' });
});

test('a sign-in is good for its name, its address and its client alone', async () => {
  const [notes, far] = [await serverFor(), await serverFor()];
  const vault = newVault();
  await signIn(endpoint(notes.url, vault));
  for (const other of [
    endpoint(far.url, vault),
    endpoint(notes.url, vault, {}, { name: 'other' }),
    endpoint(notes.url, vault, { clientId: 'somebody' }),
  ]) {
    expect(await wantedOf(open(other).tools())).toMatchObject({ why: 'Nobody has signed in.' });
  }
  expect(far.tokens).toEqual([]);
});

test('signing out revokes the tokens and forgets them', async () => {
  const notes = await serverFor();
  const server = endpoint(notes.url, newVault());
  const { tokens } = await signIn(server);
  expect(await signOut(server)).toEqual({ kind: 'revoked' });
  expect(await notes.provider.RefreshToken.find(tokens?.refresh_token ?? '')).toBeUndefined();
  expect(await notes.provider.AccessToken.find(tokens?.access_token ?? '')).toBeUndefined();
  expect(await recordAt(server)).toBeUndefined();
  expect(await signOut(server)).toEqual({ kind: 'nobody' });
});

test('a renewal that is under way does not bring back what a person signed out of', async () => {
  const notes = await serverFor();
  const server = endpoint(notes.url, newVault());
  await signIn(server);
  const source = open(server);
  await source.tools();
  await makeDue(server);
  notes.hooks.beforeToken = async () => void (await server.auth.vault?.remove(signInId(server)));
  expect(await wantedOf(call(source, 'read_notes', {}))).toMatchObject({ why: 'Nobody has signed in.' });
  expect(await recordAt(server)).toBeUndefined();
});

test('a renewal that cannot be made now leaves a token in use that is still good', async () => {
  const notes = await serverFor();
  const server = endpoint(notes.url, newVault());
  await signIn(server);
  const source = open(server);
  await source.tools();
  await makeDue(server);
  const record = await recordAt(server);
  const gone = JSON.stringify({
    ...record,
    discovery: {
      ...record?.discovery,
      authorizationServerMetadata: undefined,
      authorizationServerUrl: 'http://127.0.0.1:1',
    },
  });
  await server.auth.vault?.put(signInId(server), { head: '{"server":"notes"}', body: gone }, 'any');
  expect(await call(source, 'read_notes', {})).toMatchObject({ status: 'ok' });
});

const MACHINE = {
  client_id: 'robot',
  client_secret: 'robot-secret-robot-secret',
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
  scope: 'notes:read notes:write',
};

test('with client credentials the client signs in by itself, once for all processes, and no person is asked', async () => {
  const notes = await serverFor({ clients: [MACHINE] });
  const vault = newVault();
  const auth = {
    grant: 'client_credentials',
    clientId: MACHINE.client_id,
    clientSecret: MACHINE.client_secret,
  } as const;
  const sources = [open(endpoint(notes.url, vault, auth)), open(endpoint(notes.url, vault, auth))];
  expect(await Promise.all(sources.map(names))).toEqual([
    ['read_notes', 'write_note'],
    ['read_notes', 'write_note'],
  ]);
  expect(notes.tokenRequests()).toBe(1);
  const wrong = open(endpoint(notes.url, newVault(), { ...auth, clientSecret: 'wrong' }));
  const thrown = await wrong.tools().catch((why: unknown) => why);
  expect(thrown).toMatchObject({
    fault: { code: 'tool/source', message: expect.stringContaining('Check clientId and clientSecret') },
  });
  expect(await wantedOf(wrong.tools())).toBeUndefined();
});

test('a client that was registered for Cadre is used as it is, and none is registered', async () => {
  const notes = await serverFor({
    registration: false,
    clients: [
      {
        client_id: 'known',
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/callback'],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
  });
  const server = endpoint(notes.url, newVault(), { clientId: 'known' });
  await signIn(server);
  expect(await names(open(server))).toEqual(['read_notes', 'write_note']);
  expect(notes.asked).not.toContain('POST /reg');
});

test('the address that the browser was sent to can be given by hand, and one of another sign-in is refused', async () => {
  const { url } = await serverFor();
  const server = endpoint(url, newVault());
  const byHand = (change: (address: string) => string) => {
    let opened: (address: string) => void = () => {};
    const page = new Promise<string>((resolve) => (opened = resolve));
    return signIn(server, {
      open: (address) => opened(address.href),
      // The page would lead to the machine of the person, where nobody listens.
      pasted: async () => change((await landing(await page)).replace(/127\.0\.0\.1:\d+/, 'elsewhere.example')),
    });
  };
  await expect(byHand((address) => address.replace(/state=[^&]+/, 'state=other'))).rejects.toThrow(
    'belongs to another sign-in',
  );
  await expect(byHand(() => 'https://elsewhere.example/')).rejects.toThrow('it has no code');
  await byHand((address) => address);
  expect(await names(open(server))).toEqual(['read_notes', 'write_note']);
});

/** The address at which a sign-in ends, without going there. */
async function landing(address: string): Promise<string> {
  const real = globalThis.fetch;
  let last = '';
  globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : input.toString();
    if (url.includes('/callback?')) {
      last = url;
      return new Response('');
    }
    return real(input, init);
  };
  try {
    await browse(address);
  } finally {
    globalThis.fetch = real;
  }
  return last;
}

test('a page that comes back with another state is not an answer, and a refusal is told in words', async () => {
  const { url } = await serverFor();
  const server = endpoint(url, newVault());
  const visits: number[] = [];
  const refused = signIn(server, {
    async open(address) {
      const { searchParams } = address;
      const back = searchParams.get('redirect_uri') ?? '';
      visits.push((await fetch(`${back}?code=stolen&state=guessed`)).status);
      const issuer = encodeURIComponent(address.origin);
      visits.push((await fetch(`${back}?error=access_denied&state=${searchParams.get('state')}&iss=${issuer}`)).status);
    },
  });
  await expect(refused).rejects.toThrow('was refused. Its authorization server says: access_denied');
  await expect.poll(() => visits).toEqual([404, 200]);
  expect((await recordAt(server))?.tokens).toBeUndefined();
});

test('the configured headers go to the server, and never to its authorization server', async () => {
  const notes = await serverFor();
  const server = endpoint(notes.url, newVault(), {}, { headers: { 'x-api-key': 'only-for-notes' } });
  const seen: unknown[] = [];
  const provider = notes.provider as unknown as {
    on(event: string, listener: (context: { headers: object }) => void): void;
  };
  for (const event of ['authorization.success', 'grant.success', 'registration_create.success'])
    provider.on(event, ({ headers }) => seen.push(headers));
  await signIn(server);
  await names(open(server));
  expect(seen.length).toBeGreaterThan(1);
  expect(JSON.stringify(seen)).not.toContain('only-for-notes');
});

test('a store without sign-ins refuses auth by name', async () => {
  const { url } = await serverFor();
  const source = open(endpoint(url, undefined as unknown as SignInVault, { vault: undefined }));
  await expect(source.tools()).rejects.toThrow('mcpServers.notes has auth, and this store keeps no sign-ins');
});

test('a token is not sent in the clear over the internet', async () => {
  const source = open(endpoint('http://198.51.101.7/mcp', newVault()));
  await expect(source.tools()).rejects.toThrow('its url is not https');
});

test.each([
  ['http://auth.example.com/token', 'which is not https'],
  ['http://127.0.0.1:8080/token', 'which is not https'],
  ['https://127.0.0.1/token', 'is not an address of the public internet'],
  ['https://[::1]/token', 'is not an address of the public internet'],
  ['https://10.1.2.3/token', 'is not an address of the public internet'],
  ['https://169.254.169.254/latest/meta-data', 'is not an address of the public internet'],
  ['https://0x7f000001/token', 'is not an address of the public internet'],
])('a server of the internet cannot lead the sign-in to %s', async (address, why) => {
  const guarded = signInFetch({ name: 'far', url: 'https://198.51.101.7/mcp' });
  await expect(guarded(address, { method: 'POST', body: 'x=1' })).rejects.toThrow(why);
});

test('the addresses of a sign-in redirect nowhere else, and their answers are small', async () => {
  const { createServer } = await import('node:http');
  const reached: string[] = [];
  const serve = async (answer: Parameters<typeof createServer>[1]): Promise<string> => {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(async () => server.close());
    return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  };
  const elsewhere = await serve((request, response) => {
    reached.push(request.url ?? '');
    response.end('{}');
  });
  const own = await serve((request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: `${elsewhere}/taken` }).end();
    else if (request.url === '/near') response.writeHead(302, { location: '/here' }).end();
    else if (request.url === '/here') response.end('{"ok":true}');
    else response.end('x'.repeat(2_000_000));
  });
  const guarded = signInFetch({ name: 'near', url: `${own}/mcp` });
  await expect(guarded(`${own}/away`)).rejects.toThrow('redirects a request of the sign-in');
  await expect(guarded(`${own}/near`, { method: 'POST' })).rejects.toThrow('redirects a request of the sign-in');
  expect(await (await guarded(`${own}/near`)).json()).toEqual({ ok: true });
  await expect(guarded(`${own}/large`)).rejects.toThrow('sent more than');
  expect(reached).toEqual([]);
});
