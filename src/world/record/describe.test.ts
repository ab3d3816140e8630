import { expect, test } from 'vitest';
import type { EffectOf, ModelRequest } from '../../kernel/effect.ts';
import { type AssistantMessage, okResult, type ToolMessage, type ToolSpec, user } from '../../kernel/message.ts';
import { helperName } from '../../kernel/subagent.ts';
import { openDescriber } from './describe.ts';

const read: ToolSpec = { name: 'read', description: 'Reads.', parameters: {} } as unknown as ToolSpec;
const TOOLS: readonly ToolSpec[] = [read];

const base: ModelRequest = {
  session: '0',
  agent: 'desk',
  turn: 1,
  models: ['acme/small'],
  settings: {},
  system: 'You help.',
  messages: [user('hi')],
  fresh: 0,
  folded: [],
  tools: TOOLS,
  choice: 'auto',
  output: { format: 'text' },
  maxRetries: 2,
  timeoutMs: 1000,
} as unknown as ModelRequest;

const model = (request: Partial<ModelRequest> = {}): EffectOf<'model'> => ({
  kind: 'model',
  request: { ...base, ...request },
});

const printOf = (...requests: readonly Partial<ModelRequest>[]): string | undefined => {
  const describer = openDescriber('r1');
  return requests.map((request) => describer.describe(model(request), '0.0').fingerprint).at(-1);
};

test('a fingerprint differs with anything that the model is asked with, and with nothing else', () => {
  const same = printOf({});
  expect(printOf({})).toBe(same);
  expect(printOf({ session: '0.3', turn: 4, maxRetries: 9, timeoutMs: 1 })).toBe(same);
  const others: readonly Partial<ModelRequest>[] = [
    { agent: 'clerk' },
    { models: ['acme/large'] },
    { settings: { temperature: 1 } as ModelRequest['settings'] },
    { system: 'You do not.' },
    { choice: 'required' },
    { output: { format: 'json', schema: {} } as unknown as ModelRequest['output'] },
    { tools: [read, { ...read, name: 'write' }] },
    { callable: ['answer'] },
    { messages: [user('ho')] },
    { messages: [user('hi'), user('hi')] },
    { compacted: { stays: [], from: 1, text: 'so far' } },
  ];
  // The requests share one list of tools: what is remembered of it must not answer for another agent or model.
  for (const other of others) {
    expect([other, printOf(other) === same]).toEqual([other, false]);
    expect([other, printOf({})]).toEqual([other, same]);
  }
  expect(new Set(others.map((other) => printOf(other))).size).toBe(others.length);
});

test('the fingerprint of a turn holds the turns before it, and results that were replaced since', () => {
  const reply: AssistantMessage = { role: 'assistant', text: 'yes', calls: [] };
  const messages = [user('hi'), reply, user('and?')];
  const second = { turn: 2, fresh: 1, messages };
  expect(printOf({}, second)).not.toBe(printOf(second));
  expect(printOf({ messages: [user('ho')] }, second)).not.toBe(printOf({}, second));
  expect(printOf({}, { ...second, folded: [0] })).not.toBe(printOf({}, second));
});

test('a request says what is new in it: the first one all, the next one what changed', () => {
  const describer = openDescriber('r1');
  const opOf = (request: Partial<ModelRequest>) => describer.describe(model(request), '0.0').op;
  const head = { kind: 'model', session: '0', agent: 'desk', models: ['acme/small'] };
  expect(opOf({})).toEqual({ ...head, turn: 1, system: 'You help.', tools: ['read'], added: [user('hi')] });
  const messages = [user('hi'), user('more')];
  expect(opOf({ turn: 2, fresh: 1, messages })).toEqual({ ...head, turn: 2, added: [user('more')] });
  expect(opOf({ turn: 3, fresh: 2, messages, system: 'Now you do not.' })).toEqual({
    ...head,
    turn: 3,
    system: 'Now you do not.',
    added: [],
  });
  expect(opOf({ turn: 4, fresh: 2, messages, system: 'Now you do not.', choice: 'required', folded: [0] })).toEqual({
    ...head,
    turn: 4,
    choice: 'required',
    folded: [0],
    added: [],
  });
  expect(
    opOf({ turn: 5, fresh: 2, messages, system: 'Now you do not.', choice: 'required', callable: ['answer'] }),
  ).toEqual({ ...head, turn: 5, choice: 'required', callable: ['answer'], added: [] });
});

test('the history of a run is named by its length, and not repeated', () => {
  const messages = [user('before'), user('hi')];
  const { op } = openDescriber('r1').describe(model({ history: 1, messages }), '0.0');
  expect(op).toMatchObject({ history: 1, added: [user('hi')], system: 'You help.', tools: ['read'] });
});

