// `auth` of an MCP server: `oauth`, or the client that Cadre is for its authorization server.

import type { YamlNode } from '../../../base/yaml/node.ts';
import type { McpAuthConfig } from '../../definition.ts';
import { byForm, choice, list, matchingText, type ReadContext, reportAt, type Shape } from '../shape.ts';
import { key, object, refineShape, type Values } from '../shape-object.ts';
import { templatedText } from '../variables.ts';

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
const METADATA_URL = /^https:\/\/[^/?#\s]+\/[^\s#]+$/;

const authKeys = {
  clientId: key(templatedText, 'The client that was registered for Cadre; else it registers itself.'),
  clientSecret: key(templatedText, 'Its secret, if it has one.'),
  clientMetadataUrl: key(
    matchingText(METADATA_URL, 'an https address with a path'),
    'The address of a client metadata document, for a server that takes such clients.',
  ),
  scopes: key(
    list(matchingText(SCOPE, 'a scope without blanks and quotes')),
    'The scopes to ask for; those that the server names without it.',
  ),
  grant: key(
    choice(['authorization_code', 'client_credentials']),
    'client_credentials: the client itself signs in, and no person is asked.',
  ),
};

/** The word alone says that a person signs in, and that everything else is found out. */
const OAUTH = 'oauth';
const oauthWord: Shape<McpAuthConfig> = {
  says: OAUTH,
  schema: { enum: [OAUTH] },
  read: (node, path, reading) =>
    matchingText(/^oauth$/, OAUTH).read(node, path, reading) === undefined
      ? undefined
      : { grant: 'authorization_code' },
};

export const authShape: Shape<McpAuthConfig> = byForm({
  scalar: oauthWord,
  map: refineShape(object(authKeys), authOf),
});

function authOf(
  { grant = 'authorization_code', ...rest }: Values<typeof authKeys>,
  node: YamlNode,
  path: string,
  reading: ReadContext,
): McpAuthConfig {
  const has = (name: keyof typeof authKeys): boolean => node.kind === 'map' && node.entries.has(name);
  const wrong = (message: string, help: string): void => reportAt(node, reading, { code: 'config/mcp', message, help });
  if (has('clientSecret') && !has('clientId')) wrong(`\`${path}\` has a clientSecret and no clientId`, 'Add clientId.');
  if (has('clientMetadataUrl') && has('clientId'))
    wrong(`\`${path}\` names two clients: clientId and clientMetadataUrl`, 'Keep one of them.');
  if (grant === 'client_credentials' && !(has('clientId') && has('clientSecret')))
    wrong(
      `\`${path}\` has grant: client_credentials, and ${has('clientId') ? 'no clientSecret' : 'no clientId'}`,
      'Add clientId and clientSecret: with this grant the client signs in by itself.',
    );
  return { grant, ...rest };
}
