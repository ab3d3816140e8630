// The law of every import: nothing comes out with more rights than it went in with. An agent of another tool is made up from
// what it grants and what it denies, written in the form of each dialect, imported, and then asked call by call. What it was
// allowed there is worked out here from the made-up agent alone, by the words of that tool's own documentation.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseCallRules } from '../../rules/call-rule.ts';
import { type ComparedCall, matchesWidely } from '../../rules/compared-call.ts';
import type { DialectName } from './dialect.ts';
import { importAgents } from './import.ts';

type Capability = 'read' | 'write' | 'shell' | 'web' | 'ask' | 'start' | 'server';

const CAPABILITIES: readonly Capability[] = ['read', 'write', 'shell', 'web', 'ask', 'start', 'server'];

/** An agent of another tool, by its rights. `granted` undefined: its file names no tools. */
interface MadeUpAgent {
  readonly granted: readonly Capability[] | undefined;
  readonly denied: readonly Capability[];
  /** Commands that begin with these words are denied. */
  readonly deniedCommands: readonly string[];
  /** Files below these folders must not be written. */
  readonly deniedFolders: readonly string[];
}

interface Writing {
  readonly file: string;
  write(agent: MadeUpAgent): string;
  /** The rights of an agent that names no tools. */
  readonly all: readonly Capability[];
  /** The rights of every agent, where tools cannot be named. */
  readonly always?: readonly Capability[];
  /** The denials that can be written there, in part too. */
  readonly denies: { readonly whole: readonly Capability[]; readonly commands: boolean; readonly folders: boolean };
}

const named = (agent: MadeUpAgent, names: Readonly<Record<Capability, string>>): readonly string[] =>
  (agent.granted ?? []).map((one) => names[one]).filter((name) => name !== '');

const frontmatter = (keys: Readonly<Record<string, unknown>>): string =>
  `---\n${JSON.stringify({ name: 'x', description: 'd', ...keys })}\n---\n\nYou work.\n`;

const given = (agent: MadeUpAgent, key: string, value: unknown): Record<string, unknown> =>
  agent.granted === undefined ? {} : { [key]: value };

const EVERY: readonly Capability[] = ['read', 'write', 'shell', 'web', 'ask', 'start', 'server'];

const CLAUDE = {
  read: 'Read',
  write: 'Edit',
  shell: 'Bash',
  web: 'WebFetch',
  ask: 'AskUserQuestion',
  start: 'Task',
  server: 'mcp__db__find',
}; // prettier-ignore
const OPENCODE = {
  read: 'read',
  write: 'edit',
  shell: 'bash',
  web: 'webfetch',
  ask: 'question',
  start: 'task',
  server: 'db_*',
}; // prettier-ignore

