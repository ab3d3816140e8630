// The configuration of one MCP server, with all variables of the environment filled in.

import { matchesStars } from '../../base/text/star-text.ts';
import type { Redactor } from '../../kernel/redacted.ts';
import type { SignInClient } from './sign-in/record.ts';

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
  /** Added to the few variables that every server gets. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Redacts its output on stderr, of which the end is kept. */
  readonly redactor: Redactor;
}

export interface McpEndpoint extends McpCommon {
  readonly kind: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The way to a token, if the server wants a sign-in. */
  readonly auth?: SignInClient;
}

export function isOffered(server: Pick<McpServer, 'allow' | 'deny'>, tool: string): boolean {
  const matches = (pattern: string): boolean => matchesStars(pattern, tool);
  return (server.allow?.some(matches) ?? true) && !(server.deny?.some(matches) ?? false);
}
