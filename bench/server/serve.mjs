// The server that is measured, in a process that also tells what memory it uses.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';

const { serveCadre } = await import(pathToFileURL(`${process.env.CADRE_BENCH_DIST}/server/index.js`).href);
const server = await serveCadre(process.env.FOLDER, { port: 0, log: (text) => console.error(text) });
console.log(server.openUrl);

const delays = monitorEventLoopDelay({ resolution: 1 });

async function answer(word) {
  if (word === 'cpu') return process.send({ cpu: process.cpuUsage() });
  if (word === 'watch') return watch();
  if (word === 'watched')
    return process.send({ peak: process.resourceUsage().maxRSS * 1024, delay: delays.max / 1_000_000 });
  for (let turn = 0; turn < 5; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    globalThis.gc();
  }
  process.send(process.memoryUsage());
}

/** The most memory that a process had counts from its start, so it is asked of one that has done nothing else. */
async function watch() {
  await new Promise((resolve) => setTimeout(resolve, 500));
  delays.enable();
  delays.reset();
  process.send(process.memoryUsage());
}

process.on('message', (word) => void answer(word));
