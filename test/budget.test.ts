// Budgets: reserved before, settled after, never passed, whatever runs at the same time.

import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { replay } from '../src/engine/history/replay.ts';
import type { RunEvent } from '../src/journal/event.ts';
import type { ModelReply, ModelRequest, SettledResult } from '../src/kernel/effect.ts';
import { type Fault, FaultError, fail, fault } from '../src/kernel/fault.ts';
import type { AssistantMessage } from '../src/kernel/message.ts';
import type { Usage } from '../src/kernel/usage.ts';
import { callModel, type FailedAttempt } from '../src/models/failover.ts';
import type { ModelEvent, ModelProvider, ResolvedModel } from '../src/models/provider.ts';
import { gatedModel } from '../src/run/resources/gated.ts';
import { services } from '../src/run/services.ts';
import { openSpentBelow } from '../src/run/spent-below.ts';
import type { RunBudget } from '../src/world/run-budget.ts';
import { openRunBudget } from '../src/world/state/budgets.ts';
import { reserveInTurn } from '../src/world/state/reserve-in-turn.ts';
import { tell } from './crash/support/figures.ts';
import { bench, brokenOff, cadre, call, finish } from './support/cadre.ts';

const runBudget = (usd: number, parent?: RunBudget) =>
  openRunBudget({
    agent: 'a',
    budgetLimits: { usd },
    depth: 0,
    spent: { tokens: 0 },
    allowUnpriced: false,
    ...(parent && { parent }),
  });

const measured = { calls: 0, overshoot: 0 };

afterAll(() =>
  tell('Budgets', [
    ['calls that reserved from two nested budgets, a thousand at a time', measured.calls],
    ['budget overshoot, in USD', measured.overshoot],
  ]),
);

test('a thousand calls at once never pass the budget, in any order of ends', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          quote: fc.integer({ min: 1, max: 100 }),
          share: fc.double({ min: 0, max: 1, noNaN: true }),
          inner: fc.boolean(),
        }),
        { minLength: 1000, maxLength: 1000 },
      ),
      fc.integer({ min: 0, max: 20_000 }),
      fc.infiniteStream(fc.nat(1000)),
      (calls, cents, order) => {
        const outer = runBudget(cents / 100);
        const inner = runBudget(cents / 200, outer);
        const open: { settle(): void }[] = [];
        let spent = 0;
        let spentInner = 0;
        for (const one of calls) {
          const usd = one.quote / 100;
          const reserved = (one.inner ? inner : outer).reserve({ tokens: 1, usd });
          measured.calls++;
          if ('code' in reserved) continue;
          open.push({
            settle() {
              const cost = usd * one.share;
              spent += cost;
              if (one.inner) spentInner += cost;
              reserved.settle({ tokens: 1, usd: cost });
            },
          });
          if (open.length > 20) open.splice((order.next().value ?? 0) % open.length, 1)[0]?.settle();
          const over = Math.max(spent - cents / 100, spentInner - cents / 200);
          if (over > 1e-6) measured.overshoot = Math.max(measured.overshoot, over);
          expect(spent).toBeLessThanOrEqual(cents / 100 + 1e-6);
          expect(spentInner).toBeLessThanOrEqual(cents / 200 + 1e-6);
        }
        for (const one of open) one.settle();
        expect(spent).toBeLessThanOrEqual(cents / 100 + 1e-6);
      },
    ),
    { numRuns: 50 },
  );
});

const request = (text: string, over: Partial<ModelRequest> = {}): ModelRequest => ({
  session: '0',
  agent: 'a',
  turn: 1,
  models: ['p/m'],
  settings: {},
  system: '',
  messages: [{ role: 'user', text }],
  fresh: 0,
  folded: [],
  tools: [],
  choice: 'auto',
  output: { format: 'markdown' },
  maxRetries: 1,
  timeoutMs: 60_000,
  ...over,
});

