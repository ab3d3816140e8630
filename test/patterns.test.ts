// Each pattern through the engine: the exact texts, the tags, and what happens when something fails.

import { expect, test } from 'vitest';
import { replay } from '../src/engine/history/replay.ts';
import type { RunEvent } from '../src/journal/event.ts';
import type { ModelRequest } from '../src/kernel/effect.ts';
import { services } from '../src/run/services.ts';
import { ledger } from '../src/views/costs/ledger.ts';
import { type OpNode, opTree } from '../src/views/tree/op-tree.ts';
import {
  type AgentSketch,
  type Bench,
  bench,
  brokenOff,
  cadre,
  call,
  finish,
  lastText,
  type Model,
} from './support/cadre.ts';

const input = (request: ModelRequest): string => (request.messages[0] as { text: string }).text;
const ORDER = {
  type: 'object',
  properties: { amount: { type: 'number' }, reason: { type: 'string' } },
  required: ['amount'],
};

async function play(sketches: readonly AgentSketch[], model: Model, text = 'hello') {
  const heard = new Map<string, string>();
  const of = cadre(...sketches);
  const b: Bench = bench(of, (request, signal) => {
    if (request.turn === 1) heard.set(request.agent, input(request));
    return model(request, signal);
  });
  const done = await finish(b, { agent: sketches[0]?.name ?? '', input: { text } });
  expect(ledger(done.events).lines).toHaveLength(b.calls.length);
  expect(await replay(done.events, of, services)).toMatchObject({ kind: 'identical' });
  return { ...done, heard, b, of };
}

const find = (node: OpNode, agent: string): OpNode | undefined =>
  node.kind === 'run' && node.agent === agent ? node : node.children.map((child) => find(child, agent)).find(Boolean);

const next = (to: string, more: object = {}): NonNullable<AgentSketch['chain']> => ({
  trigger: 'next',
  stages: [{ to, ...more }],
  pass: 'answer',
});

test('next runs the stages in order, gives each the body before it, and tags every hop', async () => {
  const { outcome, heard, events } = await play(
    [{ name: 'a', chain: next('b') }, { name: 'b', chain: next('c') }, { name: 'c' }],
    ({ agent }) => `answer of ${agent}`,
  );
  expect(outcome).toMatchObject({
    kind: 'answered',
    agent: 'c',
    text: 'answer of c',
    chainedStages: ['agent__a', 'agent__b', 'agent__c'],
  });
  expect(heard.get('c')).toBe('answer of b');
  const tree = opTree(events);
  expect(find(tree, 'b')).toMatchObject({ chainTrigger: 'next', chainParent: 'agent__a', chainStageIndex: 0 });
  expect(find(tree, 'c')).toMatchObject({ chainTrigger: 'next', chainParent: 'agent__b', chainStageIndex: 1 });
});

test('a downstream that takes JSON has the upstream answer in its schema, repairs included, with the fixed reason added', async () => {
  const { outcome, heard } = await play(
    [
      { name: 'a', chain: next('b') },
      { name: 'b', input: { format: 'json', schema: ORDER } },
    ],
    ({ agent, turn }) =>
      agent === 'b' ? 'taken' : call('final_report', turn === 1 ? { amount: 'much' } : { amount: 7 }),
  );
  expect(outcome).toMatchObject({ kind: 'answered', text: 'taken' });
  expect(JSON.parse(heard.get('b') ?? '')).toEqual({ amount: 7, reason: 'Chained execution from agent__a' });
});

