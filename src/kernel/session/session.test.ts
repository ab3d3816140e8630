// The session, with its questions answered by hand: no promise, no mock.

import { expect, test } from 'vitest';
import type { Effect, EffectOf, LastResults, Launch, ModelRequest, Parallel, Routine } from '../effect.ts';
import { fault } from '../fault.ts';
import { errorResult, okResult, type ToolCall, type ToolMessage } from '../message.ts';
import type { Outcome } from '../outcome.ts';
import type { OutputContract } from '../schema.ts';
import { openConversation } from './conversation.ts';
import { session } from './session.ts';
import type { SessionInput, SessionSpec } from './session-spec.ts';
import { plainTool, type SessionTool } from './session-tool.ts';

const brief: SessionSpec = {
  agent: 'ann',
  system: 'You are Ann.',
  models: ['m'],
  settings: {},
  output: { format: 'markdown' },
  maxTurns: 4,
  maxToolCallsPerTurn: 2,
  maxRetries: 1,
  modelTimeoutMs: 1000,
};

const services = {
  check: (schema: unknown, value: unknown) =>
    (schema as { required?: string[] }).required?.flatMap((key) =>
      key in Object(value) ? [] : [{ path: `$.${key}`, message: 'is required' }],
    ) ?? [],
  estimate: (text: string) => text.length,
};

const look: SessionTool = plainTool('ann', {
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object', required: ['at'] },
});

function open(over: Partial<SessionSpec> = {}, input: Partial<SessionInput> = {}): Chat {
  const routine = session(
    { ...brief, ...over },
    [look],
    services,
  )({
    self: '0',
    request: { text: 'hello' },
    conversation: openConversation(),
    trigger: { kind: 'start' },
    ...input,
  });
  return new Chat(routine);
}

/** Steps a session: `take`s bring nothing, the rest is answered by the test. */
class Chat {
  private readonly routine: Routine<Outcome>;
  asked: Effect | Parallel | LastResults | Launch | undefined;
  outcome: Outcome | undefined;
  /** The messages that it left to be recorded when it ended. */
  left: readonly ToolMessage[] = [];

  constructor(routine: Routine<Outcome>) {
    this.routine = routine;
    this.step(undefined);
  }

  step(answer: unknown): void {
    let next = this.routine.next(answer);
    while (next.done !== true && (next.value.kind === 'take' || next.value.kind === 'last-results')) {
      if (next.value.kind === 'last-results') this.left = next.value.messages;
      next = this.routine.next({ ok: true, value: { messages: [] } });
    }
    this.asked = next.done === true ? undefined : next.value;
    this.outcome = next.done === true ? next.value : undefined;
  }

  get request(): ModelRequest {
    if (this.asked?.kind !== 'model') throw new Error(`asked for ${this.asked?.kind}`);
    return this.asked.request;
  }

  reply(text: string, ...calls: readonly (readonly [string, unknown])[]): void {
    const message = {
      role: 'assistant',
      text,
      calls: calls.map(([name, args], index): ToolCall => ({ id: `c${index}`, name, arguments: args })),
    };
    this.step({ ok: true, value: { message, spent: { model: 'm' } } });
  }

  result(text: string): void {
    this.step({ ok: true, value: okResult(text) });
  }

  get results(): readonly string[] {
    return this.request.messages.flatMap((message) => (message.role === 'tool' ? message.result.text : []));
  }
}

test('a plain result goes into the next request as the very object that its op brought, so its text is recorded once', () => {
  const chat = open();
  chat.reply('', ['look', { at: 'x' }]);
  const brought = okResult('a long text');
  chat.step({ ok: true, value: brought });
  const told = (chat.asked as { readonly request: ModelRequest }).request.messages.at(-1) as ToolMessage;
  expect(told.result).toBe(brought);
});

test('plain text without calls is the final answer where the format is not JSON', () => {
  const chat = open();
  expect(chat.request.messages).toEqual([{ role: 'user', text: 'hello' }]);
  chat.reply('hi');
  expect(chat.outcome).toEqual({ kind: 'answered', agent: 'ann', text: 'hi' });
});

test('calls of one reply are asked for at the same time, and their results follow in the order of the calls', () => {
  const chat = open();
  chat.reply('', ['look', { at: 'a' }], ['look', { at: 'b' }]);
  const parallel = chat.asked as Parallel;
  expect(parallel.kind).toBe('parallel');
  expect(parallel.branches).toHaveLength(2);
  chat.step([okResult('A'), okResult('B')]);
  expect(chat.results).toEqual(['A', 'B']);
});

test('a call beyond the limit, an unknown tool and wrong arguments get a result that says what would be right', () => {
  const chat = open();
  chat.reply('', ['lok', {}], ['look', {}], ['look', { at: 'c' }]);
  expect((chat.asked as Parallel).branches).toHaveLength(2); // the third is not run
  chat.step([...(chat.asked as Parallel).branches].map((branch) => branch().next().value));
  expect(chat.results[0]).toBe('There is no tool named lok. The tools you have: look, final_report.');
  expect(chat.results[1]).toBe('The arguments of look do not satisfy its schema:\n- $.at is required');
  expect(chat.results[2]).toBe(
    'Not run: a reply may make at most 2 tool calls. Make the remaining ones in your next turn.',
  );
});

