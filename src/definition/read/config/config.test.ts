import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FaultError } from '../../../kernel/fault.ts';
import { type Diagnostic, diagnosticOf } from '../../diagnostic.ts';
import { parseDotenv, readEnvironment, resolveTemplate } from '../variables.ts';
import { DEFAULT_LIMITS, readConfig } from './config.ts';
import { SERVER_DEFAULTS } from './config-server.ts';

function read(text: string) {
  const found: Diagnostic[] = [];
  const file = readConfig({ file: 'cadre.yaml', text }, '/cadre', (finding) => found.push(diagnosticOf(finding)));
  return {
    ...file,
    found: found.map(({ code, line, column, message, help }) => `${line}:${column} ${code} ${message} | ${help}`),
  };
}

test('everything that the specification shows is read', () => {
  const { config, defaults, aliases, found } = read(`providers:
  local:   { kind: openai-compatible, baseUrl: "http://127.0.0.1:8080/v1", apiKey: "\${LOCAL_KEY}", headers: {} }
  claude:  { kind: anthropic, apiKey: "\${ANTHROPIC_API_KEY}" }
  demo:    { kind: scripted, script: ./demo.script.yaml }
  tape:    { kind: recorded, recording: tape.jsonl, wraps: local, concurrency: 2 }
models:
  fast: { use: local/small, contextWindow: 32768, price: { input: 0.5, output: 1.5 } }
defaults: { models: [fast], maxTurns: 12 }
limits:   { maxDepth: 4 }
mcpServers:
  docs:  { command: npx, args: [-y, some-mcp-server], env: { TOKEN: "\${TOKEN}" }, allow: ["search"] }
  cloud: { url: "https://example.com/mcp", headers: { Authorization: "Bearer \${T}" } }
restTools:
  weather: { description: Weather, url: "https://api.example.com/v1/{city}", input: { schema: { type: object, properties: { city: { type: string } } } }, timeout: 3s }
aliases:  { triage: ./desk/front-desk.md }
store: { dir: .cadre }
engine: { label: north, writeLabel: disk-a }
server: { port: 8080 }
telemetry: { otlp: { endpoint: "http://localhost:4318", headers: { x-team: blue } } }
`);
  expect(found).toEqual([]);
  expect(config.file).toBe('/cadre/cadre.yaml');
  expect(config.providers['local']).toEqual({
    kind: 'openai-compatible',
    baseUrl: { template: 'http://127.0.0.1:8080/v1', file: 'cadre.yaml', line: 2 },
    apiKey: { template: '${LOCAL_KEY}', file: 'cadre.yaml', line: 2 },
    headers: {},
  });
  expect(config.providers['demo']).toEqual({ kind: 'scripted', script: '/cadre/demo.script.yaml', headers: {} });
  expect(config.providers['tape']).toEqual({
    kind: 'recorded',
    recording: '/cadre/tape.jsonl',
    wraps: 'local',
    concurrency: 2,
    headers: {},
  });
  expect(config.models['fast']).toEqual({
    use: 'local/small',
    contextWindow: 32768,
    price: { input: 0.5, output: 1.5 },
  });
  expect(defaults).toEqual({ models: ['fast'], maxTurns: 12 });
  expect(config.limits).toEqual({ maxDepth: 4, maxTurns: 100, concurrency: 16, deny: [] });
  expect(config.mcpServers['docs']).toEqual({
    command: 'npx',
    args: ['-y', 'some-mcp-server'],
    env: { TOKEN: { template: '${TOKEN}', file: 'cadre.yaml', line: 11 } },
    headers: {},
    cwd: '/cadre',
    allow: ['search'],
  });
  expect(config.restTools['weather']).toMatchObject({ method: 'GET', timeoutMs: 3000 });
  expect(aliases.get('triage')?.text).toBe('./desk/front-desk.md');
  expect(config.store).toEqual({ dir: '/cadre/.cadre', fsync: 'never' });
  expect([config.engine, config.server, config.telemetry]).toEqual([
    { label: 'north', writeLabel: 'disk-a' },
    { ...SERVER_DEFAULTS, port: 8080 },
    {
      otlp: {
        endpoint: { template: 'http://localhost:4318', file: 'cadre.yaml', line: 19 },
        headers: { 'x-team': { template: 'blue', file: 'cadre.yaml', line: 19 } },
      },
    },
  ]);
});