test('an upstream answers in the format that its downstream takes, and in its own where that takes whatever comes', async () => {
  const asked = async (input: AgentSketch['input'], output?: AgentSketch['output']) => {
    let report = '';
    const { heard, outcome } = await play(
      [
        { name: 'a', chain: next('b'), ...(output && { output, outputDeclared: true }) },
        { name: 'b', ...(input && { input }), chain: next('c') },
        { name: 'c', input: { format: 'markdown' } },
      ],
      ({ agent, tools, output: wanted }) => {
        if (agent === 'a') report = tools.find(({ name }) => name === 'final_report')?.description ?? '';
        return wanted.format === 'json' ? call('final_report', { amount: 3 }) : `# ${agent}`;
      },
    );
    expect(outcome).toMatchObject({ kind: 'answered', text: '# c' });
    return { report, heard: heard.get('b') };
  };
  const plain = { format: 'text' } as const;
  const order = { format: 'json', schema: ORDER } as const;
  expect((await asked(undefined)).report).toContain('as Markdown');
  expect((await asked(undefined, plain)).report).toContain('as plain text');
  expect((await asked(plain)).report).toContain('as plain text');
  expect((await asked({ format: 'markdown' }, plain)).report).toContain('as Markdown');
  expect(await asked(undefined, order)).toMatchObject({ heard: '{"amount":3}' });
  expect(await asked(plain, order)).toMatchObject({ heard: '# a' });
});

test('an upstream that never gives what the downstream takes fails at the seam, with every violation', async () => {
  const { outcome, heard } = await play(
    [
      { name: 'a', chain: next('b'), maxTurns: 2 },
      { name: 'b', input: { format: 'json', schema: ORDER } },
    ],
    () => call('final_report', { amount: 'much' }),
  );
  expect(outcome).toMatchObject({
    kind: 'failed',
    fault: {
      code: 'invalid_chain_payload',
      stage: 'a',
      details: { downstream: 'b', violations: [{ path: '$.amount' }] },
    },
  });
  expect(heard.has('b')).toBe(false);
});

test('a failed upstream stops the chain and names the stage; else takes the place of a stage that did not answer', async () => {
  const broken = await play(
    [{ name: 'a', chain: next('b') }, { name: 'b', chain: next('c') }, { name: 'c' }],
    ({ agent }) => (agent === 'b' ? { fault: 'model/server' } : 'ok'),
  );
  expect(broken.outcome).toMatchObject({ kind: 'failed', fault: { stage: 'b' } });
  expect(broken.heard.has('c')).toBe(false);
  const saved = await play(
    [{ name: 'a', chain: next('b', { else: 'd' }) }, { name: 'b' }, { name: 'd' }],
    ({ agent }) => (agent === 'b' ? { fault: 'model/server' } : `from ${agent}`),
  );
  expect(saved.outcome).toMatchObject({ kind: 'answered', text: 'from d', chainedStages: ['agent__a', 'agent__d'] });
  expect(saved.heard.get('d')).toBe('from a');
});

test('stop-after ends the run after that stage and says so', async () => {
  const of = cadre(
    { name: 'a', chain: { trigger: 'next', stages: [{ to: 'b' }, { to: 'c' }], pass: 'answer' } },
    { name: 'b' },
    { name: 'c' },
  );
  const b = bench(of, ({ agent }) => `from ${agent}`);
  const { outcome } = await finish(b, { agent: 'a', input: { text: 'x' }, stopAfter: 'b' });
  expect(outcome).toMatchObject({ kind: 'answered', text: 'from b', stoppedAfter: 'b' });
  expect(b.calls).toHaveLength(2);
});

test('chained stages name the agent that was asked first, and each one that a destination led through', async () => {
  const sketches = [
    { name: 'gate', router: { destinations: ['b'] }, chain: next('end') },
    { name: 'b', chain: next('c') },
    { name: 'c' },
    { name: 'end' },
  ];
  const reply: Model = ({ agent }) => (agent === 'gate' ? call('handoff-to', { agent: 'b' }) : agent);
  const asked = await play(sketches.slice(1), reply);
  expect(asked.outcome).toMatchObject({ chainedStages: ['agent__b', 'agent__c'] });
  const gated = await play(sketches, reply);
  expect(gated.outcome).toMatchObject({ chainedStages: ['agent__gate', 'agent__b', 'agent__c', 'agent__end'] });
  const alone = await play([{ name: 'c' }], reply);
  expect(alone.outcome).not.toHaveProperty('chainedStages');
});