const never = new AbortController().signal;
const spoken = (text: string): AssistantMessage => ({ role: 'assistant', text, calls: [] });
const replying = (end: Partial<Extract<ModelEvent, { type: 'reply-end' }>>): ModelProvider => ({
  id: 'p',
  async *stream() {
    yield { type: 'reply-end', message: spoken('x'), finish: 'stop', ...end };
  },
});
const failing = (why: Fault): ModelProvider => ({
  id: 'p',
  async *stream() {
    yield { type: 'reply-fault', fault: why };
  },
});

/** A provider that uses all the output it is allowed. */
const greedy: ModelProvider = {
  id: 'greedy',
  async *stream({ settings }) {
    const usage = { input: 10, output: settings.maxOutputTokens ?? 100_000 };
    yield { type: 'reply-end', message: spoken('x'), finish: 'stop', usage };
  },
};

const dear: ResolvedModel = {
  name: 'p/m',
  provider: greedy,
  model: 'm',
  cost: (usage) => (usage.input + usage.output) / 1000,
};

interface Spending {
  readonly attempts: FailedAttempt[];
  call(asked?: ModelRequest, signal?: AbortSignal): Promise<SettledResult<ModelReply>>;
}

/** Calls a model under a budget, and keeps the attempts that failed. */
function spending(model: ResolvedModel, runBudget: RunBudget): Spending {
  const attempts: FailedAttempt[] = [];
  const value = gatedModel(model, { runBudget });
  const listener = { onAttempt: (failed: FailedAttempt) => void attempts.push(failed) };
  const sleep = async () => {};
  const deps = { resolve: async () => ({ ok: true as const, value }), listener, sleep };
  return { attempts, call: (asked = request('hello'), signal = never) => callModel(asked, deps, signal) };
}

const tokenPurse = (tokens: number, parent?: RunBudget): RunBudget =>
  openRunBudget({
    agent: 'a',
    budgetLimits: { tokens },
    depth: 0,
    spent: { tokens: 0 },
    allowUnpriced: false,
    ...(parent && { parent }),
  });

test('a reply is held to what is left, and a call that nothing is left for is not made', async () => {
  const mine = runBudget(0.5);
  const { call: ask } = spending(dear, mine);
  expect(await ask()).toMatchObject({ ok: true });
  expect(mine.left().usd).toBeGreaterThanOrEqual(0);
  expect(await ask()).toMatchObject({ fault: { code: 'budget/exceeded' } });
});

test('a reservation goes back when the slot of the provider is refused', async () => {
  const mine = runBudget(0.5);
  const limited = { ...dear, limits: [{ key: 'p', count: 1 }] };
  const { gate } = gatedModel(limited, {
    runBudget: mine,
    slot: async () => fail('journal/write', 'the store is gone'),
  });
  expect(await gate?.enter({ ...request('hello'), model: 'm' }, never)).toMatchObject({
    code: 'journal/write',
    details: { begun: false },
  });
  expect(mine.left().usd).toBe(0.5);
});

test('a model without a price does not run under a usd budget unless told so', async () => {
  const { cost: _, ...unpriced } = dear;
  expect(await spending(unpriced, runBudget(1)).call()).toMatchObject({
    fault: { code: 'budget/exceeded', message: expect.stringContaining('allowUnpriced') },
  });
});

test.each([
  ['negative', { input: -1_000_000, output: 10 }],
  ['not finite', { input: Number.POSITIVE_INFINITY, output: 10 }],
  ['not a number', { input: Number.NaN, output: 10 }],
  ['negative in a part', { input: 10, output: 10, cacheRead: -5 }],
])('usage that is %s is as if missing: what was reserved counts, and nothing is paid back', async (_, usage) => {
  const mine = tokenPurse(10_000);
  const settled = await spending({ ...dear, provider: replying({ usage }) }, mine).call(
    request('hello', { settings: { maxOutputTokens: 100 } }),
  );
  if (!settled.ok) throw new Error(settled.fault.message);
  const { spent } = settled.value;
  expect(spent.usage).toBeUndefined();
  expect(spent.counted?.tokens).toBeGreaterThan(100);
  expect(mine.left().tokens).toBe(10_000 - (spent.counted?.tokens ?? 0));
});

