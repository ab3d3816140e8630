// The built command line in a real terminal, by way of script(1) of util-linux: keys go in, and what the screen gets
// comes out.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { until } from './cli.ts';

/** The reason why there is no terminal to be had here; undefined if there is one. */
export function noTerminal(): string | undefined {
  const { stdout, error } = spawnSync('script', ['--version'], { encoding: 'utf8' });
  if (error !== undefined) return 'script(1) is not installed, so there is no terminal to type into';
  return stdout.includes('util-linux') ? undefined : 'script(1) is not that of util-linux';
}

export interface TerminalRun {
  type(keys: string): void;
  /** Waits until the screen has got this text so many times. */
  shown(text: string, times?: number): Promise<void>;
  ended(): Promise<{ readonly screen: string; readonly exit: number | null }>;
}

const open = new Set<ChildProcess>();

/** Ends what a test that failed left running. */
export function closeTerminals(): void {
  for (const child of open) child.kill();
}

/** `command` is a line for the shell. */
export function inTerminal(command: string, cwd: string): TerminalRun {
  const line = `stty cols 100 rows 40; ${command}`;
  const child: ChildProcess = spawn('script', ['-qec', line, '/dev/null'], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, TERM: 'xterm-256color' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  open.add(child);
  let screen = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (screen += text));
  const over = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
    child.on('close', () => open.delete(child));
  });
  return {
    type: (keys) => void child.stdin?.write(keys),
    shown: (text, times = 1) => until(() => screen.split(text).length > times),
    ended: async () => ({ exit: await over, screen }),
  };
}