test('handoff with request+answer gives the original request once, however many hops there are', async () => {
  const handoff = (to: string): NonNullable<AgentSketch['chain']> => ({
    trigger: 'handoff',
    stages: [{ to }],
    pass: 'request+answer',
  });
  const { heard } = await play(
    [{ name: 'a', chain: handoff('b') }, { name: 'b', chain: handoff('c') }, { name: 'c' }],
    ({ agent }) => `answer of ${agent}`,
    'the request',
  );
  expect(heard.get('c')).toBe('## ORIGINAL USER REQUEST\n\nthe request\n\n## ANSWER FROM AGENT `b`\n\nanswer of b');
});

const desk: AgentSketch = { name: 'desk', router: { destinations: ['legal', 'billing'] } };
const offices: readonly AgentSketch[] = [{ name: 'legal' }, { name: 'billing' }];

test('a router passes the request on in the exact form, with its message and without one', async () => {
  const withNote = await play([desk, ...offices], ({ agent }) =>
    agent === 'desk' ? call('handoff-to', { agent: 'legal', message: 'urgent' }) : 'done',
  );
  expect(withNote.heard.get('legal')).toBe(
    '## ORIGINAL USER REQUEST\n\nhello\n\n## MESSAGE FROM AGENT `desk` WHO ROUTED THIS REQUEST TO YOU\n\nurgent',
  );
  expect(withNote.outcome).toMatchObject({ kind: 'answered', agent: 'legal' });
  const bare = await play([desk, ...offices], ({ agent }) =>
    agent === 'desk' ? call('handoff-to', { agent: 'legal' }) : 'done',
  );
  expect(bare.heard.get('legal')).toBe('## ORIGINAL USER REQUEST\n\nhello');
});

test('a wrong destination is an error result and the router may choose again; it may also answer itself', async () => {
  const { outcome, heard } = await play([desk, ...offices], ({ agent, turn }) => {
    if (agent !== 'desk') return 'done';
    return call('handoff-to', { agent: turn === 1 ? 'lega' : 'billing' });
  });
  expect(outcome).toMatchObject({ agent: 'billing' });
  expect(heard.has('legal')).toBe(false);
  const own = await play([desk, ...offices], () => call('final_report', { content: 'no need' }));
  expect(own.outcome).toMatchObject({ kind: 'answered', agent: 'desk', text: 'no need' });
});

test('a destination that takes JSON gets exactly the JSON that the router wrote for it, once that is right', async () => {
  const order = { format: 'json', schema: ORDER } as const;
  const said: string[] = [];
  let offered: unknown;
  const { outcome, heard, events } = await play(
    [
      {
        name: 'r',
        router: { destinations: ['orders', 'talk'] },
        advisors: { agents: ['law'], policy: { kind: 'isolate' } },
      },
      { name: 'orders', input: order, usage: 'The amount.' },
      { name: 'talk' },
      { name: 'law' },
    ],
    (request) => {
      if (request.agent !== 'r') return 'done';
      if (request.turn === 1) offered = request.tools.find(({ name }) => name === 'handoff-to')?.parameters;
      else said.push(lastText(request));
      const tries: object[] = [
        { agent: 'orders' },
        { agent: 'orders', input: { amount: 'much' } },
        { agent: 'talk', input: { amount: 7 } },
        { agent: 'nobody' },
        { agent: 'orders', input: { amount: 7 }, message: 'a refund' },
      ];
      return call('handoff-to', tries[request.turn - 1]);
    },
    'Please refund 7.',
  );
  expect(outcome).toMatchObject({ kind: 'answered', agent: 'orders' });
  const wrong = 'The arguments of handoff-to do not satisfy its schema:\n- ';
  expect(said).toEqual([
    `${wrong}$.input is required: orders takes JSON`,
    `${wrong}$.input.amount must be number`,
    `${wrong}$.input is not read by talk, which gets the request: leave it out, and say the rest in message`,
    `${wrong}$.agent must be one of "orders", "talk"`,
  ]);
  expect(offered).toMatchObject({
    properties: { input: { ...ORDER, description: 'Required for orders, which gets exactly this. The amount.' } },
    required: ['agent'],
  });
  expect(heard.get('orders')).toBe('{"amount":7}');
  const hop = events.find(
    (event) => event.type === 'op-start' && event.op.kind === 'run' && event.op.agent === 'orders',
  );
  expect(hop).toMatchObject({
    op: { input: { text: '{"amount":7}', data: { amount: 7 }, reason: 'a refund', origin: 'Please refund 7.' } },
  });
});

