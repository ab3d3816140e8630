// Vercel's AI SDK: ToolLoopAgent, a tool that calls a sub-agent, and a chain in plain code, as in its docs ("Building
// Agents", "Subagents", "Workflow Patterns"). Its telemetry is off unless asked for.

import { isStepCount, ToolLoopAgent, tool } from 'ai-7';
import { z } from 'zod';
import { versionOf } from '../installed.mjs';
import { languageModel } from '../language-model.mjs';
import { ADD, add, atOnce, boss, HELPER, helper, START, stage, WORKLOADS, worker } from '../workloads.mjs';

const modelOf = (part) => languageModel(part, 'v4');

function work(turns) {
  const agent = new ToolLoopAgent({
    model: modelOf(worker(turns)),
    instructions: 'You add numbers.',
    tools: {
      [ADD.name]: tool({
        description: ADD.description,
        inputSchema: z.object({ a: z.number(), b: z.number() }),
        execute: async (args) => add(args),
      }),
    },
    stopWhen: isStepCount(turns + 1),
  });
  return () => answer(agent, WORKLOADS.W1.input);
}

async function answer(agent, prompt) {
  const held = await agent.generate({ prompt });
  return { text: held.text, held };
}

function delegate() {
  const child = new ToolLoopAgent({ model: modelOf(helper()), instructions: 'You know about numbers.' });
  const parent = new ToolLoopAgent({
    model: modelOf(boss()),
    instructions: 'You ask the helper.',
    tools: {
      [HELPER.name]: tool({
        description: HELPER.description,
        inputSchema: z.object({ question: z.string() }),
        execute: async ({ question }, { abortSignal }) => {
          const { text } = await child.generate({ prompt: question, abortSignal });
          return text;
        },
      }),
    },
  });
  return () => answer(parent, HELPER.question);
}

export const adapter = {
  name: 'ai',
  version: versionOf('ai-7'),
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
        new ToolLoopAgent({ model: modelOf(stage(index + 1)), instructions: `You are number ${index + 1}.` }),
    );
    return async () => {
      let text = START;
      for (const agent of chain) ({ text } = await agent.generate({ prompt: text }));
      return { text };
    };
  },
  w6: work,
};
