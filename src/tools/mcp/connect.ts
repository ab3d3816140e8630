// A connection to one MCP server, through the official client. This file, and what it imports, is loaded on first use.

import {
  Client,
  type ClientOptions,
  type ElicitRequestFormParams,
  type ElicitResult,
  METHOD_NOT_FOUND,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client';
import { countedResponse, formOf } from '../../base/net/counted.ts';
import { bareAddress, namesAuthorization } from '../../base/net/credentials.ts';
import { sameOriginFetch } from '../../base/net/same-origin-fetch.ts';
import { MAX_CARRIER_DEPTH } from '../../base/text/json.ts';
import { FaultError } from '../../kernel/fault.ts';
import type { JsonSchema } from '../../kernel/schema.ts';
import { listViolations } from '../../kernel/schema.ts';
import { environmentFor } from '../environment.ts';
import { isUsableSchema, schemaCheck } from '../json-schema.ts';
import { OverCap } from './message-lines.ts';
import { OpenStreams } from './open-streams.ts';
import { ProcessTransport } from './process-transport.ts';
import type { McpEndpoint, McpProcess, McpServer } from './server.ts';
import { REQUEST_MS } from './sign-in/sign-in-fetch.ts';
import { LEASE_MS, TokenKeeper } from './sign-in/token-keeper.ts';
import { wantedBy } from './sign-in/wanted.ts';

export interface Connection {
  readonly client: Client;
  /** Throws where the server does not list them in time, or lists more than can be used. */
  listTools(signal: AbortSignal): Promise<readonly Tool[]>;
  /** Says if a caller waits for the server. If none does, the connection does not keep this process alive. */
  awaited(isAwaited: boolean): void;
  /** The end of the server and its last output, if that is known. */
  lastWords(): string;
  /** True if the connection is unusable after this failure of a call. */
  isBrokenBy(thrown: unknown): boolean;
  /** The sign-in that the server wants, if that is why a request failed. */
  wantedBy(thrown: unknown): FaultError | undefined;
  close(): Promise<void>;
}

export interface ConnectionEvents {
  /** The server asks a person something while it works. The signal is aborted when it gives up. */
  onQuestion(asked: ElicitRequestFormParams, until: AbortSignal): Promise<ElicitResult>;
  onClosed(): void;
  onToolsChanged(): void;
}

const connectTimeoutMs = 30_000;
const probeTimeoutMs = 5000;
/** The first request may have to wait for the lease of a renewal, and then renews itself. */
const signedProbeTimeoutMs = LEASE_MS + REQUEST_MS + probeTimeoutMs;
const goodbyeMs = 2000;
const mostPages = 32;
const mostListedBytes = 32 * 1024 * 1024;
const version = '1';
const brokenBy: ReadonlySet<string> = new Set([
  SdkErrorCode.NotConnected,
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.SendFailed,
]);

/** Throws once the signal is aborted; a server process that was started by then has ended before that. */
export async function connect(server: McpServer, events: ConnectionEvents, signal: AbortSignal): Promise<Connection> {
  return server.kind === 'http' ? connectHttp(server, events, signal) : connectProcess(server, events, signal);
}

async function connectProcess(server: McpProcess, events: ConnectionEvents, signal: AbortSignal): Promise<Connection> {
  try {
    return await startProcess(server, events, signal, 'auto');
  } catch (thrown) {
    // Some older servers exit on a request that they do not know: ask the old way.
    const endedByItself = thrown instanceof StartFailure && thrown.ended && !signal.aborted;
    if (endedByItself) return await startProcess(server, events, signal, 'legacy');
    throw thrown;
  }
}

/** A server process that never connected; `ended` if it exited by itself. The message has its last lines. */
class StartFailure extends Error {
  readonly ended: boolean;
  constructor(message: string, ended: boolean) {
    super(message);
    this.ended = ended;
  }
}

async function startProcess(
  server: McpProcess,
  events: ConnectionEvents,
  signal: AbortSignal,
  mode: 'auto' | 'legacy',
): Promise<Connection> {
  const meter = new Meter();
  const transport = await transportFor(server, (bytes) => meter.take(bytes));
  const lastWords = (): string => (transport instanceof ProcessTransport ? transport.lastWords : '');
  const client = newClient(events, mode);
  try {
    await connectedUnless(signal, client, transport);
  } catch (thrown) {
    const ended = transport instanceof ProcessTransport && transport.hasEnded;
    await transport.close();
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    throw new StartFailure([message, lastWords()].filter((part) => part !== '').join('; '), ended);
  }
  client.onclose = () => events.onClosed();
  return {
    client,
    listTools: (stop) => listAll(client, meter, stop),
    awaited(isAwaited) {
      if (transport instanceof ProcessTransport) transport.isAwaited = isAwaited;
    },
    lastWords,
    isBrokenBy,
    wantedBy: () => undefined,
    close: () => client.close(),
  };
}

/** Windows has no process groups: there the official transport does what can be done. */
async function transportFor(
  { command, args, cwd, env: configured, redactor }: McpProcess,
  onBytes: (bytes: number) => void,
) {
  const env = environmentFor(configured);
  const place = cwd === undefined ? {} : { cwd };
  if (process.platform !== 'win32') return new ProcessTransport({ command, args, env, ...place }, redactor, onBytes);
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  return new StdioClientTransport({ command, args: [...args], env, stderr: 'ignore', ...place });
}

async function connectHttp(server: McpEndpoint, events: ConnectionEvents, signal: AbortSignal): Promise<Connection> {
  const meter = new Meter();
  let excess = '';
  const { url, authorization } = bareAddress(server.url);
  const { name, auth } = server;
  const wanted = (thrown: unknown): FaultError | undefined => auth && wantedBy(thrown, { name, url, auth });
  const headers = authorization === undefined || namesAuthorization(server.headers) ? {} : { authorization };
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers, ...server.headers } },
    ...(auth && { authProvider: new TokenKeeper({ name, url, auth }) }),
    fetch: countedFetch(meter, (why) => {
      excess = why;
      transport.close().catch(() => {}); // ends the wait for answers, with the excess as the reason
    }),
  });
  const client = newClient(events, 'auto', auth === undefined ? probeTimeoutMs : signedProbeTimeoutMs);
  const streams = new OpenStreams(url);
  try {
    await connectedUnless(signal, client, transport);
  } catch (thrown) {
    streams.close();
    await transport.close();
    throw excess === '' ? (wanted(thrown) ?? thrown) : new Error(excess);
  }
  client.onclose = () => {
    streams.close();
    events.onClosed();
  };
  return {
    client,
    listTools: (stop) => listAll(client, meter, stop),
    awaited: (isAwaited) => streams.awaited(isAwaited),
    lastWords: () => excess,
    isBrokenBy,
    wantedBy: wanted,
    async close() {
      await sayGoodbye(transport);
      await client.close();
    },
  };
}