test('several destinations that take JSON are each held to their own schema', async () => {
  const shared = {
    $defs: { n: { type: 'number' } },
    type: 'object',
    properties: { n: { $ref: '#/$defs/n' } },
    required: ['n'],
  };
  let offered: unknown;
  const said: string[] = [];
  const { heard } = await play(
    [
      { name: 'r', router: { destinations: ['orders', 'counts'] } },
      { name: 'orders', input: { format: 'json', schema: ORDER } },
      { name: 'counts', input: { format: 'json', schema: shared } },
    ],
    (request) => {
      if (request.agent !== 'r') return 'done';
      if (request.turn === 1) offered = request.tools.find(({ name }) => name === 'handoff-to')?.parameters;
      else said.push(lastText(request));
      return call('handoff-to', { agent: 'counts', input: request.turn === 1 ? { amount: 7 } : { n: 7 } });
    },
  );
  expect(said).toEqual([
    'The arguments of handoff-to do not satisfy its schema:\n- $.input must have the property "n"',
  ]);
  expect(heard.get('counts')).toBe('{"n":7}');
  expect(offered).toMatchObject({
    properties: { input: { anyOf: [ORDER, { properties: { n: { $ref: '#/properties/input/anyOf/1/$defs/n' } } }] } },
  });
  expect(services.check(offered as object as Record<string, unknown>, { agent: 'counts', input: { n: 7 } })).toEqual(
    [],
  );
});

test('a router that chooses nobody is exhausted, never a guess', async () => {
  const { outcome } = await play([{ ...desk, maxTurns: 2 }, ...offices], () => call('handoff-to', { agent: 'nobody' }));
  expect(outcome).toMatchObject({ kind: 'exhausted', agent: 'desk' });
});

test('the analysis of the router’s advisors goes along', async () => {
  const { heard } = await play(
    [{ ...desk, advisors: { agents: ['risk'], policy: { kind: 'isolate' } } }, ...offices, { name: 'risk' }],
    ({ agent }) => (agent === 'desk' ? call('handoff-to', { agent: 'legal' }) : agent === 'risk' ? 'low' : 'done'),
  );
  expect(heard.get('legal')).toBe('## ORIGINAL USER REQUEST\n\nhello\n\n## ANALYSIS GATHERED\n\n### From risk\n\nlow');
});

test('advisors are heard in the order declared, and one that fails gives a report of that', async () => {
  const { outcome, heard } = await play(
    [
      { name: 'boss', advisors: { agents: ['risk', 'cost', 'law'], policy: { kind: 'isolate' } } },
      { name: 'risk' },
      { name: 'cost' },
      { name: 'law' },
    ],
    async ({ agent }) => {
      if (agent === 'risk') for (let step = 0; step < 50; step++) await Promise.resolve();
      return agent === 'cost' ? { fault: 'model/server' } : `${agent} says`;
    },
  );
  expect(outcome.kind).toBe('answered');
  expect(heard.get('boss')).toMatch(
    /^## ORIGINAL USER REQUEST\n\nhello\n\n## ANALYSIS GATHERED\n\n### From risk\n\nrisk says\n\n### From cost\n\ncost did not answer\. Outcome after \d+\.\d s: failed: cost got model\/server\n\n### From law\n\nlaw says$/,
  );
});

