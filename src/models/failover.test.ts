import { expect, test, vi } from 'vitest';
import type { ModelRequest, SettledResult } from '../kernel/effect.ts';
import { FaultError, fault } from '../kernel/fault.ts';
import type { FileRef } from '../kernel/file-ref.ts';
import { user } from '../kernel/message.ts';
import type { ModelSight } from '../kernel/model-sight.ts';
import type { Count } from '../kernel/usage.ts';
import { backoffMs } from './backoff.ts';
import { type CallDeps, callModel, type FailedAttempt } from './failover.ts';
import type { Gate } from './gate.ts';
import { sampleRequest } from './provider.conformance.ts';
import type { ModelEvent, ModelProvider, ProviderRequest, ResolvedModel } from './provider.ts';
import { loadScript } from './scripted/load.ts';
import { scriptedProvider } from './scripted/scripted.ts';

const never = new AbortController().signal;

const request = (over: Partial<ModelRequest> = {}): ModelRequest => ({
  ...sampleRequest({ messages: [user('hi')] }),
  models: ['demo/one'],
  maxRetries: 3,
  timeoutMs: 60_000,
  fresh: 0,
  folded: [],
  ...over,
});

const model = (
  provider: ModelProvider,
  name: string,
  over: Partial<ResolvedModel> = {},
): SettledResult<ResolvedModel> => ({
  ok: true,
  value: { name, provider, model: name.slice(name.indexOf('/') + 1), ...over },
});

const from = (yaml: string): ModelProvider => scriptedProvider(loadScript(yaml, 's.yaml'), 'demo');

/** Deps that never wait, and a list of what was reported. */
function observed(provider: ModelProvider, over: Partial<CallDeps> = {}) {
  const attempts: FailedAttempt[] = [];
  const slept: number[] = [];
  const deps: CallDeps = {
    resolve: async (name) => model(provider, name),
    listener: { onAttempt: (failed) => void attempts.push(failed) },
    sleep: async (ms) => {
      slept.push(ms);
    },
    ...over,
  };
  return { deps, attempts, slept };
}

const short = (attempts: readonly FailedAttempt[]) =>
  attempts.map(({ number, spent, fault: { code }, then }) => `${number} ${spent.model} ${code} ${then.kind}`);

test('a reply comes with what it used and cost', async () => {
  const provider = from('any: [{ answer: hello, usage: { input: 100, output: 10 } }]');
  const { deps, attempts } = observed(provider, {
    resolve: async (name) => model(provider, name, { cost: ({ input, output }) => (input + output) / 1000 }),
  });
  expect(await callModel(request(), deps, never)).toEqual({
    ok: true,
    value: {
      message: { role: 'assistant', text: 'hello', calls: [] },
      spent: { model: 'demo/one', usage: { input: 100, output: 10 }, usd: 0.11 },
    },
  });
  expect(attempts).toEqual([]);
});

test('a cost that the provider reports wins, and an unknown one is absent', async () => {
  const provider = from(`agents:
  librarian: [{ answer: hello, usage: { input: 1, output: 1, usd: 0.5 } }, { answer: hello }]`);
  const { deps } = observed(provider, { resolve: async (name) => model(provider, name, { cost: () => 9 }) });
  expect(await callModel(request(), deps, never)).toMatchObject({ value: { spent: { usd: 0.5 } } });
  const unpriced = await callModel(request({ turn: 2 }), observed(provider).deps, never);
  expect(unpriced.ok && 'usd' in unpriced.value.spent).toBe(false);
});

test('an attempt whose provider says nothing of tokens and cost reports neither', async () => {
  const { deps, attempts } = observed(from('any: [{ fault: rate-limit, answer: at last }]'));
  await callModel(request(), deps, never);
  expect(attempts.map(({ spent }) => Object.keys(spent))).toEqual([['model']]);
});