/** Counts the data that a server sends while its tools are listed, over all pages. */
class Meter {
  private left = Infinity;

  take(bytes: number): void {
    this.left -= bytes;
    if (this.left < 0) throw new OverCap(`sent a list of tools of more than ${mostListedBytes / 1024 / 1024} MiB`);
  }

  async during<Value>(most: number, work: () => Promise<Value>): Promise<Value> {
    this.left = most;
    try {
      return await work();
    } finally {
      this.left = Infinity;
    }
  }
}

/** The official client goes from page to page, up to `mostPages`. */
async function listAll(client: Client, meter: Meter, signal: AbortSignal): Promise<readonly Tool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const { tools } = await meter.during(mostListedBytes, () => client.listTools(undefined, { signal }));
  return tools;
}

/** A stream that stays open for the server's notifications has no cap as a whole. */
function countedFetch(meter: Meter, onExcess: (why: string) => void): typeof sameOriginFetch {
  const excess = (what: string): Error => {
    onExcess(`it sent ${what}`);
    return new Error(`it sent ${what}`);
  };
  return async (input, init) => {
    const response = await sameOriginFetch(input, init);
    const isOpen = (init?.method ?? 'GET') === 'GET';
    return countedResponse(response, {
      form: formOf(response),
      maxDepth: MAX_CARRIER_DEPTH,
      ...(isOpen && { bodyBytes: Infinity }),
      excess,
      onBytes(bytes) {
        try {
          meter.take(bytes);
        } catch (thrown) {
          if (thrown instanceof OverCap) onExcess(`it ${thrown.message}`);
          throw thrown;
        }
      },
    });
  };
}

/** Closing the transport ends whatever the client waits for, in every phase of the handshake. */
async function connectedUnless(signal: AbortSignal, client: Client, transport: Transport): Promise<void> {
  signal.throwIfAborted();
  const giveUp = (): void => {
    transport.close().catch(() => {}); // the handler of the failure closes it again, and waits for that
  };
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    await client.connect(transport, { timeout: connectTimeoutMs, signal });
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** An answer that refuses, that we do not understand, or that asks for what we refuse leaves the connection usable. */
function isBrokenBy(thrown: unknown): boolean {
  if (thrown instanceof ProtocolError || thrown instanceof FaultError) return false;
  if (thrown instanceof SdkHttpError) return true;
  return !(thrown instanceof SdkError) || brokenBy.has(thrown.code);
}

/** Ends the session on the server, if the server still runs and supports that. */
async function sayGoodbye(transport: StreamableHTTPClientTransport): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, goodbyeMs);
  });
  // A server that is gone needs no goodbye.
  await Promise.race([transport.terminateSession().catch(() => {}), enough]);
  clearTimeout(timer);
}

function newClient(events: ConnectionEvents, mode: 'auto' | 'legacy', timeoutMs = probeTimeoutMs): Client {
  const options: ClientOptions = {
    capabilities: { elicitation: { form: {} } },
    inputRequired: { autoFulfill: false },
    listMaxPages: mostPages,
    versionNegotiation: { mode, probe: { timeoutMs } },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => events.onToolsChanged() } },
    jsonSchemaValidator: {
      getValidator: <T>(schema: unknown) => {
        // A server lists all its tools at once: nothing is compiled before it is needed.
        return (value: unknown) => {
          const usable = isUsableSchema(schema as JsonSchema);
          const violations = usable ? schemaCheck(schema as JsonSchema, value) : [];
          return violations.length === 0
            ? { valid: true as const, data: value as T, errorMessage: undefined }
            : { valid: false as const, data: undefined, errorMessage: listViolations(violations) };
        };
      },
    },
  };
  const client = new Client({ name: 'cadre', version }, options);
  // The official client refuses other modes, because they are not among the capabilities.
  client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) =>
    events.onQuestion(params as ElicitRequestFormParams, mcpReq.signal),
  );
  client.fallbackRequestHandler = ({ method }) =>
    Promise.reject(new ProtocolError(METHOD_NOT_FOUND, `${method} is not answered by Cadre`));
  return client;
}
