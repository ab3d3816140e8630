// A model over HTTP in the form of OpenAI, streamed. It shares the machine with what is measured, so it is as cheap as can
// be: it speaks on bare sockets, and what it says is put together once. It can be told to hold its answers.

import { createServer } from 'node:net';

/** How long its models take to their first text and to their end, and how many pieces of text they write. */
const MODELS = {
  fake: { firstMs: 0, wholeMs: 0, pieces: 5 },
  quick: { firstMs: 50, wholeMs: 100, pieces: 5 },
  real: { firstMs: 300, wholeMs: 2000, pieces: 60 },
};

const HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n';
const chunked = (text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const event = (choice, more = {}) =>
  chunked(
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'fake', choices: [{ index: 0, finish_reason: null, ...choice }], ...more })}\n\n`,
  );
const USAGE = { usage: { prompt_tokens: 20, completion_tokens: 6, total_tokens: 26 } };
const TEXT = event({ delta: { role: 'assistant', content: 'a fine day ' } });
const END = `${event({ delta: {}, finish_reason: 'stop' }, USAGE)}${chunked('data: [DONE]\n\n')}0\r\n\r\n`;

let isHeld = false;
const held = [];
process.on('message', (word) => {
  isHeld = word === 'hold';
  if (!isHeld) for (const go of held.splice(0)) go();
});

function answer(socket, { firstMs, wholeMs, pieces }) {
  if (wholeMs === 0) return void socket.write(HEAD + TEXT.repeat(pieces) + END);
  const begin = performance.now();
  const stepMs = (wholeMs - firstMs) / pieces;
  let piece = 0;
  const write = () => {
    if (socket.destroyed) return;
    if (piece === pieces) return void socket.write(END);
    socket.write(piece === 0 ? HEAD + TEXT : TEXT);
    piece++;
    setTimeout(write, Math.max(0, begin + firstMs + piece * stepMs - performance.now()));
  };
  setTimeout(write, firstMs);
}

const server = createServer({ noDelay: true }, (socket) => {
  let asked = '';
  socket.on('error', () => socket.destroy());
  socket.setEncoding('latin1').on('data', (text) => {
    asked += text;
    const bodyAt = asked.indexOf('\r\n\r\n') + 4;
    if (bodyAt < 4 || asked.length < bodyAt + Number(/content-length: *(\d+)/i.exec(asked)?.[1] ?? 0)) return;
    const model = MODELS[/"model": *"(\w+)"/.exec(asked)?.[1]] ?? MODELS.fake;
    asked = '';
    const go = () => answer(socket, model);
    if (isHeld && model === MODELS.fake) held.push(go);
    else go();
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