const WRITINGS: Readonly<Record<DialectName, Writing>> = {
  claude: {
    file: '.claude/agents/x.md',
    all: EVERY,
    denies: { whole: CAPABILITIES, commands: true, folders: true },
    write: (agent) =>
      frontmatter({
        ...given(agent, 'tools', named(agent, CLAUDE)),
        disallowedTools: [
          ...agent.denied.map((one) => CLAUDE[one]),
          ...agent.deniedCommands.map((words) => `Bash(${words}:*)`),
          ...agent.deniedFolders.map((folder) => `Edit(${folder}/**)`),
        ],
      }),
  },
  copilot: {
    file: '.github/agents/x.agent.md',
    all: EVERY,
    denies: { whole: [], commands: false, folders: false },
    write: (agent) =>
      frontmatter(
        given(
          agent,
          'tools',
          named(agent, {
            read: 'search/codebase',
            write: 'edit/editFiles',
            shell: 'runCommands',
            web: 'web/fetch',
            ask: 'vscode/askQuestions',
            start: 'agent',
            server: 'db/find',
          }), // prettier-ignore
        ),
      ),
  },
  opencode: {
    file: '.opencode/agent/x.md',
    all: EVERY,
    denies: { whole: CAPABILITIES, commands: true, folders: true },
    write: (agent) =>
      frontmatter({
        mode: 'all',
        ...given(agent, 'tools', {
          '*': false,
          ...Object.fromEntries(named(agent, OPENCODE).map((name) => [name, true])),
        }),
        permission: Object.fromEntries([
          ...agent.denied.map((one) => [OPENCODE[one], 'deny']),
          ...(agent.deniedCommands.length > 0 && !agent.denied.includes('shell')
            ? [
                [
                  'bash',
                  { '*': 'allow', ...Object.fromEntries(agent.deniedCommands.map((words) => [`${words} *`, 'deny'])) },
                ],
              ]
            : []),
          ...(agent.deniedFolders.length > 0 && !agent.denied.includes('write')
            ? [['edit', Object.fromEntries(agent.deniedFolders.map((folder) => [`${folder}/*`, 'deny']))]]
            : []),
        ]),
      }),
  },
  gemini: {
    file: '.gemini/agents/x.md',
    all: EVERY,
    denies: { whole: [], commands: false, folders: false },
    write: (agent) =>
      frontmatter(
        given(
          agent,
          'tools',
          named(agent, {
            read: 'read_file',
            write: 'replace',
            shell: 'run_shell_command',
            web: 'web_fetch',
            ask: 'ask_user',
            start: '',
            server: 'mcp_db_find',
          }), // prettier-ignore
        ),
      ),
  },
  codex: {
    file: '.codex/agents/x.toml',
    all: ['read', 'write', 'shell'],
    always: ['read', 'write', 'shell'],
    denies: { whole: ['write'], commands: false, folders: false },
    write: (agent) =>
      [
        'name = "x"\ndescription = "d"\ndeveloper_instructions = "You work."',
        ...(agent.denied.includes('write') ? ['sandbox_mode = "read-only"'] : []),
        ...(agent.granted?.includes('server') === true
          ? ['[mcp_servers.db]\ncommand = "db"\nenabled_tools = ["find"]']
          : []),
      ].join('\n'),
  },
  docker: {
    file: 'x.yaml',
    all: [],
    denies: { whole: ['read', 'write', 'shell', 'web', 'server'], commands: true, folders: true },
    write: (agent) => {
      const toolsets = (agent.granted ?? []).flatMap((one) => DOCKER_SETS[one](agent));
      const x = { model: 'openai/x', description: 'd', instruction: 'You work.', toolsets };
      const names = {
        read: 'read_file',
        write: 'write_file',
        shell: 'shell',
        web: 'fetch',
        server: 'mcp:db:*',
        ask: '',
        start: '',
      };
      const deny = [
        ...agent.denied.map((one) => names[one]),
        ...agent.deniedCommands.map((words) => `shell:cmd=${words} *`),
      ];
      return `agents: ${JSON.stringify({ x })}\npermissions: ${JSON.stringify({ deny })}\n`;
    },
  },
  goose: {
    file: 'recipe.json',
    all: ['read', 'write', 'shell'],
    denies: { whole: [], commands: false, folders: false },
    write: (agent) =>
      JSON.stringify({
        title: 'x',
        description: 'd',
        instructions: 'You work.',
        ...given(agent, 'extensions', [
          ...(named(agent, GOOSE).length > 0
            ? [{ type: 'builtin', name: 'developer', available_tools: named(agent, GOOSE) }]
            : []),
          ...(agent.granted?.includes('server') === true
            ? [{ type: 'stdio', name: 'db', cmd: 'db', available_tools: ['find'] }]
            : []),
        ]),
      }),
  },
  netdata: {
    file: 'x.ai',
    all: [],
    denies: { whole: ['server'], commands: false, folders: false },
    write: (agent) =>
      frontmatter({
        models: ['openai/x'],
        tools: agent.granted?.includes('server') === true ? ['db'] : [],
        toolsAllowed: ['db__find'],
        toolsDenied: agent.denied.includes('server') ? ['db__find'] : [],
      }),
  },
};

const GOOSE = { read: 'tree', write: 'edit', shell: 'shell', web: '', ask: '', start: '', server: '' };

const DOCKER_SETS: Readonly<Record<Capability, (agent: MadeUpAgent) => readonly unknown[]>> = {
  read: () => [{ type: 'filesystem', tools: ['read_file'] }],
  write: ({ deniedFolders }) => [{ type: 'filesystem', tools: ['write_file'], deny_list: deniedFolders }],
  shell: () => [{ type: 'shell' }],
  web: () => [{ type: 'fetch' }],
  ask: () => [{ type: 'user_prompt' }],
  start: () => [],
  server: () => [{ type: 'mcp', name: 'db', command: 'db', tools: ['find'] }],
};

/** A call of ours, and what it needs to be allowed there. */
interface Probe {
  readonly source: string;
  readonly tool: string;
  readonly needs: Capability;
  readonly call: ComparedCall;
  readonly command?: string;
  readonly path?: string;
}