test('a message that an op brought is named by that op once, and a request of a person is told', () => {
  const describer = openDescriber('r1');
  const reply: AssistantMessage = { role: 'assistant', text: 'yes', calls: [] };
  const result: ToolMessage = { role: 'tool', call: 'c', name: 'read', result: okResult('x') };
  expect([describer.stored(reply), describer.stored(result)]).toEqual([reply, result]);
  describer.noteOrigin(reply, '0.1');
  describer.noteOrigin(result.result, '0.2');
  expect(describer.stored(reply)).toEqual({ role: 'assistant', op: '0.1' });
  expect(describer.stored(result)).toEqual({ role: 'tool', call: 'c', name: 'read', op: '0.2' });
  expect([describer.stored(reply), describer.stored(result)]).toEqual([reply, result]);
  const asked = user('hi');
  expect(describer.stored(asked)).toBe(asked);
});

test('after a record that differs, and in a session that begins again, a request is told in full', () => {
  const describer = openDescriber('r1');
  const next = () => describer.describe(model({ turn: 2, fresh: 1 }), '0.0');
  const { op } = describer.describe(model(), '0.0');
  const chained = next();
  expect(chained.op).not.toHaveProperty('system');
  describer.forgetStanding({ kind: 'tool' } as unknown as typeof op);
  expect(next().op).not.toHaveProperty('system');
  describer.forgetStanding(op);
  expect(next().op).toMatchObject({ system: 'You help.', tools: ['read'] });
  describer.forget('0');
  expect(describer.describe(model(), '0.0').fingerprint).toBe(printOf({}));
});

test('a call that sums up names its turns alone, and the next turn goes on from the turn before it', () => {
  const compact = { from: 1, to: 3, messages: 6, keep: 2 };
  const describer = openDescriber('r1');
  describer.describe(model(), '0.0');
  const { op } = describer.describe(model({ turn: 3, compact, messages: [user('sum up')] }), '0.1');
  expect(op).toEqual({
    kind: 'model',
    session: '0',
    agent: 'desk',
    turn: 3,
    models: ['acme/small'],
    compact,
    added: [],
  });
  const next = { turn: 2, fresh: 1, messages: [user('hi'), user('and?')] };
  expect(describer.describe(model(next), '0.2').fingerprint).toBe(printOf({}, next));
});

const run = (given: Partial<EffectOf<'run'>>): EffectOf<'run'> =>
  ({ kind: 'run', agent: 'clerk', input: { text: 'do it' }, trigger: { kind: 'call' }, ...given }) as EffectOf<'run'>;

test('a run of another agent has its form, seat and rest where it has them, and names the history of the run', () => {
  const describer = openDescriber('r1');
  const opOf = (given: Partial<EffectOf<'run'>>) => describer.describe(run(given), '0.1').op;
  const plain = { kind: 'run', agent: 'clerk', input: { text: 'do it' }, trigger: { kind: 'call' } };
  expect(opOf({})).toEqual(plain);
  const contract = { format: 'text' } as EffectOf<'run'>['contract'];
  expect(opOf({ contract })).toEqual({ ...plain, contract });
  expect(opOf({ keep: true } as Partial<EffectOf<'run'>>)).toEqual({ ...plain, keep: true });
  const input = { text: 'do it', history: [user('before')] } as unknown as EffectOf<'run'>['input'];
  expect(opOf({ input })).toMatchObject({ input: { text: 'do it', history: 'run' } });
});

test('a helper has the digest of its task, a preview of at most 120 characters, and an id of its own in other logs', () => {
  const describedIn = (id: string, text: string) =>
    openDescriber(id).describe(run({ agent: helperName('clerk'), input: { text } as EffectOf<'run'>['input'] }), '0.4');
  const { op, fingerprint } = describedIn('r1', ` ${'é'.repeat(60)}\n\n${'x'.repeat(59)} `);
  const { trigger } = op as unknown as { trigger: Record<string, string> };
  expect(trigger['correlation_id']).toBe('r1/0.4');
  expect(trigger['task_sha256']).toMatch(/[0-9a-f]{32}/);
  expect(trigger['preview']).toBe(`${'é'.repeat(60)} ${'x'.repeat(59)}`);
  const long = describedIn('r1', 'x'.repeat(121)).op as unknown as { trigger: Record<string, string> };
  expect(long.trigger['preview']).toBe(`${'x'.repeat(120)}…`);
  expect(describedIn('r2', ` ${'é'.repeat(60)}\n\n${'x'.repeat(59)} `).fingerprint).toBe(fingerprint);
});
