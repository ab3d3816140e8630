// Mastra: Agent, createTool, sub-agents through `agents` (a supervisor), and a chain as a workflow whose steps are
// agents, as in its docs ("Tools", "Supervisor agents", "Agents and tools"). No storage, observability not set up.

import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { versionOf } from '../installed.mjs';
import { languageModel } from '../language-model.mjs';
import { ADD, add, atOnce, boss, HELPER, helper, START, stage, WORKLOADS, worker } from '../workloads.mjs';

const agentOf = (id, part, more = {}) =>
  new Agent({ id, name: id, instructions: `You are ${id}.`, model: languageModel(part, 'v2'), ...more });

async function answer(agent, input, options) {
  const held = await agent.generate(input, options);
  return { text: held.text, held };
}

function work(turns) {
  const adding = createTool({
    id: ADD.name,
    description: ADD.description,
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: async (args) => add(args),
  });
  const agent = agentOf('worker', worker(turns), { tools: { [ADD.name]: adding } });
  return () => answer(agent, WORKLOADS.W1.input, { maxSteps: turns + 1 });
}

function delegate() {
  const child = agentOf(HELPER.name, helper(), { description: HELPER.description });
  const call = { name: `agent-${HELPER.name}`, args: { prompt: HELPER.question } };
  const parent = agentOf('boss', boss(call), { agents: { [HELPER.name]: child } });
  return () => answer(parent, HELPER.question);
}

export const adapter = {
  name: '@mastra/core',
  version: versionOf('@mastra/core'),
  w1: work,
  w2: delegate,
  w3(count) {
    const delegation = delegate();
    return () => atOnce(count, delegation);
  },
  async w4(agents) {
    const { createStep, createWorkflow } = await import('@mastra/core/workflows');
    let workflow = createWorkflow({
      id: 'chain',
      inputSchema: z.object({ prompt: z.string() }),
      outputSchema: z.object({ text: z.string() }),
    });
    for (let number = 1; number <= agents; number++) {
      if (number > 1) workflow = workflow.map(async ({ inputData }) => ({ prompt: inputData.text }));
      workflow = workflow.then(createStep(agentOf(`stage-${number}`, stage(number))));
    }
    const chain = workflow.commit();
    return async () => {
      const held = await (await chain.createRun()).start({ inputData: { prompt: START } });
      return { text: held.result?.text, held };
    };
  },
  w6: work,
};
