// A model over HTTP in the form of OpenAI, streamed. `fake` answers at once; `slow` takes a fifth of a second to its first
// word and as long to its last, as models do. It can be told to hold its answers.

import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';

const FIRST_MS = 200;

const WORDS = ['Hello', ', ', 'it is ', 'a fine ', 'day.'];
const chunk = (choice, more = {}) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'fake', choices: [{ index: 0, finish_reason: null, ...choice }], ...more })}\n\n`;
const TEXT = [
  ...WORDS.map((content) => chunk({ delta: { role: 'assistant', content } })),
  chunk({ delta: {}, finish_reason: 'stop' }, { usage: { prompt_tokens: 20, completion_tokens: 6, total_tokens: 26 } }),
  'data: [DONE]\n\n',
];

let isHeld = false;
const held = [];
process.on('message', (word) => {
  isHeld = word === 'hold';
  if (!isHeld) for (const go of held.splice(0)) go();
});

const server = createServer((request, response) => {
  let asked = '';
  request.setEncoding('utf8').on('data', (text) => (asked += text));
  request.on('end', () => {
    const slowly = async () => {
      await setTimeout(FIRST_MS);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const part of TEXT) {
        response.write(part);
        await setTimeout(FIRST_MS / TEXT.length);
      }
      response.end();
    };
    const answer = () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const part of TEXT) response.write(part);
      response.end();
    };
    if (/"model":\s*"slow"/.test(asked)) void slowly();
    else if (isHeld) held.push(answer);
    else answer();
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
