// What the agents of the durable comparison say. A reply depends on nothing but the conversation, so a run that is
// resumed with a whole conversation goes on as it began, and one that lost or doubled a message is found out. Every call
// has a name of its own, by which a call that is made again is recognised.

import { ADD, HELPER, START } from '../workloads.mjs';

export const TURNS = 10;
export const HOPS = 10;

const numberIn = (text) => /\d+/.exec(text)?.[0] ?? `nothing in ${text}`;

/** `results` is the number of tool results in the conversation, `last` the text of its newest message. */
const ROLES = {
  worker: ({ results, last }) =>
    results < TURNS - 1
      ? { calls: [{ name: ADD.name, args: { a: results, b: 42 - results } }] }
      : { text: `The total is ${numberIn(last)}` },
  boss: ({ results, last }, call) =>
    results === 0 ? { calls: [call] } : { text: `The helper says ${numberIn(last)}` },
  [HELPER.name]: () => ({ text: '42' }),
};

const stageOf = (agent) => {
  const number = /^stage-(\d+)$/.exec(agent)?.[1];
  return ({ last }) => ({ text: `${/start[>\d]*/.exec(last)?.[0]}>${number}` });
};

/** A model and a tool that tell `made(name)` of each call before they answer. */
export function partsOf(made, call = { name: HELPER.name, args: { question: HELPER.question } }) {
  return {
    async reply(agent, conversation) {
      await made(`${agent} ${conversation.results}`);
      return (ROLES[agent] ?? stageOf(agent))(conversation, call);
    },
    async add({ a, b }) {
      await made(`${ADD.name} ${a}`);
      return String(a + b);
    },
  };
}

const numbers = (count, first = 0) => Array.from({ length: count }, (_, index) => index + first);

/** What each workload is asked, what must be answered, and the calls that it must make, each once. */
export const DURABLE = {
  W1: {
    agent: 'worker',
    input: '42',
    text: 'The total is 42',
    units: TURNS,
    unit: 'turn',
    calls: [
      ...numbers(TURNS).map((turn) => `worker ${turn}`),
      ...numbers(TURNS - 1).map((turn) => `${ADD.name} ${turn}`),
    ],
  },
  W2: {
    agent: 'boss',
    input: HELPER.question,
    text: 'The helper says 42',
    units: 1,
    unit: 'run',
    calls: ['boss 0', `${HELPER.name} 0`, 'boss 1'],
  },
  W4: {
    agent: 'stage-1',
    input: START,
    text: 'start>1>2>3>4>5>6>7>8>9>10',
    units: HOPS,
    unit: 'hop',
    calls: numbers(HOPS, 1).map((number) => `stage-${number} 0`),
  },
};
