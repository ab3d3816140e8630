// The contract of every model provider, as tests: registered on each implementation by calling `describeProvider`. The
// provider under test is prepared to give the answers of PREPARED.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Message, ToolSpec } from '../kernel/message.ts';
import { user } from '../kernel/message.ts';
import type { ModelEvent, ModelProvider, ProviderRequest } from './provider.ts';

/** The answers of the provider under test, by user message. */
export const PREPARED = {
  greet: { input: 'Greet me.', text: 'Hello from the model, and good morning.' },
  look: {
    input: 'Look around.',
    call: { name: 'list_files', arguments: { path: '.' } },
    afterwards: 'There is one file: a.txt.',
  },
  both: {
    input: 'Look at both.',
    calls: [
      { name: 'list_files', arguments: { path: 'shelf' } },
      { name: 'read_file', arguments: { path: 'shelf/a.txt' } },
    ],
  },
  /** Nothing comes until the call is aborted. */
  wait: { input: 'Wait for me.' },
} as const;

export interface Opened {
  readonly provider: ModelProvider;
  readonly model: string;
  close?(): Promise<void>;
}

export const TOOLS: readonly ToolSpec[] = ['list_files', 'read_file'].map((name) => ({
  name,
  description: `${name.replace('_', ' ')} of the folder`,
  parameters: {
    type: 'object',
    properties: { path: { type: 'string' } },
    required: ['path'],
    additionalProperties: false,
  },
}));

export function sampleRequest(over: Partial<ProviderRequest> = {}): ProviderRequest {
  return {
    model: 'sample',
    session: '0',
    agent: 'librarian',
    turn: 1 + (over.messages?.filter(({ role }) => role === 'assistant').length ?? 0),
    settings: {},
    system: 'You are a librarian.',
    messages: [user('Hello?')],
    tools: TOOLS,
    choice: 'auto',
    output: { format: 'markdown' },
    ...over,
  };
}

export async function collectEvents(
  provider: ModelProvider,
  request: ProviderRequest,
  signal = new AbortController().signal,
): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of provider.stream(request, { signal })) events.push(event);
  return events;
}

const endOf = (events: readonly ModelEvent[]): Extract<ModelEvent, { type: 'reply-end' }> => {
  const last = events.at(-1);
  if (last?.type !== 'reply-end') throw new Error(`no reply-end: ${JSON.stringify(last)}`);
  return last;
};

const isTerminal = ({ type }: ModelEvent): boolean => type === 'reply-end' || type === 'reply-fault';

export function describeProvider(name: string, open: () => Promise<Opened>): void {
  describe(`${name} as a model provider`, () => {
    let opened: Opened;
    const ask = (text: string, over: Partial<ProviderRequest> = {}) =>
      collectEvents(opened.provider, sampleRequest({ model: opened.model, messages: [user(text)], ...over }));

    beforeAll(async () => {
      opened = await open();
    });
    afterAll(async () => {
      await opened.provider.close?.();
      await opened.close?.();
    });

    test('a text reply arrives in pieces and ends with the whole message', async () => {
      const events = await ask(PREPARED.greet.input);
      const pieces = events.flatMap((event) => (event.type === 'text-delta' ? event.text : []));
      expect(pieces.length).toBeGreaterThan(1);
      expect(pieces.join('')).toBe(PREPARED.greet.text);
      expect(endOf(events)).toMatchObject({
        finish: 'stop',
        message: { role: 'assistant', text: PREPARED.greet.text, calls: [] },
      });
    });

    test('the last event is the only terminal one', async () => {
      for (const { input } of [PREPARED.greet, PREPARED.look, PREPARED.both]) {
        const events = await ask(input);
        expect(events.filter(isTerminal)).toHaveLength(1);
        expect(events.at(-1)).toSatisfy(isTerminal);
      }
    });

    test('the reply says what it used', async () => {
      const { usage } = endOf(await ask(PREPARED.greet.input));
      expect(usage?.input).toBeGreaterThan(0);
      expect(usage?.output).toBeGreaterThan(0);
    });

    test('a tool call comes with its name, its parsed arguments and an id', async () => {
      const end = endOf(await ask(PREPARED.look.input));
      expect(end.finish).toBe('tool-calls');
      expect(end.message.calls).toEqual([{ ...PREPARED.look.call, id: expect.stringMatching(/./) }]);
    });

    test('calls of one reply keep their order and have ids of their own', async () => {
      const { calls } = endOf(await ask(PREPARED.both.input)).message;
      expect(calls.map(({ name: tool, arguments: given }) => ({ name: tool, arguments: given }))).toEqual(
        PREPARED.both.calls,
      );
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    });

    test('a conversation goes on after the results of its tools', async () => {
      const before: Message[] = [user(PREPARED.look.input)];
      const { message } = endOf(await ask('', { messages: before }));
      const results = message.calls.map(
        (call): Message => ({ role: 'tool', call: call.id, name: call.name, result: { status: 'ok', text: 'a.txt' } }),
      );
      const end = endOf(await ask('', { messages: [...before, message, ...results] }));
      expect(end.message.text).toBe(PREPARED.look.afterwards);
    });

    test('calls at the same time do not mix', async () => {
      const inputs = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? PREPARED.greet : PREPARED.look));
      const ends = (await Promise.all(inputs.map(({ input }) => ask(input)))).map(endOf);
      expect(ends.map(({ finish }) => finish)).toEqual(inputs.map((_, index) => (index % 2 ? 'tool-calls' : 'stop')));
    });

    test('an abort ends a call that waits, with a cancelled fault', async () => {
      const controller = new AbortController();
      const request = sampleRequest({ model: opened.model, messages: [user(PREPARED.wait.input)] });
      const going = collectEvents(opened.provider, request, controller.signal);
      setImmediate(() => controller.abort());
      const events = await going;
      expect(events.at(-1)).toMatchObject({ type: 'reply-fault', fault: { code: 'cancelled' } });
      expect(events.filter(isTerminal)).toHaveLength(1);
    });
  });
}
