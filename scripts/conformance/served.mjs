// `cadre serve` on a folder of agents, without a token, for as long as some work takes.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** The work gets the address of the server. */
export async function served(folder, work) {
  const store = mkdtempSync(join(tmpdir(), 'cadre-conformance-'));
  const options = ['--port', '0', '--no-token', '--quiet', '--store', store];
  const server = spawn(process.execPath, [cli, 'serve', folder, ...options], { stdio: ['ignore', 'pipe', 'ignore'] });
  const closed = new Promise((resolve) => server.once('close', resolve));
  try {
    return await work(await addressOf(server));
  } finally {
    server.kill();
    await closed;
    rmSync(store, { recursive: true, force: true });
  }
}

async function addressOf({ stdout }) {
  for await (const line of createInterface({ input: stdout })) if (line.startsWith('http')) return line;
  throw new Error('cadre serve ended before it listened.');
}
