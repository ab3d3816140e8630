// `mcpServers` and `restTools` of cadre.yaml.

import { resolve } from 'node:path';
import { bareAddress, namesAuthorization } from '../../../base/net/credentials.ts';
import type { YamlNode } from '../../../base/yaml/node.ts';
import type { McpServerConfig, RestToolConfig } from '../../definition.ts';
import { choice, durationShape, flag, integer, list, type ReadContext, reportAt, type Shape, text } from '../shape.ts';
import { jsonSchema, key, object, record, refineShape, type Values } from '../shape-object.ts';
import { literal, templatedText } from '../variables.ts';
import { authShape } from './config-auth.ts';
import { CONFIG_NAME, CONFIG_NAME_SAYS, headersShape } from './config-providers.ts';

const mcpKeys = {
  command: key(literal, 'The program that speaks MCP on its standard input and output.'),
  args: key(list(literal), 'Its arguments.'),
  env: key(
    record(templatedText, /^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable'),
    'Added to its environment.',
  ),
  cwd: key(literal, 'The folder it runs in; the folder of cadre.yaml without it.'),
  url: key(templatedText, 'The address of a server over HTTP.'),
  headers: key(headersShape, 'Sent with every request to url.'),
  auth: key(authShape, 'oauth, or the client to sign in with: for a server over HTTP that wants a sign-in.'),
  allow: key(list(text()), 'The tools that are offered; all without it.'),
  deny: key(list(text()), 'Tools that are not offered.'),
};

export const mcpServersShape: Shape<Readonly<Record<string, McpServerConfig>>> = record(
  refineShape(object(mcpKeys), mcpServerOf),
  CONFIG_NAME,
  CONFIG_NAME_SAYS,
);

function mcpServerOf(
  { command, args = [], env = {}, headers = {}, cwd, ...rest }: Values<typeof mcpKeys>,
  node: YamlNode,
  path: string,
  reading: ReadContext,
): McpServerConfig {
  const has = (name: string): boolean => node.kind === 'map' && node.entries.has(name);
  const misplaced = has('url') ? ['args', 'env', 'cwd'].find(has) : ['headers', 'auth'].find(has);
  const isSignedTwice =
    has('auth') && (namesAuthorization(headers) || bareAddress(rest.url?.template ?? '').authorization);
  if (has('command') === has('url')) {
    reportAt(node, reading, {
      code: 'config/mcp',
      message: `\`${path}\` has ${has('url') ? 'both command and url' : 'neither command nor url'}`,
      help: 'Give command (with args) for a program, or url (with headers) for a server over HTTP.',
    });
  } else if (misplaced !== undefined) {
    reportAt((node.kind === 'map' ? node.entries.get(misplaced) : undefined) ?? node, reading, {
      code: 'key/misplaced',
      message: `an MCP server with ${has('url') ? 'url' : 'command'} does not take "${misplaced}"`,
      help: `Remove it: it belongs to ${has('url') ? 'command' : 'url'}.`,
    });
  } else if (isSignedTwice) {
    reportAt(node, reading, {
      code: 'config/mcp',
      message: `\`${path}\` has auth, and ${namesAuthorization(headers) ? 'an Authorization header' : 'a user in its url'}`,
      help: 'Keep one of them: a request has one Authorization header, and with auth it holds the token of the sign-in.',
    });
  }
  return {
    ...(command !== undefined && { command: placed(command, reading.folder) }),
    args,
    env,
    headers,
    ...rest,
    ...(has('command') && { cwd: resolve(reading.folder, cwd ?? '.') }),
  };
}

/** A command with a slash in it is a file, whose path is relative to cadre.yaml; any other is looked up in PATH. */
const placed = (command: string, folder: string): string =>
  /[\\/]/.test(command) ? resolve(folder, command) : command;

const restKeys = {
  description: key(text(), 'The description that the model reads.', { required: true }),
  method: key(choice(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']), 'GET by default.', { fallback: 'GET' as const }),
  url: key(templatedText, 'Where to; {name} is filled in from the input.', { required: true }),
  headers: key(headersShape, 'Sent with every request.'),
  input: key(
    object({ schema: key(jsonSchema, 'JSON Schema of the arguments.', { required: true }) }),
    'What the tool takes.',
  ),
  timeout: key(durationShape, 'For one request.'),
  maxBytes: key(integer(1, 1_073_741_824), 'A longer answer is cut there, and the model is told.'),
  allowPrivate: key(flag, 'true: addresses of private networks are allowed.', { fallback: false }),
};

export const restToolsShape: Shape<Readonly<Record<string, RestToolConfig>>> = record(
  refineShape(object(restKeys), restToolOf),
  CONFIG_NAME,
  CONFIG_NAME_SAYS,
);

function restToolOf(
  { description, method = 'GET', url, headers = {}, input, timeout, ...rest }: Values<typeof restKeys>,
  node: YamlNode,
  path: string,
  reading: ReadContext,
): RestToolConfig | undefined {
  if (description === undefined || url === undefined) return undefined;
  const schema = input?.schema ?? { type: 'object', properties: {}, additionalProperties: false };
  const known = typeof schema === 'object' ? schema['properties'] : undefined;
  const names = typeof known === 'object' && known !== null ? Object.keys(known) : [];
  for (const [, name = ''] of url.template.matchAll(/(?<!\$)\{([^{}]*)\}/g)) {
    if (names.includes(name)) continue;
    reportAt((node.kind === 'map' ? node.entries.get('url')?.value : undefined) ?? node, reading, {
      code: 'config/rest-placeholder',
      message: `{${name}} in \`${path}.url\` is not a property of its input schema`,
      help: `Declare it: input: {schema: {type: object, properties: {${name || 'name'}: {type: string}}, required: [${name || 'name'}]}}.`,
    });
  }
  return {
    description,
    method,
    url,
    headers,
    input: { schema },
    ...rest,
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  };
}
