import { expect, test } from 'vitest';
import { rehearsal } from './ai-sdk.ts';
import { rehearse } from './rehearsal.ts';

test.each(['openai', 'anthropic', 'google', 'openai-compatible'] as const)(
  'the rehearsed reply of %s goes the whole way of a real one, and no server is asked',
  async (kind) => {
    expect(await rehearse(rehearsal(kind))).toMatchObject({
      ok: true,
      message: { text: 'I look.', calls: [{ name: 'look', arguments: { at: [1] } }] },
      usage: { input: 1, output: 1 },
    });
  },
);
