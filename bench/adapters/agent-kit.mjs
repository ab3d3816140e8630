// Inngest AgentKit: networks with a code-based router and shared state, as in its docs ("Networks", "Routers",
// "State"). Its models are HTTP requests, so the one thing replaced is `fetch`: it answers from memory.

import { createAgent, createNetwork, createTool, openai } from '@inngest/agent-kit';
import { z } from 'zod';
import { versionOf } from '../installed.mjs';
import { ADD, add, atOnce, boss, HELPER, helper, START, stage, WORKLOADS, worker } from '../workloads.mjs';

/** The reply to the request that is being made. A model's `onCall` and its `fetch` follow each other directly. */
let completion;

globalThis.fetch = async () => {
  const answer = completion;
  return { json: async () => answer };
};

function modelOf(part) {
  const model = openai({ model: 'fake', apiKey: 'none' });
  return {
    ...model,
    onCall(copy, body) {
      model.onCall(copy, body);
      completion = completionOf(part.reply(body.messages.at(-1).content), body.messages.length);
    },
  };
}

function completionOf({ text, calls }, length) {
  const tool_calls = calls?.map(({ name, args }, index) => ({
    id: `call-${length}-${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  const message = { role: 'assistant', content: text ?? null, ...(tool_calls && { tool_calls }) };
  return { choices: [{ index: 0, message, finish_reason: calls === undefined ? 'stop' : 'tool_calls' }] };
}

const textOf = (result) => result.output.at(-1).content;

/** Runs one agent until it answers without a call. */
function networkOf(agent, maxIter) {
  const network = createNetwork({
    name: 'network',
    agents: [agent],
    maxIter,
    router: ({ lastResult }) => (lastResult?.output.at(-1).type === 'text' ? undefined : agent),
  });
  return async (input) => {
    const held = await network.run(input);
    return { text: textOf(held.state.results.at(-1)), held };
  };
}

function work(turns) {
  const agent = createAgent({
    name: 'worker',
    system: 'You add numbers.',
    model: modelOf(worker(turns)),
    tools: [
      createTool({
        name: ADD.name,
        description: ADD.description,
        parameters: z.object({ a: z.number(), b: z.number() }),
        handler: async (args) => add(args),
      }),
    ],
  });
  const run = networkOf(agent, turns + 1);
  return () => run(WORKLOADS.W1.input);
}

function delegate() {
  const child = createAgent({ name: HELPER.name, system: 'You know about numbers.', model: modelOf(helper()) });
  const parent = createAgent({
    name: 'boss',
    system: 'You ask the helper.',
    model: modelOf(boss()),
    tools: [
      createTool({
        name: HELPER.name,
        description: HELPER.description,
        parameters: z.object({ question: z.string() }),
        handler: async ({ question }, { network }) => {
          network.state.kv.set('question', question);
          return 'asked';
        },
      }),
    ],
  });
  const router = ({ network, lastResult }) => {
    if (lastResult === undefined) return parent;
    if (lastResult.agentName === child.name) return parent;
    const asked = network.state.kv.has('question');
    network.state.kv.delete('question');
    return asked ? child : undefined;
  };
  const network = createNetwork({ name: 'office', agents: [parent, child], router });
  return async () => {
    const held = await network.run(HELPER.question);
    return { text: textOf(held.state.results.at(-1)), held };
  };
}

export const adapter = {
  name: '@inngest/agent-kit',
  version: versionOf('@inngest/agent-kit'),
  w1: work,
  w2: delegate,
  w3(count) {
    const delegation = delegate();
    return () => atOnce(count, delegation);
  },
  w4(agents) {
    const chain = Array.from({ length: agents }, (_, index) =>
      createAgent({
        name: `stage-${index + 1}`,
        system: `You are number ${index + 1}.`,
        model: modelOf(stage(index + 1)),
      }),
    );
    const network = createNetwork({ name: 'chain', agents: chain, router: ({ callCount }) => chain[callCount] });
    return async () => {
      const held = await network.run(START);
      return { text: textOf(held.state.results.at(-1)), held };
    };
  },
  w6: work,
};
