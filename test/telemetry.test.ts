// Spans and metrics as a collector gets them, from the built command line. Collector and command are processes of
// their own.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { spanOf, traceOf } from '../src/journal/trace-context.ts';
import { type Folder, folderWith, until } from './support/cli.ts';
import { startCollector, type TakenSpan, type TestCollector } from './support/collector.ts';
import { isHelperStart, tell } from './support/subagent.ts';

const FILES = {
  'cadre.yaml': `providers: { demo: { kind: scripted, script: demo.script.yaml } }
defaults: { models: [demo/small], maxRetries: 3 }
`,
  'lead.md': '---\ndescription: Leads.\nagents: [helper]\ntools: [files]\n---\nYou lead.\n',
  'helper.md': '---\ndescription: Helps.\nsubagent: { enabled: true, runner: subprocess }\n---\nYou help.\n',
  'demo.script.yaml': `agents:
  lead:
    - calls: [{ read_file: { path: note.txt } }, { read_file: { path: missing.txt } }, { agent__helper: { input: go, reason: test } }]
    - { fault: server, answer: All done., usage: { input: 100, output: 20, cacheRead: 60, usd: 0.5 } }
  helper:
    - { call: { subagent: { task: Think it over. } } }
    - answer: Helped.
any:
  - answer: Thought.
    repeat: true
`,
  'note.txt': 'A note.\n',
};

let collector: TestCollector;
let folder: Folder;

beforeAll(async () => {
  collector = await startCollector();
  folder = folderWith(FILES);
});
afterEach(() => collector.clear());
afterAll(async () => {
  folder.remove();
  await collector.stop();
});

const env = (): NodeJS.ProcessEnv => ({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
const runId = (stdout: string): string => (JSON.parse(stdout.split('\n')[0] ?? '') as { run: string }).run;
const named = (name: string): readonly TakenSpan[] => collector.spans().filter((span) => span.name === name);

test('a run is one trace, with agents, tools, model calls and a helper process in one tree', async () => {
  const { stdout, stderr, exit } = await folder.cadre(['run', 'lead', '--json', 'go'], { env: env() });
  expect(exit, stderr).toBe(0);
  const spans = collector.spans();
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([traceOf(runId(stdout)).trace]));
  expect(byId.size).toBe(spans.length);

  const parentOf = (span: TakenSpan | undefined): string | undefined => byId.get(span?.parentSpanId ?? '')?.name;
  const tree = spans.map((span) => `${parentOf(span) ?? '-'} > ${span.name}`).sort();
  expect(tree).toEqual([
    '- > invoke_agent lead',
    'invoke_agent helper > chat small',
    'invoke_agent helper > chat small',
    'invoke_agent helper > invoke_agent helper/subagent',
    'invoke_agent helper/subagent > chat small',
    'invoke_agent lead > chat small',
    'invoke_agent lead > chat small',
    'invoke_agent lead > chat small',
    'invoke_agent lead > execute_tool read_file',
    'invoke_agent lead > execute_tool read_file',
    'invoke_agent lead > invoke_agent helper',
  ]);
  for (const span of spans) {
    const above = byId.get(span.parentSpanId ?? '');
    if (above === undefined) continue;
    expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(above.startTimeUnixNano));
    expect(BigInt(span.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(above.endTimeUnixNano));
  }

  const [root] = named('invoke_agent lead');
  expect(root).toMatchObject({
    kind: 1,
    status: { code: 0 },
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'lead',
      'cadre.run.id': runId(stdout),
      'cadre.outcome': 'answered',
    },
  });
  expect(root?.parentSpanId ?? '').toBe('');
  expect(
    named('execute_tool read_file').map(({ status, attributes }) => [status.code, attributes['error.type']]),
  ).toEqual(
    expect.arrayContaining([
      [0, undefined],
      [2, 'tool_error'],
    ]),
  );
  expect(named('execute_tool read_file')[0]?.attributes).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'read_file',
    'gen_ai.agent.name': 'lead',
  });
  const chats = named('chat small');
  expect(chats.find(({ attributes }) => attributes['error.type'] === 'model/server')?.status.code).toBe(2);
  expect(chats.find(({ attributes }) => attributes['gen_ai.usage.input_tokens'] === 100)).toMatchObject({
    kind: 3,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'demo',
      'gen_ai.request.model': 'small',
      'gen_ai.usage.output_tokens': 20,
      'gen_ai.usage.cache_read.input_tokens': 60,
      'gen_ai.conversation.id': `${runId(stdout)}/0`,
      'cadre.cost.usd': 0.5,
      'cadre.turn': 2,
    },
  });
  expect(collector.resource()).toMatchObject({ 'service.name': 'cadre' });
  expect(JSON.stringify(spans)).not.toContain('All done');
});

