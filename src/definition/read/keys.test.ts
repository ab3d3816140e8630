import { expect, test } from 'vitest';
import { patternsOf } from '../../../test/support/patterns.ts';
import { assemble } from '../link/assemble.ts';
import { ALL_KEYS, EDGE_KEYS } from './keys.ts';

const config = 'models: {m: {use: openai/x}}\ndefaults: {models: [m]}\n';
const other = '---\ndescription: Another one.\n---\nx';

/** The findings in an agent whose frontmatter is `yaml`. */
function findings(yaml: string): readonly string[] {
  const texts = new Map([
    ['cadre.yaml', config],
    ['a.md', `---\n${yaml}\n---\nx`],
    ['other.md', other],
    ['third.md', other],
  ]);
  const { diagnostics } = assemble({ folder: '/cadre', texts, others: new Set() }, [], {});
  return diagnostics.map(({ code, line, column, message, help }) => `${line}:${column} ${code} ${message} | ${help}`);
}

function definition(yaml: string) {
  const texts = new Map([
    ['cadre.yaml', config],
    ['a.md', `---\n${yaml}\n---\nx`],
    ['other.md', other],
    ['third.md', other],
  ]);
  const { agents, diagnostics } = assemble({ folder: '/cadre', texts, others: new Set() }, [], {});
  expect(diagnostics).toEqual([]);
  return agents.get('a')!.definition;
}

test('a file with no keys has every default', () => {
  expect(definition('')).toEqual({
    name: 'a',
    file: 'a.md',
    text: '---\n\n---\nx',
    system: 'x',
    models: ['m'],
    settings: {},
    tools: [],
    approve: [],
    deny: [],
    trust: [],
    projectFiles: [],
    input: { format: 'any' },
    output: { format: 'markdown' },
    outputDeclared: false,
    patterns: [],
    maxTurns: 10,
    maxToolCallsPerTurn: 10,
    maxRetries: 3,
    modelTimeoutMs: 600_000,
    toolTimeoutMs: 300_000,
    compact: { keep: 4 },
    stuck: { warn: 3, stop: 5, except: [] },
  });
});

test('everything that can be set comes out in the form in which it is run', () => {
  const full = definition(`name: a
description: Does things
usage: Ask
models: openai/y
temperature: 0.5
topP: 1
maxOutputTokens: 100
reasoning: low
tools: [files]
approve: [files]
agents: [agent__other]
input: {schema: {type: object}}
output: {format: json}
next: {to: other, else: third}
advisors: {agents: [other, third], timeout: 30s, policy: {quorum: 1}}
chat: true
subagent: {maxIterations: 3}
spawn: true
maxTurns: 5
timeout: 2h
modelTimeout: 500ms
toolTimeout: 90
budget: {usd: 0.5, time: 10m, allowUnpriced: true}`);
  expect(full).toMatchObject({
    description: 'Does things',
    models: ['openai/y'],
    settings: { temperature: 0.5, topP: 1, maxOutputTokens: 100, reasoning: 'low' },
    input: { format: 'json', schema: { type: 'object' } },
    output: { format: 'json' },
    outputDeclared: true,
    maxTurns: 5,
    timeoutMs: 7_200_000,
    modelTimeoutMs: 500,
    toolTimeoutMs: 90_000,
    budget: { usd: 0.5, timeMs: 600_000, allowUnpriced: true },
  });
  expect(patternsOf(full)).toMatchObject({
    agents: ['other'],
    chain: { trigger: 'next', steps: [{ kind: 'agent', to: 'other', else: 'third' }], pass: 'answer' },
    advisors: { agents: ['other', 'third'], timeoutMs: 30_000, policy: { kind: 'quorum', count: 1 } },
    chat: true,
    subagent: {
      enabled: true,
      maxDepth: 1,
      maxIterations: 3,
      timeoutSeconds: 120,
      maxOutputBytes: 65_536,
      runner: 'in-process',
    },
    spawn: { maxDepth: 3, maxChildren: 5, maxTotal: 50, maxConcurrent: 8, agents: ['a', 'other', 'third'] },
  });
});

