// A command cannot run unasked by a trick of its spelling, see our variables, outlive its call, fill our memory, write
// where agents are made of, or be repeated after a crash.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BUILT_IN_SOURCES } from '../../src/definition/built-in-tools.ts';
import type { ToolResult } from '../../src/kernel/message.ts';
import { NOTHING_SECRET } from '../../src/kernel/redacted.ts';
import { matchesNarrowly } from '../../src/rules/compared-call.ts';
import { argumentsOf } from '../../src/run/resources/ruled-tools.ts';
import { openSecrets } from '../../src/secrets/secrets.ts';
import { findSandbox } from '../../src/tools/shell/sandbox.ts';
import { type ShellSettings, shellSource } from '../../src/tools/shell/source.ts';
import type { Tool, ToolContext } from '../../src/tools/tool.ts';
import { untilGone } from '../support/alive.ts';
import { until } from '../support/cli.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-shell-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const OFF: ShellSettings = { sandbox: 'off', network: false };
const context: ToolContext = {
  signal: new AbortController().signal,
  callKey: 'r/0.1',
  timeoutMs: 60_000,
  progress() {},
  redactor: NOTHING_SECRET,
};

async function toolWith(settings: Partial<ShellSettings> = {}, guarded: readonly string[] = []): Promise<Tool> {
  const [tool] = await shellSource({ ...OFF, ...settings }, { workspace: folder, guarded }).tools();
  return tool!;
}

async function run(
  tool: Tool,
  command: string,
  over: Partial<ToolContext> = {},
  seconds?: number,
): Promise<ToolResult> {
  const input = { command, ...(seconds !== undefined && { timeout_seconds: seconds }) };
  return (await tool.execute(input, { ...context, ...over })) as ToolResult;
}

const preview = (tool: Tool, command: string) =>
  tool.preview!({ command }, { signal: context.signal, redactor: NOTHING_SECRET });

const pidIn = (file: string): number => Number(readFileSync(join(folder, file), 'utf8'));

test('it runs in the workspace, with its exit code and what it wrote on both streams', async () => {
  const tool = await toolWith();
  const ok = await run(tool, 'pwd; echo problem >&2');
  expect(ok.status).toBe('ok');
  expect(ok.text).toMatch(/^exit code 0, [\d.]+ m?s\n/);
  expect(ok.text).toContain(folder);
  expect(ok.text).toContain('problem');
  expect(await run(tool, 'exit 3')).toMatchObject({
    status: 'error',
    text: expect.stringMatching(/^exit code 3,.*no output$/),
  });
  expect((await run(tool, 'no-such-program-here')).text).toContain('exit code 127');
  expect((await run(tool, 'cat')).text).toContain('exit code 0'); // stdin is closed
});

test('those who watch see its last line while it runs, redacted', async () => {
  const secrets = openSecrets((add) => add('KEY', 'hunter2hunter2'));
  const seen: string[] = [];
  const progress = (line: string): void => void seen.push(line);
  await run(await toolWith(), 'echo first; echo hunter2hunter2 and more', { redactor: secrets, progress });
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.join('\n')).toMatch(/first|\[redacted:KEY\] and more/);
  expect(seen.join('\n')).not.toContain('hunter2');
});

test('the table of the check says what the source says', async () => {
  const tool = await toolWith();
  expect(BUILT_IN_SOURCES['shell']).toMatchObject({
    tools: { [tool.spec.name]: argumentsOf({ tool, address: 'shell/run_command' }) },
    asks: tool.asks !== undefined,
  });
});

test.each([
  'npm test; touch x',
  'npm test && touch x',
  'npm test\ntouch x',
  'touch x',
  '$(touch x)',
  'X=1 npm test',
  'npm "test; touch x"',
])('with a list of allowed commands %j is neither run nor asked about', async (command) => {
  const tool = await toolWith({ allow: ['npm test', 'git diff *'] });
  await expect(preview(tool, command)).rejects.toThrow(/not allowed[^]*npm test; git diff \*/);
  await expect(run(tool, command)).rejects.toThrow('was not run');
  expect(existsSync(join(folder, 'x'))).toBe(false);
});

