// The limits of the server in the words of each head.

import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AGENTS, type Served, served } from '../support/served.ts';

let at: Served;
let client: OpenAI;
beforeAll(async () => {
  const config = AGENTS['cadre.yaml']!.replace(
    'server:',
    'server:\n  maxRuns: 1\n  maxWaiting: 1\n  maxBodyBytes: 20000',
  );
  at = await served({ ...AGENTS, 'cadre.yaml': config });
  client = new OpenAI({ baseURL: `${at.url}/v1`, apiKey: at.token, maxRetries: 0 });
});
afterAll(() => at.close());

const user = (content: string) => ({ role: 'user', content }) as const;
const slow = (signal: AbortSignal) =>
  client.chat.completions.create({ model: 'slow', messages: [user('Go.')] }, { signal });
const runsAre = async (count: number): Promise<void> => {
  while (at.server.context.runs.atWork + at.server.context.runs.waiting !== count)
    await new Promise((resolve) => setTimeout(resolve, 5));
};

test('a run that waits for its turn is cancelled with its connection, and one too many is refused with 429', async () => {
  const leave = [new AbortController(), new AbortController()] as const;
  const [working, waiting] = [slow(leave[0].signal), slow(leave[1].signal)];
  await runsAre(2);
  const refused = client.chat.completions.create({ model: 'echo', messages: [user('x')] });
  await expect(refused).rejects.toMatchObject({ status: 429, code: 'server/busy', type: 'rate_limit_error' });
  await refused.catch((thrown: InstanceType<typeof OpenAI.APIError>) => {
    expect(Number(thrown.headers?.get('retry-after'))).toBeGreaterThan(0);
    expect(thrown.headers?.get('x-should-retry')).toBe('true');
  });
  const anthropic = new Anthropic({ baseURL: at.url, apiKey: at.token, maxRetries: 0 });
  const other = anthropic.messages.create({ model: 'echo', max_tokens: 9, messages: [user('x')] });
  await expect(other).rejects.toMatchObject({ status: 429, type: 'rate_limit_error' });
  leave[1].abort();
  await expect(waiting).rejects.toThrow();
  await runsAre(1);
  leave[0].abort();
  await expect(working).rejects.toThrow();
  await runsAre(0);
  expect((await at.runs()).map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled']);
});

test('a body that is too large is refused with 413', async () => {
  const asked = client.chat.completions.create({ model: 'echo', messages: [user('x'.repeat(30_000))] });
  await expect(asked).rejects.toMatchObject({ status: 413, code: 'request/too-large' });
});

test('a history that is longer than a run can take is refused by name', async () => {
  const many = Array.from(
    { length: 402 },
    (_, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: 'x' }) as const,
  );
  const asked = client.chat.completions.create({ model: 'echo', messages: [...many, user('x')] });
  await expect(asked).rejects.toMatchObject({ status: 422, message: expect.stringContaining('400 are allowed') });
});