const ofFiles = (tool: string, path: string): ComparedCall => ({
  kind: 'arguments',
  arguments: { path },
  paths: { path: [path] },
});
const command = (text: string): Probe => ({
  source: 'shell',
  tool: 'run_command',
  needs: 'shell',
  call: { kind: 'command', command: text },
  command: text,
}); // prettier-ignore
const writing = (path: string): Probe => ({
  source: 'files:write',
  tool: 'edit_file',
  needs: 'write',
  call: ofFiles('edit_file', path),
  path,
}); // prettier-ignore

const COMMANDS = ['git push', 'git push origin main', 'git status', 'rm -rf build', 'rm x', 'npm test', 'ls'];
const PATHS = ['docs/a.md', 'docs/deep/b.md', 'src/a.ts', 'src/deep/b.ts', 'a.md'];

const PROBES: readonly Probe[] = [
  { source: 'files', tool: 'read_file', needs: 'read', call: ofFiles('read_file', 'a.md') },
  ...PATHS.map(writing),
  ...COMMANDS.map(command),
  { source: 'web', tool: 'fetch_page', needs: 'web', call: { kind: 'host', url: new URL('https://example.com') } },
  { source: 'person', tool: 'ask_person', needs: 'ask', call: { kind: 'arguments', arguments: {} } },
  { source: 'mcp:db', tool: 'find', needs: 'server', call: { kind: 'arguments', arguments: {} } },
];

/** By the words of the made-up agent alone. */
function wasAllowed(agent: MadeUpAgent, all: readonly Capability[], { needs, command: run, path }: Probe): boolean {
  if (!(agent.granted ?? all).includes(needs) || agent.denied.includes(needs)) return false;
  if (run !== undefined && agent.deniedCommands.some((words) => run === words || run.startsWith(`${words} `)))
    return false;
  return path === undefined || !agent.deniedFolders.some((folder) => path.startsWith(`${folder}/`));
}

interface WrittenAgent {
  readonly tools?: readonly string[];
  readonly deny?: readonly string[];
  readonly trust?: unknown;
  readonly spawn?: unknown;
  readonly agents?: unknown;
  readonly subagent?: unknown;
}

function isAllowed({ tools = [], deny = [] }: WrittenAgent, { source, tool, call }: Probe): boolean {
  const has = tools.includes(source) || tools.includes(`${source}/${tool}`) || tools.includes(tool);
  const meant = parseCallRules(deny).filter(({ name }) => [source, tool, `${source}/${tool}`].includes(name));
  return has && !meant.some((rule) => matchesWidely(rule, call));
}

async function imported(dialect: DialectName, text: string): Promise<WrittenAgent | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-rights-'));
  const empty = mkdtempSync(join(tmpdir(), 'cadre-rights-'));
  try {
    const file = join(folder, WRITINGS[dialect].file);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    const { plan } = await importAgents({ from: folder, cadre: empty, to: 'agents', dryRun: true });
    expect(plan.agents.every((one) => one.dialect === dialect)).toBe(true);
    const [, keys] = /^---\n([^]*?)\n---\n/.exec(plan.agents[0]?.text ?? '') ?? [];
    return keys === undefined ? undefined : (parse(keys) as WrittenAgent);
  } finally {
    rmSync(folder, { recursive: true });
    rmSync(empty, { recursive: true });
  }
}

const someOf = <Value>(values: readonly Value[]) => fc.subarray([...values]);

function agentOf({ denies, always }: Writing): fc.Arbitrary<MadeUpAgent> {
  const granted =
    always === undefined ? someOf(CAPABILITIES) : fc.constantFrom<readonly Capability[]>(always, [...always, 'server']);
  return fc.record({
    granted: fc.option(granted, { nil: undefined }),
    denied: someOf(denies.whole),
    deniedCommands: denies.commands ? someOf(['git push', 'rm', 'npm test']) : fc.constant([]),
    deniedFolders: denies.folders ? someOf(['docs', 'src']) : fc.constant([]),
  });
}

const DIALECTS = Object.keys(WRITINGS) as readonly DialectName[];