test('a cost that is negative is as if missing', async () => {
  const provider = replying({ usage: { input: 1000, output: 10 }, usd: -5 });
  const settled = await spending({ ...dear, provider }, runBudget(10)).call();
  expect(settled).toMatchObject({ value: { spent: { usd: 1.01 } } });
});

const LETTER = 'The quick brown fox jumps over the lazy dog, again and again and again. '.repeat(200);

test('a budget counts at least half of what the text is estimated at, and the ledger what was reported', async () => {
  const usage = { input: 1, output: 1 };
  const lying: ResolvedModel = { ...dear, provider: replying({ usage, message: spoken(LETTER) }) };
  const mine = tokenPurse(1_000_000);
  const settled = await spending(lying, mine).call(request(LETTER));
  if (!settled.ok) throw new Error(settled.fault.message);
  const { spent } = settled.value;
  expect(spent.usage).toEqual(usage);
  expect(spent.usd).toBe(0.002);
  const estimated = services.estimate(LETTER);
  expect(spent.counted?.tokens).toBeGreaterThanOrEqual(estimated - 2);
  expect(spent.counted?.tokens).toBeLessThan(estimated + 20);
  expect(spent.counted?.usd).toBeCloseTo((spent.counted?.tokens ?? 0) / 1000);
  expect(mine.left().tokens).toBe(1_000_000 - (spent.counted?.tokens ?? 0));

  const trusted = tokenPurse(1_000_000);
  const believed = await spending({ ...lying, trustUsage: true }, trusted).call(request(LETTER));
  expect(believed).toMatchObject({ ok: true, value: { spent: { usage } } });
  expect(believed.ok && believed.value.spent.counted).toBeUndefined();
  expect(trusted.left().tokens).toBe(1_000_000 - 2);
});

test('an honest report counts as it is, with what was read from a cache at its own price', async () => {
  const usage = { input: 4000, output: 4000, cacheRead: 3900 };
  const cost = ({ input, output, cacheRead = 0 }: Usage) => (input - cacheRead + cacheRead / 10 + output) / 1000;
  const mine = runBudget(100);
  const provider = replying({ usage, message: spoken(LETTER) });
  const settled = await spending({ ...dear, provider, cost }, mine).call(request(LETTER));
  expect(settled.ok && settled.value.spent.counted).toBeUndefined();
  expect(mine.left().usd).toBeCloseTo(100 - (100 + 390 + 4000) / 1000);
});

test('text of one token a byte does not pass the budget', async () => {
  const mine = tokenPurse(20_000);
  const bytewise: ModelProvider = {
    id: 'p',
    async *stream({ messages, settings }) {
      const input = Buffer.byteLength(messages.map((message) => ('text' in message ? message.text : '')).join(''));
      const usage = { input, output: settings.maxOutputTokens ?? 0 };
      yield { type: 'reply-end', message: spoken('x'), finish: 'stop', usage };
    },
  };
  const { call: ask } = spending({ ...dear, provider: bytewise }, mine);
  let spent = 0;
  for (;;) {
    const settled = await ask(request('\u{1F600}\u{16A0}%$ '.repeat(300)));
    if (!settled.ok) break;
    spent += (settled.value.spent.usage?.input ?? 0) + (settled.value.spent.usage?.output ?? 0);
  }
  expect(spent).toBeGreaterThan(4096);
  expect(spent).toBeLessThanOrEqual(20_000);
});