test('quorum starts when enough answered and cancels the rest; all fails with the first failure', async () => {
  const panel = (policy: NonNullable<AgentSketch['advisors']>['policy']): readonly AgentSketch[] => [
    { name: 'boss', advisors: { agents: ['fast', 'slow'], policy } },
    { name: 'fast' },
    { name: 'slow' },
  ];
  const model: Model = ({ agent }, signal) =>
    agent === 'slow'
      ? new Promise((resolve) => signal.addEventListener('abort', () => resolve('late'), { once: true }))
      : `${agent} says`;
  const { heard } = await play(panel({ kind: 'quorum', count: 1 }), model);
  expect(heard.get('boss')).toContain('### From slow\n\nslow was cancelled: enough other advisors had answered.');
  const failed = await play(panel({ kind: 'all' }), (request, signal) =>
    request.agent === 'fast' ? { fault: 'model/server' } : model(request, signal),
  );
  expect(failed.outcome).toMatchObject({ kind: 'failed', fault: { code: 'advisors/failed', stage: 'fast' } });
});

test('an advisor that takes too long is reported as timed out', async () => {
  const { heard } = await play(
    [{ name: 'boss', advisors: { agents: ['slow'], timeoutMs: 20, policy: { kind: 'isolate' } } }, { name: 'slow' }],
    ({ agent }, signal) =>
      agent === 'slow'
        ? new Promise((resolve) => signal.addEventListener('abort', () => resolve('late'), { once: true }))
        : 'ok',
  );
  expect(heard.get('boss')).toMatch(
    /slow did not answer\. Outcome after \d+\.\d s: timed-out: slow did not finish within 20 ms\./,
  );
});

test('the caller’s contract binds the agent that answers, five hops deep', async () => {
  const chain = (to: string): NonNullable<AgentSketch['chain']> => ({
    trigger: 'handoff',
    stages: [{ to }],
    pass: 'answer',
  });
  const of = cadre(
    { name: 'a', chain: chain('b') },
    { name: 'b', router: { destinations: ['c'] } },
    { name: 'c', advisors: { agents: ['f'], policy: { kind: 'isolate' } }, chain: chain('d') },
    { name: 'd', chain: chain('e') },
    { name: 'e' },
    { name: 'f', chain: chain('g') },
    { name: 'g' },
  );
  const schema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] };
  const b = bench(of, ({ agent, output }) => {
    if (agent === 'b') return call('handoff-to', { agent: 'c' });
    return output.format === 'json' ? call('final_report', { ok: true }) : agent;
  });
  const { outcome } = await finish(b, { agent: 'a', input: { text: 'x' }, contract: { format: 'json', schema } });
  expect(outcome).toMatchObject({ kind: 'answered', agent: 'e', data: { ok: true } });
});

test('the tool of a sub-agent says in which form its input is to be written', async () => {
  const described: unknown[] = [];
  await play(
    [
      { name: 'a', agents: ['b', 'c', 'd', 'e'] },
      { name: 'b' },
      { name: 'c', input: { format: 'text' } },
      { name: 'd', input: { format: 'markdown' }, usage: 'The draft.' },
      { name: 'e', usage: 'Anything.' },
    ],
    ({ tools }) => {
      for (const { name, parameters } of tools)
        if (name.startsWith('agent__'))
          described.push(
            (parameters as { properties: { input: { description?: string } } }).properties.input.description,
          );
      return 'ok';
    },
  );
  expect(described).toEqual([undefined, 'Write it as plain text.', 'The draft. Write it in Markdown.', 'Anything.']);
});

test('a sub-agent is a tool; its outcome word, its answer and its failure come back as the result', async () => {
  const results: string[] = [];
  const { outcome } = await play(
    [{ name: 'boss', agents: ['kid', 'sick'] }, { name: 'kid' }, { name: 'sick' }],
    (request) => {
      if (request.agent === 'kid') return 'all well';
      if (request.agent === 'sick') return { fault: 'model/refused-key' };
      if (request.turn > 1) {
        for (const message of request.messages)
          if (message.role === 'tool') results.push(`${message.result.status} ${message.result.text}`);
        return 'done';
      }
      return {
        calls: ['kid', 'sick'].map((name) => ({ name: `agent__${name}`, args: { input: 'go', reason: 'why' } })),
      };
    },
  );
  expect(outcome.kind).toBe('answered');
  expect(results).toEqual(['ok outcome: answered\n\nall well', 'error outcome: failed\n\nsick got model/refused-key']);
});

