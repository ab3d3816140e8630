// OpenAI Agents SDK: run(), tool(), agent.asTool(), and a chain in plain code, as in its docs ("Agents", "Tools",
// "Multi-agent: orchestrating via code"). Tracing is disabled.

import { Agent, run, setTracingDisabled, tool, Usage } from '@openai/agents';
import { z } from 'zod';
import { versionOf } from '../installed.mjs';
import { ADD, add, atOnce, boss, HELPER, helper, START, stage, WORKLOADS, worker } from '../workloads.mjs';

setTracingDisabled(true);

const modelOf = (part) => ({
  async getResponse({ input }) {
    const { text, calls } = part.reply(lastText(input));
    const output =
      calls === undefined
        ? [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }]
        : calls.map(({ name, args }, index) => ({
            type: 'function_call',
            callId: `call-${input.length}-${index}`,
            name,
            status: 'completed',
            arguments: JSON.stringify(args),
          }));
    return { usage: new Usage({ requests: 1, inputTokens: 10, outputTokens: 5, totalTokens: 15 }), output };
  },
  getStreamedResponse() {
    throw new Error('not used here');
  },
});

function lastText(input) {
  if (typeof input === 'string') return input;
  const item = input.at(-1);
  if (item.type === 'function_call_result') return typeof item.output === 'string' ? item.output : item.output.text;
  return typeof item.content === 'string' ? item.content : item.content.at(-1).text;
}

const answer = async (agent, input, maxTurns = 10) => {
  const held = await run(agent, input, { maxTurns });
  return { text: held.finalOutput, held };
};

function work(turns) {
  const agent = new Agent({
    name: 'worker',
    instructions: 'You add numbers.',
    model: modelOf(worker(turns)),
    tools: [
      tool({
        name: ADD.name,
        description: ADD.description,
        parameters: z.object({ a: z.number(), b: z.number() }),
        execute: async (args) => add(args),
      }),
    ],
  });
  return () => answer(agent, WORKLOADS.W1.input, turns + 1);
}

function delegate() {
  const child = new Agent({ name: HELPER.name, instructions: 'You know about numbers.', model: modelOf(helper()) });
  const parent = new Agent({
    name: 'boss',
    instructions: 'You ask the helper.',
    model: modelOf(boss({ name: HELPER.name, args: { input: HELPER.question } })),
    tools: [child.asTool({ toolName: HELPER.name, toolDescription: HELPER.description })],
  });
  return () => answer(parent, HELPER.question);
}

export const adapter = {
  name: '@openai/agents',
  version: versionOf('@openai/agents'),
  w1: work,
  w2: delegate,
  w3(count) {
    const delegation = delegate();
    return () => atOnce(count, delegation);
  },
  w4(agents) {
    const chain = Array.from(
      { length: agents },
      (_, index) =>
        new Agent({
          name: `stage-${index + 1}`,
          instructions: `You are number ${index + 1}.`,
          model: modelOf(stage(index + 1)),
        }),
    );
    return async () => {
      let text = START;
      for (const agent of chain) ({ text } = await answer(agent, text));
      return { text };
    };
  },
  w6: work,
};
