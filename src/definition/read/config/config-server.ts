// `server` of cadre.yaml: where cadre serve listens, what it takes at once, and who may do what.

import type { Permission, ServerConfig, ServerToken } from '../../definition.ts';
import { choice, durationShape, integer, list, reportAt, type Shape } from '../shape.ts';
import { key, object, record, refineShape } from '../shape-object.ts';
import { literal, templatedText } from '../variables.ts';

export const PERMISSIONS: readonly Permission[] = ['see', 'run', 'approve', 'manage'];

export const SERVER_DEFAULTS: ServerConfig = {
  host: '127.0.0.1',
  port: 4177,
  hosts: [],
  cors: [],
  maxBodyBytes: 4_194_304,
  maxRuns: 100,
  maxWaiting: 1000,
  requestsPerMinute: 6000,
  graceMs: 20_000,
  tokens: {},
};

const MIN_TOKEN = 16;
/** A verdict, a message and a cancel are recorded by this name, so it must not be that of another caller. */
const TOKEN_NAME = /^(?!(?:owner|anyone)$)[a-z][a-z0-9_-]{0,63}$/;

/** A token that is written out is long enough, or it is refused; one from a variable is looked at when it is used. */
const secretToken = refineShape(templatedText, (value, node, path, reading) => {
  if (value.template.includes('${') || value.template.length >= MIN_TOKEN) return value;
  return reportAt(node, reading, {
    code: 'config/server',
    message: `\`${path}\` has only ${value.template.length} characters, so it could be guessed`,
    help: `Use at least ${MIN_TOKEN} characters of chance, as from: openssl rand -hex 24`,
  });
});

/** As a browser writes it: only so can it be compared, letter by letter. */
const originText = refineShape(literal, (value, node, path, reading) => {
  const origin = /^https?:/i.test(value) && URL.canParse(value) ? new URL(value).origin : undefined;
  if (origin === value) return value;
  return reportAt(node, reading, {
    code: 'config/server',
    message: `\`${path}\` is no origin: ${JSON.stringify(value)}`,
    help: `Write scheme, host and port alone, as in ${origin ?? 'https://app.example.com'}. There is no sign for all origins.`,
  });
});

const tokenShape: Shape<ServerToken> = refineShape(
  object({
    token: key(secretToken, 'The secret that a client sends. Write it as ${VARIABLE}.', { required: true }),
    agents: key(list(literal, { min: 1 }), 'The agents that it may use. Default: all.'),
    may: key(list(choice(PERMISSIONS), { min: 1 }), 'The rights of its holder: see, run, approve, manage.', {
      fallback: ['see', 'run'] as readonly Permission[],
    }),
  }),
  ({ token, agents, may }) =>
    token === undefined ? undefined : { token, may: may ?? ['see', 'run'], ...(agents && { agents }) },
);

const fallbackOf = <Name extends keyof ServerConfig>(name: Name): { readonly fallback: ServerConfig[Name] } => ({
  fallback: SERVER_DEFAULTS[name],
});

export const serverShape: Shape<ServerConfig> = refineShape(
  object(
    {
      host: key(
        literal,
        'The address that it listens on. Another one than loopback needs a token.',
        fallbackOf('host'),
      ),
      port: key(integer(0, 65_535), 'The port. 0 takes a free one.', fallbackOf('port')),
      hosts: key(
        list(literal),
        'Names that it is reached by, as in [cadre.example.com]. A request for another name is refused.',
        fallbackOf('hosts'),
      ),
      cors: key(
        list(originText),
        'Origins whose pages may use the API and the heads, with a token, as in [https://app.example.com]. Default: none.',
        fallbackOf('cors'),
      ),
      maxBodyBytes: key(integer(1024, 268_435_456), 'The largest request.', fallbackOf('maxBodyBytes')),
      maxRuns: key(integer(1, 100_000), 'Runs at work at the same time. Further ones wait.', fallbackOf('maxRuns')),
      maxWaiting: key(
        integer(0, 1_000_000),
        'Runs that may wait for their turn. Further ones are refused.',
        fallbackOf('maxWaiting'),
      ),
      requestsPerMinute: key(integer(1, 10_000_000), 'Requests of one token.', fallbackOf('requestsPerMinute')),
      grace: key(durationShape, 'The time that runs may go on after SIGTERM.', { fallback: SERVER_DEFAULTS.graceMs }),
      tokens: key(
        record(
          tokenShape,
          TOKEN_NAME,
          'like the name of an agent, and not "owner" or "anyone": the server\'s own token has the one, and callers without a token have the other',
        ),
        'Further tokens by name, each with the agents that it may use and what it may do.',
      ),
    },
    {
      hints: {
        token: 'The token of the server is made at its first start. Further ones stand under `tokens`, by name.',
        tls: 'Let a proxy do that: docs/start/deploy.md shows one.',
        concurrency: 'Did you mean "maxRuns"?',
        timeout: 'Did you mean "grace"?',
      },
    },
  ),
  ({ grace, ...given }) => ({ ...SERVER_DEFAULTS, ...given, ...(grace !== undefined && { graceMs: grace }) }),
);
