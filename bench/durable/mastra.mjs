// Mastra with LibSQL storage. An agent (W1, W2) is a durable agent with `recovery: { durableAgents: 'auto' }`, which
// writes a snapshot after each step; after a kill it is recovered with `recover(run)`, as its page on durable agents
// says. A chain (W4) is a workflow whose steps are agents; after a kill it is restarted with `run.restart()`. What left
// no snapshot is asked again.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { LibSQLStore } from '@mastra/libsql';
import { z } from 'zod';
import { versionOf } from '../installed.mjs';
import { ADD, HELPER } from '../workloads.mjs';
import { modelOf } from './model.mjs';
import { DURABLE, HOPS, partsOf, TURNS } from './parts.mjs';

const CALL = { name: `agent-${HELPER.name}`, args: { prompt: HELPER.question } };

const agentOf = (parts, id, more = {}) =>
  new Agent({ id, name: id, instructions: `You are ${id}.`, model: modelOf(parts, id, 'v2'), ...more });

const BUILD = {
  W1(parts) {
    const inputSchema = z.object({ a: z.number(), b: z.number() });
    const { name: id, description } = ADD;
    const adding = createTool({ id, description, inputSchema, execute: async (args) => parts.add(args) });
    return { agents: { worker: createDurableAgent({ agent: agentOf(parts, 'worker', { tools: { [id]: adding } }) }) } };
  },
  W2(parts) {
    const child = agentOf(parts, HELPER.name, { description: HELPER.description });
    const boss = agentOf(parts, 'boss', { agents: { [HELPER.name]: child } });
    return { agents: { boss: createDurableAgent({ agent: boss }) } };
  },
  W4(parts) {
    const [inputSchema, outputSchema] = [z.object({ prompt: z.string() }), z.object({ text: z.string() })];
    let chain = createWorkflow({ id: 'chain', inputSchema, outputSchema });
    for (let number = 1; number <= HOPS; number++) {
      if (number > 1) chain = chain.map(async ({ inputData }) => ({ prompt: inputData.text }));
      chain = chain.then(createStep(agentOf(parts, `stage-${number}`)));
    }
    return { workflows: { chain: chain.commit() } };
  },
};

export const name = `Mastra ${versionOf('@mastra/core')}, LibSQL storage ${versionOf('@mastra/libsql')}`;

export async function open(workload, { dir, made }) {
  mkdirSync(dir, { recursive: true });
  const storage = new LibSQLStore({ id: 'durable', url: `file:${join(dir, 'mastra.db')}` });
  const recovery = { durableAgents: 'auto' };
  const mastra = new Mastra({ ...BUILD[workload](partsOf(made, CALL)), storage, recovery, logger: false });
  return workload === 'W4' ? chainOf(mastra.getWorkflow('chain')) : agentRuns(mastra, DURABLE[workload]);
}

function agentRuns(mastra, { agent: id, input }) {
  const agent = mastra.getAgent(id);
  const textOf = async (streaming) => {
    const { output, cleanup } = await streaming;
    const text = await output.text;
    cleanup();
    return text;
  };
  const start = (run) => textOf(agent.stream(input, { runId: run, maxSteps: TURNS + 1 }));
  return {
    start,
    async resume(run) {
      const { runs } = await agent.listActiveRuns();
      return runs.some(({ runId }) => runId === run) ? textOf(agent.recover(run)) : start(run);
    },
  };
}

function chainOf(workflow) {
  const textOf = async (ended) => {
    const { status, result, error } = await ended;
    if (status !== 'success') throw new Error(`the workflow is ${status}: ${error?.message}`);
    return result.text;
  };
  const start = async (run) =>
    textOf((await workflow.createRun({ runId: run })).start({ inputData: { prompt: DURABLE.W4.input } }));
  return {
    start,
    async resume(run) {
      const { runs } = await workflow.listActiveWorkflowRuns();
      if (!runs.some(({ runId }) => runId === run)) return start(run);
      return textOf((await workflow.createRun({ runId: run })).restart());
    },
  };
}
