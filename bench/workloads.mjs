// What every framework is asked to do, and what must come out of it. The models are played here: an adapter only
// translates between its framework's messages and the replies below, so that all of them do the same work.

import { performance } from 'node:perf_hooks';

/** How often models and tools were called since the last check, and when each tool call was made. */
export const seen = { models: 0, tools: 0, marks: [] };

export const ADD = {
  name: 'add',
  description: 'Adds two numbers.',
  parameters: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  args: { a: 20, b: 22 },
};

export function add({ a, b }) {
  seen.tools += 1;
  seen.marks.push(performance.now());
  return String(a + b);
}

export const HELPER = {
  name: 'helper',
  description: 'Answers questions about numbers.',
  question: 'What is six times seven?',
};

/** A chain starts with this text, and each of its agents adds its own number. */
export const START = 'start';

/**
 * One agent's model: `reply(last)` gets the text of the newest message and returns what the model answers, as
 * `{ text }` or `{ calls: [{ name, args }] }`. It starts over after an answer, so an agent can be run again and again.
 */
function player(role) {
  let turn = 0;
  return {
    reply(last) {
      seen.models += 1;
      turn += 1;
      const reply = role(turn, last);
      if (reply.text !== undefined) turn = 0;
      return reply;
    },
  };
}

const numberIn = (text) => /\d+/.exec(text)?.[0] ?? `nothing in ${text}`;

/** W1, W5 and W6: calls `add` in every turn but the last, whose answer quotes the newest message. */
export function worker(turns) {
  const call = { calls: [ADD] };
  return player((turn, last) => (turn < turns ? call : { text: `The total is ${numberIn(last)}` }));
}

/** W2 and W3: asks the helper, then answers with what it said. Looks only at the newest message: many run at once. */
export function boss(call = { name: HELPER.name, args: { question: HELPER.question } }) {
  const asking = { calls: [call] };
  return player((_turn, last) =>
    last.includes(HELPER.question) ? asking : { text: `The helper says ${numberIn(last)}` },
  );
}

export const helper = () => player(() => ({ text: '42' }));

/** W4: one agent of a chain. */
export const stage = (number) => player((_turn, last) => ({ text: `${/start[>\d]*/.exec(last)?.[0]}>${number}` }));

/** The workloads: their size, their first input, and what must be true afterwards. */
export const WORKLOADS = {
  W1: { of: 10, input: '42', models: 10, tools: 9, text: 'The total is 42' },
  W2: { of: 1, input: HELPER.question, models: 3, tools: 0, text: 'The helper says 42' },
  W3: { of: 1000, input: HELPER.question, models: 3000, tools: 0, text: 'The helper says 42' },
  W4: { of: 10, input: START, models: 10, tools: 0, text: 'start>1>2>3>4>5>6>7>8>9>10' },
  W5: { of: 1, input: '42', models: 1, tools: 0, text: 'The total is 42' },
  W6: { of: 200, input: '42', models: 200, tools: 199, text: 'The total is 42' },
};

/** Makes the agents of a workload once, as a program does. The function that it returns does the workload once. */
export function prepare(adapter, workload) {
  const { of } = WORKLOADS[workload];
  if (workload === 'W2') return adapter.w2();
  if (workload === 'W3') return adapter.w3(of);
  if (workload === 'W4') return adapter.w4(of);
  return workload === 'W6' ? adapter.w6(of) : adapter.w1(of);
}

/** W3 for frameworks that need nothing special: this many delegations at the same time. */
export async function atOnce(count, delegation) {
  const done = await Promise.all(Array.from({ length: count }, delegation));
  const others = done.filter(({ text }) => text !== done[0].text);
  return { text: others[0]?.text ?? done[0].text, held: done.map(({ held }) => held) };
}

export function forget() {
  seen.models = 0;
  seen.tools = 0;
  seen.marks = [];
}

/** No framework may win by doing less: throws unless exactly this was done since `forget`. */
export function check(adapter, workload, done) {
  const expected = WORKLOADS[workload];
  const must = (what, is, right) => {
    if (is !== right) throw new Error(`${adapter.name}, ${workload}: ${what}: ${is}, but must be: ${right}`);
  };
  for (const { text } of done) must('the answer', text, expected.text);
  must('tool calls', seen.tools, expected.tools * done.length);
  if (done[0].models === undefined) must('model calls', seen.models, expected.models * done.length);
}

/** For an adapter that counts its model calls by itself, which takes a while. */
export async function checkCalls(adapter, workload, { models }) {
  if (models === undefined) return;
  const [made, expected] = [await models(), WORKLOADS[workload].models];
  if (made !== expected) throw new Error(`${adapter.name}, ${workload}: ${made} model calls, but must be ${expected}`);
}
