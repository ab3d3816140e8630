// LangGraph with its SQLite checkpointer and `durability: 'sync'`, the strictest of its three settings: a checkpoint is
// written before the next step begins. After a kill: `invoke(null)` with the same thread, as its page on durable
// execution says; a thread without a checkpoint is asked again.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { z } from 'zod';
import { versionOf } from '../installed.mjs';
import { ADD, HELPER } from '../workloads.mjs';
import { DURABLE, HOPS, partsOf, TURNS } from './parts.mjs';

class Played extends BaseChatModel {
  constructor(reply) {
    super({});
    this.reply = reply;
  }

  _llmType() {
    return 'fake';
  }

  bindTools(tools) {
    return this.withConfig({ tools });
  }

  async _generate(messages) {
    const results = messages.filter((one) => one.getType() === 'tool').length;
    const { text, calls } = await this.reply({ results, last: messages.at(-1).content });
    const message = new AIMessage({
      content: text ?? '',
      tool_calls: calls?.map(({ name, args }) => ({ id: `call-${messages.length}`, type: 'tool_call', name, args })),
      usage_metadata: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    });
    return { generations: [{ text: text ?? '', message }] };
  }
}

function graphOf(parts, agent, system, tools) {
  const model = new Played((conversation) => parts.reply(agent, conversation));
  const bound = tools === undefined ? model : model.bindTools(tools);
  const think = async ({ messages }) => ({ messages: [await bound.invoke([new SystemMessage(system), ...messages])] });
  const graph = new StateGraph(MessagesAnnotation).addNode('think', think).addEdge(START, 'think');
  if (tools === undefined) return graph.addEdge('think', END);
  return graph
    .addNode('tools', new ToolNode(tools))
    .addConditionalEdges('think', toolsCondition, ['tools', END])
    .addEdge('tools', 'think');
}

const BUILD = {
  W1(parts) {
    const schema = z.object({ a: z.number(), b: z.number() });
    const adding = tool(async (args) => parts.add(args), { name: ADD.name, description: ADD.description, schema });
    return graphOf(parts, 'worker', 'You add numbers.', [adding]);
  },
  W2(parts) {
    const child = graphOf(parts, HELPER.name, 'You know about numbers.').compile();
    const ask = async ({ question }) =>
      (await child.invoke({ messages: [new HumanMessage(question)] })).messages.at(-1).content;
    const { name, description } = HELPER;
    const asking = tool(ask, { name, description, schema: z.object({ question: z.string() }) });
    return graphOf(parts, 'boss', 'You ask the helper.', [asking]);
  },
  W4(parts) {
    const names = Array.from({ length: HOPS }, (_, index) => `stage-${index + 1}`);
    const graph = new StateGraph(MessagesAnnotation);
    for (const [index, name] of names.entries()) {
      graph.addNode(name, graphOf(parts, name, `You are ${name}.`).compile());
      graph.addEdge(index === 0 ? START : names[index - 1], name);
    }
    return graph.addEdge(names.at(-1), END);
  },
};

export const name = `LangGraph ${versionOf('@langchain/langgraph')}, SQLite checkpointer ${versionOf('@langchain/langgraph-checkpoint-sqlite')}`;

export async function open(workload, { dir, made }) {
  mkdirSync(dir, { recursive: true });
  const checkpointer = SqliteSaver.fromConnString(join(dir, 'checkpoints.sqlite'));
  const graph = BUILD[workload](partsOf(made)).compile({ checkpointer });
  const config = (thread) => ({
    configurable: { thread_id: thread },
    durability: 'sync',
    recursionLimit: 2 * Math.max(TURNS, HOPS) + 5,
  });
  const asked = { messages: [new HumanMessage(DURABLE[workload].input)] };
  const invoke = async (input, thread) => (await graph.invoke(input, config(thread))).messages.at(-1).content;
  return {
    start: (thread) => invoke(asked, thread),
    async resume(thread) {
      const isBegun = (await checkpointer.getTuple(config(thread))) !== undefined;
      return invoke(isBegun ? null : asked, thread);
    },
  };
}
