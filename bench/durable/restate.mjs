// Restate alone with the AI SDK: a service whose handlers run the SDK's agents, with every model call and every tool call
// in `ctx.run`, as Restate's own middleware for the AI SDK does it. The server is a process of its own and is not killed;
// after a kill of the service it calls the handler again by itself, and the caller attaches to the run by its idempotency
// key.

import http from 'node:http';
import './with-resolvers.mjs';
import * as restate from '@restatedev/restate-sdk';
import { generateText, isStepCount, tool, wrapLanguageModel } from 'ai-7';
import { z } from 'zod';
import { versionOf } from '../installed.mjs';
import { ADD, HELPER } from '../workloads.mjs';
import { modelOf } from './model.mjs';
import { DURABLE, HOPS, partsOf, TURNS } from './parts.mjs';

export const name = `Restate ${versionOf('@restatedev/restate-server')} with ai ${versionOf('ai-7')}`;

const durableCalls = (ctx) => ({
  specificationVersion: 'v4',
  wrapGenerate: ({ model, doGenerate }) => ctx.run(`calling ${model.provider}`, async () => doGenerate()),
});

async function ask(ctx, parts, agent, prompt, tools) {
  const model = wrapLanguageModel({ model: modelOf(parts, agent, 'v4'), middleware: durableCalls(ctx) });
  const more = tools === undefined ? {} : { tools, stopWhen: isStepCount(TURNS + 1) };
  const { text } = await generateText({ model, system: `You are ${agent}.`, prompt, maxRetries: 0, ...more });
  return text;
}

const handlersOf = (parts) => ({
  W1(ctx, input) {
    const inputSchema = z.object({ a: z.number(), b: z.number() });
    const execute = (args) => ctx.run(ADD.name, () => parts.add(args));
    return ask(ctx, parts, 'worker', input, {
      [ADD.name]: tool({ description: ADD.description, inputSchema, execute }),
    });
  },
  W2(ctx, input) {
    const inputSchema = z.object({ question: z.string() });
    const execute = ({ question }) => ask(ctx, parts, HELPER.name, question);
    const { name: tooled, description } = HELPER;
    return ask(ctx, parts, 'boss', input, { [tooled]: tool({ description, inputSchema, execute }) });
  },
  async W4(ctx, input) {
    let text = input;
    for (let number = 1; number <= HOPS; number++) text = await ask(ctx, parts, `stage-${number}`, text);
    return text;
  },
});

export async function open(workload, { made }) {
  const { ingress, admin, port } = JSON.parse(process.env.CADRE_BENCH_RESTATE);
  const service = restate.service({ name: 'durable', handlers: handlersOf(partsOf(made)) });
  await restate.serve({ services: [service], port });
  const post = (url, body, headers) =>
    new Promise((resolve, reject) => {
      const sent = { method: 'POST', agent: AGENT, headers: { 'content-type': 'application/json', ...headers } };
      const request = http.request(url, sent, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => (text += chunk));
        response.on('end', () => (response.statusCode < 300 ? resolve(JSON.parse(text)) : reject(new Error(text))));
      });
      request.on('error', reject);
      request.end(JSON.stringify(body));
    });
  const start = (run) => post(`${ingress}/durable/${workload}`, DURABLE[workload].input, { 'idempotency-key': run });
  const address = { uri: `http://127.0.0.1:${port}`, force: true, breaking: true };
  return {
    async start(run) {
      return start(run);
    },
    register: () => post(`${admin}/deployments`, address),
    resume: start,
  };
}

const AGENT = new http.Agent({ keepAlive: true });
