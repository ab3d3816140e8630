// A Restate server of its own for tests and benchmarks: own ports, own data, nothing but npm. It lives as long as its
// standard input is open, so it also goes when the process that asked for it is killed.
//   node test/support/restate-server.mjs [NAME=value …]
// Prints one line of JSON, {"url": …, "folder": …}, when it can be used. Lines on standard input: `crash` (kill -9), `start`; each is
// answered by a line of JSON. The end of the input stops the server and removes its data.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.mjs';
import { serveOrders } from './ordered-server.mjs';

const packages = createRequire(createRequire(import.meta.url).resolve('@restatedev/restate-server/package.json'));
const program = packages.resolve(`@restatedev/restate-server-${platform()}-${arch()}/bin/restate-server`);
const data = mkdtempSync(join(tmpdir(), 'cadre-restate-'));
const [ingress, admin, node] = [await freePort(), await freePort(), await freePort()];
let server;
let log = '';

/** Loopback only, little memory, few partitions, and nothing is sent to anybody. What it leaves behind goes with its data. */
const environment = {
  TMPDIR: data,
  RUST_LOG: 'warn',
  RESTATE_DISABLE_TELEMETRY: 'true',
  RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '96MB',
  RESTATE_DEFAULT_NUM_PARTITIONS: '4',
  RESTATE_BASE_DIR: data,
  RESTATE_NODE_NAME: 'cadre',
  RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
  RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
  RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
  ...Object.fromEntries(process.argv.slice(2).map((setting) => setting.split('='))),
};

process.on('exit', () => {
  server?.kill('SIGKILL');
  rmSync(data, { recursive: true, force: true });
});

await serveOrders({
  open: async () => {
    await start();
    return { url: `restate://127.0.0.1:${ingress}?admin=${admin}`, pid: String(server.pid), folder: data };
  },
  crash,
  start,
  stop: async () => {}, // it is killed when this process ends
});

function crash() {
  return new Promise((resolve) => {
    server.once('exit', resolve);
    server.kill('SIGKILL');
  });
}

async function start() {
  server = spawn(program, [], { cwd: data, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const mine = server;
  let isGone = false;
  mine.once('exit', () => {
    isGone = true;
  });
  for (const stream of [mine.stdout, mine.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      log = (log + text).slice(-8000);
    });
  for (let attempt = 0; ; attempt++) {
    if (isGone || attempt > 600) throw new Error(`Restate did not start:\n${log}`);
    if (await isWell()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function isWell() {
  try {
    const answers = [`http://127.0.0.1:${admin}/health`, `http://127.0.0.1:${ingress}/restate/health`];
    return (await Promise.all(answers.map((url) => fetch(url)))).every(({ ok }) => ok);
  } catch {
    return false;
  }
}
