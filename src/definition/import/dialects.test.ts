import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readCadre } from '../load.ts';
import type { DialectName } from './dialect.ts';
import { importAgents } from './import.ts';
import type { PlannedAgent } from './plan.ts';

const FIXTURES = fileURLToPath(new URL('../../../test/fixtures/import', import.meta.url));

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-dialects-'));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  }
  return folder;
}

const take = async (from: string, dialect?: DialectName) =>
  importAgents({ from, dialect, cadre: folderOf({}), to: 'agents', dryRun: true });

const planOf = async (files: Readonly<Record<string, string>>, dialect?: DialectName) =>
  (await take(folderOf(files), dialect)).plan;

/** `name dialect: models: rights: deny: losses that count: other losses`. */
function rowOf(agent: PlannedAgent): string {
  const { name, dialect, models, tools, agents, spawns, leads, deny, notes } = agent;
  const rights = [...tools, ...agents.map((one) => `agent ${one}`), ...(spawns ? ['spawn'] : []), ...leads];
  const lost = notes.filter(({ kind }) => kind === 'lost');
  return [
    `${name} ${dialect}`,
    models.join(' '),
    rights.join(' '),
    deny.join(', '),
    lost.flatMap(({ what, about }) => (about === undefined ? [] : [`${about} ${what}`])).join(', '),
    lost.flatMap(({ what, about }) => (about === undefined ? [what] : [])).join(', '),
  ].join(' | ');
}

test.each<readonly [DialectName, readonly string[]]>([
  [
    'copilot',
    [
      'lookout copilot |  | files mcp:weather/today mcp:weather/tomorrow |  | restriction disable-model-invocation | ',
      'helmsman-2 copilot | anthropic/claude-sonnet-4-5 openai/gpt-5 | files files:write shell web mcp:tide-tables mcp:flag-server/raise person agent lookout |  | tool githubRepo, tool todos, reference handoffs | ',
      'swabbie copilot | openai/gpt-4.1 | files files:write shell web |  |  | ',
    ],
  ],
  [
    'opencode',
    [
      'pilot opencode | anthropic/claude-sonnet-4-5 | files shell web | files:write, shell(git push *), shell(rm *) |  | color',
      'quiet opencode | local/small | files | files:write, shell, web, person | restriction permission: edit | ',
    ],
  ],
  [
    'gemini',
    [
      'surveyor gemini | google/gemini-3-flash-preview | files shell mcp:depth/sound mcp:charts |  | tool google_web_search | ',
    ],
  ],
  [
    'codex',
    [
      'auditor codex | openai/gpt-5.3-codex | files mcp:charts | files:write, shell, mcp:charts/draw | restriction sandbox_mode: read-only | nickname_candidates',
      'ship-carpenter codex |  | files files:write shell |  |  | model_reasoning_effort: xhigh',
    ],
  ],
  [
    'docker',
    [
      'crew docker | anthropic/claude-haiku-4-5 openai/gpt-5-mini dmr/ai/qwen3 | files files:write mcp:duckduckgo/search agent cook agent gunner router purser | read_file(path=secrets), search_files, files:write(path=secrets), shell(rm *), shell(git push *) | tool think, restriction permissions: deny shell:cmd=rm -rf* | permissions: allow',
      'cook docker | openai/gpt-5-mini | files | shell(rm *), shell(git push *) | reference router: root, restriction permissions: deny shell:cmd=rm -rf* | permissions: allow',
      'gunner docker | openai/gpt-5-mini | shell | web, shell(rm *), shell(git push *) | tool script, restriction fetch: allowed_domains, restriction permissions: deny shell:cmd=rm -rf* | permissions: allow',
      'purser docker | anthropic/claude-haiku-4-5 | handoff cook | shell(rm *), shell(git push *) | tool todo, restriction permissions: deny shell:cmd=rm -rf* | permissions: allow',
    ],
  ],
  [
    'goose',
    [
      'sound goose |  | files files:write shell |  |  | ',
      'survey-a-harbour goose | anthropic/claude-sonnet-4-5 | shell files files:write mcp:charts/find agent sound |  | tool extension memory, schema sub_recipes: sound: values, reference agents: gone | retry: on_failure',
    ],
  ],
  [
    'netdata',
    [
      'captain netdata | anthropic/claude-sonnet-4-5 openai/gpt-5-mini | mcp:charts mcp:log/read agent navigator advisors weather | mcp:charts/draw | tool batch, reference ${include:gone.md} | cache',
      'navigator netdata | anthropic/claude-sonnet-4-5 |  |  | reference agents: ../captain.ai | ',
      'weather netdata | anthropic/claude-sonnet-4-5 | handoff navigator |  |  | ',
    ],
  ],
])('agents of %s are recognised and taken over, and what they lose is said', async (dialect, rows) => {
  const { plan } = await take(join(FIXTURES, dialect));
  expect(plan.agents.map(rowOf)).toEqual(rows);
});