test('trouble that may pass is retried with growing pauses, each attempt reported before the next', async () => {
  const provider = from('any: [{ fault: [rate-limit, { status: 503 }], answer: at last }]');
  const { deps, attempts, slept } = observed(provider);
  expect(await callModel(request(), deps, never)).toMatchObject({ ok: true, value: { message: { text: 'at last' } } });
  expect(short(attempts)).toEqual(['1 demo/one model/rate-limit retry', '2 demo/one model/server retry']);
  expect(slept).toHaveLength(2);
  expect(slept[1]).toBeGreaterThan(slept[0]! * 1.2);
  expect(attempts.map(({ then }) => (then.kind === 'retry' ? then.delayMs : 0))).toEqual(slept);
});

test('after its attempts a model is left for the next one', async () => {
  const provider = from('any: [{ fault: [server, reset], answer: from the second }]');
  const { deps, attempts } = observed(provider);
  const settled = await callModel(request({ models: ['demo/one', 'demo/two'], maxRetries: 2 }), deps, never);
  expect(settled).toMatchObject({ ok: true, value: { spent: { model: 'demo/two' } } });
  expect(attempts.map(({ then }) => then)).toMatchObject([{ kind: 'retry' }, { kind: 'failover', to: 'demo/two' }]);
});

test.each(['refused-key', 'bad-request', 'content-filter'])('%s is not tried again on the same model', async (kind) => {
  const { deps, attempts, slept } = observed(from(`any: [{ fault: ${kind}, answer: fine }]`));
  const settled = await callModel(request({ models: ['demo/one', 'demo/two'] }), deps, never);
  expect(settled).toMatchObject({ ok: true, value: { spent: { model: 'demo/two' } } });
  expect(short(attempts)).toEqual([`1 demo/one model/${kind} failover`]);
  expect(slept).toEqual([]);
});

test.each(['empty', 'cut-off', 'malformed'])('a reply that is %s is tried again, and its cost counts', async (kind) => {
  const provider = from(`any: [{ fault: ${kind}, answer: fine, usage: { input: 7, output: 1 } }]`);
  const { deps, attempts } = observed(provider);
  expect(await callModel(request(), deps, never)).toMatchObject({ ok: true });
  expect(attempts).toMatchObject([{ fault: { code: `model/${kind}` }, spent: { usage: { input: 7, output: 1 } } }]);
});

