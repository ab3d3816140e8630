// The MCP head on a pair of streams, for one client that started this process. There is no server around it: the engine
// works here, and ends with the client.

import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { isError } from '../../../definition/diagnostic.ts';
import { openEngine } from '../../../engine/open.ts';
import type { RunStore } from '../../../journal/store.ts';
import { fromElsewhere } from '../../../run/approver.ts';
import { standingAccess } from '../../access.ts';
import { OWNER } from '../../caller.ts';
import { RunStarter } from '../../run-starter.ts';
import { ServedCadres } from '../../served-cadres.ts';
import { settingsOf } from '../../settings.ts';
import { watchFiles } from '../../watch-files.ts';
import { AnsweredRuns } from '../answered-runs.ts';
import type { HeadContext } from '../head-host.ts';
import { type McpAsker, mcpServers } from './mcp-server.ts';

export async function openStdioMcp(
  folder: string,
  options: {
    readonly store: RunStore;
    /** Its folder, if it has one. */
    readonly dir: string | undefined;
    readonly version: string;
    /** The name of the person at the client. */
    readonly person: string;
    readonly stdin: Readable;
    readonly stdout: Writable;
    log(text: string): void;
  },
) {
  const { store, dir, version, person, stdin, stdout, log } = options;
  const root = resolve(folder);
  const now = Date.now;
  const engine = await openEngine(undefined, { store, dir, approve: fromElsewhere, warn: log });
  const cadres = new ServedCadres(root, { engine, log, now });
  await cadres.reload();
  const runs = new RunStarter(engine, settingsOf(root).now, { work: 'here', over() {} });
  const context: HeadContext = {
    engine,
    store,
    cadres,
    runs,
    folder: root,
    redact: (text) => cadres.all().reduce((told, one) => one.host?.secrets?.redact(told) ?? told, text),
    log,
    now,
  };
  const files = watchFiles(root, () => {
    cadres.reload().catch((thrown: unknown) => log(`The files could not be read again: ${String(thrown)}`));
  });
  const asker: McpAsker = {
    access: standingAccess({ ...OWNER, name: person }),
    refused: (_, message) => log(`mcp: ${oneLine(message)}`),
  };
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const made = await mcpServers({ version });
  const answered = new AnsweredRuns();
  const connection = serveStdio(
    () => {
      const server = made({ context, answered, askerOf: () => asker });
      cadres.watch(() => void server.sendToolListChanged().catch(() => {})); // a probe has nobody to tell
      return server;
    },
    { transport: new StdioServerTransport(stdin, stdout), onerror: (error) => log(`mcp: ${oneLine(error.message)}`) },
  );
  return {
    /** The names of the agents that are offered. */
    agents: (): readonly string[] => cadres.agents().map(({ name }) => name),
    /** True if files have errors, so that agents are left out. */
    hasErrors: (): boolean => cadres.diagnostics().some(isError),
    /** Cancels the runs that the client asked for, and waits for their ends to be recorded. */
    async close(): Promise<void> {
      files.close();
      await Promise.all(
        runs.left().map(async (run) => {
          const handle = engine.handle(run);
          await handle.cancel('The MCP client has left.').catch(() => {}); // it has ended meanwhile
          await handle.outcome();
        }),
      );
      await connection.close();
      await engine.close();
    },
  };
}

/** A mistake in a message of the client may be told at length. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 200);
