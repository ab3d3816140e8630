// The tool sources that a cadre names, each made when an agent first asks for it. `${VAR}`s are put in only then.

import { join } from 'node:path';
import {
  type CadreDefinition,
  type McpAuthConfig,
  type McpServerConfig,
  type RestToolConfig,
  type TemplatedText,
  USUAL_SHELL,
  USUAL_WEB,
} from '../../definition/definition.ts';
import { fail } from '../../kernel/fault.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { filesSource } from '../../tools/files/source.ts';
import { FILES_WRITE, filesWriteSource } from '../../tools/files/write/source.ts';
import type { McpServer } from '../../tools/mcp/server.ts';
import type { SignInClient, SignInVault } from '../../tools/mcp/sign-in/record.ts';
import { mcpSource } from '../../tools/mcp/source.ts';
import { personSource } from '../../tools/person/source.ts';
import type { RestDeclaration } from '../../tools/rest/declaration.ts';
import { restSource } from '../../tools/rest/source.ts';
import { shellSource } from '../../tools/shell/source.ts';
import type { ToolSource } from '../../tools/tool.ts';
import { webSource } from '../../tools/web/source.ts';
import type { FilesView } from './files-view.ts';

type Fill = (value: TemplatedText) => string;

interface SourceInputs {
  /** Puts the variables in. */
  readonly fill: Fill;
  readonly secrets: Secrets;
  /** Keeps sign-ins. Absent if no store was opened, or it keeps none. */
  readonly vault?: SignInVault | undefined;
}

export function sourceMakers(
  cadre: CadreDefinition,
  files: FilesView,
  inputs: SourceInputs,
): ReadonlyMap<string, () => ToolSource> {
  const { mcpServers, restTools } = cadre.config;
  const { fill } = inputs;
  return new Map([
    ['files', () => filesSource(files.workspace, files.hidden)],
    [FILES_WRITE, () => filesWriteSource(files.workspace, files.access)],
    ['person', () => personSource()],
    ['web', () => webSource(cadre.config.web ?? USUAL_WEB)],
    ['shell', () => shellSource(cadre.config.shell ?? USUAL_SHELL, shellPlace(cadre, files))],
    ...Object.entries(mcpServers).map(
      ([name, config]) => [`mcp:${name}`, () => mcpSource(mcpServer(name, config, inputs))] as const,
    ),
    ...Object.entries(restTools).map(
      ([name, config]) => [`rest:${name}`, () => restSource(restDeclaration(name, config, fill))] as const,
    ),
  ]);
}

/** The list of `files:write`, for commands in a sandbox: agents, their functions, scripts, programs and settings, and the store. */
const shellPlace = ({ folder }: CadreDefinition, { workspace, access, read }: FilesView) => ({
  workspace,
  guarded: [...access.own, ...access.stores, join(folder, '.env')],
  watched: read,
  secret: access.stores.map((store) => join(store, 'sign-ins')),
  allow: access.allow,
});

/** The server of a key in `mcpServers`. */
export function mcpServer(name: string, config: McpServerConfig, inputs: SourceInputs): McpServer {
  const { fill, secrets } = inputs;
  const common = { name, ...(config.allow && { allow: config.allow }), ...(config.deny && { deny: config.deny }) };
  if (config.url !== undefined) {
    const auth = config.auth && signInClient(config.auth, inputs);
    return {
      ...common,
      kind: 'http',
      url: fill(config.url),
      headers: filled(config.headers, fill),
      ...(auth && { auth }),
    };
  }
  if (config.command === undefined) fail('config/invalid', `mcpServers.${name} has neither a command nor a url.`);
  return {
    ...common,
    kind: 'stdio',
    command: config.command,
    args: config.args,
    env: filled(config.env, fill),
    redactor: secrets,
    ...(config.cwd !== undefined && { cwd: config.cwd }),
  };
}

const signInClient = (
  { grant, clientId, clientSecret, clientMetadataUrl, scopes }: McpAuthConfig,
  { fill, secrets, vault }: SourceInputs,
): SignInClient => ({
  grant,
  ...(clientId !== undefined && { clientId: fill(clientId) }),
  ...(clientSecret !== undefined && { clientSecret: fill(clientSecret) }),
  ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
  ...(scopes !== undefined && { scopes }),
  vault,
  noteSecret: (name, value) => secrets.add(name, value),
});

export const restDeclaration = (name: string, config: RestToolConfig, fill: Fill): RestDeclaration => ({
  name,
  description: config.description,
  method: config.method,
  url: fill(config.url),
  headers: filled(config.headers, fill),
  parameters: config.input.schema,
  ...(config.timeoutMs !== undefined && { timeoutMs: config.timeoutMs }),
  ...(config.maxBytes !== undefined && { maxBytes: config.maxBytes }),
  ...(config.allowPrivate !== undefined && { allowPrivate: config.allowPrivate }),
});

const filled = (values: Readonly<Record<string, TemplatedText>>, fill: Fill): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, fill(value)]));
