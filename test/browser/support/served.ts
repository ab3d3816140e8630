// The real built `cadre serve`, on a copy of the examples with the scripted model, as a user runs it.

import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { RunEvent } from '../../../src/journal/event.ts';
import { main } from '../../support/cli.ts';
import { ROOT } from '../../support/fences.ts';

export interface Served {
  /** The folder that is served: a copy. */
  readonly folder: string;
  /** `http://127.0.0.1:<port>/?token=…`: what a person opens first. */
  readonly openUrl: string;
  /** An address of the page, with the token: for a first visit. */
  at(path: string): string;
  /** A request to the API, with the token. */
  api<Answer>(path: string, body?: unknown): Promise<Answer>;
  /** Starts a run and gives its id. With `wait`, after it has ended. */
  run(agent: string, input: unknown, wait?: boolean): Promise<string>;
  /** Closes the other ends of its stdout and stderr, as a terminal does that is closed. */
  closeOutputs(): void;
  /** Ends the server; `kill`: as a power cut would. */
  stop(how?: 'end' | 'kill'): Promise<void>;
  /** Starts it again on the same folder, at the same address. */
  again(): Promise<void>;
}

export interface ServeOptions {
  /** A folder of examples/, or an own one by its path. */
  readonly example?: string;
  readonly dir?: string;
  /** Files to write over the copy. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Runs that are in the store already, by their ids. */
  readonly journals?: Readonly<Record<string, readonly RunEvent[]>>;
}

/** Runs until the test that asked for it is over. */
export async function served(options: ServeOptions): Promise<Served> {
  const server = await serve(options);
  onTestFinished(async () => {
    await server.stop('kill');
    rmSync(server.folder, { recursive: true, force: true });
  });
  return server;
}

/** Serves a folder for a suite that shares one server: the caller stops it, and removes the folder. */
export async function serve({ example, dir, files = {}, env = {}, journals = {} }: ServeOptions): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-page-'));
  const from = dir ?? (example === undefined ? undefined : join(ROOT, 'examples', example));
  if (from !== undefined) cpSync(from, folder, { recursive: true, filter: (path) => !path.includes('.cadre') });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  for (const [run, events] of Object.entries(journals)) {
    mkdirSync(join(folder, '.cadre/runs', run), { recursive: true });
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    writeFileSync(join(folder, '.cadre/runs', run, 'events.jsonl'), lines);
  }
  let server: ChildProcess | undefined;
  let openUrl = '';
  let port = '0';
  const start = async (): Promise<void> => {
    server = spawn(process.execPath, [main(), 'serve', folder, '--port', port], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    openUrl = await firstLine(server);
    ({ port } = new URL(openUrl));
  };
  const stop = (how: 'end' | 'kill' = 'end'): Promise<void> =>
    new Promise((resolve) => {
      if (server === undefined || server.exitCode !== null || server.signalCode !== null) return resolve();
      server.once('exit', () => resolve());
      server.kill(how === 'kill' ? 'SIGKILL' : 'SIGTERM');
    });
  await start();
  const token = new URL(openUrl).searchParams.get('token') ?? '';
  const api = async <Answer>(path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(new URL(path, openUrl), {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  };
  return {
    folder,
    openUrl,
    at(path) {
      const url = new URL(path, openUrl);
      url.searchParams.set('token', token);
      return url.href;
    },
    api,
    async run(agent, input, wait = true) {
      const { run } = await api<{ run: string }>(`/api/runs${wait ? '?wait=60s' : ''}`, { agent, input });
      return run;
    },
    closeOutputs() {
      server?.stdout?.destroy();
      server?.stderr?.destroy();
    },
    stop,
    again: start,
  };
}

function firstLine(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const said: string[] = [];
    server.stderr?.on('data', (text: Buffer) => said.push(String(text)));
    server.once('exit', (code) => reject(new Error(`cadre serve ended with ${code}: ${said.join('')}`)));
    createInterface({ input: server.stdout! }).once('line', resolve);
  });
}
