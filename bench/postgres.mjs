// A Postgres of its own, from npm, that ends with this process.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('../test/support/postgres-server.mjs', import.meta.url));

export async function startPostgres() {
  const child = spawn(process.execPath, [SERVER], { stdio: ['pipe', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const { url, error } = JSON.parse(line);
    if (error !== undefined) throw new Error(error);
    return { url, pid: child.pid, close: () => child.stdin.end() };
  }
  throw new Error('Postgres did not start');
}