test.each([
  ['next: other', { trigger: 'next', steps: [{ kind: 'agent', to: 'other' }], pass: 'answer' }],
  ['next: [other]', { trigger: 'next', steps: [{ kind: 'agent', to: 'other' }], pass: 'answer' }],
  [
    'next: {sequence: [other, {to: third, else: other}]}',
    {
      trigger: 'next',
      steps: [
        { kind: 'agent', to: 'other' },
        { kind: 'agent', to: 'third', else: 'other' },
      ],
      pass: 'answer',
      isSequence: true,
    },
  ],
  ['handoff: ./other.md', { trigger: 'handoff', steps: [{ kind: 'agent', to: 'other' }], pass: 'answer' }],
  [
    'handoff: {to: other, pass: request+answer, else: third}',
    { trigger: 'handoff', steps: [{ kind: 'agent', to: 'other', else: 'third' }], pass: 'request+answer' },
  ],
])('%s comes out as steps', (yaml, chain) => {
  expect(patternsOf(definition(yaml)).chain).toEqual(chain);
});

test('subagent and spawn can be switched off, and subagent be there without being enabled', () => {
  expect(patternsOf(definition('subagent: false\nspawn: false'))).toEqual({ agents: [] });
  expect(patternsOf(definition('subagent: {enabled: false}')).subagent?.enabled).toBe(false);
  expect(patternsOf(definition('spawn: {agents: [other]}')).spawn?.agents).toEqual(['other']);
});

test('a team supervised by its own file has its own name as supervisor', () => {
  expect(patternsOf(definition('team: {members: [other], supervisor: self}')).team).toEqual({
    members: ['other'],
    supervisor: 'a',
  });
});

test.each([
  ['maxturns: 5', '2:1 key/unknown unknown key "maxturns" | Did you mean "maxTurns"?'],
  ['max_turns: 5', '2:1 key/unknown unknown key "max_turns" | Did you mean "maxTurns"?'],
  ['desciption: x', '2:1 key/unknown unknown key "desciption" | Did you mean "description"?'],
  [
    'prompt: x',
    '2:1 key/unknown unknown key "prompt" | The system prompt is the body of the file, below the second ---.',
  ],
  [
    'description: d\n__proto__: x',
    '3:1 key/unknown unknown key "__proto__" | Remove it. All keys, each with what it does: cadre new example --full --print',
  ],
  [
    'description: d\nconstructor: x',
    '3:1 key/unknown unknown key "constructor" | Remove it. All keys, each with what it does: cadre new example --full --print',
  ],
  [
    'team: {members: [other], supervisor: self, memberMaxTurn: 3}',
    '2:44 key/unknown unknown key "memberMaxTurn" in `team` | Did you mean "memberMaxTurns"?',
  ],
  ['next:\n  to: other\n  els: third', '4:3 key/unknown unknown key "els" in `next` | Did you mean "else"?'],
  ['handoff: {to: other, pas: answer}', '2:22 key/unknown unknown key "pas" in `handoff` | Did you mean "pass"?'],
  [
    'router: {destination: [other]}',
    '2:10 key/unknown unknown key "destination" in `router` | Did you mean "destinations"?',
  ],
  [
    'advisors: {agents: [other], timout: 3s}',
    '2:29 key/unknown unknown key "timout" in `advisors` | Did you mean "timeout"?',
  ],
  [
    'subagent: {maxIteration: 3}',
    '2:12 key/unknown unknown key "maxIteration" in `subagent` | Did you mean "maxIterations"?',
  ],
  ['spawn: {maxchildren: 3}', '2:9 key/unknown unknown key "maxchildren" in `spawn` | Did you mean "maxChildren"?'],
  ['budget: {used: 3}', '2:10 key/unknown unknown key "used" in `budget` | Did you mean "usd"?'],
  ['input: {fromat: json}', '2:9 key/unknown unknown key "fromat" in `input` | Did you mean "format"?'],
  ['output: {shema: {}}', '2:10 key/unknown unknown key "shema" in `output` | Did you mean "schema"?'],
])('the unknown key in %j is told where it stands, with the one that was meant', (yaml, expected) => {
  expect(findings(yaml)).toContain(expected);
});

