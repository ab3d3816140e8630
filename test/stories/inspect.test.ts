// cadre tools and cadre check --deep: what an agent would have, and what only servers, scripts and variables can say.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith } from '../support/cli.ts';

const SERVER = fileURLToPath(new URL('../fixtures/mcp/shop-server.mjs', import.meta.url));
const NODE = JSON.stringify(process.execPath);
const folders: Folder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

const CONFIG = 'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/m] }\n';
const agent = (keys = '', body = 'You work.'): string => `---\ndescription: Works.\n${keys}---\n${body}\n`;
const shop = (more = ''): string =>
  `mcpServers:\n  shop: { command: ${NODE}, args: [${SERVER}, ./shelf.json]${more} }\n`;

function cadreWith(files: Readonly<Record<string, string>>, config = ''): Folder {
  const folder = folderWith({
    'cadre.yaml': CONFIG + config,
    's.yaml': JSON.stringify({ any: [{ answer: 'done' }] }),
    ...files,
  });
  folders.push(folder);
  return folder;
}

interface Told {
  readonly agents: readonly {
    readonly tools: readonly {
      name: string;
      source: string;
      readOnly?: boolean;
      approval: string;
      rules?: { trust?: string[] };
    }[];
    readonly unseen: readonly { entry: string }[];
  }[];
}

test('every tool is listed with its source, whether it changes anything, and who says yes', async () => {
  const folder = cadreWith(
    {
      'worker.md': agent(
        'tools: [files, "files:write", shell, person, "rest:weather"]\ntrust: ["files:write/move_file", "shell(npm test)"]\n' +
          'approve: ["rest:weather"]\nagents: [helper]\nspawn: true\n',
      ),
      'helper.md': agent('chat: true\n'),
    },
    'restTools: { weather: { description: The weather., url: "https://example.com/" } }\n',
  );
  const { stdout, exit } = await folder.cadre(['tools', 'worker', '--json']);
  expect(exit).toBe(0);
  const [only] = (JSON.parse(stdout) as Told).agents;
  const rows = only!.tools.map(({ name, source, readOnly, approval, rules }) =>
    [name, source, readOnly ?? '', approval, ...(approval === 'asks' ? (rules?.trust ?? []) : [])].join(' '),
  );
  expect(rows.slice(0, 12)).toEqual([
    'list_files files/list_files true free',
    'read_file files/read_file true free',
    'search_files files/search_files true free',
    'write_file files:write/write_file false asks',
    'edit_file files:write/edit_file false asks',
    'delete_file files:write/delete_file false asks',
    'move_file files:write/move_file false trusted',
    'run_command shell/run_command false asks shell(npm test)',
    'ask_person person/ask_person true free',
    'weather rest:weather true approve',
    'agent__helper agents  free',
    'agent__ask_clarification chat  free',
  ]);
  expect(rows).toContain('sessions_spawn spawn  free');
  expect(rows.at(-1)).toBe('final_report session  free');
});

test('servers are started and functions are run only when asked for', async () => {
  const folder = cadreWith(
    {
      'worker.md': agent('tools: ["mcp:shop/where", add]\n'),
      'tools.mjs':
        "import { writeFileSync } from 'node:fs';\nwriteFileSync('loaded', '');\n" +
        "export const add = { name: 'add', description: 'Adds.', parameters: { type: 'object' }, run: () => '3' };\n",
    },
    `functions: ./tools.mjs\n${shop()}`,
  );
  const starts = join(folder.path, 'shelf.json.starts');
  const quiet = await folder.cadre(['tools', 'worker']);
  expect(quiet.stderr).toContain('not looked at: mcp:shop/where: the server was not started');
  expect(quiet.stderr).toContain('not looked at: add: functions were not loaded');
  expect(folder.has('loaded')).toBe(false);
  expect(existsSync(starts)).toBe(false);
  const { stdout, exit } = await folder.cadre(['tools', 'worker', '--connect']);
  expect(exit).toBe(0);
  expect(stdout).toMatch(/where +mcp:shop\/where/);
  expect(stdout).toMatch(/add +add +free +Adds\./);
});

test('a source that cannot be had is a failure, and the others are listed', async () => {
  const folder = cadreWith(
    { 'worker.md': agent('tools: [files, "mcp:gone"]\n') },
    'mcpServers: { gone: { command: ./no } }\n',
  );
  const { stdout, stderr, exit } = await folder.cadre(['tools', '--connect']);
  expect(exit).toBe(1);
  expect(stdout).toMatch(/worker +read_file/);
  expect(stderr).toContain('worker: mcp:gone: The MCP server "gone" cannot be used');
});

