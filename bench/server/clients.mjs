// The clients that measure, in a process of their own: each has one connection and asks again as soon as it was
// answered. They share the machine with what they measure, so they write on bare sockets and read no more than they need.

import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';

const TEXT = '"content":"';
const QUOTE = '"'.charCodeAt(0);

/** Where a piece of text that is not empty begins. */
function hasText(bytes) {
  for (let at = bytes.indexOf(TEXT); at >= 0; at = bytes.indexOf(TEXT, at + 1))
    if (bytes[at + TEXT.length] !== QUOTE) return true;
  return false;
}

/** One connection. `ask` gives the milliseconds to the first text and to the end of the answer. */
function openClient(port, request) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let begin = 0;
  let first;
  /** Bytes until the end; undefined before the head was read, infinite where the answer comes in chunks. */
  let left;
  let isWhole = () => false;
  let settle;
  socket.on('error', (error) => settle?.reject(error));
  socket.on('close', () => settle?.reject(new Error('the connection was closed')));
  socket.on('data', (bytes) => {
    let body = bytes;
    if (left === undefined) {
      const head = bytes.toString('latin1', 0, bytes.indexOf('\r\n\r\n'));
      if (!/^HTTP\/1.1 2/.test(head)) return settle.reject(new Error(bytes.toString('utf8').slice(0, 600)));
      body = bytes.subarray(head.length + 4);
      left = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? Number.POSITIVE_INFINITY);
      isWhole = left === Number.POSITIVE_INFINITY ? endsInChunks() : () => left <= 0;
    }
    left -= body.length;
    if (first === undefined && hasText(body)) first = performance.now() - begin;
    if (!isWhole(body)) return;
    const ms = performance.now() - begin;
    settle.resolve({ first: first ?? ms, ms });
  });
  return {
    close: () => socket.destroy(),
    ask: () =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        first = undefined;
        left = undefined;
        begin = performance.now();
        socket.write(request);
      }),
  };
}

/** The last chunk of an answer is empty. It may come in two parts. */
function endsInChunks() {
  let last = '';
  return (bytes) => {
    last = (last + bytes.toString('latin1', Math.max(0, bytes.length - 7))).slice(-7);
    return last === '\r\n0\r\n\r\n';
  };
}

/** `atOnce` clients ask one after the other until `count` requests are made. They begin `apartMs` apart, not in one burst. */
async function load({ port, request, count, atOnce, apartMs }) {
  const times = [];
  let left = count;
  let isFailed = false;
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async (_, index) => {
      await setTimeout(index * apartMs);
      const client = openClient(port, request);
      try {
        while (!isFailed && left-- > 0) times.push(await client.ask());
      } catch (error) {
        isFailed = true;
        throw error;
      } finally {
        client.close();
      }
    }),
  );
  return { times, perSecond: (count * 1000) / (performance.now() - begin) };
}

process.on('message', (job) => {
  load(job).then(
    (result) => process.send(result),
    (error) => process.send({ error: error.message }),
  );
});
console.log('http://127.0.0.1');
