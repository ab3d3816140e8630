// The built command line, run as a user runs it: a process of its own, in a folder of its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { built } from './dist.ts';

/** The command line of the build, which must be as new as the source. */
export const main = (): string => built('cli/main.js');

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number | null;
}

export interface CadreCall {
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Runs it as a user without rights, if the tests run as root, to whom no folder is closed. */
  readonly asNobody?: boolean;
}

export interface Folder {
  readonly path: string;
  write(file: string, text: string | Uint8Array, mode?: number): void;
  read(file: string): string;
  has(file: string): boolean;
  /** Runs `cadre` here, to its end. */
  cadre(args: readonly string[], options?: CadreCall): Promise<Ran>;
  /** Starts `cadre` here, and leaves it running. */
  start(args: readonly string[]): ChildProcess;
  /** The events of the one run in the store, as they stand in its file. */
  journal(): readonly Record<string, unknown>[];
  remove(): void;
}

export function folderWith(files: Readonly<Record<string, string>>): Folder {
  const path = mkdtempSync(join(tmpdir(), 'cadre-cli-'));
  const write = (file: string, text: string | Uint8Array, mode?: number): void => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text, mode === undefined ? {} : { mode });
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  const start = (args: readonly string[], { env, asNobody }: CadreCall = {}): ChildProcess =>
    spawn(process.execPath, [main(), ...args], {
      cwd: path,
      env: { PATH: process.env['PATH'], HOME: path, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(asNobody === true && process.getuid?.() === 0 && { uid: 65534, gid: 65534 }),
    });
  return {
    path,
    write,
    read: (file) => readFileSync(join(path, file), 'utf8'),
    has: (file) => existsSync(join(path, file)),
    cadre(args, call = {}) {
      const child = start(args, call);
      child.stdin?.on('error', () => {}); // a command that reads nothing may be gone before it is fed
      child.stdin?.end(call.input ?? '');
      return ended(child);
    },
    start: (args) => start(args),
    journal() {
      const runs = join(path, '.cadre/runs');
      const run = existsSync(runs) ? readdirSync(runs)[0] : undefined;
      const file = run === undefined ? undefined : join(runs, run, 'events.jsonl');
      if (file === undefined || !existsSync(file)) return [];
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

export function ended(child: ChildProcess): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exit) => resolve({ stdout, stderr, exit }));
  });
}

/** Looks again and again, without a fixed wait. */
export async function until(holds: () => boolean, limitMs = 20_000): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error('what was waited for did not happen');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