test('arguments that are not JSON get an error result', () => {
  const chat = open();
  chat.step({
    ok: true,
    value: {
      message: {
        role: 'assistant',
        text: '',
        calls: [{ id: 'x', name: 'look', arguments: null, malformed: '{"at": ' }],
      },
      spent: { model: 'm' },
    },
  });
  expect(chat.results[0]).toMatch(/^The arguments of look are not valid JSON/);
});

test('two exits in a reply are both refused, and work beside them is done', () => {
  const chat = open();
  chat.reply('', ['final_report', { content: 'x' }], ['look', { at: 'a' }], ['final_report', { content: 'y' }]);
  expect(chat.asked).toMatchObject({ kind: 'tool', call: { name: 'look' } });
  chat.result('A');
  expect(chat.results[0]).toMatch(/^A reply may end your work only once/);
  expect(chat.results[1]).toBe('A');
  expect(chat.results[2]).toBe(chat.results[0]);
});

test('other calls beside an exit run first, then the exit holds', () => {
  const chat = open();
  chat.reply('', ['final_report', { content: 'done' }], ['look', { at: 'a' }]);
  expect(chat.asked).toMatchObject({ kind: 'tool' });
  chat.result('A');
  expect(chat.outcome).toMatchObject({ kind: 'answered', text: 'done' });
});

test('results that no request will tell are left behind, if one is an error', () => {
  const chat = open();
  chat.reply('', ['nosuch', {}], ['final_report', { content: 'done' }]);
  expect(chat.outcome).toMatchObject({ kind: 'answered' });
  expect(chat.left.map(({ call, result }) => [call, result.status])).toEqual([
    ['c0', 'error'],
    ['c1', 'ok'],
  ]);
  const quiet = open();
  quiet.reply('', ['final_report', { content: 'done' }]);
  expect(quiet.left).toEqual([]);
});

test('on its last turn it gets a notice and is offered only its exits', () => {
  const chat = open({ maxTurns: 1 });
  expect(chat.request.tools.map(({ name }) => name)).toEqual(['final_report']);
  expect(chat.request.messages.at(-1)).toMatchObject({
    role: 'user',
    text: expect.stringMatching(/^This is your last turn\./),
  });
  chat.reply('thinking', ['look', { at: 'a' }]);
  expect(chat.outcome).toMatchObject({ kind: 'exhausted', partial: 'thinking', fault: { code: 'turns/exhausted' } });
});

const json: OutputContract = { format: 'json', schema: { type: 'object', properties: {}, required: ['amount'] } };

test('the arguments of final_report are the answer itself for an object schema, with repair turns', () => {
  const chat = open({ output: json });
  expect(chat.request.tools.at(-1)).toMatchObject({ name: 'final_report', parameters: json.schema });
  chat.reply('', ['final_report', {}]);
  expect(chat.results[0]).toContain('- $.amount is required');
  chat.reply('', ['final_report', { amount: 3 }]);
  expect(chat.outcome).toEqual({ kind: 'answered', agent: 'ann', text: '{"amount":3}', data: { amount: 3 } });
});

test('an agent that answers with JSON must call a tool on its last turn, and only then', () => {
  const chat = open({ output: json, maxTurns: 2 });
  expect(chat.request.choice).toBe('auto');
  chat.reply('', ['final_report', {}]);
  expect(chat.request).toMatchObject({ turn: 2, choice: 'required' });
  expect(open({ maxTurns: 1 }).request.choice).toBe('auto'); // plain text is an answer there
});

test('plain text does not count where JSON is wanted, unless it is that JSON', () => {
  const chat = open({ output: json });
  chat.reply('three');
  expect(chat.request.messages.at(-1)).toMatchObject({ text: expect.stringContaining('by calling final_report') });
  chat.reply('{"amount": 3}');
  expect(chat.outcome).toMatchObject({ kind: 'answered', data: { amount: 3 } });
});

test('turns spent on answers of the wrong form are exhausted, with every violation', () => {
  const chat = open({ output: json, maxTurns: 2 });
  chat.reply('', ['final_report', {}]);
  chat.reply('', ['final_report', {}]);
  expect(chat.outcome).toMatchObject({
    kind: 'exhausted',
    fault: { details: { violations: [{ path: '$.amount', message: 'is required' }] } },
  });
});

test('an empty final report is refused', () => {
  const chat = open();
  chat.reply('', ['final_report', { content: '  ' }]);
  expect(chat.results[0]).toContain('must not be empty');
});

test('a model that fails ends the session with the outcome that its fault leads to', () => {
  const chat = open();
  chat.step({ ok: false, fault: fault('budget/exceeded', 'enough') });
  expect(chat.outcome).toMatchObject({ kind: 'over-budget', fault: { message: 'enough' } });
});

