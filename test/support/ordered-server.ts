// A server of the tests in a process of its own, which does what it is told: see ordered-server.mjs.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

type Said = Readonly<Record<string, string>>;

export interface OrderedServer {
  /** Stops it as a crash does. */
  crash(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** `first` is what the script says when the server can be used. */
export async function orderedServer(
  script: string,
  args: readonly string[] = [],
): Promise<OrderedServer & { readonly first: Said }> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(script, import.meta.url)), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  }) as never as ChildProcessWithoutNullStreams;
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<Said> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`${script} ended.`);
    const said = JSON.parse(value) as Said;
    if (said['error'] !== undefined) throw new Error(said['error']);
    return said;
  };
  const order = async (line: string): Promise<void> => {
    child.stdin.write(`${line}\n`);
    await answer();
  };
  return {
    first: await answer(),
    crash: () => order('crash'),
    start: () => order('start'),
    close: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.stdin.end();
      }),
  };
}
