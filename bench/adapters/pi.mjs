// pi: Agent with a stream function of its own, AgentTool, a sub-agent that a tool prompts, and a chain in plain code, as
// in the README of pi-agent-core ("Quick Start", "Agent Options", "Tools"). An agent keeps its conversation, so each run
// makes one of the same parts, which costs it little.

import { Agent } from '@mariozechner/pi-agent-core';
import { createAssistantMessageEventStream, Type } from '@mariozechner/pi-ai';
import { versionOf } from '../installed.mjs';
import { ADD, add, atOnce, boss, HELPER, helper, START, stage, WORKLOADS, worker } from '../workloads.mjs';

const COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const USAGE = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15, cost: COST };
const MODEL = {
  id: 'fake',
  name: 'fake',
  api: 'fake',
  provider: 'fake',
  baseUrl: '',
  reasoning: false,
  input: ['text'],
  cost: COST,
  contextWindow: 1_000_000,
  maxTokens: 10_000,
};

/** The reply comes whole: a stream that begins and is done. */
const streamOf =
  (part) =>
  (_model, { messages }) => {
    const { text, calls } = part.reply(textOf(messages.at(-1)));
    const stopReason = calls === undefined ? 'stop' : 'toolUse';
    const content =
      calls === undefined
        ? [{ type: 'text', text }]
        : calls.map(({ name, args }, index) => ({
            type: 'toolCall',
            id: `call-${messages.length}-${index}`,
            name,
            arguments: args,
          }));
    const { api, provider, id: model } = MODEL;
    const message = {
      role: 'assistant',
      content,
      api,
      provider,
      model,
      usage: USAGE,
      stopReason,
      timestamp: Date.now(),
    };
    const stream = createAssistantMessageEventStream();
    stream.push({ type: 'start', partial: message });
    stream.push({ type: 'done', reason: stopReason, message });
    return stream;
  };

const textOf = ({ content }) => (typeof content === 'string' ? content : content.at(-1).text);

/** What an agent is made of. */
const partsOf = (part, systemPrompt, tools = []) => ({
  initialState: { systemPrompt, model: MODEL, tools },
  streamFn: streamOf(part),
});

async function answer(parts, input) {
  const agent = new Agent(parts);
  await agent.prompt(input);
  const { messages } = agent.state;
  return { text: textOf(messages.at(-1)), held: messages };
}

const said = (text) => ({ content: [{ type: 'text', text }], details: {} });

function work(turns) {
  const parts = partsOf(worker(turns), 'You add numbers.', [
    {
      name: ADD.name,
      label: ADD.name,
      description: ADD.description,
      parameters: Type.Object({ a: Type.Number(), b: Type.Number() }, { additionalProperties: false }),
      execute: async (_id, args) => said(add(args)),
    },
  ]);
  return () => answer(parts, WORKLOADS.W1.input);
}

function delegate() {
  const child = partsOf(helper(), 'You know about numbers.');
  const parent = partsOf(boss(), 'You ask the helper.', [
    {
      name: HELPER.name,
      label: HELPER.name,
      description: HELPER.description,
      parameters: Type.Object({ question: Type.String() }),
      execute: async (_id, { question }) => said((await answer(child, question)).text),
    },
  ]);
  return () => answer(parent, HELPER.question);
}

export const adapter = {
  name: '@mariozechner/pi-agent-core',
  version: versionOf('@mariozechner/pi-agent-core'),
  w1: work,
  w2: delegate,
  w3(count) {
    const delegation = delegate();
    return () => atOnce(count, delegation);
  },
  w4(agents) {
    const chain = Array.from({ length: agents }, (_, index) =>
      partsOf(stage(index + 1), `You are number ${index + 1}.`),
    );
    return async () => {
      let text = START;
      for (const parts of chain) ({ text } = await answer(parts, text));
      return { text };
    };
  },
  w6: work,
};
