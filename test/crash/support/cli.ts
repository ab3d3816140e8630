// The built command line as a child process, as users have it.

import { type ChildProcessWithoutNullStreams, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { built } from '../../support/dist.ts';

const main = (): string => process.env['CADRE_CLI'] ?? built('cli/main.js');

export interface Done {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly done: Promise<Done>;
}

export type CliOptions = Pick<SpawnOptionsWithoutStdio, 'cwd' | 'uid' | 'gid'> & {
  /** Runs before the command, in the same shell: `ulimit -f 8`. */
  readonly shell?: string;
  onLine?(line: string): void;
};

export function startCli(args: readonly string[], { shell, onLine, ...options }: CliOptions = {}): Running {
  const command =
    shell === undefined
      ? [process.execPath, main()]
      : ['/bin/sh', '-c', `${shell}; exec "$0" "$@"`, process.execPath, main()];
  const [file = '', ...before] = command;
  const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', NO_COLOR: '1' };
  const child = spawn(file, [...before, ...args], { ...options, env });
  child.stdin.end();
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  createInterface({ input: child.stdout }).on('line', (line) => {
    stdout += `${line}\n`;
    onLine?.(line);
  });
  const done = new Promise<Done>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, done };
}

export const cli = (args: readonly string[], options?: CliOptions): Promise<Done> => startCli(args, options).done;
