// What somebody says about one MCP server, with all variables of the environment filled in.

export type McpServer = McpProcess | McpEndpoint;

interface McpCommon {
  /** The key in `mcpServers`. */
  readonly name: string;
  /** Names of tools, where `*` stands for anything: only these, if given, and none of the denied. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

export interface McpProcess extends McpCommon {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Beside the few variables that every server gets. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface McpEndpoint extends McpCommon {
  readonly kind: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function isOffered(server: McpServer, tool: string): boolean {
  const matches = (pattern: string): boolean => wildcard(pattern).test(tool);
  return (server.allow?.some(matches) ?? true) && !(server.deny?.some(matches) ?? false);
}

const wildcard = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
      .join('.*?')}$`,
    's',
  );
