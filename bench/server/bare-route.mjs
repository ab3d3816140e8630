// What somebody would write by hand: Hono routes that call the model with the same package. One gives its text whole, one
// as it is written.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';

const provider = createOpenAICompatible({ name: 'local', baseURL: `${process.env.MODEL}/v1` });
const promptOf = (input) => [
  { role: 'system', content: 'You greet.' },
  { role: 'user', content: [{ type: 'text', text: input }] },
];
const app = new Hono();
app.post('/answer', async (call) => {
  const { input } = await call.req.json();
  const { stream } = await provider('fake').doStream({ prompt: promptOf(input) });
  let text = '';
  for await (const part of stream) if (part.type === 'text-delta') text += part.delta;
  return call.json({ text });
});
app.post('/v1/chat/completions', async (call) => {
  const { model, messages } = await call.req.json();
  const { stream } = await provider(model).doStream({ prompt: promptOf(messages[0].content) });
  return streamSSE(call, async (sse) => {
    const told = (choice) =>
      sse.writeSSE({ data: JSON.stringify({ object: 'chat.completion.chunk', choices: [choice] }) });
    for await (const part of stream) {
      if (part.type === 'text-delta') await told({ index: 0, delta: { content: part.delta } });
      else if (part.type === 'finish') await told({ index: 0, delta: {}, finish_reason: part.finishReason.unified });
    }
    await sse.writeSSE({ data: '[DONE]' });
  });
});
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(`http://127.0.0.1:${port}`));

process.on('message', () => process.send({ cpu: process.cpuUsage() }));
