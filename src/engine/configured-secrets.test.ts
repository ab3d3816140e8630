import { expect, test } from 'vitest';
import { readConfig } from '../agents/config.ts';
import { openSecrets } from '../world/secrets.ts';
import { collect } from './configured-secrets.ts';
import { saysSecret } from './process-secrets.ts';

function found(yaml: string, dotenv: Record<string, string> = {}, environment: Record<string, string> = {}) {
  const { config } = readConfig({ file: 'cadre.yaml', text: yaml }, '/cadre', ({ message }) => {
    throw new Error(message);
  });
  const secrets = openSecrets((add) => collect(config, dotenv, environment, add));
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

test('variables count in keys, headers and environments, and not in addresses', () => {
  const redact = found(
    `providers:
  a: { kind: openai-compatible, baseUrl: "\${WHERE_IT_IS}", apiKey: "\${A}", headers: { x-team: "\${B}" } }
mcpServers:
  m: { command: x, env: { C: "pre-\${C}" } }
  n: { url: "https://x.example", headers: { authorization: "Bearer \${D}" } }
restTools:
  r: { description: R., url: "https://x.example", headers: { cookie: "\${E}" } }
telemetry: { otlp: { endpoint: "http://127.0.0.1:1", headers: { x: "\${F}" } } }
`,
    {},
    Object.fromEntries(['WHERE_IT_IS', 'A', 'B', 'C', 'D', 'E', 'F'].map((name) => [name, `value-of-${name}`])),
  );
  expect(redact('value-of-WHERE_IT_IS')).toBe('value-of-WHERE_IT_IS');
  for (const name of ['A', 'B', 'C', 'D', 'E', 'F']) expect(redact(`value-of-${name}`)).toBe(`[redacted:${name}]`);
});

test('keys that are written out are named by their place; other headers are nobody’s secret', () => {
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
