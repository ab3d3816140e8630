// Tool sources as users meet them, through the built command line: servers that do not start, do not answer or are
// misnamed, where servers run, and what the `files` tools see.

import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { untilGone } from './support/alive.ts';
import { ended, type Folder, folderWith, until } from './support/cli.ts';

const SERVER = fileURLToPath(new URL('./fixtures/mcp/shop-server.mjs', import.meta.url));
const NODE = JSON.stringify(process.execPath);
const folders: Folder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

const agent = (frontmatter: string): string => `---\ndescription: d\n${frontmatter}\n---\nYou work.\n`;

/** A cadre with the scripted model and these servers. */
function cadreWith(files: Readonly<Record<string, string>>, servers: string, script: object): Folder {
  const folder = folderWith({
    'cadre.yaml': `providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/m] }\nmcpServers:\n${servers}\n`,
    's.yaml': JSON.stringify(script),
    ...files,
  });
  folders.push(folder);
  return folder;
}

const shop = (more = ''): string => `  shop: { command: ${NODE}, args: [${SERVER}, ./shelf.json${more}] }`;

const outcomeOf = (folder: Folder) => folder.journal().at(-1)?.['outcome'];

async function replays(folder: Folder): Promise<void> {
  expect((await folder.cadre(['replay'])).stdout).toMatch(/^identical: /);
}

