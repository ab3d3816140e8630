// An MCP server that wants a sign-in, with the official server package, and an authorization server of its own: oidc-provider.
// Both listen on loopback. Everybody who comes to the sign-in page is let in at once, as "ada".
//
// node test/support/sign-in-server.mjs [options as JSON] prints its addresses and runs until it is killed.

import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { createMcpHandler, McpServer, requireBearerAuth } from '@modelcontextprotocol/server';
import { Provider } from 'oidc-provider';
import { z } from 'zod';

/**
 * @param {{
 *   accessTokenSeconds?: number, scopes?: string[], clients?: object[], registration?: boolean, refresh?: boolean,
 *   tools?: (server: McpServer, call: object) => void,
 * }} [options]
 */
export async function signInServer(options = {}) {
  const {
    accessTokenSeconds = 3600,
    scopes = ['notes:read'],
    clients = [],
    registration = true,
    refresh = true,
  } = options;
  /** Requests to the authorization server, as `POST /token refresh_token`. */
  const asked = [];
  /** Called before a token request is answered. */
  const hooks = { beforeToken: async () => {}, scopesFor: (_tool) => [], tools: options.tools };
  const issuer = createServer();
  await listen(issuer);
  const issuerUrl = `http://127.0.0.1:${issuer.address().port}`;
  let resource = '';
  const provider = new Provider(issuerUrl, {
    clients,
    jwks: undefined,
    cookies: { keys: ['only for tests'] },
    scopes: ['openid', 'offline_access', 'notes:read', 'notes:write'],
    findAccount: async (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    ttl: {
      AccessToken: () => accessTokenSeconds,
      ClientCredentials: () => accessTokenSeconds,
      Grant: 86_400,
      Session: 86_400,
      Interaction: 600,
      RefreshToken: 86_400,
      IdToken: 600,
    },
    issueRefreshToken: async () => refresh,
    rotateRefreshToken: true,
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: registration },
      revocation: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'notes:read notes:write',
          audience: resource,
          accessTokenFormat: 'opaque',
        }),
      },
    },
    interactions: { url: (_context, { uid }) => `/let-in/${uid}` },
  });
  provider.proxy = false;
  const callback = provider.callback();
  const answerIssuer = async (request, response) => {
    const path = (request.url ?? '').split('?')[0];
    if (path.startsWith('/let-in/')) return letIn(provider, request, response, () => resource);
    if (path === '/token') {
      asked.push(`${request.method} ${path}`);
      await hooks.beforeToken(asked.length);
    } else asked.push(`${request.method} ${path}`);
    return callback(request, response);
  };
  issuer.on('request', (request, response) => {
    answerIssuer(request, response).catch((thrown) => response.destroy(thrown));
  });

  const calls = [];
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'notes', version: '1' }, { capabilities: { tools: {} } });
    server.registerTool(
      'read_notes',
      {
        description: 'Reads the notes.',
        inputSchema: z.object({ about: z.string().optional() }),
        annotations: { readOnlyHint: true },
      },
      async ({ about }) => {
        calls.push(['read_notes', about]);
        return { content: [{ type: 'text', text: `Notes about ${about ?? 'everything'}: buy milk.` }] };
      },
    );
    server.registerTool(
      'write_note',
      { description: 'Writes a note.', inputSchema: z.object({ text: z.string() }) },
      async ({ text }) => {
        calls.push(['write_note', text]);
        return { content: [{ type: 'text', text: `Wrote ${text.length} characters.` }] };
      },
    );
    hooks.tools?.(server, calls);
    return server;
  });
  const tokens = [];
  const verifier = {
    async verifyAccessToken(token) {
      tokens.push(token);
      const found = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));
      if (found === undefined) throw Object.assign(new OAuthError('invalid_token', 'Unknown token'));
      return { token, clientId: found.clientId, scopes: found.scope?.split(' ') ?? [], expiresAt: found.exp };
    },
  };
  const { OAuthError } = await import('@modelcontextprotocol/server');
  const web = serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
  if (!web.listening) await new Promise((resolve) => web.once('listening', resolve));
  const url = `http://127.0.0.1:${web.address().port}/mcp`;
  resource = url;
  const metadataUrl = url.replace('/mcp', '/.well-known/oauth-protected-resource/mcp');

  async function answer(request) {
    const { pathname } = new URL(request.url);
    if (pathname === '/.well-known/oauth-protected-resource/mcp')
      return Response.json({ resource: url, authorization_servers: [issuerUrl], scopes_supported: scopes });
    if (pathname !== '/mcp') return new Response('Not found', { status: 404 });
    const body =
      request.method === 'POST'
        ? await request
            .clone()
            .json()
            .catch(() => ({}))
        : {};
    const wanted = body.method === 'tools/call' ? hooks.scopesFor(body.params?.name) : [];
    const gate = requireBearerAuth({
      verifier,
      requiredScopes: [...scopes, ...wanted],
      resourceMetadataUrl: metadataUrl,
    });
    const info = await gate(request);
    if (info instanceof Response) return info;
    return handler.fetch(request, { authInfo: info });
  }

  return {
    url,
    issuer: issuerUrl,
    asked,
    calls,
    /** Tokens that came with requests. */
    tokens,
    hooks,
    provider,
    /** The number of times that tokens were asked for. */
    tokenRequests: () => asked.filter((one) => one === 'POST /token').length,
    async close() {
      web.close();
      web.closeAllConnections?.();
      issuer.close();
      issuer.closeAllConnections();
    },
  };
}

const listen = (server) => new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

/** Signs in and consents to everything that is asked for. */
async function letIn(provider, request, response, resource) {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (params.state === undefined) return response.writeHead(400).end('no state');
  if (prompt.name === 'login') {
    return provider.interactionFinished(
      request,
      response,
      { login: { accountId: 'ada' } },
      { mergeWithLastSubmission: false },
    );
  }
  const grant =
    (grantId && (await provider.Grant.find(grantId))) ||
    new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  if (prompt.details.missingOIDCScope) grant.addOIDCScope(prompt.details.missingOIDCScope.join(' '));
  for (const [at, some] of Object.entries(prompt.details.missingResourceScopes ?? {}))
    grant.addResourceScope(at, some.join(' '));
  grant.addResourceScope(resource(), params.scope ?? '');
  return provider.interactionFinished(
    request,
    response,
    { consent: { grantId: await grant.save() } },
    { mergeWithLastSubmission: true },
  );
}

/** Goes from page to page as a browser does, with its cookies, and returns the address at which it ended. */
export async function browse(address) {
  const jar = new Map();
  let url = new URL(address);
  for (let hops = 0; hops < 20; hops++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [pair] = set.split(';');
      const at = pair.indexOf('=');
      jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const next = answer.headers.get('location');
    const text = await answer.text();
    if (next === null) return { url: url.href, status: answer.status, text };
    url = new URL(next, url);
  }
  throw new Error('The sign-in page leads nowhere.');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await signInServer(JSON.parse(process.argv[2] ?? '{}'));
  console.log(JSON.stringify({ url: server.url, issuer: server.issuer }));
}