test('an over-long answer of a sub-agent is given by its ends and a handle, with the sizes', async () => {
  let result = '';
  await play([{ name: 'boss', agents: ['kid'] }, { name: 'kid' }], (request) => {
    if (request.agent === 'kid') return 'x'.repeat(50_000);
    if (request.turn === 1) return call('agent__kid', { input: 'go', reason: 'why' });
    result = lastText(request);
    return 'done';
  });
  expect(result).toMatch(
    /34000 of 50000 characters left out here\. Read them with read_result\(\{"handle": "0\.\d+"\}\)/,
  );
});

const chatty: readonly AgentSketch[] = [
  { name: 'boss', agents: ['kid'] },
  { name: 'kid', chat: true, agents: ['grandkid'], maxTurns: 5 },
  { name: 'grandkid', chat: true },
];

/** The boss asks the kid, then asks again; being asked again, the kid asks the grandkid twice. */
const curious: Model = (request) => {
  const last = lastText(request);
  const id = /id `([^`]+)`/.exec(last)?.[1];
  if (request.agent === 'grandkid') return `grandkid ${request.turn}`;
  if (request.agent === 'kid') {
    if (request.turn === 1) return 'first answer';
    if (request.turn === 2) return call('agent__grandkid', { input: 'help', reason: 'asked' });
    if (request.turn === 3) return call('agent__ask_clarification', { id, question: 'really?' });
    return 'second answer';
  }
  if (request.turn === 1) return call('agent__kid', { input: 'go', reason: 'why' });
  if (request.turn === 2) return call('agent__ask_clarification', { id, question: 'what do you mean?' });
  return last;
};

test('a chat child is asked again in the conversation it had, to any depth, with turns counted on both sides', async () => {
  const { outcome, heard, b } = await play(chatty, curious);
  expect(heard.get('kid')).toBe('go');
  const [payload, footer] = (outcome as { text: string }).text.split('\n\n---\n');
  expect(JSON.parse(payload ?? '')).toEqual({
    status: 'answered',
    content: 'second answer',
    clarificationId: expect.stringMatching(/^kid@0\.\d/),
    turnsRemaining: 1,
  });
  expect(footer).toContain('1 turns left');
  expect(b.calls).toHaveLength(3 + 4 + 2);
});

test('the child hears the exact clarification request', async () => {
  let asked = '';
  await play(chatty, (request, signal) => {
    if (request.agent === 'kid' && request.turn === 2) asked = lastText(request);
    return curious(request, signal);
  });
  expect(asked).toBe('## CLARIFICATION REQUEST FROM boss\n\nwhat do you mean?');
});

test('broken off at every event, a clarification resumes to the same end and repeats no finished call', async () => {
  const of = cadre(...chatty);
  const whole = await finish(bench(of, curious), { agent: 'boss', input: { text: 'go' } });
  const count = (events: readonly RunEvent[]) =>
    events.filter((event) => event.type === 'op-end' && event.kind === 'model').length;
  for (let size = 1; size < whole.events.length; size++) {
    const b = bench(of, curious, { store: await brokenOff(whole.events, size, whole.run) });
    expect(await (await b.engine.resume(whole.run)).outcome()).toEqual(whole.outcome);
    expect(b.calls).toHaveLength(count(whole.events) - count(whole.events.slice(0, size)));
  }
});

test('an agent that cannot be asked says why: chat disabled, no turns left, unknown', async () => {
  const said: string[] = [];
  await play(
    [{ name: 'boss', agents: ['open', 'shut'] }, { name: 'open', chat: true, maxTurns: 1 }, { name: 'shut' }],
    (request) => {
      if (request.agent !== 'boss') return 'ok';
      const last = request.messages.at(-1);
      const texts = request.messages.flatMap((message) => (message.role === 'tool' ? [message.result.text] : []));
      const id = /id `([^`]+)`/.exec(texts.join('\n'))?.[1] ?? '';
      if (request.turn === 1)
        return {
          calls: ['open', 'shut'].map((name) => ({ name: `agent__${name}`, args: { input: 'x', reason: 'y' } })),
        };
      if (request.turn === 2) {
        return {
          calls: ['shut', id, 'nobody@9'].map((one) => ({
            name: 'agent__ask_clarification',
            args: { id: one, question: 'q' },
          })),
        };
      }
      if (last?.role === 'tool')
        said.push(...texts.slice(2).map((text) => (JSON.parse(text) as { status: string }).status));
      return 'done';
    },
  );
  expect(said).toEqual(['chat_disabled', 'clarification_no_turns', 'clarification_unknown']);
});