test('the mail of the inbox goes into one message before the turn, and a stop makes the turn its last', () => {
  const routine = session(
    brief,
    [],
    services,
  )({
    self: '0',
    request: { text: 'hello' },
    conversation: openConversation(),
    trigger: { kind: 'start' },
  });
  expect(routine.next().value).toEqual({ kind: 'take', inbox: { session: '0' } });
  const mail = {
    messages: [
      { role: 'user', text: 'one' },
      { role: 'user', text: 'two' },
    ],
    stop: 'enough',
  };
  const asked = routine.next({ ok: true, value: mail }).value as EffectOf<'model'>;
  expect(asked.request.messages.map((message) => ('text' in message ? message.text : ''))).toEqual([
    'hello',
    'one\n\ntwo',
    expect.stringMatching(/^You have been asked to stop/),
  ]);
});

test('when the window fills, the oldest results with a handle are replaced, and the size is said', () => {
  const chat = open({ contextWindow: 3000, settings: { maxOutputTokens: 200 } });
  for (const letter of ['a', 'b']) {
    chat.reply('', ['look', { at: letter }]);
    chat.step({ ok: true, value: { status: 'ok', text: letter.repeat(1300), handle: `0.${letter}` } });
  }
  const [first, second] = chat.results;
  expect(first).toMatch(/^\[The result of look, 1300 bytes, was moved out .*"handle": "0\.a"/);
  expect(second).toBe('b'.repeat(1300));
  expect(chat.request.folded).toEqual([2]);
  chat.reply('', ['look', { at: 'c' }]);
  chat.step({ ok: true, value: { status: 'ok', text: 'short' } });
  expect(chat.request.folded).toEqual([]); // it was told once
});

test('an answer in text that does not satisfy the contract is told back with what is missing', () => {
  const chat = open({ output: json });
  chat.reply('{"other": 1}');
  const told = chat.request.messages.at(-1);
  expect(told).toMatchObject({ role: 'user', text: expect.stringContaining('$.amount is required') });
  chat.reply('{"amount": 2}');
  expect(chat.outcome).toMatchObject({ kind: 'answered', data: { amount: 2 } });
});

test('a tool that needs approval waits for it first, and the model learns of a no', () => {
  const careful = plainTool('ann', look.spec, 'arguments');
  const routine = careful.run({ id: 'x', name: 'look', arguments: { at: 'a' } }, openConversation());
  expect(routine.next().value).toMatchObject({ kind: 'approval', prompt: 'ann wants to call look' });
  const end = routine.next({ ok: true, value: { approved: false, note: 'not today' } });
  expect(end).toEqual({ done: true, value: errorResult('The call of look was not approved: not today') });
});

const spec = (name: string) => ({ name, description: `${name}.`, parameters: { type: 'object' } });

test('tools that a take brings are offered from that turn on, and those that it leaves out are not', () => {
  const routine = session(
    brief,
    [
      look,
      {
        spec: spec('agent__bob'),
        *run() {
          return okResult('bob');
        },
      },
    ],
    services,
  )({ self: '0', request: { text: 'hello' }, conversation: openConversation(), trigger: { kind: 'start' } });
  const offers = (mail: object): readonly string[] => {
    const asked = routine.next({ ok: true, value: { messages: [], ...mail } }).value as Effect;
    if (asked.kind !== 'model') throw new Error(`asked for ${asked.kind}`);
    return asked.request.tools.map(({ name }) => name);
  };
  const reply = (name: string): Effect => {
    const message = { role: 'assistant', text: '', calls: [{ id: 'c', name, arguments: {} }] };
    return routine.next({ ok: true, value: { message, spent: { model: 'm' } } }).value as Effect;
  };
  expect((routine.next().value as Effect).kind).toBe('take');
  expect(offers({})).toEqual(['look', 'agent__bob', 'final_report']);
  expect(reply('agent__bob').kind).toBe('take');
  const tools = { tools: [spec('hear'), spec('send')], approve: ['send'] };
  expect(offers({ tools })).toEqual(['hear', 'send', 'agent__bob', 'final_report']);
  expect(reply('send')).toMatchObject({ kind: 'approval' });
  expect((routine.next({ ok: true, value: { approved: true } }).value as Effect).kind).toBe('tool');
  expect((routine.next({ ok: true, value: okResult('sent') }).value as Effect).kind).toBe('take');
  expect(offers({})).toEqual(['hear', 'send', 'agent__bob', 'final_report']);
  expect(reply('look').kind).toBe('take'); // it is not offered any more: an error result, and no call
});

test('a session that is asked again is offered what it was offered last', () => {
  const conversation = openConversation();
  const run = session(brief, [look], services);
  const ask = () => run({ self: '0', request: { text: 'hello' }, conversation, trigger: { kind: 'call' } });
  const first = ask();
  first.next();
  first.next({ ok: true, value: { messages: [], tools: { tools: [spec('hear')], approve: [] } } });
  const again = ask();
  again.next();
  const asked = again.next({ ok: true, value: { messages: [] } }).value as Effect;
  expect(asked.kind === 'model' && asked.request.tools.map(({ name }) => name)).toEqual(['hear', 'final_report']);
});