test('a child and an advisor whose server cannot start fail, and the run goes on to its answer', async () => {
  const folder = cadreWith(
    {
      'lead.md': agent('agents: [child]\nadvisors: [guide]'),
      'child.md': agent('tools: [mcp:gone]'),
      'guide.md': agent('tools: [mcp:gone]'),
    },
    '  gone: { command: ./no-such-program }',
    { agents: { lead: [{ call: { agent__child: { input: 'go', reason: 'r' } } }, { answer: '{{input}}\n{{last}}' }] } },
  );
  const { stdout, exit } = await folder.cadre(['run', 'lead', 'go']);
  expect(exit).toBe(0);
  expect(stdout).toMatch(/### From guide\n\nguide did not answer\. .*: failed: The MCP server "gone" cannot be used/);
  expect(stdout).toMatch(/outcome: failed\n\nThe MCP server "gone" cannot be used: .*ENOENT/);
  const events = folder.journal();
  const paths = (type: string) =>
    events.flatMap((event) => (event['type'] === type ? [String(event['path'])] : [])).sort();
  expect(paths('op-end')).toEqual(paths('op-start'));
  await replays(folder);
});

test.each([
  ['SIGTERM', 130, 'cancelled'],
  ['SIGINT', 130, 'cancelled'],
] as const)(
  '%s ends a run whose server starts and does not answer, and the server with it',
  async (signal, exit, kind) => {
    const folder = cadreWith({ 'clerk.md': agent('tools: [mcp:shop]') }, shop(', silent'), { agents: {} });
    const running = folder.start(['run', 'clerk', 'go']);
    const over = ended(running);
    const starts = (): string => (folder.has('shelf.json.starts') ? folder.read('shelf.json.starts') : '');
    await until(() => starts().endsWith('\n'));
    running.kill(signal);
    expect((await over).exit).toBe(exit);
    expect(outcomeOf(folder)).toMatchObject({ kind, fault: { stage: 'clerk' } });
    await untilGone([Number(starts())]);
    await replays(folder);
  },
);

test("the agent's timeout ends a run whose server does not answer", async () => {
  const folder = cadreWith({ 'clerk.md': agent('tools: [mcp:shop]\ntimeout: 500ms') }, shop(', silent'), {
    agents: {},
  });
  const { exit, stderr } = await folder.cadre(['run', 'clerk', 'go']);
  expect(exit).toBe(5);
  expect(stderr).toContain('Timed out after 500 ms (its limit).');
  expect(outcomeOf(folder)).toMatchObject({ kind: 'timed-out', fault: { code: 'timeout', stage: 'clerk' } });
  await replays(folder);
});

test.each([
  ['tools: [mcp:gone]', 'tool/source', 'The MCP server "gone" cannot be used'],
  ['tools: [mcp:unset]', 'config/unset-variable', 'cadre.yaml:6 uses ${CADRE_NOT_SET}, which is not set.'],
  [
    'tools: ["mcp:shop/wher"]',
    'tool/unknown',
    'clerk.md, tools: There is no tool "mcp:shop/wher". Did you mean "mcp:shop/where"?',
  ],
  [
    'tools: ["mcp:shop"]\napprove: ["mcp:shop/wher"]',
    'tool/unknown',
    'clerk.md, approve: There is no tool "mcp:shop/wher". Did you mean "mcp:shop/where"? Known tools: mcp:shop/add,',
  ],
])('an agent with %s fails before its first model call, and says where and why', async (tools, code, message) => {
  const folder = cadreWith(
    { 'clerk.md': agent(tools) },
    `${shop()}\n  gone: { command: ./no-such-program }\n  unset: { command: x, env: { K: "\${CADRE_NOT_SET}" } }`,
    { agents: { clerk: [{ answer: 'never' }] } },
  );
  const { exit, stderr, stdout } = await folder.cadre(['run', 'clerk', 'go']);
  expect([exit, stdout]).toEqual([1, '']);
  expect(stderr).toContain(message);
  expect(outcomeOf(folder)).toMatchObject({ kind: 'failed', fault: { code, stage: 'clerk' } });
  expect(folder.journal().map(({ type }) => type)).toEqual(['run-start', 'run-end']);
  await replays(folder);
});

test('a server runs in the folder of cadre.yaml, and a command with a slash is found from there', async () => {
  const script = { agents: { clerk: [{ call: { where: {} } }, { answer: '{{last}}' }] } };
  const elsewhere = folderWith({});
  folders.push(elsewhere);
  for (const [server, expected] of [
    [shop(), '.'],
    ['  shop: { command: ./serve.sh, args: [shelf.json], cwd: ./inner }', 'inner'],
  ] as const) {
    const folder = cadreWith({ 'clerk.md': agent('tools: [mcp:shop]'), 'inner/x': '' }, server, script);
    folder.write('serve.sh', `#!/bin/sh\nexec ${NODE} ${SERVER} "$@"\n`, 0o755);
    const { stdout } = await elsewhere.cadre(['run', join(folder.path, 'clerk.md'), 'go', '--store', folder.path]);
    expect(stdout.trim()).toBe(realpathSync(join(folder.path, expected)));
  }
});

test('a run that is resumed from another folder has its server where it was', { timeout: 60_000 }, async () => {
  const slow = { agents: { clerk: [{ delay: '60s', call: { where: {} } }, { answer: '{{last}}' }] } };
  const folder = cadreWith({ 'clerk.md': agent('tools: [mcp:shop]') }, shop(), slow);
  const elsewhere = folderWith({});
  folders.push(elsewhere);
  const running = folder.start(['run', 'clerk', 'go']);
  const over = ended(running);
  await until(() => folder.journal().some(({ type }) => type === 'op-start'));
  running.kill('SIGKILL');
  await over;
  folder.write('s.yaml', JSON.stringify(slow).replace('60s', '0s'));
  const { stdout, exit } = await elsewhere.cadre(['resume', 'last', '--store', join(folder.path, '.cadre')]);
  expect([exit, stdout.trim()]).toEqual([0, realpathSync(folder.path)]);
});

test('a recording beside cadre.yaml plays back what an agent that lists the folder was answered', async () => {
  const steps = [
    { call: { list_files: {} } },
    { call: { read_file: { path: 'tape.jsonl' } } },
    { call: { search_files: { query: 'cadre-needle' } } },
    { answer: '{{result.list_files}}\n{{result.read_file}}\n{{result.search_files}}' },
  ];
  const folder = folderWith({
    'cadre.yaml':
      'providers:\n  demo: { kind: scripted, script: ./s.yaml }\n  tape: { kind: recorded, recording: ./tape.jsonl, wraps: demo }\n' +
      'defaults: { models: [tape/m] }\nstore: { dir: ./journals }\n# cadre-needle\n',
    's.yaml': JSON.stringify({ agents: { clerk: steps } }),
    'clerk.md': agent('tools: [files]'),
    'notes.txt': 'cadre-needle\n',
  });
  folders.push(folder);
  const recorded = await folder.cadre(['run', 'clerk', 'go']);
  expect(recorded.exit).toBe(0);
  expect(recorded.stdout).toContain('clerk.md');
  expect(recorded.stdout).toContain('There is no "tape.jsonl" in the workspace.');
  expect(recorded.stdout).toContain('1 line in 1 of 2 files.');
  expect(recorded.stdout).not.toMatch(/cadre\.yaml|s\.yaml|journals|\.cadre/);
  const played = await folder.cadre(['run', 'clerk', 'go']);
  expect(played).toMatchObject({ exit: 0, stdout: recorded.stdout });
});
