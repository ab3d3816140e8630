// The example server of the MCP project over HTTP, in a process of its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { freePort } from './free-port.mjs';

const require = createRequire(import.meta.url);

/** The program of an example server. */
export const mcpProgram = (name: string): string =>
  join(dirname(require.resolve(`@modelcontextprotocol/server-${name}/package.json`)), 'dist/index.js');

export interface EverythingServer {
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
}

export async function everythingOverHttp(at?: number): Promise<EverythingServer> {
  const port = at ?? (await freePort());
  const child = spawn(process.execPath, [mcpProgram('everything'), 'streamableHttp'], {
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    const look = (chunk: Buffer): void => {
      if (chunk.includes('listening')) resolve();
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('exit', () => reject(new Error('server-everything did not start')));
  });
  return { url: `http://127.0.0.1:${port}/mcp`, port, child };
}