test('a provider that writes all input to its cache, which costs more, does not pass the budget', async () => {
  const cost = ({ input, output, cacheWrite = 0 }: Usage) => (input + cacheWrite / 4 + output) / 1000;
  const caching: ModelProvider = {
    id: 'p',
    async *stream({ messages: [first], settings }) {
      const input = first?.role === 'user' ? first.text.length : 0;
      const usage = { input, output: settings.maxOutputTokens ?? 0, cacheWrite: input };
      yield { type: 'reply-end', message: spoken('x'), finish: 'stop', usage };
    },
  };
  const { call: ask } = spending({ ...dear, provider: caching, cost }, runBudget(20));
  let spent = 0;
  for (;;) {
    const settled = await ask(request('%$'.repeat(2000), { settings: { maxOutputTokens: 100 } }));
    if (!settled.ok) break;
    spent += settled.value.spent.usd ?? 0;
  }
  expect(spent).toBeGreaterThan(5);
  expect(spent).toBeLessThanOrEqual(20);
});

test('a call that could not be connected costs nothing, and its fault is told, not the budget', async () => {
  const refused = fault('model/network', 'far could not be reached: connect ECONNREFUSED', { unbilled: true });
  const mine = runBudget(5);
  const { call: ask, attempts } = spending({ ...dear, provider: failing(refused) }, mine);
  expect(await ask(request('hello', { maxRetries: 3 }))).toMatchObject({
    fault: { code: 'model/network', message: expect.stringContaining('p/m (3 attempts): far could not be reached') },
  });
  expect(attempts).toHaveLength(3);
  expect(mine.left().usd).toBe(5);
});

