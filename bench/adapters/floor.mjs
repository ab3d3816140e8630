// The floor: the least code that does the work. No checks, no record, no limits, no streams.

import { ADD, add, atOnce, boss, HELPER, helper, START, stage, WORKLOADS, worker } from '../workloads.mjs';

async function loop(agent, input) {
  const messages = [{ role: 'user', text: input }];
  for (;;) {
    const reply = await agent.model(messages);
    messages.push(reply);
    if (reply.calls === undefined) return reply.text;
    const results = await Promise.all(
      reply.calls.map(async ({ name, args }) => ({ role: 'tool', text: await agent.tools[name](args) })),
    );
    messages.push(...results);
  }
}

const modelOf = (part) => async (messages) => ({ role: 'assistant', ...part.reply(messages.at(-1).text) });

function work(turns) {
  const agent = { model: modelOf(worker(turns)), tools: { [ADD.name]: async (args) => add(args) } };
  return async () => ({ text: await loop(agent, WORKLOADS.W1.input) });
}

function delegate() {
  const child = { model: modelOf(helper()), tools: {} };
  const parent = {
    model: modelOf(boss()),
    tools: { [HELPER.name]: ({ question }) => loop(child, question) },
  };
  return async () => ({ text: await loop(parent, HELPER.question) });
}

export const adapter = {
  name: 'hand-written loop (the floor)',
  version: '',
  w1: work,
  w2: delegate,
  w3(count) {
    const delegation = delegate();
    return () => atOnce(count, delegation);
  },
  w4(agents) {
    const chain = Array.from({ length: agents }, (_, index) => ({ model: modelOf(stage(index + 1)), tools: {} }));
    return async () => {
      let text = START;
      for (const agent of chain) text = await loop(agent, text);
      return { text };
    };
  },
  w6: work,
};
