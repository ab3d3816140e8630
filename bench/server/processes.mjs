// The processes that take part when a server is measured: a fake model, servers and clients, each by itself.

import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const children = [];

/** Starts a process that prints its address, and waits for it. */
export function started(args, env = {}) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)));
    child.stdout
      .setEncoding('utf8')
      .on('data', (text) => resolve({ child, address: new URL(text.trim().split('\n')[0]) }));
  });
}

/** A request as it goes over the wire. */
export function requestTo({ host, port }, where, body, headers = {}) {
  const text = JSON.stringify(body);
  const head = { host, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  return { port: Number(port), request: `POST ${where} HTTP/1.1\r\n${lines.join('')}\r\n${text}` };
}

/** A folder of agents whose models are at this address. */
export function servedFolder(model) {
  const dir = mkdtempSync(join(process.env.CADRE_BENCH_SCRATCH, 'server-'));
  writeFileSync(join(dir, 'greeter.md'), '---\ndescription: Greets.\n---\nYou greet.\n');
  for (const name of ['quick', 'real'])
    writeFileSync(join(dir, `${name}.md`), `---\ndescription: Greets.\nmodels: local/${name}\n---\nYou greet.\n`);
  writeFileSync(
    join(dir, 'cadre.yaml'),
    `providers:\n  local: { kind: openai-compatible, baseUrl: "${model.origin}/v1" }\ndefaults: { models: [local/fake] }\nserver: { maxRuns: 2000, requestsPerMinute: 10000000 }\n`,
  );
  return dir;
}

/** The answer of a process to a word. */
export async function told({ child }, word) {
  const reply = new Promise((resolve) => child.once('message', resolve));
  child.send(word);
  return reply;
}

/** Milliseconds of processor time so far: they say more than the clock on a machine that has other work. */
export async function cpuOf(process) {
  const { cpu } = await told(process, 'cpu');
  return (cpu.user + cpu.system) / 1000;
}

export function endAll() {
  for (const child of children) child.kill('SIGKILL');
}
