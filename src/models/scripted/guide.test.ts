import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { okResult, user } from '../../kernel/message.ts';
import { collectEvents, sampleRequest } from '../provider.conformance.ts';
import type { ProviderRequest } from '../provider.ts';
import { loadScript } from './load.ts';
import { scriptedProvider } from './scripted.ts';

const guide = readFileSync(new URL('../../../docs/concepts/scripted-model.md', import.meta.url), 'utf8');
const scripts = [...guide.matchAll(/```yaml[^\n]*\n(.*?)```/gs)]
  .map(([, yaml]) => yaml ?? '')
  .filter((yaml) => /^(agents|any):/m.test(yaml));

test('every script of the guide loads', () => {
  expect(scripts).toHaveLength(3);
  for (const yaml of scripts) expect(loadScript(yaml, 'guide.yaml').agents.size).toBeGreaterThan(0);
});

test("the guide's front desk does what the guide says", async () => {
  const desk = scriptedProvider(loadScript(scripts[1] ?? '', 'guide.yaml'), 'demo');
  const reply = async (agent: string, over: Partial<ProviderRequest>) =>
    (await collectEvents(desk, sampleRequest({ agent, ...over }))).at(-1);
  expect(await reply('front-desk', { messages: [user('Refund order 17, please')] })).toMatchObject({
    message: { calls: [{ name: 'handoff-to', arguments: { agent: 'refunds', message: 'Order 17' } }] },
  });
  const found = (text: string) => ({
    messages: [
      user('It is me'),
      { role: 'assistant', text: '', calls: [] },
      { role: 'tool', call: 'c', name: 'find_customer', result: okResult(text) },
    ] as const,
  });
  expect(await reply('front-desk', found('{"name":"Ada"}'))).toMatchObject({ message: { text: 'Welcome back, Ada.' } });
  expect(await reply('front-desk', found('not found'))).toMatchObject({
    message: { text: 'I could not find you in our books.' },
  });
  expect(await reply('somebody', { messages: [user('hi')] })).toMatchObject({
    message: { text: 'I am only an extra in this test.' },
  });
});
