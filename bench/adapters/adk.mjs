// Google ADK: LlmAgent, FunctionTool, AgentTool and SequentialAgent on an InMemoryRunner, as in its docs. Nothing is
// exported anywhere unless a telemetry exporter is set up.

import { AgentTool, BaseLlm, FunctionTool, InMemoryRunner, LlmAgent, SequentialAgent, setLogLevel } from '@google/adk';
import { z } from 'zod';
import { versionOf } from '../installed.mjs';
import { ADD, add, atOnce, boss, HELPER, helper, START, stage, WORKLOADS, worker } from '../workloads.mjs';

setLogLevel?.(3); // only errors

class Played extends BaseLlm {
  constructor(part) {
    super({ model: 'fake' });
    this.part = part;
  }

  async *generateContentAsync({ contents }) {
    const { text, calls } = this.part.reply(lastText(contents.at(-1)));
    const parts =
      calls === undefined
        ? [{ text }]
        : calls.map(({ name, args }, index) => ({
            functionCall: { id: `call-${contents.length}-${index}`, name, args },
          }));
    yield { content: { role: 'model', parts }, finishReason: 'STOP' };
  }

  async connect() {
    throw new Error('not used here');
  }
}

function lastText({ parts }) {
  const part = parts.at(-1);
  return part.text ?? JSON.stringify(part.functionResponse.response);
}

function runnerOf(agent) {
  const runner = new InMemoryRunner({ agent });
  return async (input) => {
    let held;
    const newMessage = { role: 'user', parts: [{ text: input }] };
    for await (const event of runner.runEphemeral({ userId: 'user', newMessage })) held = event;
    return { text: held.content.parts.at(-1).text, held };
  };
}

function work(turns) {
  const agent = new LlmAgent({
    name: 'worker',
    model: new Played(worker(turns)),
    instruction: 'You add numbers.',
    tools: [
      new FunctionTool({
        name: ADD.name,
        description: ADD.description,
        parameters: z.object({ a: z.number(), b: z.number() }),
        execute: async (args) => ({ result: add(args) }),
      }),
    ],
  });
  const run = runnerOf(agent);
  return () => run(WORKLOADS.W1.input);
}

function delegate() {
  const child = new LlmAgent({
    name: HELPER.name,
    description: HELPER.description,
    model: new Played(helper()),
    instruction: 'You know about numbers.',
  });
  const parent = new LlmAgent({
    name: 'boss',
    model: new Played(boss({ name: HELPER.name, args: { request: HELPER.question } })),
    instruction: 'You ask the helper.',
    tools: [new AgentTool({ agent: child })],
  });
  const run = runnerOf(parent);
  return () => run(HELPER.question);
}

export const adapter = {
  name: '@google/adk',
  version: versionOf('@google/adk'),
  w1: work,
  w2: delegate,
  w3(count) {
    const delegation = delegate();
    return () => atOnce(count, delegation);
  },
  w4(agents) {
    const subAgents = Array.from(
      { length: agents },
      (_, index) =>
        new LlmAgent({
          name: `stage_${index + 1}`,
          model: new Played(stage(index + 1)),
          instruction: `You are number ${index + 1}.`,
        }),
    );
    const run = runnerOf(new SequentialAgent({ name: 'chain', subAgents }));
    return () => run(START);
  },
  w6: work,
};
