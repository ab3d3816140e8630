// VoltAgent: Agent, createTool, sub-agents through `subAgents`, and a chain as a workflow, as in its docs ("Tools",
// "Sub-agents", "Workflows"). Nothing is sent to VoltOps without its keys.

import { Agent, createTool, createWorkflowChain } from '@voltagent/core';
import { z } from 'zod';
import { versionOf } from '../installed.mjs';
import { languageModel } from '../language-model.mjs';
import { ADD, add, atOnce, boss, HELPER, helper, START, stage, WORKLOADS, worker } from '../workloads.mjs';

globalThis.AI_SDK_LOG_WARNINGS = false; // it would print one for each call

const agentOf = (name, part, more = {}) =>
  new Agent({ name, instructions: `You are ${name}.`, model: languageModel(part, 'v3'), ...more });

async function answer(agent, input) {
  const held = await agent.generateText(input);
  return { text: held.text, held };
}

function work(turns) {
  const adding = createTool({
    name: ADD.name,
    description: ADD.description,
    parameters: z.object({ a: z.number(), b: z.number() }),
    execute: async (args) => add(args),
  });
  const agent = agentOf('worker', worker(turns), { tools: [adding], maxSteps: turns + 1 });
  return () => answer(agent, WORKLOADS.W1.input);
}

function delegate() {
  const child = agentOf(HELPER.name, helper(), { purpose: HELPER.description });
  const call = { name: 'delegate_task', args: { task: HELPER.question, targetAgents: [HELPER.name] } };
  const parent = agentOf('boss', boss(call), { subAgents: [child] });
  return () => answer(parent, HELPER.question);
}

export const adapter = {
  name: '@voltagent/core',
  version: versionOf('@voltagent/core'),
  w1: work,
  w2: delegate,
  w3(count) {
    const delegation = delegate();
    return () => atOnce(count, delegation);
  },
  w4(agents) {
    let chain = createWorkflowChain({
      id: 'chain',
      name: 'chain',
      input: z.object({ text: z.string() }),
      result: z.object({ text: z.string() }),
    });
    for (let number = 1; number <= agents; number++) {
      const agent = agentOf(`stage-${number}`, stage(number));
      const execute = async ({ data }) => ({ text: (await agent.generateText(data.text)).text });
      chain = chain.andThen({ id: `stage-${number}`, execute });
    }
    return async () => {
      const held = await chain.run({ text: START });
      return { text: held.result?.text, held };
    };
  },
  w6: work,
};
