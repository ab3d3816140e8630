// The server that is measured, in a process that also tells what memory it uses.

import { pathToFileURL } from 'node:url';

const { serveCadre } = await import(pathToFileURL(`${process.env.CADRE_BENCH_DIST}/server/index.js`).href);
const server = await serveCadre(process.env.FOLDER, { port: 0, log: (text) => console.error(text) });
console.log(server.openUrl);

async function answer(word) {
  if (word === 'cpu') return process.send({ cpu: process.cpuUsage() });
  for (let turn = 0; turn < 5; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    globalThis.gc();
  }
  process.send(process.memoryUsage());
}

process.on('message', (word) => void answer(word));