test('a trusted pattern names the words of a plain command, and a command is run with the words it was judged by', async () => {
  const tool = await toolWith();
  const trusts = async (pattern: string, command: string) =>
    matchesNarrowly({ entry: 'shell', name: 'shell', inBrackets: pattern }, await tool.compared!({ command }));
  expect(await trusts('npm test', 'npm test')).toBe(true);
  expect(await trusts('npm test', 'npm test; rm -rf .')).toBe(false);
  expect(await trusts('npm test *', 'npm test $(rm -rf .)')).toBe(false);
  expect((await run(tool, `printf '%s|' "a b" 'c;d' e`)).text).toContain('a b|c;d|e|');
});

test('a yes for the rest of the run is for exactly the same command', async () => {
  const tool = await toolWith();
  const key = async (command: string) => (await preview(tool, command)).rest?.key;
  expect(await key('npm  test')).toBe(await key(`npm 'test'`));
  expect(await key('npm test')).not.toBe(await key('npm test x'));
  expect(await key('npm test; ls')).not.toBe(await key('npm test;  ls'));
});

test('none of our variables reaches it, and no program of the workspace is found by its name', async () => {
  process.env['CADRE_ATTACK_KEY'] = 'sk-attack-123456';
  const path = process.env['PATH'];
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  writeFileSync(join(folder, 'node_modules/.bin/git'), '#!/bin/sh\necho taken over\n', { mode: 0o755 });
  process.env['PATH'] = `${join(folder, 'node_modules/.bin')}:.:${path}`;
  try {
    const { text } = await run(await toolWith(), 'env; git --version');
    expect(text).not.toContain('CADRE_ATTACK_KEY');
    expect(text).not.toContain('VITEST');
    expect(text).not.toContain('taken over');
    const names = text.split('\n').flatMap((line) => /^([A-Za-z_]+)=/.exec(line)?.[1] ?? []);
    const known =
      /^(HOME|LANG|LC_ALL|LC_CTYPE|LOGNAME|PATH|SHELL|TERM|TMPDIR|TZ|USER|NO_COLOR|PAGER|GIT_PAGER|GIT_TERMINAL_PROMPT|PWD|OLDPWD|SHLVL|_)$/;
    expect(names.filter((name) => !known.test(name))).toEqual([]);
  } finally {
    delete process.env['CADRE_ATTACK_KEY'];
    process.env['PATH'] = path;
  }
});

test('a folder of PATH that is a link into the workspace is not searched, for a command and for bubblewrap', async () => {
  mkdirSync(join(folder, 'workspace/bin'), { recursive: true });
  for (const name of ['git', 'bwrap'])
    writeFileSync(join(folder, 'workspace/bin', name), '#!/bin/sh\necho taken over\n', { mode: 0o755 });
  symlinkSync(join(folder, 'workspace/bin'), join(folder, 'looks-harmless'));
  symlinkSync(join(folder, 'workspace/later'), join(folder, 'dangling'));
  const path = process.env['PATH'];
  process.env['PATH'] = `${join(folder, 'looks-harmless')}:${join(folder, 'dangling')}:/usr/bin:/bin`;
  try {
    const place = { workspace: join(folder, 'workspace'), guarded: [] };
    const [tool] = await shellSource(OFF, place).tools();
    const { text } = await run(tool!, 'git --version; echo "$PATH"');
    expect(text).not.toContain('taken over');
    expect(text).toMatch(/^\/usr\/bin:\/bin$/m);
    const [sandboxed] = await shellSource({ sandbox: 'auto', network: false }, place).tools();
    expect((await run(sandboxed!, 'true')).text).not.toContain('taken over');
  } finally {
    process.env['PATH'] = path;
  }
});

test('secrets in what it writes are redacted, also where the output is cut between two pieces', async () => {
  const secrets = openSecrets((add) => add('KEY', 'hunter2hunter2'));
  const { text } = await run(await toolWith(), `printf hunter2; sleep 0.05; printf hunter2; echo`, {
    redactor: secrets,
  });
  expect(text).not.toContain('hunter2');
  expect(text).toContain('[redacted:KEY]');
});

