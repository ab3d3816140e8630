// A connection to one MCP server, through the official client. This file, and what it imports, is loaded on first use.

import {
  Client,
  type ClientOptions,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import type { JsonSchema } from '../../kernel/schema.ts';
import { listViolations } from '../../kernel/schema.ts';
import { isUsableSchema, schemaCheck } from '../json-schema.ts';
import { environmentFor } from './environment.ts';
import { ProcessTransport } from './process-transport.ts';
import { sameOriginFetch } from './same-origin-fetch.ts';
import type { McpEndpoint, McpProcess, McpServer } from './server.ts';

export interface Connection {
  readonly client: Client;
  /** How the server ended and what it said last, where that is known. */
  lastWords(): string;
  /** Is the connection of no use after this failure of a call? */
  isBrokenBy(thrown: unknown): boolean;
  close(): Promise<void>;
}

export interface ConnectionEvents {
  onClosed(): void;
  onToolsChanged(): void;
}

const connectTimeoutMs = 30_000;
const probeTimeoutMs = 5000;
const goodbyeMs = 2000;
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
    // Some older servers end at a question that they do not know: ask the old way.
    const endedByItself = thrown instanceof StartFailure && thrown.ended && !signal.aborted;
    if (endedByItself) return await startProcess(server, events, signal, 'legacy');
    throw thrown;
  }
}

/** A server process that did not become a connection; `ended` if it went by itself. The message has its last words. */
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
  const transport = await transportFor(server);
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
  return { client, lastWords, isBrokenBy, close: () => client.close() };
}

/** Windows has no process groups: there the official transport does what can be done. */
async function transportFor({ command, args, cwd, env: configured }: McpProcess) {
  const env = environmentFor(configured);
  const place = cwd === undefined ? {} : { cwd };
  if (process.platform !== 'win32') return new ProcessTransport({ command, args, env, ...place });
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  return new StdioClientTransport({ command, args: [...args], env, stderr: 'ignore', ...place });
}

async function connectHttp(server: McpEndpoint, events: ConnectionEvents, signal: AbortSignal): Promise<Connection> {
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    requestInit: { headers: { ...server.headers } },
    fetch: sameOriginFetch,
  });
  const client = newClient(events, 'auto');
  try {
    await connectedUnless(signal, client, transport);
  } catch (thrown) {
    await transport.close();
    throw thrown;
  }
  client.onclose = () => events.onClosed();
  return {
    client,
    lastWords: () => '',
    isBrokenBy,
    async close() {
      await sayGoodbye(transport);
      await client.close();
    },
  };
}

/** Closing the transport ends whatever the client waits for, in every phase of the handshake. */
async function connectedUnless(signal: AbortSignal, client: Client, transport: Transport): Promise<void> {
  signal.throwIfAborted();
  const giveUp = (): void => {
    transport.close().catch(() => {}); // closed once more, and waited for, where the failure is handled
  };
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    await client.connect(transport, { timeout: connectTimeoutMs, signal });
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** An answer of the server that says no, or that we do not understand, leaves the connection as it was. */
function isBrokenBy(thrown: unknown): boolean {
  if (thrown instanceof ProtocolError) return false;
  if (thrown instanceof SdkHttpError) return true;
  return !(thrown instanceof SdkError) || brokenBy.has(thrown.code);
}

/** Ends the session on the server, if it is there and cares. */
async function sayGoodbye(transport: StreamableHTTPClientTransport): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, goodbyeMs);
  });
  // A server that is gone needs no goodbye.
  await Promise.race([transport.terminateSession().catch(() => {}), enough]);
  clearTimeout(timer);
}

function newClient(events: ConnectionEvents, mode: 'auto' | 'legacy'): Client {
  const options: ClientOptions = {
    versionNegotiation: { mode, probe: { timeoutMs: probeTimeoutMs } },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => events.onToolsChanged() } },
    jsonSchemaValidator: {
      getValidator: <T>(schema: unknown) => {
        const usable = isUsableSchema(schema as JsonSchema);
        return (value: unknown) => {
          const violations = usable ? schemaCheck(schema as JsonSchema, value) : [];
          return violations.length === 0
            ? { valid: true as const, data: value as T, errorMessage: undefined }
            : { valid: false as const, data: undefined, errorMessage: listViolations(violations) };
        };
      },
    },
  };
  return new Client({ name: 'cadre', version }, options);
}
