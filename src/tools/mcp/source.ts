// The tool source `mcp:<server>`: the tools of one MCP server. The server is started or reached on first use, shared by
// all agents, and started again when it has died.
// MCP-1. One connection at a time. When it closes, the next use opens another, after a pause that doubles with each
//        failure and is forgotten once a call succeeds. An attempt that was given up is not a failure, and the next one
//        begins after its server process has ended.
// MCP-2. A tool is bound to its server and its name there, not to a connection.
// MCP-3. The list of tools may change when the server says so, and after each further connection.
// MCP-4. A tool exists once, under its own name. A list that names one twice is refused: only the server would know
//        which of the two is called, and which of them needs approval.
// MCP-5. Every error in a server's list is a `tool/source` fault of this source.
// MCP-6. A server that no caller waits for does not keep this process alive.
// MCP-7. A server that wants a sign-in says so with a fault (`signInOf`), and is not counted as failing.

import type { ElicitRequestFormParams, Tool as McpTool } from '@modelcontextprotocol/client';
import { durationText } from '../../base/text/words.ts';
import { FaultError, fail, fault } from '../../kernel/fault.ts';
import { errorResult, type ToolResult } from '../../kernel/message.ts';
import { signInOf } from '../../kernel/sign-in.ts';
import type { StopSignal } from '../../kernel/stop-signal.ts';
import { isUsableSchema } from '../json-schema.ts';
import { SharedWork } from '../shared-work.ts';
import type { Tool, ToolContext, ToolSource } from '../tool.ts';
import { fitName, isToolName, markedName } from '../tool-name.ts';
import { CallQuestions, callToEnd } from './call.ts';
import type { Connection } from './connect.ts';
import { toolResultOf } from './content.ts';
import { isOffered, type McpServer } from './server.ts';

interface McpOptions {
  /** The pause before the first restart; each further failure doubles it, up to half a minute. */
  readonly restartPauseMs: number;
  /** The time that a server may take to list its tools, all pages of them. */
  readonly listTimeoutMs?: number;
}

const usualListTimeoutMs = 30_000;
const mostTools = 1000;

const longestPauseMs = 30_000;
export const mcpSource = (server: McpServer, options: McpOptions = { restartPauseMs: 250 }): ToolSource =>
  new McpSource(server, options);

class McpSource implements ToolSource {
  readonly name: string;
  private readonly server: McpServer;
  private readonly options: McpOptions;
  private isClosed = false;
  private current: SharedWork<Connection> | undefined;
  private listed: SharedWork<readonly Tool[]> | undefined;
  private connections = 0;
  private changes = 0;
  private failures = 0;
  private retryAt = 0;
  private waiting = 0;
  private connection: Connection | undefined;
  private readonly questions: CallQuestions;

  constructor(server: McpServer, options: McpOptions) {
    this.name = `mcp:${server.name}`;
    this.questions = new CallQuestions(server.name);
    this.server = server;
    this.options = options;
  }

  get revision(): number {
    return this.changes;
  }

  async tools(signal?: StopSignal): Promise<readonly Tool[]> {
    if (this.isClosed) throw closedFault(this.server.name);
    const known = this.listed;
    if (known !== undefined && !known.isGivenUp) return this.awaited(() => known.wait(signal));
    const listing = new SharedWork((stop) => this.list(stop));
    this.listed = listing;
    listing.result.catch(() => {
      if (this.listed === listing) this.listed = undefined;
    });
    return this.awaited(() => listing.wait(signal));
  }

