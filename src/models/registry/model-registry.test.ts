import { expect, test } from 'vitest';
import { fail } from '../../kernel/fault.ts';
import { user } from '../../kernel/message.ts';
import { collectEvents, sampleRequest } from '../provider.conformance.ts';
import type { ModelSources } from '../settings.ts';
import { openModelRegistry } from './model-registry.ts';

/** Values are plain texts here; `$NAME` stands for a variable. */
function open(sources: Partial<ModelSources<string>> = {}, env: Readonly<Record<string, string>> = {}) {
  const reads: string[] = [];
  const registry = openModelRegistry<string>(
    { providers: {}, models: {}, ...sources },
    {
      env: (name) => env[name],
      fill: (value) =>
        value.replace(
          /\$(\w+)/g,
          (_, name: string) => env[name] ?? fail('config/unset-variable', `${name} is not set.`),
        ),
      read: async (file) => {
        reads.push(file);
        if (file.endsWith('demo.yaml')) return 'agents:\n  librarian:\n    - answer: hello\n    - answer: unused\n';
        throw new Error(`${file} does not exist`);
      },
    },
  );
  return { registry, reads };
}

const demo = { kind: 'scripted', script: '/x/demo.yaml', headers: {} } as const;

test('a name of a provider and a model leads to both, and the provider is made once', async () => {
  const { registry, reads } = open({ providers: { demo } });
  const [one, two] = await Promise.all([registry.resolve('demo/a'), registry.resolve('demo/b/c')]);
  if (!one.ok || !two.ok) throw new Error('not resolved');
  expect(one.value).toMatchObject({ name: 'demo/a', model: 'a' });
  expect(two.value).toMatchObject({ name: 'demo/b/c', model: 'b/c' });
  expect(one.value.provider).toBe(two.value.provider);
  expect(reads).toEqual(['/x/demo.yaml']);
});

test('an alias brings its window, its limit and its price', async () => {
  const price = { input: 1, output: 2 };
  const fast = { use: 'demo/small', contextWindow: 32_768, maxOutputTokens: 512, price };
  const { registry } = open({ providers: { demo: { ...demo, concurrency: 4 } }, models: { fast } });
  const found = await registry.resolve('fast');
  expect(found).toMatchObject({
    ok: true,
    value: { name: 'demo/small', model: 'small', contextWindow: 32_768, maxOutputTokens: 512, limits: [{ count: 4 }] },
  });
  expect(found.ok && found.value.cost?.({ input: 1_000_000, output: 500_000 })).toBe(2);
});

test('a price is known without a key: that of the alias, else that of the table, else none', async () => {
  const price = { input: 1, output: 2 };
  const lost = { kind: 'openai-compatible', baseUrl: '$NOWHERE', headers: {} } as const;
  const { registry, reads } = open({ providers: { demo, lost }, models: { fast: { use: 'demo/small', price } } });
  expect(await registry.price('fast')).toEqual(price);
  expect(await registry.price('demo/small')).toEqual(price);
  expect(await registry.price('openai/gpt-4o')).toMatchObject({ input: 2.5, output: 10 });
  for (const unknown of ['demo/a', 'lost/a', 'nobody']) expect(await registry.price(unknown)).toBeUndefined();
  expect(reads).toEqual([]);
});

test('a scripted model without a price has no cost at all', async () => {
  const found = await open({ providers: { demo } }).registry.resolve('demo/a');
  expect(found.ok && found.value.cost).toBeUndefined();
});

test.each([
  [
    'opnai/gpt-5',
    /there is no provider "opnai"\. Did you mean "openai"\? Known: demo, openai, anthropic, google, ollama, /,
  ],
  ['fst', /model "fst" is neither an alias nor "provider\/model"\. Did you mean "fast"\? Aliases in cadre\.yaml: fast/],
  ['demo/', /neither an alias/],
  ['/x', /neither an alias/],
  ['__proto__', /neither an alias/],
  ['constructor/x', /there is no provider "constructor"/],
])('%s is an unknown model, with the nearest name', async (name, message) => {
  const { registry } = open({ providers: { demo }, models: { fast: { use: 'demo/a' } } });
  const found = registry.find(name);
  expect(found).toMatchObject({ ok: false, fault: { code: 'model/unknown', message: expect.stringMatching(message) } });
  expect(await registry.resolve(name)).toEqual(found);
});

test('built-in providers need only their variable', async () => {
  const env = { OPENAI_API_KEY: 'a', ANTHROPIC_API_KEY: 'b', GEMINI_API_KEY: 'c' };
  const { registry } = open({}, env);
  for (const name of ['openai/gpt-5', 'anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash']) {
    const found = await registry.resolve(name);
    expect(found).toMatchObject({ ok: true, value: { name, contextWindow: expect.any(Number) } });
  }
});

test('a missing key names the variables and the ways around it', async () => {
  const { registry } = open();
  expect(await registry.resolve('google/gemini-2.5-flash')).toMatchObject({
    ok: false,
    fault: {
      code: 'model/missing-key',
      message: expect.stringMatching(
        /set GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY\. Other ways: .*another provider.*on this machine.*scripted/,
      ),
    },
  });
});

test('a key that is a variable which is not set is missing too', async () => {
  const { registry } = open({ providers: { mine: { kind: 'anthropic', apiKey: '$MY_KEY', headers: {} } } });
  expect(await registry.resolve('mine/claude')).toMatchObject({
    fault: { code: 'model/missing-key', message: expect.stringContaining('MY_KEY is not set.') },
  });
});

test('a local server needs no key', async () => {
  const local = { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:8080/v1', headers: {} } as const;
  const found = await open({ providers: { local } }).registry.resolve('local/small');
  expect(found.ok).toBe(true);
  expect(found.ok && found.value.cost?.({ input: 10, output: 10 })).toBeUndefined();
});

test('a script that cannot be read or understood is a fault, and is tried again the next time', async () => {
  const { registry, reads } = open({ providers: { demo: { ...demo, script: '/x/gone.yaml' } } });
  for (let time = 0; time < 2; time++) {
    expect(await registry.resolve('demo/a')).toMatchObject({
      fault: { code: 'config/invalid', message: expect.stringContaining('/x/gone.yaml does not exist') },
    });
  }
  expect(reads).toHaveLength(2);
});

test('a recording of a recording is refused', async () => {
  const recorded = { kind: 'recorded', recording: '/x/r.jsonl', headers: {} } as const;
  const { registry } = open({ providers: { a: { ...recorded, wraps: 'b' }, b: { ...recorded, wraps: 'a' } } });
  expect(await registry.resolve('a/x')).toMatchObject({ fault: { code: 'config/invalid' } });
});

test('unused steps are known once a script was used', async () => {
  const { registry } = open({ providers: { demo } });
  expect(registry.unusedSteps()).toEqual([]);
  const found = await registry.resolve('demo/a');
  if (!found.ok) throw new Error('not resolved');
  await collectEvents(found.value.provider, sampleRequest({ messages: [user('hi')] }));
  expect(registry.unusedSteps()).toMatchObject([{ line: 4 }]);
  await registry.close();
});
