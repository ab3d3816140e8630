// The MCP head: streamable HTTP at /mcp, for clients of either revision of the protocol. A client of the revision of
// 2026 sends everything with each request. One of an earlier revision has a session, which lives in this process: after
// a restart the client is told that its session is gone, and begins another.

import { randomUUID } from 'node:crypto';
import type {
  AuthInfo,
  ServerContext as McpContext,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { explainJsonError, readJson } from '../../../base/text/json.ts';
import { fail } from '../../../kernel/fault.ts';
import type { Caller } from '../../caller.ts';
import type { Head, HeadRoute, ServerCall, ServerContext } from '../../context.ts';
import { requestText } from '../../request-text.ts';
import type { AnsweredRuns } from '../answered-runs.ts';
import { lookupRoute, protocolAnswers, RPC_REQUEST, rpcProblem, streamedAnswer } from '../head-routes.ts';
import { jsonResponse } from '../http-answer.ts';
import { endedBy, idOf } from './last-word.ts';
import { type McpAsker, type McpServerMaker, mcpServers } from './mcp-server.ts';

const PATH = '/mcp';
const SESSION_HEADER = 'mcp-session-id';
/** Sessions at the same time, and how long one may rest before its place is given to another. */
const MOST_SESSIONS = 1_000;
const RESTS_MS = 3_600_000;

/** `secret` signs what clients bring back; it is the same after a restart. */
export function mcpHead(answered: AnsweredRuns, secret: string | undefined): Head {
  let opened: McpAnswer | undefined;
  const answer: HeadRoute['answer'] = (call, context) => {
    opened ??= openMcp(context, answered, secret);
    return opened(call);
  };
  return {
    name: 'mcp',
    paths: [PATH],
    routes: mcpRoutes(answer),
    problem: rpcProblem((code) => ({ code })),
  };
}

const mcpRoutes = (answer: HeadRoute['answer']): readonly HeadRoute[] => [
  {
    method: 'POST',
    path: '/mcp',
    name: 'postMcp',
    tag: 'heads',
    summary: 'The agents as tools of an MCP server: a message of the protocol (streamable HTTP).',
    permission: 'run',
    body: RPC_REQUEST,
    answers: protocolAnswers(streamedAnswer('What the protocol answers.'), 'JSON-RPC'),
    answer,
  },
  lookupRoute('The answer of the protocol.', 'JSON-RPC', {
    path: PATH,
    name: 'followMcp',
    summary: 'The messages of the MCP server itself, for a client with a session.',
    permission: 'run',
    answer,
  }),
  {
    ...lookupRoute('The answer of the protocol.', 'JSON-RPC', {
      path: PATH,
      name: 'endMcp',
      summary: 'Ends the MCP session of a client.',
      permission: 'run',
      answer,
    }),
    method: 'DELETE',
  },
];

type McpAnswer = (call: ServerCall) => Promise<Response>;

/** Opens MCP with the first request: before it there is nobody who could be told that tools have changed. */
function openMcp(context: ServerContext, answered: AnsweredRuns, secret: string | undefined): McpAnswer {
  const made = lazily(() => mcpServers({ version: context.version, secret }));
  const sessions = openSessions(context, answered, made);
  const modern = lazily(async () => {
    const { createMcpHandler } = await import('@modelcontextprotocol/server');
    const server = await made();
    return createMcpHandler(() => server({ context, answered, askerOf }), {
      legacy: 'reject',
      onerror: (error) => context.log(`mcp: ${error.message}`),
    });
  });
  const toolsChanged = (): void => {
    sessions.toolsChanged();
    void modern.ready()?.then(({ notify }) => notify.toolsChanged());
  };
  context.cadres.watch(toolsChanged);
  context.accesses.watch(toolsChanged);
  return async (call) => {
    const caller = call.get('caller');
    const { request, parsedBody } = await readRequest(call, context);
    const { isLegacyRequest } = await import('@modelcontextprotocol/server');
    const access = call.get('access');
    const authInfo: AuthInfo = {
      token: '',
      clientId: caller.name,
      scopes: [],
      extra: { access, refused: call.get('refused') },
    };
    const response = (await isLegacyRequest(request, parsedBody))
      ? await sessions.answer(request, { parsedBody, authInfo }, caller)
      : await (await modern()).fetch(request, { parsedBody, authInfo });
    const lost = access.while(({ may }) => may.has('run'));
    return endedBy(lost, response, idOf(parsedBody));
  };
}

/** Each request is checked, and brings its rights with it: a session may last longer than they do. */
const askerOf = ({ http }: McpContext): McpAsker => http?.authInfo?.extra as unknown as McpAsker;

/** `ready` gives undefined if nobody has asked for it. */
function lazily<Value>(make: () => Promise<Value>) {
  let made: Promise<Value> | undefined;
  const get = (): Promise<Value> => (made ??= make());
  return Object.assign(get, { ready: () => made });
}

/** The request with its body read to the server's cap. */
async function readRequest(
  call: ServerCall,
  context: ServerContext,
): Promise<{ readonly request: Request; readonly parsedBody: unknown }> {
  const { raw } = call.req;
  if (raw.method !== 'POST') return { request: raw, parsedBody: undefined };
  if (!/^application\/json\s*(?:;|$)/i.test(call.req.header('content-type') ?? ''))
    fail('request/media-type', 'The body must be JSON. Send it with: Content-Type: application/json');
  const read = readJson(await requestText(call.env.incoming, context.settings().maxBodyBytes));
  if (!read.ok) return fail('request/invalid', `The body ${explainJsonError(read)}.`);
  const request = new Request(raw.url, { method: 'POST', headers: raw.headers, signal: raw.signal });
  return { request, parsedBody: read.value };
}

function openSessions(context: ServerContext, answered: AnsweredRuns, made: () => Promise<McpServerMaker>) {
  const sessions = new Map<
    string,
    {
      readonly transport: WebStandardStreamableHTTPServerTransport;
      readonly server: Server;
      /** A session belongs to the token that began it. */
      readonly owner: string;
      usedAt: number;
    }
  >();
  const forget = (id: string | undefined): void => {
    const session = id === undefined ? undefined : sessions.get(id);
    if (id !== undefined) sessions.delete(id);
    session?.server.close().catch((thrown: unknown) => context.log(`mcp: a session could not be closed: ${thrown}`));
  };
  const makeRoom = (): void => {
    for (const [id, { usedAt }] of sessions) if (context.now() - usedAt > RESTS_MS) forget(id);
    if (sessions.size < MOST_SESSIONS) return;
    fail('server/busy', `${sessions.size} MCP sessions are open. Ask again later.`, { retryAfter: 60 });
  };
  const begin = async (caller: Caller): Promise<WebStandardStreamableHTTPServerTransport> => {
    makeRoom();
    const { WebStandardStreamableHTTPServerTransport: Transport } = await import('@modelcontextprotocol/server');
    const server = (await made())({ context, answered, askerOf });
    const transport = new Transport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized(id) {
        sessions.set(id, { transport, server, owner: caller.name, usedAt: context.now() });
      },
      onsessionclosed: forget,
    });
    await server.connect(transport);
    return transport;
  };
  return {
    async answer(
      request: Request,
      given: { parsedBody: unknown; authInfo: AuthInfo },
      caller: Caller,
    ): Promise<Response> {
      const id = request.headers.get(SESSION_HEADER);
      if (id === null) return (await begin(caller)).handleRequest(request, given);
      const session = sessions.get(id);
      if (session === undefined || session.owner !== caller.name) return gone(); // a session is good for its owner alone
      session.usedAt = context.now();
      return session.transport.handleRequest(request, given);
    },
    toolsChanged(): void {
      for (const { server } of sessions.values()) void server.sendToolListChanged().catch(() => {}); // nobody listens
    },
  };
}

/** The answer after which, by the protocol, a client begins another session. */
const gone = (): Response =>
  jsonResponse({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }, 404);
