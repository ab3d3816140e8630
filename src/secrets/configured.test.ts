import { expect, test } from 'vitest';
import { readConfig } from '../definition/read/config/config.ts';
import { collectSecrets } from './configured.ts';
import { saysSecret } from './of-process.ts';
import { openSecrets } from './secrets.ts';

function found(yaml: string, dotenv: Record<string, string> = {}, environment: Record<string, string> = {}) {
  const { config } = readConfig({ file: 'cadre.yaml', text: yaml }, '/cadre', ({ message }) => {
    throw new Error(message);
  });
  const secrets = openSecrets((add) => collectSecrets(config, dotenv, environment, add));
  return (text: string): string => secrets.redact(text);
}

test.each([
  'OPENAI_API_KEY',
  'GITHUB_TOKEN',
  'token',
  'CLIENT_SECRET',
  'DB_PASSWORD',
  'PASSWORD_FILE',
  'APIKEY',
  'MY_KEY',
])('the name %s says that it is a secret', (name) => expect(saysSecret(name)).toBe(true));

test.each(['HOME', 'KEYBOARD', 'MONKEY', 'TOKENS_PER_DAY', 'SECRETARY', 'PATH'])('the name %s does not', (name) =>
  expect(saysSecret(name)).toBe(false),
);

const NAMES = ['WHERE_IT_IS', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I'];

test('the value of a variable is a secret wherever cadre.yaml fills it in, addresses too', () => {
  const redact = found(
    `providers:
  a: { kind: openai-compatible, baseUrl: "\${WHERE_IT_IS}", apiKey: "\${A}", headers: { x-team: "\${B}" } }
mcpServers:
  m: { command: x, env: { C: "pre-\${C}" } }
  n: { url: "https://x.example", headers: { authorization: "Bearer \${D}" } }
restTools:
  r: { description: R., url: "https://x.example/\${G}/x?y=\${H}", headers: { cookie: "\${E}" } }
telemetry: { otlp: { endpoint: "http://127.0.0.1:1/\${I}", headers: { x: "\${F}" } } }
`,
    {},
    Object.fromEntries(NAMES.map((name) => [name, `value-of-${name}`])),
  );
  for (const name of NAMES) expect(redact(`value-of-${name}`)).toBe(`[redacted:${name}]`);
});

test('a password in an address is a secret, written out or filled in, and so is a parameter that says so', () => {
  const redact = found(
    `providers:
  a: { kind: openai-compatible, baseUrl: "https://me:pa55@\${THE_HOST}/v1" }
  b: { kind: openai-compatible, baseUrl: "https://x.example/v1?api_key=in-the-address&page=first-page" }
  c: { kind: openai-compatible, baseUrl: "\${WHOLE}" }
`,
    {},
    { THE_HOST: 'models.example', WHOLE: 'https://you:top%2Fsecret@models.example/v1/k3y-in-the-path' },
  );
  expect(redact('pa55 refused; spa55 is a word')).toBe('[redacted:providers.a.baseUrl] refused; spa55 is a word');
  expect(redact('at models.example')).toBe('at [redacted:THE_HOST]');
  expect(redact('in-the-address first-page')).toBe('[redacted:providers.b.baseUrl] first-page');
  expect(redact('top/secret, top%2Fsecret, GET /v1/k3y-in-the-path')).toBe(
    '[redacted:WHOLE], [redacted:WHOLE], GET /v1/[redacted:WHOLE]',
  );
});

test('ordinary values of variables stay readable, unless the name says that it is a secret', () => {
  const ordinary = {
    SHORT: 'eu',
    FLAG: 'true',
    STAGE: 'production',
    WHERE: 'localhost',
    HOME: '/home/somebody',
    AWS_REGION: 'eu-central-1',
    MODELS: 'http://localhost:11434/v1',
    BOX: '127.0.0.1:8080',
    DEBUG_KEY: 'true',
  };
  const secret = { DOOR_PIN: '4711', MY_PASS: 'production', HOST: 'db.internal.example' };
  const names = [...Object.keys(ordinary), ...Object.keys(secret)];
  const env = names.map((name) => `${name}: "\${${name}}"`).join(', ');
  const redact = found(`mcpServers: { m: { command: x, env: { ${env} } } }\n`, {}, { ...ordinary, ...secret });
  const { STAGE: _, ...others } = ordinary;
  for (const value of Object.values(others)) expect(redact(`it is ${value} here`)).toBe(`it is ${value} here`);
  expect(redact('4711 and 47110 at db.internal.example, production')).toBe(
    '[redacted:DOOR_PIN] and 47110 at [redacted:HOST], [redacted:MY_PASS]',
  );
});

test('keys that are written out are named by their place; other headers are not secret', () => {
  const redact = found(`providers:
  a: { kind: openai, apiKey: written-out-1, headers: { authorization: "Bearer written-out-2", accept: application/json } }
mcpServers:
  m: { command: x, env: { API_TOKEN: written-out-3, LOG_STYLE: written-out-4 } }
`);
  expect(redact('written-out-1 written-out-2 written-out-3 written-out-4 application/json')).toBe(
    '[redacted:providers.a.apiKey] [redacted:providers.a.headers.authorization] ' +
      '[redacted:mcpServers.m.env.API_TOKEN] written-out-4 application/json',
  );
});

test('keys in the options of a package are secrets too, at any depth; other options are not', () => {
  const redact = found(`providers:
  p:
    kind: ai-sdk
    package: "@ai-sdk/x"
    options: { apiKey: written-out-1, region: written-out-2, headers: { x-api-key: written-out-3 }, accounts: [{ secretAccessKey: written-out-4 }] }
`);
  expect(redact('written-out-1 written-out-2 written-out-3 written-out-4')).toBe(
    '[redacted:providers.p.options.apiKey] written-out-2 [redacted:providers.p.options.headers.x-api-key] ' +
      '[redacted:providers.p.options.accounts.0.secretAccessKey]',
  );
});

test('everything in .env counts but everyday values; of the process only names that say so', () => {
  const redact = found(
    '',
    {
      ODD: 'odd-value-1',
      NODE_ENV: 'production',
      SERVICE: 'http://localhost:8080/v1',
      HOOK: 'https://hooks.example/services/T0/abcdefghijkl',
      LOG_LEVEL: 'information',
    },
    { OTHER: 'other-value-2', X_TOKEN: 'token-value-3', OTEL_EXPORTER_OTLP_HEADERS: 'api-key=header-value-4' },
  );
  expect(redact('odd-value-1 production http://localhost:8080/v1 information')).toBe(
    '[redacted:ODD] production http://localhost:8080/v1 information',
  );
  expect(redact('https://hooks.example/services/T0/abcdefghijkl')).toBe('[redacted:HOOK]');
  expect(redact('other-value-2 token-value-3 header-value-4')).toBe(
    'other-value-2 [redacted:X_TOKEN] [redacted:OTEL_EXPORTER_OTLP_HEADERS]',
  );
});
