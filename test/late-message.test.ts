// A message that a run took after the last turn of its session: it is in the journal, and somebody is told.

import { expect, test } from 'vitest';
import type { RunHandle } from '../src/engine/contract.ts';
import { cadre } from './support/cadre.ts';
import { engineOf } from './support/handled.ts';

test('a message after the last turn is recorded, and the run warns that it was not heard', async () => {
  const definition = cadre({ name: 'ann' });
  const warnings: string[] = [];
  const begun: { handle?: RunHandle } = {};
  const engine = engineOf(definition, {
    openResources: () => ({
      async callModel() {
        await begun.handle?.send('one more thing');
        return { ok: true, value: { message: { role: 'assistant', text: 'done', calls: [] }, spent: { model: 'm' } } };
      },
      contextWindow: async () => undefined,
      sight: () => undefined,
      toolsOf: async () => ({ tools: new Map(), approve: [] }),
      workspace: () => Promise.reject(new Error('no file is read here')),
      unusedSteps: () => [],
      async close() {},
    }),
    warn: (text) => warnings.push(text),
  });
  const handle = await engine.start({ agent: 'ann', input: { text: 'go' } });
  begun.handle = handle;
  expect(await handle.outcome()).toMatchObject({ kind: 'answered', text: 'done' });
  const events = [];
  for await (const event of handle.events()) events.push(event.type);
  expect(events).toContain('control');
  expect(warnings).toEqual([expect.stringMatching(/came after the last turn .* was not heard: one more thing$/)]);
});
