import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { isAlive, untilGone } from '../../../test/support/alive.ts';
import { type EverythingServer, everythingOverHttp, mcpProgram } from '../../../test/support/everything.ts';
import { NOTHING_SECRET } from '../../kernel/redacted.ts';
import { invoke } from '../invoke.ts';
import type { ToolContext, ToolSource } from '../tool.ts';
import type { McpServer } from './server.ts';
import { mcpSource } from './source.ts';

const probe = fileURLToPath(new URL('./fixtures/probe-server.mjs', import.meta.url));

let folder: string;
let overHttp: EverythingServer;
const sources: ToolSource[] = [];

type SomeServer = Partial<McpServer> & { readonly args?: readonly string[] };

const make = (server: SomeServer): ToolSource =>
  mcpSource(
    {
      name: 'probe',
      kind: 'stdio',
      command: process.execPath,
      args: [],
      env: {},
      redactor: NOTHING_SECRET,
      ...server,
    } as McpServer,
    {
      restartPauseMs: 1,
    },
  );

/** Closed after the test. */
function open(server: SomeServer): ToolSource {
  const source = make(server);
  sources.push(source);
  return source;
}

async function call(
  source: ToolSource,
  name: string,
  input: unknown = {},
  context: Partial<ToolContext> = {},
  timeoutMs = 20_000,
): ReturnType<typeof invoke> {
  const tool = (await source.tools()).find((one) => one.spec.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const whole = {
    signal: new AbortController().signal,
    callKey: 'k',
    progress: () => {},
    redactor: NOTHING_SECRET,
    ...context,
  };
  const limits = { timeoutMs, capBytes: 32_768, keep: async () => 'kept' };
  return await invoke(tool, { id: '1', name, arguments: input }, whole, limits);
}

const names = async (source: ToolSource) => (await source.tools()).map((tool) => tool.spec.name);

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'cadre-mcp-')));
  overHttp = await everythingOverHttp();
  everything.set('stdio', make({ args: [mcpProgram('everything'), 'stdio'] }));
  everything.set('http', make({ kind: 'http', url: overHttp.url, headers: {} } as Partial<McpServer>));
});

afterEach(async () => {
  await Promise.all(sources.splice(0).map((source) => source.close()));
});

afterAll(async () => {
  await Promise.all([...everything.values()].map((source) => source.close()));
  overHttp.child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** A fixed place for what a probe server notes, and what it has noted so far. */
function notebook(name: string) {
  const file = join(folder, name);
  const lines = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  const until = (wanted: RegExp): Promise<unknown> =>
    vi.waitUntil(async () => (await lines()).some((line) => wanted.test(line)), { timeout: 20_000, interval: 20 });
  return { file, lines, until };
}

/** One server-everything on each transport, for all tests that leave it as it is. */
const everything = new Map<string, ToolSource>();
const transports = [
  ['stdio', () => everything.get('stdio')!],
  ['streamable HTTP', () => everything.get('http')!],
] as const;

test.each(transports)('server-everything over %s lists its tools and answers', async (_, shared) => {
  const source = shared();
  const listed = await names(source);
  expect(listed).toContain('echo');
  expect(listed).toEqual([...listed].sort());
  expect(await call(source, 'echo', { message: 'hello' })).toEqual({ status: 'ok', text: 'Echo: hello' });
});

test.each(transports)('over %s a picture comes as what it is', async (_, shared) => {
  const { text, files } = await call(shared(), 'get-tiny-image');
  expect(text).toBe("Here's the image you requested:\n\nThe image above is the MCP logo.");
  expect(files).toEqual([{ name: 'picture-1.png', data: expect.any(Uint8Array) }]);
});

test.each(transports)('over %s links and resources are described', async (_, shared) => {
  const source = shared();
  expect((await call(source, 'get-resource-links', { count: 2 })).text).toMatch(/\[link to \S+: .+\]/);
  const reference = await call(source, 'get-resource-reference', { resourceType: 'Text', resourceId: 1 });
  expect(reference.text).toMatch(/\[resource \S+\]\n/);
});

test.each(transports)('over %s progress is passed on', async (_, shared) => {
  const lines: string[] = [];
  const result = await call(
    shared(),
    'trigger-long-running-operation',
    { duration: 0.2, steps: 4 },
    { progress: (line) => lines.push(line) },
  );
  expect(result.text).toContain('completed');
  expect(lines).toContain('1 of 4');
});

test.each(transports)('over %s a call that is late is cancelled and the server stays usable', async (_, shared) => {
  const source = shared();
  const late = await call(source, 'trigger-long-running-operation', { duration: 30, steps: 2 }, {}, 300);
  expect(late.text).toContain('did not answer within 300 ms');
  expect((await call(source, 'echo', { message: 'still here' })).text).toBe('Echo: still here');
});

test.each(transports)('over %s arguments that the server refuses are an error result', async (_, shared) => {
  const result = await call(shared(), 'get-sum', { a: 'one', b: 2 });
  expect(result.status).toBe('error');
  expect(result.text).toContain('a');
});

test('structured output of server-everything is shown', async () => {
  const source = everything.get('stdio')!;
  expect((await call(source, 'get-structured-content', { location: 'Chicago' })).text).toContain('temperature');
});

test('the server gets the allowed and the configured variables and no other', async () => {
  process.env['CADRE_TEST_SECRET'] = 'do-not-tell';
  const source = open({ args: [mcpProgram('everything'), 'stdio'], env: { TOKEN: 'told' } } as Partial<McpServer>);
  const env = JSON.parse((await call(source, 'get-env')).text) as Record<string, string>;
  delete process.env['CADRE_TEST_SECRET'];
  expect(env['TOKEN']).toBe('told');
  expect(env['PATH']).toBe(process.env['PATH']);
  expect(Object.keys(env)).not.toContain('CADRE_TEST_SECRET');
});

test('server-filesystem reads within its folder and reports errors as its own', async () => {
  await writeFile(join(folder, 'hello.txt'), 'hello from disk');
  const source = open({ args: [mcpProgram('filesystem'), folder] });
  expect((await call(source, 'read_text_file', { path: join(folder, 'hello.txt') })).text).toContain('hello from disk');
  const outside = await call(source, 'read_text_file', { path: '/etc/passwd' });
  expect(outside.status).toBe('error');
  expect(outside.text).toContain('Access denied');
  const tools = new Map((await source.tools()).map((tool) => [tool.spec.name, tool.repeat]));
  expect(tools.get('read_text_file')).toBe('safe');
  expect(tools.get('move_file')).toBe('never');
});

test('server-memory keeps what it is told, across calls of one source', async () => {
  const source = open({
    args: [mcpProgram('memory')],
    env: { MEMORY_FILE_PATH: join(folder, 'memory.json') },
  } as Partial<McpServer>);
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }];
  expect((await call(source, 'create_entities', { entities })).status).toBe('ok');
  expect((await call(source, 'search_nodes', { query: 'engines' })).text).toContain('Ada');
});

