// A Restate server for the comparison: ports and data of its own, loopback only.

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port.mjs';

export async function openRestate(data) {
  const packages = createRequire(createRequire(import.meta.url).resolve('@restatedev/restate-server/package.json'));
  const program = packages.resolve(`@restatedev/restate-server-${platform()}-${arch()}/bin/restate-server`);
  const [ingress, admin, node, port] = await Promise.all(Array.from({ length: 4 }, freePort));
  const at = (one) => `127.0.0.1:${one}`;
  const server = spawn(program, [], {
    cwd: data,
    stdio: 'ignore',
    env: {
      RUST_LOG: 'error',
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_BASE_DIR: data,
      RESTATE_NODE_NAME: 'bench',
      RESTATE_BIND_ADDRESS: at(node),
      RESTATE_INGRESS__BIND_ADDRESS: at(ingress),
      RESTATE_ADMIN__BIND_ADDRESS: at(admin),
    },
  });
  const close = () => server.kill('SIGKILL');
  process.once('exit', close);
  await ready(`http://${at(ingress)}/restate/health`, server);
  await ready(`http://${at(admin)}/health`, server);
  return {
    env: {
      CADRE_BENCH_RESTATE: JSON.stringify({ ingress: `http://${at(ingress)}`, admin: `http://${at(admin)}`, port }),
    },
    close,
  };
}

async function ready(url, server) {
  for (const end = Date.now() + 60_000; Date.now() < end; await pause(100)) {
    if (server.exitCode !== null) throw new Error(`restate-server ended with ${server.exitCode}`);
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
  }
  throw new Error(`restate-server is not ready: ${url}`);
}