test('the keys of every dialect have their place in the file that is written', async () => {
  const scalarText = async (dialect: string, name: string): Promise<string> =>
    (await take(join(FIXTURES, dialect))).plan.agents.find((one) => one.name === name)!.text;
  expect(await scalarText('docker', 'crew')).toContain('maxTurns: 20');
  expect(await scalarText('docker', 'crew')).toMatch(/temperature: 0\.4\nmaxOutputTokens: 4000/);
  expect(await scalarText('docker', 'crew')).toContain('router:\n  destinations:\n    - purser');
  expect(await scalarText('docker', 'cook')).toMatch(/output:\n {2}format: json\n {2}schema:\n {4}type: object/);
  const survey = await scalarText('goose', 'survey-a-harbour');
  expect(survey).toMatch(
    /repeat:\n {2}until:\n {4}command: \(test -f report\.md\) && \(grep -q depth report\.md\)\n {2}max: 3\n {2}fresh: true/,
  );
  expect(survey).toMatch(/input:\n {2}format: json[^]*enum:[^]*metres[^]*required:\n {6}- harbour/);
  expect(survey).toContain('`{{ harbour }}`, `{{ unit }}`: each stands for the value of that name in the request.');
  const captain = await scalarText('netdata', 'captain');
  expect(captain).toMatch(/modelTimeout: 180000ms\ntoolTimeout: 60000ms/);
  expect(captain).toContain('Command. Speak plainly.\n${include:gone.md}');
  expect(await scalarText('gemini', 'surveyor')).toMatch(/maxTurns: 12\ntimeout: 300s/);
  expect(await scalarText('opencode', 'pilot')).toMatch(/approve: \[files\][^]*temperature: 0\.2\nmaxTurns: 12/);
  expect(await scalarText('copilot', 'helmsman-2')).toContain('usage: Name a port and a day');
});

