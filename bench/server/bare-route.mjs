// What somebody would write by hand: a Hono route that calls the model with the same package and gives its text.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const model = createOpenAICompatible({ name: 'local', baseURL: `${process.env.MODEL}/v1` })('fake');
const app = new Hono();
app.post('/answer', async (call) => {
  const { input } = await call.req.json();
  const prompt = [
    { role: 'system', content: 'You greet.' },
    { role: 'user', content: [{ type: 'text', text: input }] },
  ];
  const { stream } = await model.doStream({ prompt });
  let text = '';
  for await (const part of stream) if (part.type === 'text-delta') text += part.delta;
  return call.json({ text });
});
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(`http://127.0.0.1:${port}`));

process.on('message', () => process.send({ cpu: process.cpuUsage() }));