test('metrics count every model call and its tokens once', async () => {
  const { stdout } = await folder.cadre(['run', 'lead', '--json', 'go'], { env: env() });
  const lines = await folder.cadre(['show', runId(stdout), '--json']);
  const { tree } = JSON.parse(lines.stdout) as { tree: { inclusive: { calls: number; input: number } } };
  const points = collector.points();
  const durations = points.filter(({ metric }) => metric === 'gen_ai.client.operation.duration');
  expect(durations.reduce((sum, { count }) => sum + count, 0)).toBe(tree.inclusive.calls);
  expect(durations.map(({ unit, attributes }) => `${unit} ${String(attributes['error.type'])}`).sort()).toEqual([
    's model/server',
    's undefined',
  ]);
  const [input] = points.filter(({ attributes }) => attributes['gen_ai.token.type'] === 'input');
  expect(input).toMatchObject({
    metric: 'gen_ai.client.token.usage',
    unit: '{token}',
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'demo', 'gen_ai.request.model': 'small' },
  });
  expect(input?.bounds.slice(0, 4)).toEqual([1, 4, 16, 64]);
  expect(input?.sum).toBe(tree.inclusive.input);
  expect(named('chat small')).toHaveLength(tree.inclusive.calls);
});

test('cadre.yaml says where it goes, with headers from the environment', async () => {
  const own = folderWith({
    ...FILES,
    'cadre.yaml': `${FILES['cadre.yaml']}telemetry: { otlp: { endpoint: "${collector.url}/", headers: { x-key: "\${COLLECT_KEY}" } } }\n`,
  });
  const unset = await own.cadre(['run', 'helper', 'go']);
  expect(unset.exit).toBe(1);
  expect(unset.stderr).toContain('uses ${COLLECT_KEY}, which is not set');
  const { exit } = await own.cadre(['run', 'helper', 'go'], { env: { COLLECT_KEY: 'let-me-in-1' } });
  expect(exit).toBe(0);
  expect(collector.requests.map(({ url }) => url).sort()).toEqual(['/v1/metrics', '/v1/traces']);
  for (const { headers } of collector.requests) expect(headers['x-key']).toBe('let-me-in-1');
  own.remove();
});

test('a process that is started within a trace goes on in it', async () => {
  const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  await folder.cadre(['run', 'helper', 'go'], { env: { ...env(), TRACEPARENT } });
  expect(new Set(collector.spans().map(({ traceId }) => traceId))).toEqual(
    new Set(['4bf92f3577b34da6a3ce929d0e0e4736']),
  );
  expect(named('invoke_agent helper')[0]?.parentSpanId).toBe('00f067aa0ba902b7');
  collector.clear();
  await folder.cadre(['run', 'helper', 'go'], { env: { ...env(), TRACEPARENT: TRACEPARENT.replace(/01$/, '00') } });
  expect(collector.spans()).toEqual([]);
  expect(collector.points()).not.toEqual([]);
});

