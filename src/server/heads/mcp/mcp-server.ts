// The MCP server of a host: it lists the agents that the caller may ask as tools, and calls them. One instance serves one
// connection or one request, of either revision of the protocol; the package knows which.

import { createHash, randomBytes } from 'node:crypto';
import type { ClientCapabilities, Server as McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { CallerAccess } from '../../access.ts';
import type { ServedAgent } from '../../served-cadres.ts';
import { type HeadParts, mayWith } from '../head-host.ts';
import { agentAsTool, mcpToolName } from './agent-tool.ts';
import { type CallState, callAgent } from './call-agent.ts';

/** A person may take their time. */
const ANSWERED_WITHIN = 7 * 24 * 3600;
/** Questions to a person in one call. */
const MOST_QUESTIONS = 100;
const LONGEST_TIMER = 2 ** 31 - 1;

/** The sender of a request. */
export interface McpAsker {
  readonly access: CallerAccess;
  /** Told of a refusal, which the protocol answers as a success of HTTP. */
  readonly refused: (code: number, message: string) => void;
}

export async function mcpServers({
  version,
  secret,
}: {
  readonly version: string;
  /**
   * The secret that signs the state of a call that waits for a person. Without one, such calls do not outlive this
   * process.
   */
  readonly secret?: string | undefined;
}) {
  const {
    CLIENT_CAPABILITIES_META_KEY: capabilitiesKey,
    createRequestStateCodec,
    inputRequired,
    ProtocolError,
    ProtocolErrorCode,
    Server,
  } = await import('@modelcontextprotocol/server');
  const key =
    secret === undefined ? randomBytes(32) : createHash('sha256').update(`mcp call state\0${secret}`).digest();
  /** A client of the revision of 2026 tells with each request what it can do. */
  const sent = ({ mcpReq }: ServerContext): ClientCapabilities | undefined =>
    (mcpReq.envelope as Readonly<Record<string, ClientCapabilities>> | undefined)?.[capabilitiesKey];
  return ({
    context,
    answered,
    askerOf,
  }: Pick<HeadParts, 'context' | 'answered'> & {
    /** A connection may last longer than a right. */
    askerOf(ctx: ServerContext): McpAsker;
  }): McpServer => {
    const nameOf = (ctx: ServerContext): string => askerOf(ctx).access.now().name;
    const codec = createRequestStateCodec<CallState>({ key, ttlSeconds: ANSWERED_WITHIN, bind: nameOf });
    const agentsFor = (ctx: ServerContext): readonly ServedAgent[] => {
      const caller = askerOf(ctx).access.now();
      return context.cadres.agents().filter(({ name }) => mayWith(caller, 'run', name));
    };
    const server = new Server(
      { name: 'cadre', version },
      {
        capabilities: { tools: { listChanged: true } },
        instructions: INSTRUCTIONS,
        requestState: { verify: codec.verify },
        inputRequired: { maxRounds: MOST_QUESTIONS, roundTimeoutMs: LONGEST_TIMER },
      },
    );
    server.setRequestHandler('tools/list', (_, ctx) => ({ tools: agentsFor(ctx).map(agentAsTool) }));
    server.setRequestHandler('tools/call', async ({ params }, ctx) => {
      const mine = agentsFor(ctx);
      const served = mine.find((one) => mcpToolName(one) === params.name || one.name === params.name);
      if (served === undefined) {
        const known = mine.map(mcpToolName).join(', ');
        const message = `There is no tool ${params.name}. Known are: ${known}.`;
        askerOf(ctx).refused(ProtocolErrorCode.InvalidParams, message);
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
      }
      const { access, refused } = askerOf(ctx);
      return callAgent(served, params.arguments ?? {}, ctx, {
        context,
        answered,
        access,
        caller: access.now(),
        refused,
        canAsk: (sent(ctx) ?? server.getClientCapabilities())?.elicitation !== undefined,
        sealed: (state) => codec.mint(state, ctx),
        inputRequired: (questions, state) =>
          inputRequired({
            inputRequests: Object.fromEntries(
              Object.entries(questions).map(([op, question]) => [op, inputRequired.elicit(question)]),
            ),
            requestState: state,
          }),
      });
    });
    return server;
  };
}

export type McpServerMaker = Awaited<ReturnType<typeof mcpServers>>;

const INSTRUCTIONS =
  'Each tool is an agent that works on its own and answers when it is done, which may take minutes. Tell it all that it ' +
  'needs to know: it does not see your conversation. To go on with its answer, give it the thread that the answer named.';