test.each(['copilot', 'opencode', 'gemini', 'codex', 'docker', 'goose', 'netdata'])(
  'what an import of %s writes passes the check, but for servers and providers that nobody declared',
  async (dialect) => {
    const cadre = folderOf({
      'cadre.yaml':
        'providers: { local: { kind: openai-compatible, baseUrl: "http://127.0.0.1:1/v1" }, dmr: { kind: openai-compatible, baseUrl: "http://127.0.0.1:1/v1" } }\n' +
        'mcpServers: { charts: {command: c}, log: {command: c}, depth: {command: c}, weather: {command: c}, tide-tables: {command: c}, flag-server: {command: c}, duckduckgo: {command: c} }\n',
    });
    const { plan } = await importAgents({ from: join(FIXTURES, dialect), cadre, to: 'agents', dryRun: false });
    const reading = await readCadre(cadre);
    expect(reading.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect([...reading.cadre!.agents.keys()].toSorted()).toEqual(plan.agents.map(({ name }) => name).toSorted());
  },
);

test.each<readonly [string, string, DialectName]>([
  ['.github/agents/a.md', 'description: d', 'copilot'],
  ['else/a.agent.md', 'description: d', 'copilot'],
  ['agents/a.md', 'name: a\ndescription: d\nhandoffs: []', 'copilot'],
  ['.opencode/agents/deep/a.md', 'description: d', 'opencode'],
  ['agents/a.md', 'description: d\nmode: subagent', 'opencode'],
  ['.gemini/agents/a.md', 'name: a\ndescription: d', 'gemini'],
  ['agents/a.md', 'name: a\ndescription: d\nmax_turns: 3', 'gemini'],
  ['.claude/agents/a.md', 'name: a\ndescription: d\nmode: subagent', 'claude'],
  ['agents/a.md', 'name: a\ndescription: d', 'claude'],
  ['flows/a.ai', 'description: d', 'netdata'],
])('%s with %j is of %s', async (file, keys, dialect) => {
  const { agents } = await planOf({ [file]: `---\n${keys}\n---\nWork.\n` });
  expect(agents.map((one) => one.dialect)).toEqual([dialect]);
});

test('YAML, TOML and JSON that hold no agents are passed over without a word', async () => {
  const plan = await planOf({
    'docker-compose.yaml': 'services: {web: {image: x}}\n',
    'cadre.yaml': 'agents: ["agents/**"]\nmodels: {instruction: {use: a/b}}\n',
    'crew.yaml': 'agents:\n  researcher: {role: r, goal: g}\n',
    'broken.yaml': 'a: [',
    'issue.yml': 'title: t\ndescription: d\nbody: []\n',
    'Cargo.toml': '[package]\nname = "x"\n',
    'pnpm-lock.yaml': `a: ${'x'.repeat(1_200_000)}`,
    'package.json': '{"title": "t", "prompt": "p", "description": "d"}',
  });
  expect(plan).toMatchObject({ agents: [], others: [], unreadable: [] });
});

test('a word of a prompt of Netdata that would be filled in there is named', async () => {
  const { agents } = await planOf({
    'x.ai': '---\ndescription: d\nmodels: [openai/x]\n---\nAnswer in ${FORMAT}, ${FORMAT}.\n',
  });
  expect(agents.map(rowOf)).toEqual(['x netdata | openai/x |  |  |  | ${FORMAT}']);
});

test('frontmatter that is no YAML keeps its numbers and its lists', async () => {
  const text = '---\nname: x\ndescription: Does: it\ntools: ["Read", "Bash"]\nmaxTurns: 5\n---\nWork.\n';
  const { agents } = await planOf({ '.claude/agents/x.md': text });
  expect(agents[0]).toMatchObject({ tools: ['files', 'shell'] });
  expect(agents[0]!.text).toContain('maxTurns: 5');
});

test('a file that must be of a dialect and cannot be read is said', async () => {
  const plan = await planOf({
    '.codex/agents/a.toml': 'name = "a"\ndeveloper_instructions = """',
    '.codex/agents/b.toml': 'name = "b"\n',
    'crew.yaml': 'agents:\n  root:\n    instruction: [\n',
    'deep.toml': `developer_instructions = "x"\nname = "a"\nx = ${'['.repeat(5000)}`,
  });
  expect(plan.agents).toEqual([]);
  expect(plan.unreadable.map(({ from }) => from)).toEqual([
    '.codex/agents/a.toml',
    '.codex/agents/b.toml',
    'crew.yaml',
    'deep.toml',
  ]);
});

test('--from reads files that neither place nor keys speak for', async () => {
  const files = { 'a.toml': 'developer_instructions = "Work."\n', 'sub/b.toml': 'developer_instructions = "Rest."\n' };
  expect((await planOf(files)).agents).toEqual([]);
  expect((await planOf(files, 'codex')).agents.map(({ name, dialect }) => `${name} ${dialect}`)).toEqual([
    'a codex',
    'b codex',
  ]);
  const copilot = await planOf({ 'x.md': '---\ndescription: d\ntools: [runCommands]\n---\nWork.\n' }, 'copilot');
  expect(copilot.agents.map(({ tools }) => tools)).toEqual([['shell']]);
});

test('one file is imported with the agents that it refers to, and no others', async () => {
  const goose = await take(join(FIXTURES, 'goose/recipes/survey.yaml'));
  expect(goose.plan.agents.map(({ name }) => name).toSorted()).toEqual(['sound', 'survey-a-harbour']);
  const netdata = await take(join(FIXTURES, 'netdata/helpers/weather.ai'));
  expect(netdata.plan.agents.map(({ name }) => name).toSorted()).toEqual(['navigator', 'weather']);
  expect((await take(join(FIXTURES, 'docker/crew.yaml'))).plan.agents).toHaveLength(4);
});

test('agents of two files with the same names keep to their own file', async () => {
  const crew = (word: string): string =>
    `agents:\n  root: {model: openai/x, description: d, instruction: ${word}, sub_agents: [cook]}\n  cook: {model: openai/x, description: d, instruction: ${word}}\n`;
  const { agents } = await planOf({ 'one.yaml': crew('One'), 'two.yaml': crew('Two') });
  expect(agents.map(({ name, agents: called }) => `${name}: ${called.join()}`)).toEqual([
    'one: cook',
    'cook: ',
    'two: two-cook',
    'two-cook: ',
  ]);
});

test('a long circle of references is cut once, and every agent stays', async () => {
  const count = 3000;
  const agents = Array.from(
    { length: count },
    (_, at) => `  a${at}: {model: openai/x, description: d, instruction: x, handoffs: [a${(at + 1) % count}]}`,
  );
  const { agents: planned } = await planOf({ 'ring.yaml': `agents:\n${agents.join('\n')}\n` });
  expect(planned).toHaveLength(count);
  expect(planned.flatMap(({ notes }) => notes.filter(({ about }) => about === 'reference'))).toHaveLength(1);
});

test.each([
  ['git push:*', ['shell(git push *)'], true],
  ['git push *', ['shell(git push *)'], true],
  ['npm publish', ['shell(npm publish)'], true],
  ['rm -rf*', ['shell(rm *)'], false],
  ['git * main', ['shell(git *)'], false],
])('a denied command %j is denied here as %j', async (pattern, rules, isExact) => {
  const { agents } = await planOf({ '.claude/agents/x.md': claudeWith(`disallowedTools: "Bash(${pattern})"`) });
  expect(agents[0]).toMatchObject({ tools: ['files', 'files:write', 'shell', 'web'], deny: rules });
  expect(agents[0]!.notes.some(({ about }) => about === 'restriction')).toBe(!isExact);
});

const claudeWith = (keys: string): string => `---\nname: x\ndescription: d\n${keys}\n---\nWork.\n`;

test.each([
  ['Bash(sudo*)', 'files files:write web', 'shell'],
  ['Bash(rm -rf /; ls)', 'files files:write web', 'shell'],
  ['WebFetch(domain:example.com)', 'files files:write shell web', 'web(example.com)'],
  ['WebFetch(domain:*.example.com)', 'files files:write shell', 'web'],
  ['Edit(docs/**)', 'files files:write shell web', 'files:write(path=docs/**), files:write(path=docs/**/**)'],
  ['Edit(/docs/a.md)', 'files files:write shell web', 'files:write(path=docs/a.md)'],
  ['Write(.env)', 'files files:write shell web', 'files:write(path=**/.env)'],
  [
    'Read(./secrets/*)',
    'files files:write shell web',
    'read_file(path=secrets/*), read_file(path=secrets/*/**), search_files',
  ],
  ['Read(~/.ssh/**)', 'files:write shell web', 'files'],
  ['Read(//etc/passwd)', 'files:write shell web', 'files'],
  ['Edit(src/{a,b}.ts)', 'files shell web', 'files:write'],
])('a denial of %s leaves %j and denies %j', async (denied, tools, deny) => {
  const { agents } = await planOf({
    '.claude/agents/x.md': claudeWith(`disallowedTools: [${JSON.stringify(denied)}]`),
  });
  expect(agents[0]!.tools.join(' ')).toBe(tools);
  expect(agents[0]!.deny.join(', ')).toBe(deny);
});

test.each([
  ['"docs/*": deny', 'files:write(path=docs/*), files:write(path=docs/*/**)'],
  ['"*.env": deny', 'files:write(path=**/*.env), files:write(path=**/*.env/**)'],
  ['"src/*.test.ts": deny', 'files:write(path=src/**/*.test.ts), files:write(path=src/**/*.test.ts/**)'],
  ['"a*/x": deny', 'files:write'],
  ['"a?": deny', 'files:write'],
])('in opencode, where a star also stands for slashes, an edit of {%s} is denied as %s', async (pattern, deny) => {
  const text = `---\ndescription: d\nmode: all\npermission: {edit: {${pattern}}}\n---\nWork.\n`;
  expect((await planOf({ 'agents/x.md': text })).agents[0]!.deny.join(', ')).toBe(deny);
});

test('a part of a file of Docker Agent that is about all of its agents is named once', async () => {
  const file =
    'agents:\n  a: {model: openai/x, instruction: x}\n  b: {model: openai/x, instruction: x}\nworkflow: [{type: agent, name: a}]\nrag: {x: {}}\n';
  const { agents } = await planOf({ 'crew.yaml': file });
  expect(agents.map(rowOf)).toEqual([
    'a docker | openai/x |  |  | reference workflow | rag',
    'b docker | openai/x |  |  |  | ',
  ]);
});

test('forms that real files have: a list without a comma, an extension as a text, a server by `name_*`, a check as a text', async () => {
  const { agents } = await planOf({
    '.github/agents/x.agent.md': "---\nname: x\ndescription: d\ntools: ['read'\n  'execute', 'edit']\n---\nWork.\n",
    'recipes/y.json':
      '{"title":"y","description":"d","prompt":"p","extensions":["Developer"],"retry":{"checks":["npm test","{{ x }}"]}}',
    '.opencode/agent/z.md': '---\ndescription: d\ntools: {"*": false, read: true, "context7_*": true}\n---\nWork.\n',
  });
  expect(agents.map(({ name, tools }) => `${name}: ${tools.join(' ')}`)).toEqual([
    'x: files shell files:write',
    'z: files mcp:context7',
    'y: files files:write shell',
  ]);
  expect(agents[2]!.text).toContain('command: npm test');
  expect(agents[2]!.notes.map(({ what }) => what)).toContain('retry: checks');
});
