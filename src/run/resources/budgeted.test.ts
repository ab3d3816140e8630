// A model under a budget: what comes back of a reservation, by how the attempt ended.

import { expect, test } from 'vitest';
import { pictureRef } from '../../../test/support/media.ts';
import { type Fault, fault } from '../../kernel/fault.ts';
import type { AttemptResult } from '../../models/attempt.ts';
import { sampleRequest } from '../../models/provider.conformance.ts';
import type { ModelProvider, ResolvedModel } from '../../models/provider.ts';
import { Stop } from '../../world/abort.ts';
import { openRunBudget } from '../../world/state/budgets.ts';
import { budgetGate } from './budgeted.ts';

const ALL = 10_000;
const provider: ModelProvider = {
  id: 'p',
  stream: () => expect.unreachable('nothing is sent here'),
};
const model: ResolvedModel = { name: 'p/m', provider, model: 'm', maxOutputTokens: 1000 };

/** The rest of the budget while an attempt is under way, and after it ended like this. */
async function leftAfter(result: AttemptResult): Promise<{ readonly during: number; readonly after: number }> {
  const runBudget = openRunBudget({
    agent: 'ann',
    budgetLimits: { tokens: ALL },
    depth: 0,
    spent: { tokens: 0 },
    allowUnpriced: false,
  });
  const left = (): number => runBudget.left().tokens ?? 0;
  const pass = await budgetGate(model, runBudget).enter(sampleRequest(), new Stop());
  if ('code' in pass) throw new Error(pass.message);
  const during = left();
  await pass.leave(result);
  return { during, after: left() };
}

const broke = (of: Fault): AttemptResult => ({ ok: false, fault: of });

test.each([
  fault('model/server', '503'),
  fault('model/rate-limit', '429'),
  fault('model/refused-key', 'no'),
  fault('model/timeout', 'never connected', { unbilled: true }),
  fault('cancelled', 'not begun', { begun: false }),
])('after $code: $message, all that was reserved comes back', async (of) => {
  const { during, after } = await leftAfter(broke(of));
  expect(during).toBeLessThan(ALL);
  expect(after).toBe(ALL);
});

test.each([
  fault('model/server', 'broke off', { written: 'half an ans' }),
  fault('model/timeout', 'no end came'),
  fault('cancelled', 'enough'),
])('after $code: $message, nothing comes back, because it may have cost all it could', async (of) => {
  const { during, after } = await leftAfter(broke(of));
  expect(after).toBe(during);
});

test('after a reply, what it did not use comes back', async () => {
  const message = { role: 'assistant' as const, text: 'yes', calls: [] };
  const { after } = await leftAfter({ ok: true, message, usage: { input: 300, output: 5 } });
  expect(after).toBe(ALL - 305);
});

test('two calls at once with pictures cannot pass a budget together: pixels are reserved, and the second one waits', async () => {
  const runBudget = openRunBudget({
    agent: 'ann',
    budgetLimits: { tokens: 3200 },
    depth: 0,
    spent: { tokens: 0 },
    allowUnpriced: false,
  });
  const seeing: ResolvedModel = { ...model, sight: { sees: ['image'], rule: 'anthropic' } };
  const gate = budgetGate(seeing, runBudget);
  const request = () =>
    sampleRequest({ messages: [{ role: 'user', text: 'Look.', files: [pictureRef()] }], tools: [], system: '' });
  const first = await gate.enter(request(), new Stop());
  if ('code' in first) throw new Error(first.message);
  expect(runBudget.left().tokens).toBeLessThan(3200 - 1229);
  const begun: string[] = [];
  const second = gate.enter(request(), new Stop()).then((pass) => {
    begun.push('second');
    return pass;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual([]);
  const message = { role: 'assistant' as const, text: 'yes', calls: [] };
  await first.leave({ ok: true, message, usage: { input: 1300, output: 10 } });
  const pass = await second;
  if ('code' in pass) throw new Error(pass.message);
  expect(runBudget.left().tokens).toBeGreaterThanOrEqual(0);
  expect(runBudget.left().tokens).toBeLessThan(3200 - 1310 - 1229);
});