test('an advisor with chat can be asked by the agent it advised, and a dismissed child no more', async () => {
  const said: string[] = [];
  const { outcome } = await play(
    [
      { name: 'boss', advisors: { agents: ['sage'], policy: { kind: 'isolate' } } },
      { name: 'sage', chat: true },
    ],
    (request) => {
      if (request.agent === 'sage') return `wisdom ${request.turn}`;
      const [, id] = /id `(sage@[^`]+)`/.exec(JSON.stringify(request.messages[0])) ?? [];
      const last = request.messages.at(-1);
      if (last?.role === 'tool') said.push(last.result.text.slice(0, 60));
      if (request.turn === 1) return call('agent__ask_clarification', { id, question: 'why?' });
      if (request.turn === 2) return call('agent__dismiss', { id });
      if (request.turn === 3) return call('agent__ask_clarification', { id: 'sage@0.1.0.0', question: 'again?' });
      return 'enlightened';
    },
  );
  expect(outcome).toMatchObject({ kind: 'answered', text: 'enlightened' });
  expect(said[0]).toContain('"content":"wisdom 2"');
  expect(said[1]).toMatch(/^sage@.* has ended\.$/);
  expect(said[2]).toContain('clarification_unknown');
});

test('a request that was put together goes on in its parts: a handoff into a router, and an advisor with advisors', async () => {
  const { heard } = await play(
    [
      { name: 'writer', chain: { trigger: 'handoff', stages: [{ to: 'desk' }], pass: 'request+answer' } },
      { name: 'desk', router: { destinations: ['lead'] } },
      { name: 'lead', advisors: { agents: ['law'], policy: { kind: 'isolate' } } },
      { name: 'law', advisors: { agents: ['clerk'], policy: { kind: 'isolate' } } },
      { name: 'clerk' },
    ],
    ({ agent }) => (agent === 'desk' ? call('handoff-to', { agent: 'lead', message: 'yours' }) : `from ${agent}`),
    'Tides?',
  );
  const handed = '## ORIGINAL USER REQUEST\n\nTides?\n\n## ANSWER FROM AGENT `writer`\n\nfrom writer';
  const routed = `${handed}\n\n## MESSAGE FROM AGENT \`desk\` WHO ROUTED THIS REQUEST TO YOU\n\nyours`;
  expect(heard.get('desk')).toBe(handed);
  expect(heard.get('clerk')).toBe(routed);
  expect(heard.get('law')).toBe(`${routed}\n\n## ANALYSIS GATHERED\n\n### From clerk\n\nfrom clerk`);
  expect(heard.get('lead')).toBe(`${routed}\n\n## ANALYSIS GATHERED\n\n### From law\n\nfrom law`);
});

test('members and a supervisor with advisors of their own add to what the advisors of the team found', async () => {
  const advised = (by: string) => ({ advisors: { agents: [by], policy: { kind: 'isolate' as const } } });
  const { heard } = await play(
    [
      { name: 'panel', ...advised('law'), team: { members: ['builder'], supervisor: 'chair' } },
      { name: 'law' },
      { name: 'builder', ...advised('clerk') },
      { name: 'chair', ...advised('clerk') },
      { name: 'clerk' },
    ],
    ({ agent }) => `from ${agent}`,
    'Ship?',
  );
  const found = (...by: string[]) =>
    by.map((one) => `\n\n## ANALYSIS GATHERED\n\n### From ${one}\n\nfrom ${one}`).join('');
  for (const participant of ['builder', 'chair'])
    expect(heard.get(participant)).toMatch(`## ORIGINAL USER REQUEST\n\nShip?${found('law', 'clerk')}`);
});