test('when every model failed the fault says what each of them said', async () => {
  const { deps, attempts } = observed(from('any: [{ fault: server, repeat: true }]'));
  const settled = await callModel(request({ models: ['demo/one', 'demo/two'], maxRetries: 2 }), deps, never);
  expect(settled).toMatchObject({
    ok: false,
    fault: { code: 'model/server', message: expect.stringMatching(/demo\/one \(2 attempts\): .*\n- demo\/two \(2/) },
  });
  expect(attempts.at(-1)?.then).toEqual({ kind: 'give-up' });
});

test('a model that cannot be resolved is a failed attempt, and the next is tried', async () => {
  const provider = from('any: [{ answer: fine }]');
  const { deps, attempts } = observed(provider, {
    resolve: async (name) =>
      name === 'x/y' ? { ok: false, fault: fault('model/missing-key', 'no key') } : model(provider, name),
  });
  expect(await callModel(request({ models: ['x/y', 'demo/one'] }), deps, never)).toMatchObject({ ok: true });
  expect(short(attempts)).toEqual(['1 x/y model/missing-key failover']);
});

test('a server that asks for time gets it, and one that asks for too much is left', async () => {
  const asked = observed(from('any: [{ fault: { status: 429, retryAfter: 20s }, answer: fine }]'));
  await callModel(request(), asked.deps, never);
  expect(asked.slept[0]).toBeGreaterThanOrEqual(20_000);
  expect(asked.slept[0]).toBeLessThan(26_000);
  const tooMuch = observed(from('any: [{ fault: { status: 429, retryAfter: 2h }, answer: fine }]'));
  await callModel(request({ models: ['demo/one', 'demo/two'] }), tooMuch.deps, never);
  expect(short(tooMuch.attempts)).toEqual(['1 demo/one model/rate-limit failover']);
});

test('pauses differ between sessions, and are the same for the same call', () => {
  const pauses = ['0', '0.1', '0.2', '0.3'].map((session) => backoffMs(session, 1, 1));
  expect(new Set(pauses).size).toBe(4);
  expect(backoffMs('0', 1, 1)).toBe(pauses[0]);
  for (const ms of pauses) expect(ms).toSatisfy((value: number) => value >= 375 && value < 625);
  expect(backoffMs('0', 1, 50)).toBeLessThanOrEqual(37_500);
});

test('deltas are passed on as they come', async () => {
  const heard: string[] = [];
  const { deps } = observed(from('any: [{ answer: "one two three four five six seven" }]'), {
    listener: { onDelta: (delta) => heard.push(delta.text) },
  });
  await callModel(request(), deps, never);
  expect(heard.length).toBeGreaterThan(1);
  expect(heard.join('')).toBe('one two three four five six seven');
});

test('a model that does not answer in time is a timeout', async () => {
  const { deps, attempts } = observed(from('any: [{ fault: hang, answer: fine }]'));
  expect(await callModel(request({ timeoutMs: 5 }), deps, never)).toMatchObject({ ok: true });
  expect(attempts).toMatchObject([{ fault: { code: 'model/timeout' } }]);
});

test('a stream that stops is stalled, however long the whole may take', async () => {
  vi.useFakeTimers();
  try {
    const { deps, attempts } = observed(from('any: [{ fault: stall, answer: fine }]'));
    const going = callModel(request({ timeoutMs: 600_000 }), deps, never);
    await vi.advanceTimersByTimeAsync(61_000);
    expect(await going).toMatchObject({ ok: true });
    expect(attempts).toMatchObject([{ fault: { code: 'model/stalled' }, ms: expect.closeTo(60_000, -2) }]);
  } finally {
    vi.useRealTimers();
  }
});

test('a first word that takes long is no stall', async () => {
  vi.useFakeTimers();
  try {
    const { deps, attempts } = observed(from('any: [{ answer: slow but sure, delay: 5m, chunk: 30s }]'));
    const going = callModel(request({ timeoutMs: 600_000 }), deps, never);
    await vi.advanceTimersByTimeAsync(400_000);
    expect(await going).toMatchObject({ ok: true });
    expect(attempts).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

test('an abort ends a call at once, even where the provider does not listen', async () => {
  const deaf: ModelProvider = {
    id: 'deaf',
    stream: () => ({
      [Symbol.asyncIterator]: () => ({ next: () => new Promise<IteratorResult<ModelEvent>>(() => {}) }),
    }),
  };
  const controller = new AbortController();
  const { deps, attempts } = observed(deaf);
  const going = callModel(request(), deps, controller.signal);
  controller.abort('the person left.');
  expect(await going).toEqual({ ok: false, fault: { code: 'cancelled', message: 'the person left.' } });
  expect(attempts).toEqual([]);
});

test.each([
  ['a reply without a message', { type: 'reply-end', finish: 'stop' }],
  ['nothing', undefined],
])('a provider that gives %s is a fault and no hang', async (_what, event) => {
  const broken: ModelProvider = {
    id: 'broken',
    stream: () => ({
      [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: event as ModelEvent }) }),
    }),
  };
  const { deps } = observed(broken);
  expect(await callModel(request(), deps, never)).toMatchObject({ ok: false });
});

test('an abort ends a pause at once', async () => {
  const controller = new AbortController();
  const { deps } = observed(from('any: [{ fault: server, repeat: true }]'), {
    listener: {
      onAttempt: () => controller.abort(new FaultError(fault('timeout', 'the session ran out of time.'))),
    },
  });
  const { sleep: _sleep, ...real } = deps;
  expect(await callModel(request(), real, controller.signal)).toMatchObject({ ok: false, fault: { code: 'timeout' } });
});

test('a provider that throws or ends without an end does not break the call', async () => {
  const broken = (stream: () => AsyncGenerator<ModelEvent>): ModelProvider => ({ id: 'broken', stream });
  const throwing = observed(
    broken(async function* () {
      yield { type: 'text-delta', text: 'x' };
      throw new Error('a bug');
    }),
  );
  expect(await callModel(request(), throwing.deps, never)).toMatchObject({ fault: { code: 'internal' } });
  const endless = observed(
    broken(async function* () {
      yield { type: 'text-delta', text: 'x' };
    }),
  );
  expect(await callModel(request(), endless.deps, never)).toMatchObject({ fault: { code: 'model/cut-off' } });
});

test('a reply that hit the output limit is cut off, and what was written comes along', async () => {
  const limited: ModelProvider = {
    id: 'limited',
    async *stream() {
      yield { type: 'reply-end', finish: 'length', message: { role: 'assistant', text: 'half', calls: [] } };
    },
  };
  expect(await callModel(request(), observed(limited).deps, never)).toMatchObject({
    fault: { code: 'model/cut-off', details: { written: 'half' } },
  });
});

test.each(['failed once', 'the second model'] as const)(
  'a provider gets the tools that may be called: %s',
  async (way) => {
    const got: (readonly string[] | undefined)[] = [];
    const provider: ModelProvider = {
      id: 'demo',
      async *stream({ callable }): AsyncIterable<ModelEvent> {
        got.push(callable);
        if (got.length === 1) return yield { type: 'reply-fault', fault: fault('model/server', 'Busy.') };
        yield { type: 'reply-end', message: { role: 'assistant', text: 'done', calls: [] }, finish: 'stop' };
      },
    };
    const { deps } = observed(provider);
    const models = way === 'failed once' ? ['demo/one'] : ['demo/one', 'demo/two'];
    const maxRetries = way === 'failed once' ? 2 : 1;
    await callModel(request({ callable: ['final_report'], models, maxRetries }), deps, never);
    expect(got).toEqual([['final_report'], ['final_report']]);
  },
);

/** A provider that answers and keeps what it was asked. */
function asking() {
  const asked: ProviderRequest[] = [];
  const provider = from('any: [{ answer: fine }]');
  const kept: ModelProvider = {
    ...provider,
    stream: (given, options) => {
      asked.push(given);
      return provider.stream(given, options);
    },
  };
  return { asked, provider: kept };
}

const picture: FileRef = { name: 'a.png', type: 'image/png', digest: 'd'.repeat(64), bytes: 9 };
const seeing: ModelSight = { sees: ['image'], rule: 'unknown' };
const withPicture = { messages: [{ ...user('what is it?'), files: [picture] }], models: ['demo/one', 'demo/two'] };

test('a model that cannot see a file is passed over for one that can, and the answer says so', async () => {
  const { asked, provider } = asking();
  const { deps } = observed(provider, {
    resolve: async (name) => model(provider, name, name === 'demo/two' ? { sight: seeing } : {}),
  });
  const shown = await callModel(request({ ...withPicture, showsFiles: true }), deps, never);
  expect(shown).toMatchObject({ ok: true, value: { spent: { model: 'demo/two' }, passedOver: ['demo/one'] } });
  expect(asked[0]?.messages).toEqual(withPicture.messages);
});

test('a model that nobody is passed over for gets the words without the file, and the answer says nothing of it', async () => {
  const { asked, provider } = asking();
  const settled = await callModel(request({ ...withPicture, showsFiles: true }), observed(provider).deps, never);
  expect(settled).toMatchObject({ ok: true, value: { spent: { model: 'demo/one' } } });
  expect(Object.keys(settled.ok ? settled.value : {})).toEqual(['message', 'spent']);
  expect(asked[0]?.messages).toEqual([user('what is it?')]);
});

test('a request without files resolves no model that it does not ask, and gets its messages as they are', async () => {
  const { asked, provider } = asking();
  const resolved: string[] = [];
  const { deps } = observed(provider, { resolve: (name) => (resolved.push(name), model(provider, name)) });
  const { messages } = request();
  await callModel(request({ messages, models: ['demo/one', 'demo/two'] }), deps, never);
  expect(resolved).toEqual(['demo/one']);
  expect(asked[0]?.messages).toBe(messages);
});

test('a provider is told of the history, the callable tools and the summary of a request, and of nothing that is not there', async () => {
  const compact = { from: 1, to: 2, messages: 4, keep: 2 };
  const more = { history: 3, callable: ['answer'], compact };
  const keysOf = async (over: Partial<ModelRequest>): Promise<readonly string[]> => {
    const { asked, provider } = asking();
    await callModel(request(over), observed(provider).deps, never);
    return Object.keys(asked[0] ?? {}).filter((key) => key in more);
  };
  expect(await keysOf({})).toEqual([]);
  expect(await keysOf(more)).toEqual(['history', 'callable', 'compact']);
  for (const [key, value] of Object.entries(more)) expect(await keysOf({ [key]: value })).toEqual([key]);
});

test('nobody is asked under a signal that is aborted, and no further model once it is', async () => {
  const { asked, provider } = asking();
  const stopped = AbortSignal.abort(new FaultError(fault('cancelled', 'Enough.')));
  expect(await callModel(request(), observed(provider).deps, stopped)).toMatchObject({
    ok: false,
    fault: { code: 'cancelled', message: 'Enough.' },
  });
  expect(asked).toEqual([]);
  const stop = new AbortController();
  const failing = from('any: [{ fault: [server, server, server, server], answer: late }]');
  const { deps, attempts } = observed(failing, {
    sleep: async () => stop.abort(new FaultError(fault('cancelled', 'Enough.'))),
  });
  const settled = await callModel(request({ models: ['demo/one', 'demo/two'] }), deps, stop.signal);
  expect(settled).toMatchObject({ ok: false, fault: { code: 'cancelled' } });
  expect(attempts).toHaveLength(1);
});

test('a provider that asks for exactly one minute is waited for, and one that asks for more is not', async () => {
  const minute = observed(from('any: [{ fault: { status: 429, retryAfter: 60s }, answer: fine }]'));
  expect(await callModel(request(), minute.deps, never)).toMatchObject({ ok: true });
  expect(minute.slept.map((ms) => ms >= 60_000)).toEqual([true]);
  const more = observed(from('any: [{ fault: { status: 429, retryAfter: 61s }, answer: fine }]'));
  expect(await callModel(request(), more.deps, never)).toMatchObject({ ok: false });
  expect(more.slept).toEqual([]);
});

test('an attempt that is stopped is the end of the call, and is reported as no attempt of its own', async () => {
  const stop = new AbortController();
  const inner = from('any: [{ fault: [server, server], answer: late }]');
  const stopping: ModelProvider = {
    ...inner,
    async *stream(given, options) {
      stop.abort(new FaultError(fault('cancelled', 'Enough.')));
      yield* inner.stream(given, { ...options, signal: never } as typeof options);
    },
  };
  const { deps, attempts, slept } = observed(stopping);
  expect(await callModel(request({ models: ['demo/one', 'demo/two'] }), deps, stop.signal)).toMatchObject({
    ok: false,
    fault: { code: 'cancelled' },
  });
  expect([attempts, slept]).toEqual([[], []]);
});

test('the count of a budget is told where it differs from the report in tokens or in money, and only there', async () => {
  const provider = from('any: [{ answer: fine, usage: { input: 90, output: 10, usd: 0.5 } }]');
  const toldFor = async (counted: Count): Promise<unknown> => {
    const gate: Gate = {
      enter: async (plain: ProviderRequest) => ({ request: plain, leave: async () => counted }),
    } as unknown as Gate;
    const { deps } = observed(provider, {
      resolve: async (name) => model(provider, name, { gate } as Partial<ResolvedModel>),
    });
    const settled = await callModel(request(), deps, never);
    return settled.ok ? settled.value.spent.counted : settled.fault;
  };
  expect(await toldFor({ tokens: 100, usd: 0.5 })).toBeUndefined();
  expect(await toldFor({ tokens: 100, usd: 0.4 })).toEqual({ tokens: 100, usd: 0.4 });
  expect(await toldFor({ tokens: 99, usd: 0.5 })).toEqual({ tokens: 99, usd: 0.5 });
  expect(await toldFor({ tokens: 100 })).toEqual({ tokens: 100 });
});
