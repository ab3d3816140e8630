// A server on a free port of this machine, over a folder of its own, and a client that speaks to it as programs do.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { messageSchema } from '../../src/server/messages/schema.ts';
import { type OpenedServer, type OpenOptions, openServer } from '../../src/server/open-server.ts';
import { ROUTES } from '../../src/server/routes/all-routes.ts';
import { faultsOf, pathTemplate } from '../../src/server/routes/openapi.ts';
import { fileStore } from '../../src/stores/file/file-store.ts';
import { tool } from '../../src/tools/functions.ts';
import { schemaCheck } from '../../src/tools/json-schema.ts';
import type { Tool } from '../../src/tools/tool.ts';

export interface ServerClient {
  readonly url: string;
  readonly token: string;
  /** A request with the token, unless `headers` has another. */
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ServerAnswer>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<ServerAnswer>;
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ServerAnswer>;
  stream(path: string, headers?: Readonly<Record<string, string>>): Promise<SseClient>;
}

export interface ServerAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Tests look at answers of many shapes.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface SseMessage {
  readonly event: string;
  readonly id?: number;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

export interface SseClient {
  readonly status: number;
  /** The next message; undefined at the end of the stream. */
  next(): Promise<SseMessage | undefined>;
  /** The next message of this kind. */
  nextOf(event: string): Promise<SseMessage | undefined>;
  /** All messages to the end. */
  rest(): Promise<readonly SseMessage[]>;
  close(): void;
}

export function clientOf(url: string, token: string): ServerClient {
  const ask: ServerClient['ask'] = async (method, path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson =
      /json/.test(response.headers.get('content-type') ?? '') &&
      !/ndjson/.test(response.headers.get('content-type') ?? '');
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
    refuseUndeclared(method, path, answer);
    return answer;
  };
  return {
    url,
    token,
    ask,
    get: (path, headers) => ask('GET', path, undefined, headers),
    post: (path, body = {}, headers) => ask('POST', path, body, headers),
    stream: (path, headers = {}) =>
      streamOf(url + path, { ...(token !== '' && { authorization: `Bearer ${token}` }), ...headers }),
  };
}

/** Every answer that a test gets is what its route declares: the OpenAPI document tells the truth. */
function refuseUndeclared(method: string, path: string, { status, body, headers }: ServerAnswer): void {
  const [bare = ''] = path.split('?');
  const route = ROUTES.find((one) => one.method === method && isAt(one.path, bare));
  if (route === undefined || status >= 400) {
    if (
      bare.startsWith('/api/') &&
      status >= 400 &&
      body !== undefined &&
      headers.get('content-type')?.startsWith('application/problem+json') !== true
    )
      throw new Error(`${method} ${path} answered ${status} without a problem document: ${JSON.stringify(body)}`);
    if (route !== undefined && body?.code !== undefined && faultsOf(route).get(status)?.includes(body.code) !== true)
      throw new Error(`${method} ${pathTemplate(route.path)} does not declare the fault ${body.code}: ${body.detail}`);
    return;
  }
  if (status === 303) return;
  const declared = route.answers[status];
  if (declared === undefined)
    throw new Error(`${method} ${pathTemplate(route.path)} does not declare the status ${status}.`);
  if (declared.body === undefined || body === undefined) return;
  const violations = schemaCheck(messageSchema(declared.body), body);
  if (violations.length > 0)
    throw new Error(
      `${method} ${route.path} answers what it does not declare: ${JSON.stringify(violations)}\n${JSON.stringify(body).slice(0, 2000)}`,
    );
}

function isAt(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith(':') || part === given[index]);
}

export async function streamOf(address: string, headers: Readonly<Record<string, string>>): Promise<SseClient> {
  const leave = new AbortController();
  const response = await fetch(address, { headers, signal: leave.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  const next = async (): Promise<SseMessage | undefined> => {
    for (;;) {
      const end = buffer.indexOf('\n\n');
      if (end >= 0) {
        const message = messageOf(buffer.slice(0, end));
        buffer = buffer.slice(end + 2);
        return message;
      }
      const read = await reader?.read();
      if (read === undefined || read.done) return undefined;
      buffer += read.value;
    }
  };
  return {
    status: response.status,
    next,
    async nextOf(event) {
      for (let message = await next(); message !== undefined; message = await next())
        if (message.event === event) return message;
      return undefined;
    },
    async rest() {
      const all: SseMessage[] = [];
      for (let message = await next(); message !== undefined; message = await next()) all.push(message);
      return all;
    },
    close: () => leave.abort(),
  };
}

function messageOf(text: string): SseMessage {
  const fields = Object.fromEntries(text.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
  return {
    event: fields['event'] ?? 'message',
    ...(fields['id'] !== undefined && { id: Number(fields['id']) }),
    data: JSON.parse(fields['data'] ?? 'null'),
  };
}

/** A tool that waits until the test opens it, so that a run is at work for as long as the test wants. */
export interface Gate {
  readonly tool: Tool;
  /** The number of calls that wait, and of all calls. */
  readonly waiting: number;
  readonly calls: number;
  /** Settles when so many calls wait. */
  reached(count?: number): Promise<void>;
  open(): void;
}

export function gateTool(name = 'gate'): Gate {
  const waiting = new Set<() => void>();
  const told = new Set<() => void>();
  let calls = 0;
  let isOpen = false;
  return {
    tool: tool({
      name,
      description: 'Waits.',
      parameters: { type: 'object', properties: {} },
      repeat: 'safe',
      run: async () => {
        calls++;
        for (const tell of told) tell();
        if (isOpen) return 'open';
        await new Promise<void>((resolve) => {
          waiting.add(resolve);
          for (const tell of told) tell();
        });
        return 'open';
      },
    }),
    get waiting() {
      return waiting.size;
    },
    get calls() {
      return calls;
    },
    reached: (count = 1) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (waiting.size < count) return;
          told.delete(look);
          resolve();
        };
        told.add(look);
        look();
      }),
    open() {
      isOpen = true;
      for (const go of waiting) go();
      waiting.clear();
    },
  };
}

export interface ServedFolder extends ServerClient {
  readonly server: OpenedServer;
  readonly path: string;
  readonly log: string[];
  write(file: string, text: string): void;
  /** Ends the server as a crash would: what it works on is left as it is. */
  close(): Promise<void>;
  remove(): Promise<void>;
}

export function folderOf(files: Readonly<Record<string, string>>): {
  readonly path: string;
  write(file: string, text: string): void;
} {
  const path = mkdtempSync(join(tmpdir(), 'cadre-server-'));
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  return { path, write };
}

/** Serves a folder with these files. */
export async function servedFolder(
  files: Readonly<Record<string, string>>,
  options: Partial<OpenOptions> = {},
): Promise<ServedFolder> {
  const folder = folderOf(files);
  const log: string[] = [];
  const dir = join(folder.path, '.cadre');
  const server = await openServer(folder.path, {
    store: fileStore(dir, { warn: (text) => log.push(text) }),
    dir,
    port: 0,
    version: '0.0.0',
    log: (text) => log.push(text),
    ...options,
  });
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    void server.close();
    await server.close();
  };
  return {
    ...clientOf(server.url, server.token ?? ''),
    ...folder,
    server,
    log,
    close,
    async remove() {
      await close();
      rmSync(folder.path, { recursive: true, force: true });
    },
  };
}

/** A script, and agents that answer by it. */
export const SCRIPTED = `
providers:
  demo: { kind: scripted, script: ./script.yaml }
defaults: { models: [demo/any] }
`;
