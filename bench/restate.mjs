// A real Restate of npm, and workers of it as processes of their own: one that is reached directly, or several behind an
// address of their own.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '../test/support/free-port.mjs';
import { DIST } from './built.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/** `started` gets every process, so that none outlives a measurement that failed. */
export async function startRestate(started) {
  const child = spawn(process.execPath, [path('../test/support/restate-server.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  started.add(child);
  const { url, error } = JSON.parse(await firstLine(child.stdout));
  if (error !== undefined) throw new Error(error);
  return { url, pid: child.pid, close: () => child.stdin.end() }; // its own process is below that one
}

/** The processes that do the work: the workers, and what stands before them if there are several. */
export async function restateWorkers({ folder, address, count }, started) {
  const workers = [];
  const ports = [];
  for (let index = 0; index < count; index++) {
    ports.push(await freePort());
    workers.push(await startWorker({ folder, address, port: ports[index] }, started));
  }
  if (count === 1) {
    await register(address, `http://127.0.0.1:${ports[0]}`);
    return workers;
  }
  const stdio = ['ignore', 'pipe', 'inherit'];
  const proxy = spawn(process.execPath, [path('h2-forward.mjs'), ...ports.map(String)], { stdio });
  started.add(proxy);
  await register(address, await firstLine(proxy.stdout));
  return [...workers, proxy];
}

async function startWorker({ folder, address, port }, started) {
  const at = ['--listen', `127.0.0.1:${port}`, '--health', `127.0.0.1:${await freePort()}`];
  const child = spawn(process.execPath, [`${DIST}/cli/main.js`, 'worker', folder, '--restate', ...at], {
    env: { ...process.env, CADRE_STORE: address },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  started.add(child);
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('takes runs of')) break;
  child.stderr.resume();
  return child;
}

async function register(address, uri) {
  const { hostname, searchParams } = new URL(address);
  const answer = await fetch(`http://${hostname}:${searchParams.get('admin')}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri }),
  });
  if (!answer.ok) throw new Error(`Restate does not take ${uri}: ${await answer.text()}`);
}

async function firstLine(stream) {
  for await (const line of createInterface({ input: stream })) return line;
  throw new Error('a process of the benchmark ended');
}
