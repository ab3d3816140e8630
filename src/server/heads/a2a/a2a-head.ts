// The A2A head: a card and an address for each agent, and at the well-known address the card of the agent that the
// folder begins with.

import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { fail } from '../../../kernel/fault.ts';
import { edgesOf } from '../../../patterns/record.ts';
import { mayUse } from '../../caller.ts';
import type { Head, HeadRoute, ServerCall, ServerContext } from '../../context.ts';
import { openSse } from '../../events/sse.ts';
import type { ServedAgent } from '../../served-cadres.ts';
import type { AnsweredRuns } from '../answered-runs.ts';
import { readCall } from '../head-call.ts';
import { lookupRoute, protocolAnswers, RPC_REQUEST, rpcProblem, streamedAnswer } from '../head-routes.ts';
import { jsonResponse } from '../http-answer.ts';
import { agentCard, earlierFields } from './agent-card.ts';
import { ShownOps } from './shown-ops.ts';
import { taskRequests } from './task-requests.ts';

const CARD = '/.well-known/agent-card.json';
const VERSION_HEADER = 'a2a-version';
const EARLIER = '0.3';

export const a2aHead = (answered: AnsweredRuns): Head => ({
  name: 'a2a',
  paths: ['/a2a', CARD],
  routes: a2aRoutes(answered, new ShownOps()),
  problem: rpcProblem((code) => [{ code }]),
});

const AGENT = { agent: z.string().describe('The agent.') };

const a2aRoutes = (answered: AnsweredRuns, shown: ShownOps): readonly HeadRoute[] => [
  lookupRoute('The card.', 'JSON-RPC', {
    path: CARD,
    name: 'getFirstAgentCard',
    summary: 'The A2A card of the agent that the folder begins with, if there is one.',
    permission: 'token',
    answer: async (call, context) => cardOf(firstAgent(call, context), call, context),
  }),
  lookupRoute('The card.', 'JSON-RPC', {
    path: '/a2a/:agent{.+?}/.well-known/agent-card.json',
    name: 'getAgentCard',
    summary: 'The A2A card of an agent.',
    permission: 'token',
    params: AGENT,
    answer: async (call, context) => cardOf(agentOf(call, context), call, context),
  }),
  {
    method: 'POST',
    path: '/a2a/:agent{.+}',
    name: 'postA2a',
    tag: 'heads',
    summary:
      'A request of A2A to an agent (JSON-RPC), of revision 1.0 or 0.3. Its method decides which permission it needs.',
    permission: 'token',
    params: AGENT,
    body: RPC_REQUEST,
    answers: protocolAnswers(streamedAnswer('What the protocol answers.'), 'JSON-RPC'),
    answer: (call, context) => rpc(call, context, { answered, shown }),
  },
];

/** Throws `agent/unknown` and `request/forbidden`. */
const agentOf = (call: ServerCall, { cadres }: ServerContext): ServedAgent =>
  cadres.agentFor(call.req.param('agent') ?? '', call.get('caller'));

/** The one agent that no other leads to. Throws `agent/unknown` if there are several. */
function firstAgent(call: ServerCall, { cadres }: ServerContext): ServedAgent {
  const mine = cadres.agents().filter(({ name }) => mayUse(call.get('caller'), name));
  const led = new Set(mine.flatMap(({ agent, served }) => edgesOf(agent).map(({ to }) => served.prefix + to)));
  const first = mine.filter(({ name }) => !led.has(name));
  if (first.length === 1 && first[0] !== undefined) return first[0];
  const cards = mine.slice(0, 20).map((one) => addressOf(one, call) + CARD);
  return fail(
    'agent/unknown',
    `This folder has no single agent to begin with. Each agent has a card: ${cards.join(', ')}.`,
  );
}

async function cardOf(served: ServedAgent, call: ServerCall, context: ServerContext): Promise<Response> {
  const { AgentCard } = await import('@a2a-js/sdk');
  const url = addressOf(served, call);
  const card = AgentCard.toJSON(agentCard(served, url, context.version)) as object;
  const version = call.req.header(VERSION_HEADER) ?? EARLIER;
  return jsonResponse(version === EARLIER ? { ...card, ...earlierFields(url) } : card, 200, { vary: 'A2A-Version' });
}

/** The URL of messages to the agent: at the address by which the client reached the server. */
const addressOf = ({ name }: ServedAgent, call: ServerCall): string => {
  const scheme = call.req.header('x-forwarded-proto') === 'https' ? 'https' : 'http';
  return `${scheme}://${call.req.header('host') ?? ''}/a2a/${name}`;
};

async function rpc(
  call: ServerCall,
  context: ServerContext,
  memory: { readonly answered: AnsweredRuns; readonly shown: ShownOps },
): Promise<Response | undefined> {
  const served = agentOf(call, context);
  const { body, parts, outgoing } = await readCall(call, context, memory.answered);
  const { JsonRpcTransportHandler: Current, ServerCallContext, validateVersion } = await import('@a2a-js/sdk/server');
  const { LegacyJsonRpcTransportHandler: Earlier } = await import('@a2a-js/sdk/compat/v0_3/server');
  const requestedVersion = call.req.header(VERSION_HEADER) ?? EARLIER;
  const requests = taskRequests(served, {
    ...parts,
    url: addressOf(served, call),
    version: context.version,
    server: context,
    shown: memory.shown,
    client: clientOf(call),
  });
  const isEarlier = requestedVersion === EARLIER;
  const transport = isEarlier ? new Earlier(requests) : new Current(requests);
  const failed = (thrown: unknown): object => ({
    jsonrpc: '2.0',
    id: (body['id'] as string | number | undefined) ?? null,
    error: isEarlier ? Earlier.mapToLegacyJSONRPCError(thrown) : Current.mapToJSONRPCError(thrown),
  });
  const noted = <Answer extends object>(answer: Answer): Answer => {
    const { error } = answer as { readonly error?: { readonly code: number; readonly message: string } };
    if (error) call.get('refused')(error.code, error.message);
    return answer;
  };
  try {
    validateVersion(requestedVersion, await requests.getAgentCard(), 'JSONRPC');
    const answer = await transport.handle(body, new ServerCallContext({ requestedVersion }));
    if (!(Symbol.asyncIterator in answer)) return jsonResponse(noted(answer), 200);
    await sendAll(answer as AsyncGenerator<object>, outgoing, { noted, failed });
    return undefined;
  } catch (thrown) {
    return jsonResponse(noted(failed(thrown)), 200);
  }
}

/** Several clients may have one token. */
const clientOf = (call: ServerCall): string =>
  JSON.stringify([call.get('caller').name, call.env.incoming.socket.remoteAddress, call.req.header('user-agent')]);

/** The first answer decides whether there is a stream: what is refused at once is answered like any other request. */
async function sendAll(
  answers: AsyncGenerator<object>,
  outgoing: ServerResponse,
  { noted, failed }: { noted(answer: object): object; failed(thrown: unknown): object },
): Promise<void> {
  const first = await answers.next();
  let isClosed = false;
  const reader = openSse(outgoing, () => {
    isClosed = true;
    void answers.return(undefined);
  });
  try {
    for (let next = first; next.done !== true && !isClosed; next = await answers.next()) {
      reader.send(`data: ${JSON.stringify(noted(next.value))}\n\n`);
      if (reader.isBlocked) await new Promise<void>((resolve) => reader.whenDrained(resolve));
    }
  } catch (thrown) {
    reader.send(`data: ${JSON.stringify(noted(failed(thrown)))}\n\n`);
  } finally {
    reader.end();
  }
}
