// The secret values around a cadre: the variables that cadre.yaml uses, keys and passwords that it writes out, the
// values in `.env`, and variables of the process whose names say so.
// VALUE-1. The value of a variable that cadre.yaml names is a secret wherever it stands, and so are the parts of an
//          address that can be a key. Ordinary values are left out, or the record could not be read: see `isOrdinary`.

import type { CadreDefinition, TemplatedText } from '../definition/definition.ts';
import { collectorHeaders } from '../definition/read/config/config-telemetry.ts';
import { type Environment, fillIn, isTemplated, readDotenv, variablesIn } from '../definition/read/variables.ts';
import { LONG_ENOUGH, saysSecret } from './of-process.ts';
import { openSecrets, type Secrets } from './secrets.ts';

/** Reads nothing before the first redaction. */
export const secretsOf = ({ config, folder }: Pick<CadreDefinition, 'config' | 'folder'>): Secrets =>
  openSecrets((add) => collectSecrets(config, dotenvOf(folder), process.env, add));

type Add = Secrets['add'];

/** `config` is all of cadre.yaml, or some of its keys. */
export function collectSecrets(config: object, dotenv: Environment, environment: Environment, add: Add): void {
  const all: Environment = { ...environment, ...dotenv };
  for (const place of templatesIn(config, [])) addPlace(place, all, add);
  for (const [name, value = ''] of Object.entries(environment)) {
    if (saysSecret(name) && value.trim().length >= LONG_ENOUGH) addValue(name, value, add);
  }
  for (const [name, value = ''] of Object.entries(dotenv)) if (!isHarmless(name, value)) addValue(name, value, add);
  for (const value of Object.values(collectorHeaders(all))) {
    if (value.length >= LONG_ENOUGH) add('OTEL_EXPORTER_OTLP_HEADERS', value);
  }
}

interface ConfiguredText {
  /** The path in cadre.yaml. */
  readonly path: readonly string[];
  readonly value: TemplatedText;
}

/** Every text of the configuration that may hold variables, whatever key it stands under. */
function* templatesIn(value: unknown, path: readonly string[]): Generator<ConfiguredText> {
  if (typeof value !== 'object' || value === null) return;
  if (isTemplated(value)) yield { path, value };
  else for (const [key, inner] of Object.entries(value)) yield* templatesIn(inner, [...path, key]);
}

function addPlace({ path, value }: ConfiguredText, all: Environment, add: Add): void {
  const variables = variablesIn(value);
  for (const name of variables) {
    const filled = all[name] ?? '';
    if (!isOrdinary(name, filled)) addValue(name, filled, add);
  }
  const name = path.join('.');
  const written = fillIn(value.template, (variable) => all[variable] ?? '');
  if (variables.length === 0 && isKey(path)) add(name, written.replace(/^(Bearer|Basic|Token)\s+/i, ''));
  // This also holds if only a part is a variable: the password may be written out, and the host a variable.
  for (const part of addressOf(written)?.secret ?? []) add(name, part);
}

/** True if a value is a secret even if it is written out, without a variable. */
function isKey(path: readonly string[]): boolean {
  const name = path.at(-1) ?? '';
  if (name === 'apiKey' && path.length === 3) return true;
  if (path[0] === 'server' && name === 'token') return true;
  if (path[0] === 'mcpServers' && name === 'clientSecret') return true;
  if (path[0] === 'providers' && path[2] === 'options' && saysSecret(snakeCase(name))) return true;
  const isNamed = path.at(-2) === 'headers' || path.at(-2) === 'env';
  return isNamed && (saysSecret(name.replaceAll('-', '_')) || /^(proxy-)?authorization$|cookie$/i.test(name));
}

const snakeCase = (name: string): string => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll('-', '_');

/** A value, and for an address also the parts that may occur without the rest. */
function addValue(name: string, value: string, add: Add): void {
  add(name, value);
  const plain = unescaped(value); // a value that is escaped for an address may occur without its escapes
  if (plain !== value) add(name, plain);
  const { secret = [], long = [] } = addressOf(value) ?? {};
  for (const part of [...secret, ...long]) add(name, part);
}

function addressOf(value: string) {
  const text = value.trim();
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const parameters = [...url.searchParams];
  const named = parameters.filter(([name]) => saysSecret(name.replaceAll('-', '_'))).map(([, given]) => given);
  const parts = [...url.pathname.split('/'), url.hash.slice(1), ...parameters.map(([, given]) => given)];
  return {
    url,
    secret: [unescaped(url.password), ...named],
    long: parts.map(unescaped).filter((part) => part.length >= LONG_ENOUGH && !PLAIN_PART.test(part)),
  };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not escaped at all
  }
}

/** Words without a digit: no key looks like that. */
const PLAIN_PART = /^[a-z]+(?:[-_.][a-z]+)*$/i;
const EVERYDAY_WORD = /^(localhost|production|development|information|undefined|application\/json)$/i;
const EVERYDAY =
  /^(HOME|PATH|PWD|USER|LOGNAME|SHELL|LANG|TERM|TZ|TMPDIR|HOSTNAME|EDITOR|NODE_ENV|CI)$|_(PORT|REGION|LEVEL|ENV|MODE)$/i;

/**
 * Values of the variables in cadre.yaml whose redaction would only make the record unreadable: short values, a few
 * words such as "production", everyday variables, and addresses on this machine. A variable whose name says that it is
 * a secret is never ordinary.
 */
function isOrdinary(name: string, value: string): boolean {
  const text = value.trim();
  if (saysSecret(name)) return /^(true|false|null)$/.test(text);
  return text.length < LONG_ENOUGH || EVERYDAY_WORD.test(text) || EVERYDAY.test(name) || isThisMachine(text);
}

function isThisMachine(value: string): boolean {
  const address = addressOf(value) ?? addressOf(`http://${value}`);
  if (address === undefined || !isBare(address.url)) return false;
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(address.url.hostname);
}

/** Values in `.env` that cadre.yaml does not name. */
function isHarmless(name: string, value: string): boolean {
  if (isOrdinary(name, value)) return true;
  if (saysSecret(name)) return false;
  const address = /^https?:/i.test(value) ? addressOf(value) : undefined;
  return /_(HOST|DIR|PATH)$/i.test(name) || (address !== undefined && isBare(address.url));
}

/** True if an address has no user, no parameter, and no part of the path that may be a key. */
const isBare = ({ username, password, search, hash, pathname }: URL): boolean =>
  `${username}${password}${search}${hash}` === '' && pathname.split('/').every((part) => part.length < LONG_ENOUGH);

/** A file that cannot be read is reported when it is needed. For redaction it holds nothing. */
function dotenvOf(folder: string): Environment {
  try {
    return readDotenv(folder);
  } catch {
    return {};
  }
}