test('a run that is taken up again goes on in its trace, and tells nothing twice', async () => {
  const own = folderWith({
    ...FILES,
    'solo.md': '---\ndescription: Alone.\ntools: [files]\n---\nYou work.\n',
    'demo.script.yaml': `agents:
  solo:
    - call: { read_file: { path: note.txt } }
    - { fault: hang, answer: Done. }
`,
  });
  const child = own.start(['run', 'solo', 'go', '--json']);
  await until(() => own.journal().filter(({ type }) => type === 'op-start').length === 3);
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('close', resolve));
  own.write(
    'demo.script.yaml',
    'agents:\n  solo:\n    - call: { read_file: { path: note.txt } }\n    - answer: Done.\n',
  );
  const resumed = await own.cadre(['resume', 'last', '--json'], { env: env() });
  expect(resumed.exit, resumed.stderr).toBe(0);
  const run = String(own.journal()[0]?.['run']);
  const spans = collector.spans();
  expect(spans.map(({ name, attributes }) => `${name} ${String(attributes['error.type'] ?? 'ok')}`).sort()).toEqual([
    'chat small in-doubt',
    'chat small ok',
    'invoke_agent solo ok',
  ]);
  for (const { traceId } of spans) expect(traceId).toBe(traceOf(run).trace);
  const [root] = named('invoke_agent solo');
  expect(root?.spanId).toBe(spanOf(run, '0'));
  expect(root?.startTimeUnixNano).toBe(`${String(own.journal()[0]?.['at'])}000000`);
  own.remove();
});

test('a collector that refuses or is not there is a warning, never a failure', async () => {
  const refusing = await startCollector('refuse');
  const refused = await folder.cadre(['run', 'helper', 'go'], { env: { OTEL_EXPORTER_OTLP_ENDPOINT: refusing.url } });
  expect(refused.exit).toBe(0);
  expect(refused.stdout).toBe('Helped.\n');
  expect(refused.stderr).toContain(`telemetry: spans could not be sent to ${refusing.url}/v1/traces`);
  await refusing.stop();
  const gone = await folder.cadre(['run', 'helper', 'go'], { env: { OTEL_EXPORTER_OTLP_ENDPOINT: refusing.url } });
  expect(gone.exit).toBe(0);
  expect(gone.stdout).toBe('Helped.\n');
  expect(gone.stderr.match(/telemetry: spans could not be sent/g)).toHaveLength(1);
});

test('nothing of OpenTelemetry is loaded while it is off', async () => {
  const own = folderWith({
    ...FILES,
    'list.cjs': `process.on('exit', () => require('node:fs').writeFileSync(
      process.env.LIST, JSON.stringify(Object.keys(require.cache).filter((file) => file.includes('@opentelemetry')))));`,
  });
  const loaded = async (more: NodeJS.ProcessEnv): Promise<readonly string[]> => {
    const LIST = join(own.path, 'list.json');
    const { exit } = await own.cadre(['run', 'helper', 'go'], {
      env: { NODE_OPTIONS: `--require ${join(own.path, 'list.cjs')}`, LIST, ...more },
    });
    expect(exit).toBe(0);
    return JSON.parse(readFileSync(LIST, 'utf8')) as readonly string[];
  };
  expect(await loaded({})).toEqual([]);
  expect(await loaded({ ...env(), OTEL_SDK_DISABLED: 'true' })).toEqual([]);
  expect(await loaded(env())).not.toEqual([]);
  own.remove();
});

test("a helper's process is told which span it works for", async () => {
  const file = join(folder.path, 'traceparent.txt');
  const script = `require('node:fs').writeFileSync(${JSON.stringify(file)}, process.env.TRACEPARENT ?? 'none')`;
  const command = { command: process.execPath, args: ['-e', script] };
  const quiet = 'providers:\n  demo: {kind: scripted, script: ./demo.script.yaml}\n';
  const { run, events } = await tell(
    { settings: `${quiet}telemetry: { otlp: { endpoint: "${collector.url}" } }\n` },
    'subprocess',
    command,
  );
  const op = events.find(isHelperStart) as { path: string };
  expect(readFileSync(file, 'utf8')).toBe(`00-${traceOf(run).trace}-${spanOf(run, op.path)}-01`);
  await tell({ settings: quiet }, 'subprocess', command);
  expect(readFileSync(file, 'utf8')).toBe('none');
});