test('allow and deny choose the tools, by name or with a star', async () => {
  const args = [mcpProgram('everything'), 'stdio'];
  expect(
    await names(open({ args, allow: ['echo', 'get-*'], deny: ['get-e*', 'get-r*'] } as Partial<McpServer>)),
  ).toEqual(['echo', 'get-annotated-message', 'get-structured-content', 'get-sum', 'get-tiny-image']);
});

test('names that models cannot call are fitted, and kept apart', async () => {
  const source = open({ args: [probe, notebook('names').file] });
  const listed = await names(source);
  expect(listed.filter((name) => name.startsWith('search'))).toEqual([
    'search_web',
    expect.stringMatching(/^search_web_[0-9a-f]{8}$/),
  ]);
  expect((await call(source, 'search_web', { q: 1 })).text).toBe('search_web {"q":1}'); // it keeps its own name
});

test('hints decide whether a call may be repeated', async () => {
  const tools = await open({ args: [probe, notebook('hints').file] }).tools();
  expect(tools.filter((tool) => tool.repeat === 'safe').map((tool) => tool.spec.name.slice(0, 10))).toEqual([
    'search_web',
    'search_web',
  ]);
});

test('a schema that cannot be checked is left to the server', async () => {
  const tools = await open({ args: [probe, notebook('schema').file] }).tools();
  expect(tools.find((tool) => tool.spec.name === 'odd-schema')?.spec.parameters).toEqual({ type: 'object' });
});

test('an error that the server throws is an error result', async () => {
  const result = await call(open({ args: [probe, notebook('refuse').file] }), 'refuse');
  expect(result.status).toBe('error');
  expect(result.text).toContain('not today');
});

test('a change of the tool list is picked up', async () => {
  const source = open({ args: [probe, notebook('grow').file] });
  expect(await names(source)).not.toContain('grown-8');
  await call(source, 'grow');
  expect(await names(source)).toContain('grown-8');
});

test('a server that crashes is an error result with its last words, and runs again on the next use', async () => {
  const notes = notebook('crash');
  const source = open({ args: [probe, notes.file] });
  const tools = await source.tools();
  const crashed = await call(source, 'crash');
  expect(crashed.status).toBe('error');
  expect(crashed.text).toContain('it ended with exit code 3');
  expect(crashed.text).toContain('out of cheese');
  expect(crashed.text).toContain('Whether the call had an effect is unknown');
  const secret = tools.find((tool) => tool.spec.name === 'secret');
  const context = { signal: new AbortController().signal, callKey: '', progress: () => {}, redactor: NOTHING_SECRET };
  expect(await secret?.execute({}, context)).toEqual({ status: 'ok', text: 'secret {}' });
  expect((await notes.lines()).filter((line) => line.startsWith('started'))).toHaveLength(2);
});