const deep = async (folder: Folder, ...more: string[]) => {
  const { stdout, stderr, exit } = await folder.cadre(['check', '--deep', '--json', ...more]);
  const findings = JSON.parse(stdout) as {
    file: string;
    line: number;
    severity: string;
    code: string;
    message: string;
  }[];
  return {
    exit,
    stderr,
    found: findings.map(({ file, line, severity, code }) => `${file}:${line} ${severity} ${code}`),
    findings,
  };
};

test('a deep check finds what the files alone do not show', async () => {
  const folder = cadreWith(
    {
      'a.md': agent('tools: ["mcp:shop", "mcp:shop/wehre"]\napprove: ["mcp:shop/altar"]\n'),
      'b.md': agent('models: openai/gpt-x\nbudget: { usd: 1 }\nagents: [c]\n'),
      'c.md': agent('models: local/small\n'),
      's.yaml': 'agents:\n  a: [{ answer: x }]\n  nobody: [{ answer: y }]\n',
    },
    'models: { big: { use: local/big } }\n'.concat(
      shop(', allow: ["where", "wehre", "altar", "nothing"]'),
      'restTools: { weather: { description: The weather., url: "https://example.com/${CITY_KEY}" } }\n',
    ),
  );
  folder.write(
    'cadre.yaml',
    folder
      .read('cadre.yaml')
      .replace(
        'providers: {',
        'providers: { local: { kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1", apiKey: "${NOT_SET}" },',
      ),
  );
  const { exit, found, stderr } = await deep(folder);
  expect(exit).toBe(1);
  expect(found).toEqual(
    expect.arrayContaining([
      'a.md:3 error tool/unknown',
      'a.md:4 error tool/unknown',
      'b.md:3 error model/not-ready',
      'cadre.yaml:1 error variable/unset',
      'cadre.yaml:6 warning variable/unset',
      's.yaml:3 warning script/unknown-agent',
    ]),
  );
  expect(found.filter((one) => one.endsWith('mcp/unknown-name'))).toHaveLength(3);
  expect(stderr).toContain('started and closed: mcp:shop');
});

test('a model without a price under a budget of dollars is found, wherever below the agent it is', async () => {
  const folder = cadreWith(
    {
      'lead.md': agent('budget: { usd: 1 }\nagents: [worker]\nmodels: priced\n'),
      'worker.md': agent(),
      'free.md': agent('budget: { usd: 1, allowUnpriced: true }\n'),
    },
    'models: { priced: { use: demo/p, price: { input: 1, output: 1 } } }\n',
  );
  const { findings } = await deep(folder);
  expect(findings.map(({ code, message }) => [code, message])).toEqual([
    ['model/unpriced', '"lead" has a budget of dollars, and demo/m of worker has no known price'],
  ]);
});

test('scripts and recordings that cannot be used, and agents without steps, are found', async () => {
  const folder = cadreWith({
    'a.md': agent(),
    'b.md': agent('models: [tape/x, demo/m]\n'),
    's.yaml': 'agents:\n  a: [{ anser: x }]\n',
    'bad.jsonl': 'not json\n',
  });
  folder.write(
    'cadre.yaml',
    `${CONFIG.replace('providers: {', 'providers: { tape: { kind: recorded, wraps: demo, recording: ./bad.jsonl }, later: { kind: recorded, wraps: demo, recording: ./later.jsonl },')}`,
  );
  const { found } = await deep(folder);
  expect(found).toEqual(
    expect.arrayContaining([
      'cadre.yaml:1 error script/invalid',
      'cadre.yaml:1 error recording/invalid',
      'cadre.yaml:1 warning recording/missing',
    ]),
  );
  folder.write('s.yaml', 'agents:\n  b: [{ answer: x }]\n');
  expect((await deep(folder)).found).toContain('a.md:1 warning script/no-steps');
});

test('a deep check of one agent starts no server of another', async () => {
  const folder = cadreWith({ 'a.md': agent('tools: ["mcp:shop"]\n'), 'b.md': agent() }, shop());
  expect((await deep(folder, 'b.md')).stderr).not.toContain('started');
  expect((await deep(folder, 'a.md')).stderr).toContain('started and closed: mcp:shop');
});

test('without --deep nothing is started', async () => {
  const folder = cadreWith({ 'a.md': agent('tools: ["mcp:shop"]\n') }, shop());
  expect((await folder.cadre(['check'])).exit).toBe(0);
  expect(existsSync(join(folder.path, 'shelf.json.starts'))).toBe(false);
});