test('a deadline ends the whole group, and what it wrote is kept', async () => {
  const tool = await toolWith();
  const command = `sleep 600 & echo $! > kid; trap '' TERM; echo begun; while :; do sleep 600; done`;
  const { status, text } = await run(tool, command, {}, 1);
  expect(status).toBe('error');
  expect(text).toMatch(/did not end within 1 s[^]*begun/);
  await untilGone([pidIn('kid')]);
});

test('a process that it leaves in the background ends with it, and does not keep the call waiting', async () => {
  const { text } = await run(await toolWith(), 'sleep 600 & echo $! > kid; echo done');
  expect(text).toContain('exit code 0');
  await untilGone([pidIn('kid')]);
});

test('an abort kills it at once, and closing the source too', async () => {
  const source = shellSource(OFF, { workspace: folder, guarded: [] });
  const tool = (await source.tools())[0]!;
  const stop = new AbortController();
  const going = run(tool, 'echo $$ > one; sleep 600', { signal: stop.signal });
  await until(() => existsSync(join(folder, 'one')) && pidIn('one') > 0);
  stop.abort();
  expect((await going).text).toContain('was stopped');
  await untilGone([pidIn('one')]);
  const other = run(tool, 'echo $$ > two; sleep 600');
  await until(() => existsSync(join(folder, 'two')) && pidIn('two') > 0);
  await source.close();
  expect((await other).text).toContain('was ended by SIGKILL');
});

test('a flood of output is cut with its size and ends the command', async () => {
  const long = await run(await toolWith(), 'yes 0123456789 | head -c 6000000; echo; echo the end');
  expect(long.text).toMatch(/… [\d.]+ MiB of [\d.]+ MiB were not kept …[^]*the end$/);
  expect(long.text.length).toBeLessThan(4_000_000);
  const endless = await run(await toolWith(), 'yes');
  expect(endless.text).toContain('wrote more than 64.0 MiB and was ended');
});

test('a workspace that became a link leads nowhere else unseen: it runs where the workspace really is', async () => {
  const real = join(folder, 'real');
  mkdirSync(real);
  symlinkSync(real, join(folder, 'link'));
  const [tool] = await shellSource(OFF, { workspace: join(folder, 'link'), guarded: [] }).tools();
  expect((await run(tool!, 'pwd -P')).text).toContain(real);
  rmSync(join(folder, 'link'));
  await expect(run(tool!, 'pwd')).rejects.toThrow('not there any more');
});

test('the person always reads that there is no sandbox, and the model once in a run', async () => {
  const path = process.env['PATH'];
  process.env['PATH'] = '';
  try {
    const source = shellSource({ sandbox: 'auto', network: false }, { workspace: folder, guarded: [] });
    const tool = (await source.tools())[0]!;
    process.env['PATH'] = path;
    expect(await preview(tool, 'true')).toMatchObject({
      sandbox: 'without a sandbox: bubblewrap (bwrap) is not installed. It can do whatever you can do.',
    });
    expect((await run(tool, 'true')).text).toContain('[Commands run here without a sandbox: bubblewrap');
    expect((await run(tool, 'true')).text).not.toContain('sandbox');
    expect((await run(tool, 'true', { callKey: 'other/0.1' })).text).toContain('without a sandbox');
    process.env['PATH'] = '';
    const required = shellSource({ sandbox: 'required', network: false }, { workspace: folder, guarded: [] });
    await expect(required.tools()).rejects.toThrow(/sandbox: required, and bubblewrap.*not installed.*apt install/);
  } finally {
    process.env['PATH'] = path;
  }
});

test('a command that was approved for a sandbox does not run without one', async () => {
  const tool = await toolWith();
  const { basis } = await preview(tool, 'touch done');
  await expect(run(tool, 'touch done', { basis: 'in a sandbox without network' })).rejects.toThrow('was not run');
  expect(existsSync(join(folder, 'done'))).toBe(false);
  await run(tool, 'touch done', basis === undefined ? {} : { basis });
  expect(existsSync(join(folder, 'done'))).toBe(true);
});