test('an HTTP server that went away is an error result, and reached again when it is back', async () => {
  const { port, url, child: first } = await everythingOverHttp();
  const source = open({ kind: 'http', url, headers: {} } as Partial<McpServer>);
  expect((await call(source, 'echo', { message: '1' })).status).toBe('ok');
  const [echo] = (await source.tools()).filter((tool) => tool.spec.name === 'echo');
  const stopped = new Promise((resolve) => first.once('exit', resolve));
  first.kill('SIGKILL');
  await stopped;
  const context = { signal: new AbortController().signal, callKey: '', progress: () => {}, redactor: NOTHING_SECRET };
  expect(await echo?.execute({ message: '2' }, context)).toMatchObject({ status: 'error' });
  const { child } = await everythingOverHttp(port);
  expect(await echo?.execute({ message: '3' }, context)).toEqual({ status: 'ok', text: 'Echo: 3' });
  child.kill('SIGKILL');
});

test('an abort reaches the server as a cancellation', async () => {
  const notes = notebook('abort');
  const source = open({ args: [probe, notes.file] });
  const controller = new AbortController();
  const running = call(source, 'wait', {}, { signal: controller.signal });
  await notes.until(/waiting/);
  controller.abort();
  await expect(running).rejects.toMatchObject({ fault: { code: 'cancelled' } });
  await notes.until(/cancelled/);
});

test.each([
  [{ command: '/nowhere/to/be/found' }, 'ENOENT'],
  [{ args: ['-e', "console.error('no config'); process.exit(7)"] }, 'no config'],
  [{ kind: 'http', url: 'http://127.0.0.1:9/mcp', headers: {} }, 'Check its url'],
])('a server that cannot be used is a tool/source fault that says why: %j', async (server, reason) => {
  await expect(open(server as Partial<McpServer>).tools()).rejects.toMatchObject({
    fault: { code: 'tool/source', message: expect.stringContaining(reason) as string },
  });
});

const pidsIn = (lines: readonly string[]): readonly number[] => lines.map((line) => Number(line.split(' ')[1]));

test('a start that nobody waits for any more is given up, and all its processes end', async () => {
  const notes = notebook('silent');
  const source = open({ args: [probe, notes.file, 'silent'] });
  const [one, other] = [new AbortController(), new AbortController()];
  const waiting = [source.tools(one.signal), source.tools(other.signal)];
  await notes.until(/started/);
  const pids = pidsIn(await notes.lines());
  one.abort(new Error('the first is stopped'));
  await expect(waiting[0]).rejects.toThrow('the first is stopped');
  expect(pids.map(isAlive)).toEqual([true, true]);
  other.abort(new Error('the second is stopped'));
  await expect(waiting[1]).rejects.toThrow('the second is stopped');
  await untilGone(pids);
});

test('a source that is closed while its server starts ends that server', async () => {
  const notes = notebook('closed-early');
  const source = open({ args: [probe, notes.file, 'silent'] });
  const waiting = expect(source.tools()).rejects.toMatchObject({ fault: { code: 'tool/source' } });
  await notes.until(/started/);
  const pids = pidsIn(await notes.lines());
  expect(pids).toHaveLength(2);
  await source.close();
  await waiting;
  await untilGone(pids);
});

test('a call is stopped while the server that it needs is started again', async () => {
  const notes = notebook('restart');
  const source = open({ args: [probe, notes.file, 'silent-again'] });
  const tools = await source.tools();
  expect((await call(source, 'crash')).text).toContain('out of cheese');
  const secret = tools.find((tool) => tool.spec.name === 'secret');
  const controller = new AbortController();
  const context = { signal: controller.signal, callKey: '', progress: () => {}, redactor: NOTHING_SECRET };
  const calling = expect(secret?.execute({}, context)).rejects.toThrow('enough');
  await vi.waitUntil(async () => pidsIn(await notes.lines()).length === 2, { timeout: 20_000, interval: 20 });
  controller.abort(new Error('enough'));
  await calling;
  await untilGone(pidsIn(await notes.lines()));
});

test('the revision rises when the server says that its tools changed, and with each further connection', async () => {
  const source = open({ args: [probe, notebook('revision').file] });
  await source.tools();
  const first = source.revision ?? 0;
  await call(source, 'grow');
  expect(source.revision).toBeGreaterThan(first);
  const second = source.revision ?? 0;
  await call(source, 'crash');
  expect(source.revision).toBe(second);
  await source.tools();
  expect(source.revision).toBeGreaterThan(second);
});

test('nothing is started before the first use, and a source that was not used closes at once', async () => {
  const notes = notebook('unused');
  await open({ args: [probe, notes.file] }).close();
  expect(await notes.lines()).toEqual([]);
});

test('closing ends a server that does not want to go, with the processes it started', async () => {
  const notes = notebook('stubborn');
  const source = open({ args: [probe, notes.file, 'stubborn'] });
  await source.tools();
  const pids = (await notes.lines()).map((line) => Number(line.split(' ')[1]));
  expect(pids.map(isAlive)).toEqual([true, true]);
  await source.close();
  await untilGone(pids);
  await expect(source.tools()).rejects.toMatchObject({ fault: { code: 'tool/source' } });
});
