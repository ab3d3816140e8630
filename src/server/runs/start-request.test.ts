// A request for a run becomes the run's request: its input, its form, and its place in a conversation.

import { beforeEach, expect, test } from 'vitest';
import { wholeRun, write } from '../../journal/store.conformance.ts';
import type { RunStore } from '../../journal/store.ts';
import { faultOf } from '../../kernel/fault.ts';
import { memoryStore } from '../../stores/memory.ts';
import { type Caller, OWNER } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import { startFor } from './start-request.ts';

const RUNNER: Caller = { name: 'runner', may: new Set(['run']) };

let store: RunStore;
let context: ServerContext;
let started: Record<string, unknown>[];
beforeEach(async () => {
  store = memoryStore({ now: () => 5000 });
  started = [];
  const agents = ['desk', 'clerk'].map((name) => ({
    name,
    agent: { name, input: { format: 'any' }, patterns: [] },
    served: { prefix: '' },
    host: { definition: { agents: new Map() } },
  }));
  context = {
    store,
    cadres: {
      ofFolder: () => ({ prefix: '' }),
      agentFor: (name: string) => agents.find((one) => one.name === name),
    },
    engine: { isAtWork: () => false },
    activity: {},
    now: () => 1_760_000_000_000,
    runs: {
      start: async ({ name }: { readonly name: string }, request: object) => {
        started.push({ agent: name, ...request });
        return { run: 'r9', state: 'running' };
      },
    },
  } as unknown as ServerContext;
  const [first, ...others] = wholeRun('r1', 'Where is it?', 'desk');
  await write(store, 'r1', [{ ...first, thread: 't1' } as never, ...others]);
});

const start = async (asked: object, caller: Caller = OWNER): Promise<unknown> => {
  try {
    return await startFor({ agent: 'desk', input: 'And now?', ...asked } as never, caller, context);
  } catch (thrown) {
    const { code, message } = faultOf(thrown);
    return `${code}: ${message}`;
  }
};

test('a request without a conversation is the input alone', async () => {
  expect(await start({})).toEqual({ run: 'r9', state: 'running' });
  expect(started).toEqual([{ agent: 'desk', input: { text: 'And now?' } }]);
});

test('the form of the answer, a history and a label go with it', async () => {
  const history = [{ role: 'user', text: 'before' }];
  const output = { format: 'json', schema: { type: 'object' } };
  await start({ output, history, label: 'one' });
  expect(started[0]).toEqual({
    agent: 'desk',
    input: { text: 'And now?', history },
    contract: output,
    label: 'one',
  });
  expect(await start({ output: { format: 'text', schema: {} } })).toContain('output.schema goes with the format json');
  expect(await start({ output: { format: 'json', schema: { type: 'nonsense' } } })).toContain(
    'not a valid JSON Schema',
  );
});

test('a message of a conversation follows its newest run, with what was said', async () => {
  expect(await start({ thread: 't1' })).toEqual({ run: 'r9', state: 'running', thread: 't1' });
  expect(started[0]).toMatchObject({
    thread: 't1',
    continues: 'r1',
    input: {
      history: [
        { role: 'user', text: 'Where is it?' },
        { role: 'assistant', text: 'hi' },
      ],
    },
  });
  await start({ thread: 't1', history: [{ role: 'user', text: 'mine' }] });
  expect(started[1]).toMatchObject({ input: { history: [{ role: 'user', text: 'mine' }] } });
  await start({ thread: 't1', continues: null });
  expect(started[2]).not.toHaveProperty('continues');
  expect(started[2]?.['input']).toEqual({ text: 'And now?' });
  await start({ thread: 't1', continues: 'r1' });
  expect(started[3]).toMatchObject({ continues: 'r1' });
});

test('a new conversation begins empty, or after a run', async () => {
  await start({ thread: 'new' });
  expect(started[0]).toMatchObject({ thread: expect.stringMatching(/^t2\d{7}-/), input: { text: 'And now?' } });
  expect(started[0]?.['input']).not.toHaveProperty('history');
  await start({ thread: 'new', continues: 'r1' });
  expect(started[1]).toMatchObject({ input: { history: [{ text: 'Where is it?' }, { text: 'hi' }] } });
});

test('a place that there is not, or that the caller may not see, is refused', async () => {
  expect(await start({ continues: 'r1' })).toContain('it needs the id of the thread');
  expect(await start({ thread: 'nobody' })).toContain('thread/unknown');
  expect(await start({ thread: 't1', continues: 'r7' })).toContain('is not of thread t1');
  expect(await start({ thread: 't1', agent: 'clerk' })).toContain('thread/other-agent');
  expect(await start({ thread: 'new', continues: 'r1', agent: 'clerk' })).toContain('thread/other-agent');
  for (const asked of [{ thread: 't1' }, { thread: 'new', continues: 'r1' }])
    expect(await start(asked, RUNNER)).toContain('request/forbidden');
  expect(await start({ thread: 'new' }, RUNNER)).toMatchObject({ run: 'r9' });
  expect(started).toHaveLength(1);
});

test('a run that is at work has no answer to go on from', async () => {
  const lease = await store.claim('r2', 0);
  const [first] = wholeRun('r2', 'Still?', 'desk');
  await lease.append([{ ...first, thread: 't2' } as never]);
  expect(await start({ thread: 't2', continues: 'r2' })).toContain('Run r2 is at work');
  expect(await start({ thread: 'new', continues: 'r2' })).toContain('Run r2 is at work');
  expect(started).toEqual([]);
  await lease.release();
});
