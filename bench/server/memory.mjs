// Readers of one run that is at work, and runs at work: what each takes, in the memory of the whole process.

import { Agent, request } from 'node:http';
import { figure } from '../statistics.mjs';

const agent = new Agent({ keepAlive: true, maxSockets: 4000 });

export async function memoryOfReaders({ server, model, auth, told, quick }) {
  const memory = () => told(server, 'memory');
  const readers = quick ? 200 : 1000;
  const live = quick ? 100 : 500;
  model.child.send('hold');
  const start = async () =>
    (await answerOf(server.address, '/api/runs', { agent: 'greeter', input: 'Wait.' }, auth)).run;
  const run = await start();
  const idle = await memory();
  const open = await Promise.all(
    Array.from({ length: readers }, () => reader(server.address, `/api/runs/${run}/events`, auth)),
  );
  const reading = await memory();
  const runs = await Promise.all(Array.from({ length: live }, start));
  const working = await memory();
  model.child.send('release');
  await Promise.all(open.map(({ ended }) => ended));
  const seen = new Set(open.map(({ count }) => count()));
  if (seen.size !== 1) throw new Error(`Readers got different numbers of events: ${[...seen]}`);
  await Promise.all(
    runs.map((one) => reader(server.address, `/api/runs/${one}/events`, auth).then(({ ended }) => ended)),
  );
  const each = (after, before, count) =>
    `${figure((after.heapUsed + after.external - before.heapUsed - before.external) / 1024 / count)} kB of heap, ${figure((after.rss - before.rss) / 1024 / count)} kB of resident memory`;
  return [
    [`one of ${readers.toLocaleString('en-US')} readers of a run that is at work`, each(reading, idle, readers)],
    [`one of ${live} runs at work, each with a model call out`, each(working, reading, live)],
  ];
}

function answerOf(address, where, body, headers) {
  const text = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: address.hostname,
        port: address.port,
        path: where,
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', ...headers },
      },
      (answer) => {
        let whole = '';
        answer.setEncoding('utf8').on('data', (part) => (whole += part));
        answer.on('end', () => (answer.statusCode < 400 ? resolve(JSON.parse(whole)) : reject(new Error(whole))));
      },
    );
    asked.on('error', reject);
    asked.end(text);
  });
}

/** A stream of events. Settles when its first bytes have come. */
function reader(address, where, headers) {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: address.hostname, port: address.port, path: where, agent: false, headers },
      (answer) => {
        let events = 0;
        const ended = new Promise((done) => answer.on('end', done));
        answer.setEncoding('utf8').on('data', (part) => {
          events += part.split('\nevent: journal').length - 1 + (part.startsWith('event: journal') ? 1 : 0);
          resolve({ ended, count: () => events });
        });
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}
