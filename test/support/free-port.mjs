// A port for a program that must be told one before it starts.
// PORT-1. It is below those that systems hand out by themselves (from 32,768 on Linux, from 49,152 elsewhere), so no
//         connection and no server on port 0 takes it before the program does, or while the program is started again.
// PORT-2. It is random, because tests in several processes choose at the same moment.

import { createServer } from 'node:net';

const FIRST = 10_000;
const COUNT = 22_000;

export async function freePort() {
  for (let attempt = 1; attempt <= 100; attempt++) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error(`None of 100 ports from ${FIRST} to ${FIRST + COUNT} is free.`);
}

const isFree = (port) =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
