import type { McpServer } from '@modelcontextprotocol/server';

export interface SignInServer {
  readonly url: string;
  readonly issuer: string;
  /** Requests to the authorization server, as `POST /token`. */
  readonly asked: string[];
  /** Calls that the tools got, each with its argument. */
  readonly calls: (readonly [tool: string, argument: unknown])[];
  /** Tokens that came with requests. */
  readonly tokens: string[];
  readonly hooks: {
    /** Called before a token request is answered. */
    beforeToken(): Promise<void>;
    /** The scopes that a call of a tool needs beyond those of the server. */
    scopesFor(tool: string): readonly string[];
    /** Further tools. */
    tools?: ((server: McpServer, calls: SignInServer['calls']) => void) | undefined;
  };
  readonly provider: {
    readonly AccessToken: TokenModel;
    readonly RefreshToken: TokenModel;
    readonly ClientCredentials: TokenModel;
  };
  tokenRequests(): number;
  close(): Promise<void>;
}

interface TokenModel {
  find(token: string): Promise<{ destroy(): Promise<void> } | undefined>;
}

interface SignInServerOptions {
  readonly accessTokenSeconds?: number;
  readonly scopes?: readonly string[];
  readonly clients?: readonly object[];
  readonly registration?: boolean;
  readonly refresh?: boolean;
  readonly tools?: SignInServer['hooks']['tools'];
}

export function signInServer(options?: SignInServerOptions): Promise<SignInServer>;

export function browse(address: string): Promise<{ readonly url: string; readonly status: number; readonly text: string }>;
