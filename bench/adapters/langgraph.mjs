// LangGraph: a StateGraph of a model node and a ToolNode, as in its quickstart; a sub-agent is a compiled graph that a
// tool invokes; a chain is a graph whose nodes are agents. No checkpointer, and LangSmith's tracing is off by default.

import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { END, START as ENTRY, MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { versionOf } from '../installed.mjs';
import { ADD, add, atOnce, boss, HELPER, helper, START, stage, WORKLOADS, worker } from '../workloads.mjs';

class Played extends BaseChatModel {
  constructor(part) {
    super({});
    this.part = part;
  }

  _llmType() {
    return 'fake';
  }

  bindTools(tools) {
    return this.withConfig({ tools });
  }

  async _generate(messages) {
    const { text, calls } = this.part.reply(messages.at(-1).content);
    const message = new AIMessage({
      content: text ?? '',
      tool_calls: calls?.map(({ name, args }, index) => ({
        id: `call-${messages.length}-${index}`,
        type: 'tool_call',
        name,
        args,
      })),
      usage_metadata: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    });
    return { generations: [{ text: text ?? '', message }] };
  }
}

function agentOf(part, system, tools = []) {
  const model = tools.length === 0 ? new Played(part) : new Played(part).bindTools(tools);
  const think = async ({ messages }) => ({ messages: [await model.invoke([new SystemMessage(system), ...messages])] });
  const graph = new StateGraph(MessagesAnnotation).addNode('think', think).addEdge(ENTRY, 'think');
  if (tools.length === 0) return graph.addEdge('think', END).compile();
  return graph
    .addNode('tools', new ToolNode(tools))
    .addConditionalEdges('think', toolsCondition, ['tools', END])
    .addEdge('tools', 'think')
    .compile();
}

async function answer(graph, input, recursionLimit = 25) {
  const held = await graph.invoke({ messages: [new HumanMessage(input)] }, { recursionLimit });
  return { text: held.messages.at(-1).content, held };
}

function work(turns) {
  const adding = tool(async (args) => add(args), {
    name: ADD.name,
    description: ADD.description,
    schema: z.object({ a: z.number(), b: z.number() }),
  });
  const agent = agentOf(worker(turns), 'You add numbers.', [adding]);
  return () => answer(agent, WORKLOADS.W1.input, 2 * turns + 1);
}

function delegate() {
  const child = agentOf(helper(), 'You know about numbers.');
  const asking = tool(async ({ question }) => (await answer(child, question)).text, {
    name: HELPER.name,
    description: HELPER.description,
    schema: z.object({ question: z.string() }),
  });
  const parent = agentOf(boss(), 'You ask the helper.', [asking]);
  return () => answer(parent, HELPER.question);
}

export const adapter = {
  name: '@langchain/langgraph',
  version: versionOf('@langchain/langgraph'),
  w1: work,
  w2: delegate,
  w3(count) {
    const delegation = delegate();
    return () => atOnce(count, delegation);
  },
  w4(agents) {
    const names = Array.from({ length: agents }, (_, index) => `stage-${index + 1}`);
    const graph = new StateGraph(MessagesAnnotation);
    for (const [index, name] of names.entries()) {
      graph.addNode(name, agentOf(stage(index + 1), `You are number ${index + 1}.`));
      graph.addEdge(index === 0 ? ENTRY : names[index - 1], name);
    }
    const chain = graph.addEdge(names.at(-1), END).compile();
    return () => answer(chain, START, agents + 1);
  },
  w6: work,
};