test.each(['', '# nothing yet\n', '\uFEFF', 'limits: {}\n'])('an empty file %j gives the defaults', (text) => {
  const { config, found } = read(text);
  expect(found).toEqual([]);
  expect(config.limits).toEqual(DEFAULT_LIMITS);
});

test.each([
  ['provider: {}', '1:1 key/unknown unknown key "provider" | Did you mean "providers"?'],
  ['mcp: {}', '1:1 key/unknown unknown key "mcp" | Did you mean "mcpServers"?'],
  ['limits: {maxDept: 3}', '1:10 key/unknown unknown key "maxDept" in `limits` | Did you mean "maxDepth"?'],
  ['limits: {maxDepth: 0}', '1:20 value/range'],
  ['providers: {a: {}}', '1:16 key/missing `providers.a.kind` is missing'],
  [
    'providers: {a: {kind: opnai}}',
    '1:23 value/type `providers.a.kind` is "opnai", but takes openai, anthropic, google, ollama, openrouter, groq, mistral, deepseek, azure, bedrock, openai-compatible, ai-sdk, scripted or recorded | Did you mean "openai"?',
  ],
  [
    'providers: {a: {kind: openai-compatible}}',
    '1:23 key/missing `providers.a` is of kind openai-compatible and has no `baseUrl`',
  ],
  ['providers: {a: {kind: scripted}}', '1:23 key/missing `providers.a` is of kind scripted and has no `script`'],
  [
    'providers: {a: {kind: openai, script: x.yaml}}',
    '1:31 key/misplaced a provider of kind openai does not take "script" | It belongs to scripted.',
  ],
  ['providers: {__proto__: {kind: openai}}', '1:13 value/name'],
  ['providers: {a/b: {kind: openai}}', '1:13 value/name'],
  [
    'server: {tokens: {owner: {token: 0123456789abcdef}}}',
    '1:19 value/name "owner" cannot be a name in `server.tokens`',
  ],
  [
    'server: {tokens: {anyone: {token: 0123456789abcdef}}}',
    '1:19 value/name "anyone" cannot be a name in `server.tokens`',
  ],
  [
    'providers: {a: {kind: openai, apiKey: "${KEY:-x}"}}',
    '1:39 config/variable ${KEY:-x} in `providers.a.apiKey` is not the name of a variable',
  ],
  ['models: {fast: {use: small}}', '1:22 value/range `models.fast.use` is "small", but takes provider/model'],
  ['models: {fast: {use: openai/x, price: {input: 1}}}', '1:39 key/missing `models.fast.price.output` is missing'],
  ['defaults: {next: a}', '1:12 key/misplaced "next" is not allowed in `defaults` | It refers to other agents'],
  ['defaults: {agents: [a]}', '1:12 key/misplaced'],
  ['defaults: {team: {}}', '1:12 key/misplaced'],
  ['defaults: {name: a}', '1:12 key/misplaced'],
  ['defaults: {maxTurn: 3}', '1:12 key/unknown unknown key "maxTurn" in `defaults` | Did you mean "maxTurns"?'],
  ['defaults: {maxTurns: lots}', '1:22 value/type `defaults.maxTurns` is "lots"'],
  ['mcpServers: {a: {}}', '1:17 config/mcp `mcpServers.a` has neither command nor url'],
  ['mcpServers: {a: {command: x, url: y}}', '1:17 config/mcp `mcpServers.a` has both command and url'],
  ['mcpServers: {a: {url: y, args: [z]}}', '1:26 key/misplaced'],
  [
    'mcpServers: {a: {command: x, args: ["${TOKEN}"]}}',
    '1:37 config/variable `mcpServers.a.args[0]` is used as it is written',
  ],
  [
    'restTools: {w: {description: d, url: "http://x/{city}"}}',
    '1:38 config/rest-placeholder {city} in `restTools.w.url` is not a property of its input schema',
  ],
  ['restTools: {w: {url: "http://x"}}', '1:16 key/missing `restTools.w.description` is missing'],
  ['store: {fsync: always}', '1:16 value/type'],
  ['[a]', '1:1 config/not-keys'],
  ['a: [', '1:5 yaml/syntax'],
])('%j is told with its place and the way out', (text, expected) => {
  const { found } = read(text);
  expect(
    found.some((one) => one.startsWith(expected)),
    found.join('\n'),
  ).toBe(true);
});