const sandbox = await findSandbox(process.env['PATH']);
const SANDBOXED: ShellSettings = { sandbox: 'required', network: false };

test('in a sandbox it writes in the workspace alone, and not to what agents are made of', async (given) => {
  if (sandbox.kind === 'none') given.skip(sandbox.why);
  for (const name of ['agent.md', 'cadre.yaml']) writeFileSync(join(folder, name), 'as it was');
  mkdirSync(join(folder, '.git/hooks'), { recursive: true });
  writeFileSync(join(folder, '.git/config'), 'as it was');
  mkdirSync(join(folder, '.cadre'));
  const tool = await toolWith(SANDBOXED, [join(folder, 'agent.md'), join(folder, 'cadre.yaml'), '/elsewhere.md']);
  const outside = mkdtempSync(join(tmpdir(), 'cadre-outside-'));
  try {
    const { text } = await run(
      tool,
      `echo yes > mine; for f in agent.md cadre.yaml .git/config .git/hooks/pre-commit .cadre/x ${outside}/x /etc/cadre-x /usr/cadre-x; do
         (echo evil > "$f") 2>/dev/null && echo "wrote $f"; done; rm -f agent.md && echo removed; ls /tmp | wc -l; echo private > /tmp/private`,
    );
    expect(text).toContain('exit code 0');
    expect(text).not.toMatch(/wrote|removed/);
    expect(readFileSync(join(folder, 'mine'), 'utf8')).toBe('yes\n');
    expect(readFileSync(join(folder, 'agent.md'), 'utf8')).toBe('as it was');
    expect(existsSync(join(tmpdir(), 'private'))).toBe(false);
  } finally {
    rmSync(outside, { recursive: true });
  }
});

test('in a sandbox it reaches no network and sees no process of ours, unless the network is allowed', async (given) => {
  if (sandbox.kind === 'none') given.skip(sandbox.why);
  const server = createServer((socket) => socket.end('reached'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  const ask = `${process.execPath} -e "require('net').connect(${port},'127.0.0.1').on('data',d=>console.log(String(d))).on('error',e=>console.log(e.code))"`;
  try {
    expect((await run(await toolWith(SANDBOXED), ask)).text).toMatch(/ENETUNREACH|ECONNREFUSED/);
    expect((await run(await toolWith({ ...SANDBOXED, network: true }), ask)).text).toContain('reached');
    expect((await run(await toolWith(SANDBOXED), `kill -0 ${process.pid} && echo seen`)).text).not.toContain('seen');
    expect(await preview(await toolWith(SANDBOXED), 'true')).toMatchObject({
      sandbox: expect.stringContaining('without network'),
    });
  } finally {
    server.close();
  }
});

test('in a sandbox the keys of the home folder are not there', async (given) => {
  if (sandbox.kind === 'none') given.skip(sandbox.why);
  const home = process.env['HOME'];
  const inside = join(folder, 'home');
  mkdirSync(join(inside, '.ssh'), { recursive: true });
  writeFileSync(join(inside, '.ssh/id_rsa'), 'PRIVATE');
  writeFileSync(join(inside, '.npmrc'), 'TOKEN');
  process.env['HOME'] = inside;
  try {
    const { text } = await run(await toolWith(SANDBOXED), 'cat ~/.ssh/id_rsa ~/.npmrc; ls -a ~/.ssh');
    expect(text).not.toMatch(/PRIVATE|TOKEN/);
  } finally {
    process.env['HOME'] = home;
  }
});

test('in a sandbox a process that leaves its group ends too', async (given) => {
  if (sandbox.kind === 'none') given.skip(sandbox.why);
  const tool = await toolWith(SANDBOXED);
  const { text } = await run(
    tool,
    'setsid sh -c "while :; do date +%s%N > tick; sleep 0.05; done" & sleep 0.3; echo done',
  );
  expect(text).toContain('done');
  const read = (): string => readFileSync(join(folder, 'tick'), 'utf8');
  const last = read();
  await run(tool, 'sleep 0.3');
  expect(read()).toBe(last);
});