  /** MCP-6. */
  private async awaited<Value>(work: () => Promise<Value>): Promise<Value> {
    this.waiting++;
    if (this.waiting === 1) this.connection?.awaited(true);
    try {
      return await work();
    } finally {
      this.waiting--;
      if (this.waiting === 0) this.connection?.awaited(false);
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const closed = closedFault(this.server.name);
    this.listed?.giveUp(closed);
    this.current?.giveUp(closed);
    const connection = await this.current?.result.catch(() => undefined);
    await connection?.close();
  }

  private async list(signal: AbortSignal): Promise<readonly Tool[]> {
    const connection = await this.attempt().wait(signal);
    const { listTimeoutMs = usualListTimeoutMs } = this.options;
    const late = AbortSignal.timeout(listTimeoutMs);
    try {
      return await this.wrapped(await connection.listTools(AbortSignal.any([signal, late])));
    } catch (thrown) {
      if (late.aborted && !signal.aborted) {
        return this.unusable(new Error(`it did not list its tools within ${durationText(listTimeoutMs)}`));
      }
      const wanted = connection.wantedBy(thrown);
      if (wanted !== undefined) throw wanted;
      const words = connection.isBrokenBy(thrown) ? connection.lastWords() : '';
      return this.unusable(words === '' ? thrown : new Error(words)); // MCP-5
    }
  }

  /** Throws where the list cannot be used. The same list in another order gives the same tools. */
  private async wrapped(listed: readonly McpTool[]): Promise<readonly Tool[]> {
    if (listed.length > mostTools) throw new Error(`it lists ${listed.length} tools, and ${mostTools} are the most`);
    const own = new Set<string>();
    for (const { name } of listed) {
      if (own.has(name)) throw new Error(`it lists the tool ${JSON.stringify(name.slice(0, 80))} twice`); // MCP-4
      own.add(name);
    }
    const offered = listed.filter(({ name }) => isOffered(this.server, name));
    offered.sort((a, b) => (a.name < b.name ? -1 : 1));
    const named = new Map(offered.filter(({ name }) => isToolName(name)).map((tool) => [tool.name, tool]));
    for (const tool of offered) {
      if (isToolName(tool.name)) continue;
      const name = named.has(fitName(tool.name)) ? markedName(tool.name) : fitName(tool.name);
      if (named.has(name)) throw new Error(`it lists two tools that models would both call ${name}`);
      named.set(name, tool);
    }
    const tools: Tool[] = [];
    for (const [name, tool] of [...named].sort(([a], [b]) => (a < b ? -1 : 1))) {
      tools.push(this.wrap(name, tool));
      // Each schema may take a moment, and a server may list very many, so timers get a chance to run in between.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return tools;
  }

  private wrap(name: string, tool: McpTool): Tool {
    const { annotations = {} } = tool;
    return {
      spec: {
        name,
        description: tool.description ?? tool.title ?? '',
        // A schema that cannot be checked here is left to the server.
        parameters: isUsableSchema(tool.inputSchema) ? tool.inputSchema : { type: 'object' },
      },
      ...(name === tool.name ? {} : { nativeName: tool.name }),
      ...(annotations.readOnlyHint !== undefined && { readOnly: annotations.readOnlyHint }),
      repeat: annotations.readOnlyHint === true || annotations.idempotentHint === true ? 'safe' : 'never',
      execute: (input, context) => this.awaited(() => this.call(tool.name, input, context)),
    };
  }

  private async call(name: string, input: unknown, context: ToolContext): Promise<ToolResult> {
    const attempt = this.attempt();
    const connection = await attempt.wait(context.signal);
    try {
      const answer = await this.questions.during(context, (asking) =>
        callToEnd({ name, arguments: input as Record<string, unknown> }, connection.client, asking),
      );
      this.failures = 0;
      return toolResultOf(answer);
    } catch (thrown) {
      context.signal.throwIfAborted();
      const wanted = connection.wantedBy(thrown);
      if (wanted !== undefined) throw wanted;
      if (!connection.isBrokenBy(thrown)) return errorResult(messageOf(thrown));
      this.lost(attempt);
      await connection.close();
      return errorResult(
        `The MCP server "${this.server.name}" was lost during the call: ${connection.lastWords() || messageOf(thrown)}. ` +
          'It is started again on its next use. Whether the call had an effect is unknown.',
      );
    }
  }

  private attempt(): SharedWork<Connection> {
    if (this.isClosed) throw closedFault(this.server.name);
    const before = this.current;
    if (before !== undefined && !before.isGivenUp) return before;
    const attempt: SharedWork<Connection> = new SharedWork(async (signal) => {
      const left = await before?.result.catch(() => undefined);
      await left?.close();
      return await this.open(signal, () => this.lost(attempt));
    });
    this.current = attempt;
    attempt.result.catch((thrown: unknown) => this.lost(attempt, isWanted(thrown)));
    return attempt;
  }

  private async open(signal: AbortSignal, onClosed: () => void): Promise<Connection> {
    try {
      const { setTimeout: pause } = await import('node:timers/promises');
      const wait = this.retryAt - Date.now();
      if (wait > 0) await pause(wait, undefined, { signal });
      const { connect } = await import('./connect.ts');
      const events = {
        onClosed,
        onToolsChanged: () => this.changed(),
        onQuestion: (asked: ElicitRequestFormParams, until: AbortSignal) => this.questions.ask(asked, until),
      };
      const connection = await connect(this.server, events, signal);
      if (this.connections++ > 0) this.changes++; // MCP-3
      this.connection = connection;
      if (this.waiting === 0) connection.awaited(false);
      return connection;
    } catch (thrown) {
      return this.unusable(thrown);
    }
  }

  /** MCP-3. */
  private changed(): void {
    this.changes++;
    this.listed = undefined;
  }

  private unusable(thrown: unknown): never {
    const { server } = this;
    if (this.isClosed) throw closedFault(server.name);
    if (thrown instanceof FaultError && thrown.fault.code === 'tool/source') throw thrown; // it says it all
    return fail(
      'tool/source',
      `The MCP server "${server.name}" cannot be used: ${messageOf(thrown)}. ${advice(server, thrown)}`,
    );
  }

  /** MCP-1. */
  private lost(attempt: SharedWork<Connection>, isNoFailure = attempt.isGivenUp): void {
    if (this.current !== attempt) return;
    this.current = undefined;
    this.listed = undefined;
    if (isNoFailure || attempt.isGivenUp) return;
    this.failures++;
    this.retryAt = Date.now() + Math.min(longestPauseMs, this.options.restartPauseMs * 2 ** (this.failures - 1));
  }
}

const closedFault = (name: string): FaultError =>
  new FaultError(fault('tool/source', `The MCP server "${name}" has been closed, together with the run.`));

const isWanted = (thrown: unknown): boolean => thrown instanceof FaultError && signInOf(thrown.fault) !== undefined;

/** A server without `auth` that answers 401 may want a sign-in. */
const advice = (server: McpServer, thrown: unknown): string =>
  server.kind === 'http'
    ? (thrown as { readonly status?: unknown } | null)?.status === 401 && server.auth === undefined
      ? `If it wants a sign-in, set "auth: oauth" for it in cadre.yaml, and then: cadre sign-in ${server.name}`
      : 'Check its url and headers in cadre.yaml, and whether it runs.'
    : `Check its command in cadre.yaml: ${[server.command, ...server.args].join(' ')}`;

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
