// Which values of a cadre's surroundings are secrets: what cadre.yaml fills into keys, headers and the environments of
// tool servers, what stands in `.env`, and variables of the process whose names say so.

import type { CadreConfig, CadreDefinition, Templated } from '../agents/definition.ts';
import { collectorHeaders } from '../agents/config-telemetry.ts';
import { type Environment, readDotenv, variablesIn } from '../agents/variables.ts';
import { openSecrets, type Secrets } from '../world/secrets.ts';
import { saysSecret } from './process-secrets.ts';

/** Nothing is read before something is to be redacted. */
export const secretsOf = ({ config, folder }: CadreDefinition): Secrets =>
  openSecrets((add) => collect(config, dotenvOf(folder), process.env, add));

type Add = Secrets['add'];

export function collect(config: CadreConfig, dotenv: Environment, environment: Environment, add: Add): void {
  for (const [name, value = ''] of Object.entries(environment)) if (saysSecret(name)) add(name, value);
  for (const [name, value = ''] of Object.entries(dotenv)) if (!isHarmless(name, value)) add(name, value);
  const all: Environment = { ...environment, ...dotenv };
  for (const value of Object.values(collectorHeaders(all))) add('OTEL_EXPORTER_OTLP_HEADERS', value);
  for (const { path, value, isKey } of templates(config)) {
    const variables = variablesIn(value);
    for (const name of variables) {
      const filled = all[name] ?? '';
      if (!isHarmless(name, filled)) add(name, filled);
    }
    if (variables.length === 0 && isKey) add(path, value.template.replace(/^(Bearer|Basic|Token)\s+/i, ''));
  }
}

interface Place {
  /** Where it stands in cadre.yaml. */
  readonly path: string;
  readonly value: Templated;
  /** A secret also where it is written out, without a variable. */
  readonly isKey: boolean;
}

function* templates(config: CadreConfig): Generator<Place> {
  for (const [id, { apiKey, headers }] of Object.entries(config.providers)) {
    if (apiKey !== undefined) yield { path: `providers.${id}.apiKey`, value: apiKey, isKey: true };
    yield* each(`providers.${id}.headers`, headers);
  }
  for (const [id, { env, headers }] of Object.entries(config.mcpServers)) {
    yield* each(`mcpServers.${id}.env`, env);
    yield* each(`mcpServers.${id}.headers`, headers);
  }
  for (const [id, { headers }] of Object.entries(config.restTools)) yield* each(`restTools.${id}.headers`, headers);
  yield* each('telemetry.otlp.headers', config.telemetry?.otlp?.headers ?? {});
}

function* each(path: string, values: Readonly<Record<string, Templated>>): Generator<Place> {
  for (const [name, value] of Object.entries(values)) {
    const isKey = saysSecret(name.replaceAll('-', '_')) || /^(proxy-)?authorization$|cookie$/i.test(name);
    yield { path: `${path}.${name}`, value, isKey };
  }
}

const EVERYDAY =
  /^(HOME|PATH|PWD|USER|LOGNAME|SHELL|LANG|TERM|TZ|TMPDIR|HOSTNAME|EDITOR|NODE_ENV|CI)$|_(HOST|PORT|REGION|LEVEL|ENV|MODE|DIR|PATH)$/i;

/** What may stand in `.env`, or be passed on, and would only make texts unreadable. */
function isHarmless(name: string, value: string): boolean {
  if (saysSecret(name)) return false;
  return EVERYDAY.test(name) || isPlainAddress(value);
}

/** No user, no query, and no part of the path that is long enough to be a key. */
function isPlainAddress(value: string): boolean {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return false;
  const { username, password, search, hash, pathname } = new URL(value);
  return `${username}${password}${search}${hash}` === '' && pathname.split('/').every((part) => part.length < 8);
}

/** A file that cannot be read is told where it is needed; for redaction it holds nothing. */
function dotenvOf(folder: string): Environment {
  try {
    return readDotenv(folder);
  } catch {
    return {};
  }
}