test.each([
  ['maxTurns: ten', '2:11 value/type `maxTurns` is "ten", but takes a whole number from 1 to 10000'],
  ['maxTurns: 0', '2:11 value/range `maxTurns` is 0, but takes a whole number from 1 to 10000'],
  ['maxTurns: 1.5', '2:11 value/range `maxTurns` is 1.5'],
  ['maxTurns: -3', '2:11 value/range `maxTurns` is -3'],
  ['maxTurns: .inf', '2:11 value/range `maxTurns` is Infinity'],
  ['maxTurns: .nan', '2:11 value/range `maxTurns` is NaN'],
  ['maxTurns: [5]', '2:11 value/type `maxTurns` is a list'],
  ['maxTurns:', '2:1 value/missing `maxTurns` has no value'],
  ['temperature: 3', '2:14 value/range `temperature` is 3, but takes a number from 0 to 2'],
  ['temperature: .nan', '2:14 value/range'],
  ['chat: yes', '2:7 value/type `chat` is "yes", but takes true or false'],
  [
    'reasoning: hgih',
    '2:12 value/type `reasoning` is "hgih", but takes none, low, medium or high | Did you mean "high"?',
  ],
  ['timeout: 10 minutes', '2:10 value/type `timeout` is "10 minutes", but takes a duration: 500ms, 30s, 10m, 2h'],
  ['timeout: 0s', '2:10 value/range'],
  ['timeout: -5', '2:10 value/range'],
  ['timeout: 9999h', '2:10 value/range'],
  ['description: 5', '2:14 value/type `description` is 5, but takes a text | Put it in quotes: "5".'],
  ['description: ""', '2:14 value/range'],
  ['models: []', '2:9 value/range `models` is empty'],
  ['models: {a: b}', '2:9 value/type `models` is an object of keys and values'],
  ['tools: {files: true}', '2:8 value/type `tools` is an object of keys and values, but takes a list'],
  ['tools: [files, 3]', '2:16 value/type `tools[1]` is 3'],
  ['agents: 3', '2:9 value/type `agents` is 3, but takes a list'],
  ['agents: [true]', '2:10 value/type `agents[0]` is true'],
  ['input: json', '2:8 value/type `input` is "json"'],
  ['input: {format: yaml}', '2:17 value/type `input.format` is "yaml", but takes text, markdown or json'],
  ['input: {schema: ./order.json}', '2:17 value/type `input.schema` is "./order.json", but takes a JSON Schema'],
  ['next: []', '2:7 value/range `next` is empty'],
  ['next: {else: other}', '2:7 chain/form'],
  ['next: {to: other, sequence: [third]}', '2:7 chain/form'],
  ['handoff: [other]', '2:10 value/type `handoff` is a list'],
  ['handoff: {pass: answer}', '2:10 key/missing `handoff.to` is missing'],
  ['handoff: {to: other, pass: all}', '2:28 value/type'],
  ['router: {}', '2:9 key/missing `router.destinations` is missing'],
  ['router: [other]', '2:9 value/type'],
  ['team: {members: []}', '2:17 value/range `team.members` is empty'],
  ['team: {members: [other]}', '2:7 key/missing `team.supervisor` is missing'],
  [
    'advisors: {agents: [other], policy: some}',
    '2:37 value/type `advisors.policy` is "some", but takes isolate or all',
  ],
  ['advisors: {agents: [other], policy: {quorum: 0}}', '2:46 value/range'],
  ['subagent: maybe', '2:11 value/type `subagent` is "maybe", but takes true or false'],
  ['subagent: {artifactKinds: [note, zip]}', '2:34 value/type'],
  ['budget: {usd: 0}', '2:15 value/range `budget.usd` is 0, but takes a number above 0'],
  ['name: Front Desk', '2:7 value/range `name` is "Front Desk", but takes a name: a lower-case letter'],
  ['name: self', '2:7 name/invalid'],
  ['name: ask_clarification', '2:7 name/invalid'],
  ['name: agent__a', '2:7 name/invalid'],
])('%j is refused with what would be right', (yaml, expected) => {
  const found = findings(yaml);
  expect(
    found.some((one) => one.startsWith(expected)),
    found.join('\n'),
  ).toBe(true);
});

test('a file none of whose keys is one of an agent is told as a whole, with the way to leave it out', () => {
  expect(findings('title: A page\nlayout: wide')).toEqual([
    '1:1 file/not-agent this file has frontmatter, and none of its keys is one of an agent: title, layout | ' +
      'If it is not an agent, leave it out in cadre.yaml: ignore: ["a.md"], or a glob such as docs/**.',
  ]);
});

test('no default is given to a key that refers to other agents, but for empty lists', () => {
  for (const key of EDGE_KEYS) expect([undefined, []]).toContainEqual(ALL_KEYS[key]?.fallback);
});