test('a call that may have cost all it could ends as over-budget, and says why it was to be made again', async () => {
  const reset = fault('model/network', 'far hung up');
  const { call: ask, attempts } = spending({ ...dear, provider: failing(reset) }, runBudget(4));
  expect(await ask(request('hello', { maxRetries: 3 }))).toMatchObject({
    fault: {
      code: 'budget/exceeded',
      message: expect.stringMatching(
        /^p\/m: far hung up \(Not tried again: The budget of a is reached: 4 usd, of which/,
      ),
    },
  });
  expect(attempts.map(({ fault: { code } }) => code)).toEqual(['model/network', 'budget/exceeded']);
  expect(attempts[0]?.spent.counted?.usd).toBeCloseTo(4);
});

/** A provider whose calls end when they are told to. */
function held() {
  const asked: string[] = [];
  const open: (() => void)[] = [];
  const waiting: ((end: () => void) => void)[] = [];
  const provider: ModelProvider = {
    id: 'p',
    async *stream({ messages: [first] }) {
      asked.push(first?.role === 'user' ? first.text : '');
      await new Promise<void>((end) => {
        const told = waiting.shift();
        if (told === undefined) open.push(end);
        else told(end);
      });
      yield { type: 'reply-end', message: spoken('x'), finish: 'stop', usage: { input: 30, output: 5 } };
    },
  };
  const next = (): Promise<() => void> => {
    const ready = open.shift();
    return ready === undefined ? new Promise((told) => waiting.push(told)) : Promise.resolve(ready);
  };
  return { provider, asked, next };
}

test('a call waits for what others hold where that can help, and a small one does not pass it', async () => {
  const { provider, asked, next } = held();
  const outer = tokenPurse(5000);
  const inner = tokenPurse(5000, outer);
  const model = { ...dear, provider };
  const first = spending(model, outer).call(request('first'));
  const end = await next();
  // The first holds over 4096 of the 5000: the second does not fit beside it, and the third would.
  const second = spending(model, inner).call(request('second'));
  const third = spending(model, outer).call(request('third', { settings: { maxOutputTokens: 10 } }));
  end();
  expect(await first).toMatchObject({ ok: true });
  (await next())();
  (await next())();
  expect(await Promise.all([second, third])).toMatchObject([{ ok: true }, { ok: true }]);
  expect(asked).toEqual(['first', 'second', 'third']);
});

test('a call that would not fit even if all others cost nothing is refused at once, and says what they hold', async () => {
  const { provider, next } = held();
  const mine = tokenPurse(5000);
  const { call: ask } = spending({ ...dear, provider }, mine);
  const first = ask();
  const end = await next();
  expect(await ask(request('w'.repeat(6000)))).toMatchObject({
    fault: {
      code: 'budget/exceeded',
      message: expect.stringMatching(
        /is reached: 5000 tokens, of which 0 are spent and up to 41\d\d held by calls under way; this would need 60\d\d more\.$/,
      ),
      details: { held: expect.any(Number), needed: expect.any(Number), spent: 0 },
    },
  });
  end();
  expect(await first).toMatchObject({ ok: true });
});

test('an abort ends the wait for money, and those behind go on', async () => {
  const { provider, next } = held();
  const mine = tokenPurse(5000);
  const { call: ask } = spending({ ...dear, provider }, mine);
  const first = ask();
  const end = await next();
  const stop = new AbortController();
  const second = ask(request('hello'), stop.signal);
  const third = ask();
  stop.abort(new FaultError(fault('timeout', 'too late')));
  expect(await second).toMatchObject({ fault: { code: 'timeout' } });
  end();
  await first;
  (await next())();
  expect(await third).toMatchObject({ ok: true });
  expect(mine.left().tokens).toBe(5000 - 2 * 35);
});

test('calls that wait for each other in nested budgets all come to an end, whatever is aborted, and never pass', async () => {
  const one = fc.record({
    from: fc.nat(2),
    least: fc.integer({ min: 1, max: 400 }),
    more: fc.integer({ min: 0, max: 800 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    turns: fc.nat(6),
    aborted: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(one, { minLength: 40, maxLength: 40 }),
      fc.integer({ min: 100, max: 4000 }),
      async (all, limit) => {
        const outer = tokenPurse(limit);
        const runBudgets = [outer, tokenPurse(limit / 2, outer), tokenPurse(limit / 3, outer)];
        let spent = 0;
        let holding = 0;
        const endings = all.map(async ({ from, least, more, share, turns, aborted }) => {
          const stop = new AbortController();
          const quote = (tokens: number) => ({ tokens });
          const wish = {
            least: quote(least),
            enough: quote(least + more),
            within: ({ tokens = 0 }) => quote(Math.max(least, Math.min(least + more, tokens))),
          };
          const asking = reserveInTurn(runBudgets[from] ?? outer, wish, stop.signal);
          if (aborted) stop.abort(new FaultError(fault('cancelled', 'enough')));
          const held = await asking.catch((thrown: unknown) => {
            if (!(thrown instanceof FaultError)) throw thrown;
            return thrown.fault;
          });
          if ('code' in held) return held.code;
          holding += held.quote.tokens;
          expect(spent + holding).toBeLessThanOrEqual(limit + 1e-6);
          for (let turn = 0; turn < turns; turn++) await Promise.resolve();
          holding -= held.quote.tokens;
          spent += held.quote.tokens * share;
          held.settle(quote(held.quote.tokens * share));
          return 'settled';
        });
        const codes = await Promise.all(endings);
        expect(codes).toHaveLength(40);
        expect(outer.left().tokens).toBeCloseTo(Math.max(0, limit - spent));
      },
    ),
    { numRuns: 200 },
  );
});

test('a call that is cancelled counts as all it could cost, and the record says so', async () => {
  const { provider, next } = held();
  const mine = tokenPurse(10_000);
  const stop = new AbortController();
  const asking = spending({ ...dear, provider }, mine).call(request('hello'), stop.signal);
  await next();
  stop.abort(new FaultError(fault('cancelled', 'enough')));
  const settled = await asking;
  if (settled.ok) throw new Error('it answered');
  const counted = settled.fault.details?.['counted'] as { readonly tokens: number };
  expect(counted.tokens).toBeGreaterThan(4096);
  expect(mine.left().tokens).toBe(10_000 - counted.tokens);
  const event: RunEvent = { seq: 0, at: 0, type: 'op-end', path: '0.1', kind: 'model', result: settled };
  const spent = openSpentBelow();
  spent.add(event);
  expect(spent.below('0').tokens).toBe(counted.tokens);
});

test('a resumed run counts as the budget did', () => {
  const spent = { model: 'p/m', usage: { input: 1, output: 1 }, usd: 0, counted: { tokens: 500, usd: 0.5 } };
  const reply = { seq: 0, at: 0, type: 'op-end', path: '0.1', kind: 'model', result: { ok: true, value: { spent } } };
  const resumed = openSpentBelow();
  resumed.add(reply as RunEvent);
  expect(resumed.below('0')).toEqual({ tokens: 500, usd: 0.5 });
});

test('a budget of sessions stops the child that is one too many, and replay agrees', async () => {
  const of = cadre({ name: 'boss', agents: ['kid'], budget: { sessions: 3 } }, { name: 'kid' });
  const model = (asked: { agent: string; turn: number }) =>
    asked.agent === 'kid'
      ? 'done'
      : asked.turn === 1
        ? { calls: Array.from({ length: 5 }, () => ({ name: 'agent__kid', args: { input: 'x', reason: 'y' } })) }
        : 'finished';
  const b = bench(of, model);
  const whole = await finish(b, { agent: 'boss', input: { text: 'go' } });
  expect(b.calls).toHaveLength(2 + 3);
  expect(await replay(whole.events, of, services)).toMatchObject({ kind: 'identical' });
  for (let count = 1; count < whole.events.length; count++) {
    const again = bench(of, model, { store: await brokenOff(whole.events, count, whole.run) });
    expect(await (await again.engine.resume(whole.run)).outcome()).toEqual(whole.outcome);
  }
});

test('a budget of depth refuses whoever would be deeper', async () => {
  const of = cadre({ name: 'a', agents: ['b'], budget: { depth: 1 } }, { name: 'b', agents: ['c'] }, { name: 'c' });
  let refused = '';
  const b = bench(of, (asked) => {
    const end = asked.messages.at(-1);
    if (asked.agent === 'b' && end?.role === 'tool') refused = end.result.text;
    if (asked.turn > 1) return 'ok';
    return asked.agent === 'a'
      ? call('agent__b', { input: 'x', reason: 'y' })
      : call('agent__c', { input: 'x', reason: 'y' });
  });
  await finish(b, { agent: 'a', input: { text: 'go' } });
  expect(refused).toMatch(/outcome: over-budget[^]*The budget of a is reached: 1 depth/);
});

test('a budget of time ends the run as over-budget', async () => {
  const of = cadre({ name: 'slow', budget: { timeMs: 20 } });
  const b = bench(
    of,
    (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('late'), { once: true })),
  );
  const { outcome } = await finish(b, { agent: 'slow', input: { text: 'go' } });
  expect(outcome).toMatchObject({ kind: 'over-budget', fault: { code: 'budget/exceeded', stage: 'slow' } });
});

test('a session that was refused when the process died is refused again', async () => {
  const of = cadre(
    { name: 'a', advisors: { agents: ['b', 'c'], policy: { kind: 'isolate' } }, budget: { sessions: 1 } },
    { name: 'b' },
    { name: 'c' },
  );
  const answer = ({ agent }: { readonly agent: string }) => `from ${agent}`;
  const whole = await finish(bench(of, answer), { agent: 'a', input: { text: 'x' } });
  const begun = whole.events.findIndex(
    (event) => event.type === 'op-start' && event.op.kind === 'run' && event.op.agent === 'c',
  );
  const again = bench(of, answer, { store: await brokenOff(whole.events, begun + 1, whole.run) });
  expect(await (await again.engine.resume(whole.run)).outcome()).toEqual(whole.outcome);
  expect(again.calls).toHaveLength(2); // those of a and b
});