test.each([
  ['*', 'https://app.example.com'],
  ['null', 'https://app.example.com'],
  ['app.example.com', 'https://app.example.com'],
  ['https://app.example.com/', 'https://app.example.com'],
  ['https://App.example.com', 'https://app.example.com'],
  ['https://app.example.com:443', 'https://app.example.com'],
  ['http://127.0.0.1:3000/chat', 'http://127.0.0.1:3000'],
  ['file:///tmp/x.html', 'https://app.example.com'],
])('%j under server.cors is no origin, and the finding says what to write', (origin, instead) => {
  const { found } = read(`server: {cors: [${JSON.stringify(origin)}]}`);
  expect(found).toEqual([
    `1:17 config/server \`server.cors[0]\` is no origin: ${JSON.stringify(origin)} | Write scheme, host and port alone, as in ${instead}. There is no sign for all origins.`,
  ]);
});

test('origins under server.cors are read as a browser writes them', () => {
  const { config, found } = read('server: {cors: ["https://app.example.com", "http://localhost:3000"]}');
  expect(found).toEqual([]);
  expect(config.server?.cors).toEqual(['https://app.example.com', 'http://localhost:3000']);
});

test('names in the configuration are never found by accident', () => {
  const { config } = read('providers: {a: {kind: openai}}');
  expect(config.providers['constructor']).toBeUndefined();
});

test('no text makes it throw', () => {
  const word = fc.constantFrom(
    'providers',
    'models',
    'defaults',
    'a',
    ': ',
    '\n',
    '\n  ',
    '{',
    '}',
    '[',
    ']',
    ', ',
    '"',
    '${X}',
    '- ',
    '&a',
    '*a',
    '1',
  );
  fc.assert(
    fc.property(
      fc.array(word).map((words) => words.join('')),
      (text) => void read(text),
    ),
    { numRuns: 1500 },
  );
});

test('a variable is filled in when its part is used', () => {
  const templated = { template: 'Bearer ${A}-${B}', file: 'cadre.yaml', line: 7 };
  expect(resolveTemplate(templated, { A: 'x', B: '' })).toBe('Bearer x-');
});

test('an unset variable is a fault that names it, the file and the line', () => {
  const attempt = () => resolveTemplate({ template: '${toString}', file: 'cadre.yaml', line: 7 }, {});
  expect(attempt).toThrow(FaultError);
  expect(attempt).toThrow('cadre.yaml:7 uses ${toString}, which is not set.');
  try {
    attempt();
  } catch (thrown) {
    expect((thrown as FaultError).fault).toMatchObject({
      code: 'config/unset-variable',
      details: { variable: 'toString', line: 7 },
    });
  }
});

test('the .env of the folder comes before the process environment, which stays as it is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-env-'));
  writeFileSync(join(folder, '.env'), 'A=from-file\n');
  const before = { ...process.env };
  expect(readEnvironment(folder, { A: 'from-process', B: 'kept' })).toMatchObject({ A: 'from-file', B: 'kept' });
  expect(readEnvironment(join(folder, 'none'), { B: 'kept' })).toEqual({ B: 'kept' });
  expect(process.env).toEqual(before);
});

test('.env files are read as people write them', () => {
  const text =
    '\uFEFF# comment\nA=1\r\nexport B = two words # comment\nC="line\\nbreak # no comment"\nD=\'$raw\'\nE=\nnot a line\n  F=x#y\n';
  expect(parseDotenv(text)).toEqual({
    A: '1',
    B: 'two words',
    C: 'line\nbreak # no comment',
    D: '$raw',
    E: '',
    F: 'x#y',
  });
});

test('shell says which commands may be run, as words', () => {
  const { config, found } = read('shell: {allow: [npm test, "git diff *"], sandbox: required, network: true}\n');
  expect(found).toEqual([]);
  expect(config.shell).toEqual({ allow: ['npm test', 'git diff *'], sandbox: 'required', network: true });
  expect(read('shell: {}\n').config.shell).toEqual({ sandbox: 'auto', network: false });
  expect(read('shell: {allow: [npm test, "npm test; ls"]}\n').found).toEqual([
    expect.stringContaining(
      '1:27 config/shell-allow `shell.allow` has "npm test; ls", which is not a plain command: ;',
    ),
  ]);
  expect(read('shell: {allow: []}\n').found).toHaveLength(1);
  expect(read('shell: {sandbox: maybe}\n').found).toHaveLength(1);
  expect(read('shell: {sandbox: off, network: true}\n').found).toEqual([
    expect.stringContaining('config/shell-network'),
  ]);
});