test.each(DIALECTS)('an agent of %s has no right here that it did not have there', async (dialect) => {
  const writing = WRITINGS[dialect];
  await fc.assert(
    fc.asyncProperty(agentOf(writing), async (agent) => {
      const written = await imported(dialect, writing.write(agent));
      expect(written).toBeDefined();
      const more = PROBES.filter((probe) => isAllowed(written!, probe) && !wasAllowed(agent, writing.all, probe));
      expect(more.map(({ source, command: run, path }) => `${source} ${run ?? path ?? ''}`)).toEqual([]);
      const starts = written!.spawn !== undefined || written!.agents !== undefined || written!.subagent !== undefined;
      const could = (agent.granted ?? writing.all).includes('start') && !agent.denied.includes('start');
      expect(starts && !could).toBe(false);
      expect(written!.trust).toBeUndefined();
    }),
    { numRuns: 30 },
  );
});

test.each(DIALECTS)('an agent of %s has here what it is granted and not denied', async (dialect) => {
  const writing = WRITINGS[dialect];
  const kept: Readonly<Partial<Record<DialectName, readonly Capability[]>>> = {
    codex: ['read', 'write', 'shell'],
    goose: ['read', 'write', 'shell', 'server'],
    netdata: ['server'],
  };
  const can = (kept[dialect] ?? ['read', 'write', 'shell', 'web', 'ask', 'server']).filter(
    (one) => one !== 'server' || dialect !== 'opencode',
  ); // prettier-ignore
  for (const one of can) {
    const granted = dialect === 'codex' ? undefined : [one];
    const agent: MadeUpAgent = { granted, denied: [], deniedCommands: [], deniedFolders: [] };
    const written = await imported(dialect, writing.write(agent));
    const probes = PROBES.filter(({ needs }) => needs === one);
    expect(
      probes.filter((probe) => !isAllowed(written!, probe)),
      `${dialect} ${one}`,
    ).toEqual([]);
  }
});

const ANY_KEYS = (
  'tools disallowedTools permission permissions permissionMode hooks mcpServers mcp-servers agents ' +
  'sandbox_mode toolsDenied toolsAllowed readonly safety toolsets handoffs router retry ' +
  'extensions sub_recipes response output input skills model models fallback ' +
  'budget denied __proto__ settings'
).split(' ');

/** Keys of all dialects with values of any shape. */
const anyKeys = fc.dictionary(
  fc.constantFrom(...ANY_KEYS),
  fc.oneof(
    fc.constantFrom('*', 'deny', 'plan', 'Bash(x)', 'mcp__a__b', '', '../x', '{{include a}}', 'x/y/z', '(', 'a\u0000b'),
    fc.jsonValue({ maxDepth: 3 }),
    fc.array(
      fc.dictionary(fc.constantFrom('type', 'name', 'path', 'tools', 'command', 'ref'), fc.string(), { maxKeys: 3 }),
      { maxLength: 3 },
    ), // prettier-ignore
  ),
  { maxKeys: 6 },
);

test.each(DIALECTS)('no value of any shape breaks the import of %s', async (dialect) => {
  const { file } = WRITINGS[dialect];
  await fc.assert(
    fc.asyncProperty(anyKeys, async (keys) => {
      const folder = mkdtempSync(join(tmpdir(), 'cadre-shapes-'));
      const empty = mkdtempSync(join(tmpdir(), 'cadre-shapes-'));
      const agent = { model: 'openai/x', description: 'd', instruction: 'i', ...keys };
      const whole = { name: 'x', title: 'x', description: 'd', instructions: 'i', ...keys };
      const text =
        dialect === 'docker'
          ? `agents:\n  x: ${JSON.stringify(agent)}\npermissions: ${JSON.stringify(keys)}\nmodels: ${JSON.stringify(keys)}\n`
          : dialect === 'goose'
            ? JSON.stringify(whole)
            : dialect === 'codex'
              ? `name = "x"\ndeveloper_instructions = "i"\n${Object.keys(keys)
                  .map((key) => `${JSON.stringify(key)} = ${JSON.stringify(JSON.stringify(keys[key]))}`)
                  .join('\n')}\n` // prettier-ignore
              : `---\n${JSON.stringify(whole)}\n---\nYou work.\n`;
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
      const { plan } = await importAgents({ from: folder, cadre: empty, to: 'agents', dryRun: true });
      expect(plan.agents.length + plan.unreadable.length + plan.others.length).toBe(1);
      for (const { text: own } of plan.agents) expect(() => parse(/^---\n([^]*?)\n---\n/.exec(own)![1]!)).not.toThrow();
      rmSync(folder, { recursive: true });
      rmSync(empty, { recursive: true });
    }),
    { numRuns: 30 },
  );
});
