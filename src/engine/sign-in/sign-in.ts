// Signing in to the MCP servers of a configuration, for the whole store: the states, a sign-in, a sign-out, and the runs that
// wait for one.

import { nearest } from '../../base/text/nearest.ts';
import { present } from '../../base/text/present.ts';
import type { CadreDefinition } from '../../definition/definition.ts';
import { readEnvironment, resolveTemplate } from '../../definition/read/variables.ts';
import type { RunId } from '../../journal/event.ts';
import type { RunStore, SignIns } from '../../journal/store.ts';
import { FaultError, fail } from '../../kernel/fault.ts';
import type { OpPath } from '../../kernel/path.ts';
import { signInIn } from '../../kernel/sign-in.ts';
import { mcpServer } from '../../run/resources/tool-sources.ts';
import { secretsOf } from '../../secrets/configured.ts';
import { type SignInHead, shownUrl, signInId } from '../../tools/mcp/sign-in/record.ts';
import type { SignInEndpoint } from '../../tools/mcp/sign-in/server.ts';
import { mcpSource } from '../../tools/mcp/source.ts';
import type { RunReach } from '../contract.ts';
import { newMessage } from '../handle.ts';
import { approvalsOf } from '../remote/waiting-approvals.ts';

type ConfiguredIn = Pick<CadreDefinition, 'config' | 'folder'>;

/** The store's sign-ins. Throws for a store that keeps none. */
export const signInsOf = ({ signIns }: Pick<RunStore, 'signIns'>, where: string): SignIns =>
  signIns ??
  fail('usage', `${where} keeps no sign-ins: stores in Restate have no place for secrets. Use a folder or Postgres.`);

/** The servers with `auth`, by name. */
export const serversWithAuth = ({ config }: ConfiguredIn): readonly string[] =>
  Object.entries(config.mcpServers).flatMap(([name, { auth }]) => (auth === undefined ? [] : [name]));

/** The server with its variables filled in. Throws `usage` for one that takes no sign-in. */
export function signInServer(name: string, cadre: ConfiguredIn, signIns: SignIns): SignInEndpoint {
  const { config, folder } = cadre;
  const found = config.mcpServers[name];
  if (found?.auth === undefined) return noAuth(name, cadre, found !== undefined);
  const environment = readEnvironment(folder);
  const server = mcpServer(name, found, {
    fill: (value) => resolveTemplate(value, environment),
    secrets: secretsOf(cadre),
    vault: signIns,
  });
  if (server.kind !== 'http' || server.auth === undefined) throw new Error(`${name} has auth and no url`);
  return { ...server, auth: server.auth };
}

function noAuth(name: string, cadre: ConfiguredIn, isKnown: boolean): never {
  if (isKnown)
    fail(
      'usage',
      `mcpServers.${name} has no auth, so nobody signs in to it. If it wants that, set "auth: oauth" there.`,
    );
  const known = serversWithAuth(cadre);
  const near = nearest(name, known);
  const guess = near === undefined ? '' : ` Did you mean "${near}"?`;
  const list = known.length === 0 ? 'None has auth.' : `With auth: ${known.join(', ')}.`;
  return fail('usage', `cadre.yaml has no MCP server ${JSON.stringify(name.slice(0, 80))}. ${list}${guess}`);
}

export interface SignInState {
  readonly server: string;
  readonly url: string;
  /** `expired`: it was signed in, and the token cannot be renewed. `own`: the client itself signs in. */
  readonly state: 'signed-in' | 'expired' | 'signed-out' | 'own';
  readonly issuer?: string;
  readonly scope?: string;
  readonly signedInAt?: number;
  /** The time at which the token ends. Absent if it is renewed, or does not say. */
  readonly until?: number;
}

export async function signInStates(cadre: ConfiguredIn, signIns: SignIns): Promise<readonly SignInState[]> {
  const kept = new Map((await signIns.list()).map(({ id, head }) => [id, JSON.parse(head) as SignInHead]));
  return serversWithAuth(cadre).map((name) => {
    const server = signInServer(name, cadre, signIns);
    const head = kept.get(signInId(server));
    const { issuer, scope, signedInAt, expiresAt, isRenewed = false } = head ?? {};
    const until = isRenewed ? undefined : expiresAt;
    const isOver = until !== undefined && until <= Date.now();
    const signed = head?.isSignedIn === true ? (isOver ? 'expired' : 'signed-in') : 'signed-out';
    return {
      server: name,
      url: shownUrl(server.url),
      state: server.auth.grant === 'client_credentials' ? 'own' : signed,
      ...present({ issuer, scope, signedInAt, until }),
    };
  });
}

/** The number of tools that the server lists with the sign-in. Throws if it does not take it. */
export async function toolsWithSignIn(server: SignInEndpoint, signal: AbortSignal): Promise<number> {
  const source = mcpSource(server);
  try {
    return (await source.tools(signal)).length;
  } finally {
    await source.close();
  }
}

/** A run that waits for a sign-in. */
interface WaitingForSignIn {
  readonly run: RunId;
  readonly op: OpPath;
  readonly digest: string;
  readonly scopes: readonly string[];
}

/** The ops of all runs of the store that wait for a sign-in to this server. */
export async function waitingForSignIn(
  { name, url }: Pick<SignInEndpoint, 'name' | 'url'>,
  store: RunStore,
): Promise<readonly WaitingForSignIn[]> {
  const found: WaitingForSignIn[] = [];
  for (const { run } of await store.list({ waiting: true })) {
    const { waiting } = await approvalsOf(run, store);
    for (const { path, about, digest } of waiting) {
      const wanted = signInIn(about);
      if (wanted?.server !== name || wanted.url !== shownUrl(url)) continue;
      found.push({ run, op: path, digest, scopes: wanted.scopes ?? [] });
    }
  }
  return found;
}

/** Answers them. One that somebody else has answered meanwhile, or whose run has ended, is left out of the count. */
export async function answerSignIns(
  waiting: readonly WaitingForSignIn[],
  reach: Pick<RunReach, 'control'>,
  by: string | undefined,
): Promise<number> {
  let answered = 0;
  for (const { run, op, digest: seen } of waiting) {
    try {
      const said = { kind: 'verdict', op, approved: true, note: 'Signed in.', seen } as const;
      await reach.control(run, newMessage({ ...said, ...(by !== undefined && { by }) }));
      answered++;
    } catch (thrown) {
      if (!(thrown instanceof FaultError)) throw thrown;
    }
  }
  return answered;
}
