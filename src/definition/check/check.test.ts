import { expect, test } from 'vitest';
import { assemble } from '../link/assemble.ts';

const config = `models: {m: {use: openai/x}}
defaults: {models: [m], description: Does things}
mcpServers: {docs: {command: d, allow: [search, read]}, cloud: {url: "http://x", deny: [drop]}}
restTools: {weather: {description: d, url: "http://x"}}
`;

function check(texts: Readonly<Record<string, string>>, knownTools: readonly string[] = []) {
  const files = Object.entries(texts).map(
    ([file, yaml]) => [file, file.endsWith('.md') ? `---\n${yaml}\n---\nx` : yaml] as const,
  );
  const all = new Map([['cadre.yaml', config], ...files]);
  const { diagnostics } = assemble({ folder: '/cadre', texts: all, others: new Set() }, [], { knownTools });
  return diagnostics.map(
    ({ file, line, column, code, severity, message, help }) =>
      `${file}:${line}:${column} ${severity} ${code} ${message} | ${help}`,
  );
}

const one = (found: readonly string[], expected: string): void => {
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(expected);
};

test('every agent that another one refers to needs a description', () => {
  const bare = 'defaults: {models: openai/x}\n';
  for (const edge of [
    'agents: [b]',
    'next: b',
    'router: {destinations: [b]}',
    'advisors: [b]',
    'team: {members: [b], supervisor: self}',
    'spawn: {agents: [b]}',
  ]) {
    one(
      check({ 'cadre.yaml': bare, 'a.md': edge, 'b.md': '' }),
      'b.md:1:1 error description/missing "b" has no description, and a.md:2 refers to it',
    );
  }
  expect(check({ 'cadre.yaml': bare, 'a.md': 'spawn: true', 'b.md': '' })).toEqual([]);
});

test('an agent without a model anywhere is an error', () => {
  one(check({ 'cadre.yaml': '', 'a.md': '' }), 'a.md:1:1 error model/missing "a" has no model');
});

test.each([
  ['models: fst', 'a.md:2:9 error model/unknown "fst" is neither an alias of a model nor of the form provider/model'],
  [
    'models: [m, opnai/x]',
    'a.md:2:13 error model/unknown "opnai/x" needs a provider "opnai", which does not exist | Did you mean "openai"?',
  ],
  ['models: [openai/]', 'a.md:2:10 error model/unknown "openai/" names a provider but no model'],
])('%s does not resolve', (yaml, expected) => {
  one(check({ 'a.md': yaml }), expected);
});

test('a model of a default and an alias are told in cadre.yaml', () => {
  one(check({ 'cadre.yaml': 'defaults: {models: [nope/x]}\n', 'a.md': '' }), 'cadre.yaml:1:21 error model/unknown');
  one(
    check({ 'cadre.yaml': 'models: {m: {use: nope/x}}\ndefaults: {models: m}\n', 'a.md': '' }),
    'cadre.yaml:1:19 error model/unknown',
  );
  one(
    check({
      'cadre.yaml': 'providers: {t: {kind: recorded, recording: r, wraps: t}}\ndefaults: {models: t/x}\n',
      'a.md': '',
    }),
    'cadre.yaml:1:54 error provider/unknown',
  );
});

test('models of every usual provider resolve without a cadre.yaml', () => {
  const { diagnostics } = assemble(
    {
      folder: '/c',
      texts: new Map([['a.md', '---\nmodels: [openai/a, anthropic/b/c, google/d]\n---\nx']]),
      others: new Set(),
    },
    [],
    {},
  );
  expect(diagnostics).toEqual([]);
});

test('a finding about a hand-over holds the schemas of both sides', () => {
  const schema = (type: string) => ({ type: 'object', properties: { n: { type } }, required: ['n'] });
  const written = (side: string, type: string) => `${side}: {format: json, schema: ${JSON.stringify(schema(type))}}`;
  const texts = new Map([
    ['a.md', `---\nmodels: [openai/a]\nnext: b\n${written('output', 'string')}\n---\nx`],
    ['b.md', `---\nmodels: [openai/a]\ndescription: B.\n${written('input', 'integer')}\n---\nx`],
  ]);
  const { diagnostics } = assemble({ folder: '/c', texts, others: new Set() }, [], {});
  expect(diagnostics.map(({ code, compared }) => [code, compared])).toEqual([
    [
      'chain/never-fits',
      { given: { agent: 'a', schema: schema('string') }, taken: { agent: 'b', schema: schema('integer') } },
    ],
  ]);
});

const json = (side: string, properties: string, more = ''): string =>
  `${side}: {format: json, schema: {type: object, properties: {${properties}}${more}}}`;

test('a schema that the downstream can never take is an error, one that it may not take a warning with the path', () => {
  const downstream = json('input', 'n: {type: integer, minimum: 5}', ', required: [n]');
  for (const edge of ['next: b', 'handoff: b', 'next: {sequence: [c, b]}']) {
    const upstream = edge.includes('c,') ? 'c.md' : 'a.md';
    const never = check({
      'a.md': edge,
      'c.md': '',
      'b.md': downstream,
      [upstream]: `${upstream === 'a.md' ? `${edge}\n` : ''}${json('output', 'n: {type: string}', ', required: [n]')}`,
    });
    one(never, 'error chain/never-fits');
    expect(never[0]).toContain('$.n');
    const may = check({
      'a.md': edge,
      'c.md': '',
      'b.md': downstream,
      [upstream]: `${upstream === 'a.md' ? `${edge}\n` : ''}${json('output', 'n: {type: integer}', ', required: [n]')}`,
    });
    const doubts = may.filter((found) => !found.includes('chain/overrides-output'));
    one(doubts, 'warning chain/may-not-fit');
    expect(doubts[0]).toContain('$.n');
  }
});

test('an upstream without a schema of its own fits everything, and text takes everything', () => {
  const downstream = json('input', 'n: {type: integer}', ', required: [n]');
  expect(check({ 'a.md': 'next: b\noutput: {format: json}', 'b.md': downstream })).toEqual([]);
  expect(check({ 'a.md': 'next: b', 'b.md': downstream })).toEqual([]);
  expect(check({ 'a.md': `next: b\n${json('output', 'n: {type: string}')}`, 'b.md': '' })).toEqual([]);
});

test('a declared output schema that a chain overrides is a warning at both places, with the way out', () => {
  const given = json('output', 'n: {type: integer}, m: {type: string}', ', required: [n, m]');
  const help =
    'Remove output.schema of "a"; or let "b" take the same schema; or remove input of "b", so that it takes any input.';
  const found = (input: string) => check({ 'a.md': `next: b\n${given}`, 'b.md': input });
  expect(found('input: {format: text}')).toEqual([
    `a.md:3:32 warning chain/overrides-output \`output.schema\` of "a" is not enforced: its answer goes to "b", which takes text (b.md:2) | ${help}`,
    `b.md:2:8 warning chain/overrides-output the input of "b" replaces \`output.schema\` of "a" (a.md:3) | ${help}`,
  ]);
  expect(found('input: {format: markdown}')).toHaveLength(2);
  expect(found('input: {format: json}')[0]).toContain('which takes any JSON');
  expect(found(json('input', 'n: {type: integer}', ', required: [n]'))[0]).toContain('which takes its own schema');
  expect(found('')).toEqual([]);
  expect(found(given.replace('output', 'input'))).toEqual([]);
  const reason = json('input', 'n: {type: integer}, m: {type: string}, reason: {type: string}', ', required: [m, n]');
  expect(found(reason)).toEqual([]);
});

test('the schema that a chain overrides is that of whoever answers: a destination, the end of a chain', () => {
  const given = json('output', 'n: {type: integer}');
  const places = (files: Record<string, string>) => check(files).map((found) => found.replace(/:.*$/, ''));
  expect(
    places({
      'a.md': 'router: {destinations: [c]}\nnext: {sequence: [d, b]}',
      'c.md': given,
      'd.md': `input: {format: markdown}\nnext: e`,
      'e.md': given,
      'b.md': 'input: {format: text}',
    }),
  ).toEqual(['b.md', 'c.md', 'd.md', 'e.md']);
});

test('the one who owns the answer is who must fit: the end of a chain, a destination, a supervisor', () => {
  const wrong = json('output', 'n: {type: string}', ', required: [n]');
  const downstream = json('input', 'n: {type: integer}', ', required: [n]');
  one(
    check({ 'a.md': 'router: {destinations: [c]}\nnext: b', 'b.md': downstream, 'c.md': 'next: d', 'd.md': wrong }),
    'a.md:3:7 error chain/never-fits what "d" answers',
  );
  one(
    check({ 'a.md': 'team: {members: [c], supervisor: d}\nnext: b', 'b.md': downstream, 'c.md': wrong, 'd.md': wrong }),
    'what "d" answers',
  );
});

test('an agent that takes JSON is no advisor, member or supervisor: an error at both places; a chain may end at one', () => {
  const order = json('input', 'n: {type: integer}');
  const help =
    'Remove input of "c"; or name an agent here that takes text and has next: c, so that it turns the request into that JSON.';
  expect(check({ 'a.md': 'advisors: [b, c]', 'b.md': 'input: {format: markdown}', 'c.md': order })).toEqual([
    `a.md:2:15 error advisors/json-input "c" takes json (c.md:2), but as an advisor of "a" it would get the request as text | ${help}`,
    `c.md:2:8 error advisors/json-input "c" takes json, and is an advisor of "a" (a.md:2), where it would get the request as text | ${help}`,
  ]);
  const member = check({ 'a.md': 'team: {members: [c], supervisor: self}', 'c.md': order });
  expect(member.map((found) => found.split(' ').slice(0, 3).join(' '))).toEqual([
    'a.md:2:18 error team/json-input',
    'c.md:2:8 error team/json-input',
  ]);
  expect(check({ 'a.md': 'team: {members: [b], supervisor: c}', 'b.md': '', 'c.md': order })[0]).toContain(
    'as a supervisor of "a"',
  );
  expect(
    check({ 'a.md': 'team: {members: [c], supervisor: self}', 'c.md': `${order}\nnext: b`, 'b.md': '' }),
  ).toHaveLength(2);
  expect(check({ 'a.md': 'team: {members: [b], supervisor: self}', 'b.md': 'next: c', 'c.md': order })).toEqual([]);
  expect(check({ 'a.md': 'advisors: [b]', 'b.md': 'next: c', 'c.md': order })).toEqual([]);
  expect(check({ 'a.md': 'router: {destinations: [c]}\nagents: [d]', 'c.md': order, 'd.md': order })).toEqual([]);
});

test('the agent that steps in takes the input that was made for the one that failed', () => {
  const number = json('input', 'n: {type: integer}', ', required: [n]');
  const text = json('input', 'n: {type: string}', ', required: [n]');
  one(
    check({ 'a.md': 'next: {to: b, else: c}', 'b.md': number, 'c.md': text }),
    'a.md:2:21 error chain/never-fits what is made for "b"',
  );
  for (const input of ['', 'input: {format: text}', 'input: {format: markdown}'])
    one(check({ 'a.md': 'next: {to: b, else: c}', 'b.md': input, 'c.md': text }), 'a.md:2:21 error chain/else-format');
  const answers = (schema: string) => ({ 'a.md': `next: {to: b, else: c}\n${schema.replace('input', 'output')}` });
  expect(check({ ...answers(text), 'b.md': '', 'c.md': text })).toEqual([]);
  one(check({ ...answers(number), 'b.md': '', 'c.md': text }), 'a.md:2:21 error chain/never-fits what "a" answers');
  expect(check({ 'a.md': 'next: {to: b, else: c}', 'b.md': text, 'c.md': '' })).toEqual([]);
});

test('the request cannot be handed to a stage that takes JSON', () => {
  const text = json('input', 'n: {type: string}', ', required: [n]');
  const found = (to: string) =>
    check({ 'a.md': `handoff: {to: ${to}, pass: request+answer}`, 'b.md': text, 'c.md': '' });
  one(found('b'), 'a.md:2:15 error chain/json-input "b" takes JSON, which is the answer alone');
  expect(found('c, else: b').join()).toContain('a.md:2:24 error chain/json-input');
  expect(found('c')).toEqual([]);
  expect(check({ 'a.md': 'handoff: {to: b, pass: answer}', 'b.md': text })).toEqual([]);
});

test('the reason that a chain adds is held against the downstream’s own reason', () => {
  const downstream = (reason: string) =>
    json('input', `n: {type: string}, reason: {${reason}}`, ', required: [n, reason], additionalProperties: false');
  const upstream = json('output', 'n: {type: string}', ', required: [n], additionalProperties: false');
  const found = (reason: string) => check({ 'a.md': `next: b\n${upstream}`, 'b.md': downstream(reason) });
  expect(found('type: string')).toEqual([]);
  expect(found('type: string, maxLength: 33')).toEqual([]);
  one(
    found('type: string, maxLength: 20'),
    'a.md:2:7 error chain/reason the reason that the chain gives, "Chained execution from agent__a", does not fit the input of "b"',
  );
  one(found('enum: [because]'), 'error chain/reason');
  expect(found('enum: ["Chained execution from agent__a"]')).toEqual([]);
});

test('the first of several entries of next is used, and the others are warned of', () => {
  one(check({ 'a.md': 'next: [b, c]', 'b.md': '', 'c.md': '' }), 'a.md:2:11 warning next/ignored "c" never runs');
});

test('keys that exclude each other are an error', () => {
  one(
    check({ 'a.md': 'next: b\nhandoff: b', 'b.md': '' }),
    'a.md:3:1 error key/conflict `next` and `handoff` exclude each other',
  );
  one(
    check({ 'a.md': 'team: {members: [b], supervisor: self}\nrouter: {destinations: [b]}', 'b.md': '' }),
    'a.md:2:1 error key/conflict',
  );
});

test('nobody is named twice in one list', () => {
  one(
    check({ 'a.md': 'router: {destinations: [b, ./b.md]}', 'b.md': '' }),
    'a.md:2:28 error ref/duplicate "b" is named twice under `router`; the first is on line 2',
  );
  expect(check({ 'a.md': 'agents: [b]\nadvisors: [b]', 'b.md': '' })).toEqual([]);
});

test('a team needs somebody who can sit in it, and a supervisor who is not one of them', () => {
  const team = (members: string, supervisor = 'boss') => `team: {members: [${members}], supervisor: ${supervisor}}`;
  one(check({ 'a.md': team('b, boss'), 'b.md': '', 'boss.md': '' }), 'a.md:2:21 error team/supervisor-member');
  one(
    check({ 'a.md': team('b'), 'b.md': 'next: boss', 'boss.md': '' }),
    'error team/supervisor-member the chain of the member "b" ends at "boss"',
  );
  one(
    check({ 'a.md': team('b'), 'b.md': 'router: {destinations: [c]}', 'c.md': '', 'boss.md': '' }),
    'a.md:2:18 error team/undefined-member "b" is a router',
  );
  one(
    check({ 'a.md': team('b'), 'b.md': 'next: c', 'c.md': 'router: {destinations: [d]}', 'd.md': '', 'boss.md': '' }),
    '"c", which is in the team at the end of the chain of "b", is a router',
  );
  one(
    check({ 'a.md': team('b'), 'b.md': 'next: {to: c, else: d}', 'c.md': '', 'd.md': '', 'boss.md': '' }),
    'ends with an else ("d")',
  );
  one(
    check({ 'a.md': team('b, c'), 'b.md': 'next: d', 'c.md': 'next: d', 'd.md': '', 'boss.md': '' }),
    'error team/same-seat',
  );
  for (const own of ['next: c', 'router: {destinations: [c]}', 'team: {members: [c], supervisor: self}']) {
    one(check({ 'a.md': team('b'), 'b.md': '', 'c.md': '', 'boss.md': own }), 'a.md:2:34 error team/undefined-member');
  }
});

test('a member may be a chain, have advisors, or be a team', () => {
  expect(
    check({
      'a.md': 'team: {members: [b, d, e], supervisor: self}\nnext: f',
      'b.md': 'next: c',
      'c.md': '',
      'd.md': 'team: {members: [g], supervisor: self}',
      'e.md': 'advisors: [g]',
      'f.md': '',
      'g.md': '',
    }),
  ).toEqual([]);
});

test('a quorum larger than the number of advisors is an error', () => {
  one(check({ 'a.md': 'advisors: {agents: [b], policy: {quorum: 2}}', 'b.md': '' }), 'a.md:2:42 error advisors/quorum');
  expect(check({ 'a.md': 'advisors: {agents: [b, c], policy: {quorum: 2}}', 'b.md': '', 'c.md': '' })).toEqual([]);
});

test.each([
  [
    '{type: strng}',
    '2:38 error schema/invalid `input.schema.type` is not valid JSON Schema: must be equal to one of the allowed values: array',
  ],
  ['{properties: {a: {minimum: x}}}', '2:58 error schema/invalid `input.schema.properties.a.minimum`'],
  ['{required: a}', '2:42 error schema/invalid `input.schema.required`'],
  [
    '{pattern: "("}',
    '2:41 error schema/invalid `input.schema.pattern` is not valid JSON Schema: "(" is not a regular expression',
  ],
  ['{$ref: "#/$defs/none"}', '2:31 error schema/invalid'],
  ['{$schema: "http://json-schema.org/draft-04/schema#"}', '2:41 error schema/invalid'],
])('the schema %s is not valid', (schema, expected) => {
  one(check({ 'a.md': `input: {format: json, schema: ${schema}}` }), `a.md:${expected}`);
});

test.each([
  'true',
  '{}',
  '{$ref: "#/$defs/a", $defs: {a: {type: string}}}',
  '{$schema: "http://json-schema.org/draft-07/schema#", definitions: {}, items: [{type: string}]}',
  '{type: [string, "null"], format: email, x-mine: 1}',
])('the schema %s is valid', (schema) => {
  expect(check({ 'a.md': `input: {format: json, schema: ${schema}}` })).toEqual([]);
});

test('the same $id in two files is no trouble', () => {
  const schema = 'input: {format: json, schema: {$id: "http://x/y", type: object}}';
  expect(check({ 'a.md': schema, 'b.md': `${schema}\nchat: true` })).toEqual([]);
});

test('a schema needs the format json, and stands for it', () => {
  one(check({ 'a.md': 'output: {format: text, schema: {}}' }), 'a.md:2:18 error schema/without-json');
  expect(check({ 'a.md': 'output: {schema: {}}' })).toEqual([]);
});

test.each([
  ['fiels', 'there is no tool source "fiels" | Did you mean "files"?'],
  ['mcp:dosc', 'Did you mean "mcp:docs"?'],
  ['docs', 'Did you mean "mcp:docs"?'],
  ['mcp:other', 'Declare other under mcpServers in cadre.yaml.'],
  ['mcp:docs/drop', 'cadre.yaml does not allow the tool "drop" of mcpServers.docs'],
  ['mcp:cloud/drop', 'cadre.yaml denies the tool "drop" of mcpServers.cloud'],
  ['mcp:docs/', 'names no tool'],
  ['rest:wether', 'Did you mean "rest:weather"?'],
  ['lookup', 'there is no tool source "lookup"'],
])('the tool source %s is refused', (tool, expected) => {
  one(check({ 'a.md': `tools: ["${tool}"]` }), expected);
});

test('every source that exists, and functions of the caller, can be listed', () => {
  expect(
    check({ 'a.md': 'tools: [files, mcp:docs, mcp:docs/read, mcp:cloud/make, rest:weather, lookup]' }, ['lookup']),
  ).toEqual([]);
});

test('only listed tools can wait for approval', () => {
  const approve = (names: string) =>
    check({ 'a.md': `tools: [files, mcp:docs, mcp:cloud/make, rest:weather]\napprove: [${names}]` });
  expect(
    approve('files, read_file, mcp:docs, mcp:docs/read, mcp:cloud, mcp:cloud/make, rest:weather, weather'),
  ).toEqual([]);
  one(approve('mcp:doc'), 'a.md:3:11 error approve/not-a-tool');
  one(approve('mcp:cloud/other'), 'error approve/not-a-tool');
  one(check({ 'a.md': 'tools: [person]\napprove: [person]' }), 'which is itself a question to a person');
  one(approve('shel'), 'error approve/not-a-tool');
  expect(check({ 'a.md': 'subagent: true\napprove: [files, read_file]' })).toEqual([]); // those of its helpers
  expect(check({ 'a.md': 'approve: [files]' })).toEqual([expect.stringContaining('approve/not-a-tool')]);
});

test('the guard against circles warns before it ends, and leaves out only tools of the agent', () => {
  one(check({ 'a.md': 'stuck: {warn: 6}' }), 'a.md:2:15 error stuck/order');
  one(check({ 'a.md': 'stuck: {stop: 2}' }), 'a.md:2:15 error stuck/order');
  one(check({ 'a.md': 'stuck: {warn: 1}' }), 'error value/range');
  one(check({ 'a.md': 'stuck: sometimes' }), 'error value/type');
  expect(check({ 'a.md': 'stuck: off' })).toEqual([]);
  const except = (names: string) =>
    check({ 'a.md': `tools: [files, mcp:docs]\nagents: [b]\nstuck: {except: [${names}]}`, 'b.md': 'description: B.' });
  expect(except('files, read_file, mcp:docs, mcp:docs/read, agent__b')).toEqual([]);
  one(except('agent__c'), 'error stuck/not-a-tool');
  const helped = (on: string) => check({ 'a.md': `subagent: ${on}\nstuck: {except: [list_files, files]}` });
  expect(helped('true')).toEqual([]);
  expect(helped('{enabled: false}')).toHaveLength(2);
  one(except('reed_file'), 'Did you mean "read_file"?');
});

test('`compact` names a model that is known, and keeps fewer turns than a session has', () => {
  expect(check({ 'a.md': 'compact: auto' })).toEqual([]);
  expect(check({ 'a.md': 'compact: {keep: 8}' })).toEqual([]);
  one(check({ 'a.md': 'compact: {keep: 1}' }), 'error value/range');
  one(check({ 'a.md': 'compact: maybe' }), 'error value/type');
  one(check({ 'a.md': 'compact: {model: fsat}' }), 'a.md:2:18 error model/unknown');
  one(check({ 'a.md': 'compact: {keep: 9}' }), 'a.md:2:17 warning compact/never');
});

test('the model that sums up has a window that holds what it gets, as far as cadre.yaml says', () => {
  const cadreYaml = (big: string, small: string) =>
    `providers: {p: {kind: openai, apiKey: k}}\nmodels: {big: {use: p/big${big}}, small: {use: p/small${small}}}\ndefaults: {models: big}\n`;
  const found = (big: string, small: string, more = '') =>
    check({ 'cadre.yaml': cadreYaml(big, small), 'a.md': `compact: {model: small}${more}` });
  const [wide, narrow] = [', contextWindow: 9000', ', contextWindow: 5000'];
  one(
    found(wide, narrow),
    'a.md:2:18 warning compact/window the window of small is 5000 tokens, and it is to sum up a conversation of up to 9000',
  );
  expect(found(narrow, wide)).toEqual([]);
  expect(found(narrow, narrow)).toEqual([]);
  expect(found('', narrow)).toEqual([]);
  expect(found(wide, '')).toEqual([]);
  expect(found(wide, narrow, '\nmodels: [big, small]')).toEqual([]);
});

test.each([
  ['files/typo', "which is not one of this agent's tools"],
  ['files/reed_file', 'Did you mean "read_file"?'],
  ['rest:weather/now', "which is not one of this agent's tools"],
  ['lookup/part', 'Did you mean "lookup"?'],
  ['mcp:docs/', "which is not one of this agent's tools"],
  ['mcp:other', "which is not one of this agent's tools"],
  ['mcp:docs/drop', 'cadre.yaml does not allow the tool "drop" of mcpServers.docs'],
])('%s under approve, which can never mean a tool of the agent, is refused', (name, expected) => {
  const files = { 'a.md': `tools: [files, mcp:docs, rest:weather, lookup]\napprove: ["${name}"]` };
  one(check(files, ['lookup']), expected);
});

test('a star in allow and deny stands for anything, in the check too', () => {
  const config = 'defaults: {models: openai/x}\nmcpServers: {docs: {command: d, allow: ["se*ch*"], deny: ["*_all"]}}\n';
  const tools = (name: string) =>
    check({ 'cadre.yaml': config, 'a.md': `description: d\ntools: ["mcp:docs/${name}"]` });
  expect([...tools('search'), ...tools('search_web')]).toEqual([]);
  one(tools('look'), 'does not allow the tool "look"');
  one(tools('search_all'), 'denies the tool "search_all"');
});

test('nothing that an agent sets is above a cap of the cadre', () => {
  const capped = 'defaults: {models: openai/x, description: d}\nlimits: {maxTurns: 5, maxDepth: 2}\n';
  one(
    check({ 'cadre.yaml': capped, 'a.md': 'maxTurns: 6' }),
    'a.md:2:11 error limit/exceeded `maxTurns` is 6, and limits.maxTurns caps it at 5',
  );
  one(
    check({ 'cadre.yaml': capped, 'a.md': 'team: {members: [b], supervisor: self, memberMaxTurns: 9}', 'b.md': '' }),
    'a.md:2:56 error limit/exceeded',
  );
  one(check({ 'cadre.yaml': capped, 'a.md': 'spawn: {maxDepth: 3}' }), 'error limit/exceeded');
  one(check({ 'cadre.yaml': capped, 'a.md': 'subagent: {maxIterations: 8}' }), 'error limit/exceeded');
  one(
    check({ 'cadre.yaml': `${capped.replace('}', ', maxTurns: 8}')}`, 'a.md': '' }),
    'cadre.yaml:1:56 error limit/exceeded',
  );
  expect(check({ 'cadre.yaml': capped, 'a.md': '' })).toEqual([]);
});

test('agents that nest deeper than allowed are told once, with the way down', () => {
  const capped = 'defaults: {models: openai/x, description: d}\nlimits: {maxDepth: 2}\n';
  const nested = {
    'a.md': 'agents: [b]',
    'b.md': 'advisors: [c]',
    'c.md': 'team: {members: [d], supervisor: self}',
    'd.md': '',
  };
  one(
    check({ 'cadre.yaml': capped, ...nested }),
    'a.md:2:10 error limit/depth agents nest 3 levels deep below "a", and limits.maxDepth is 2: a → b → c → d',
  );
  expect(
    check({
      'cadre.yaml': capped,
      'a.md': 'next: b',
      'b.md': 'next: c',
      'c.md': 'next: d',
      'd.md': 'router: {destinations: [e]}',
      'e.md': '',
    }),
  ).toEqual([]);
});

test('each entry of trust names a tool of the agent that asks by default', () => {
  const trust = (entry: string, tools = 'files, shell, mcp:docs', more = '') =>
    check({ 'a.md': `tools: [${tools}]\ntrust: [${entry}]${more}` });
  expect(trust('shell, shell/run_command, run_command, shell(npm test), "shell(pytest *)"')).toEqual([]);
  expect(trust('shell', 'shell/run_command')).toEqual([]);
  one(
    trust('shell', 'files'),
    'a.md:3:9 error trust/invalid `trust` names "shell", which is not one of this agent\'s tools',
  );
  one(trust('shel'), 'Did you mean "shell"?');
  one(trust('files'), 'a.md:3:9 error trust/invalid "files" does not ask by default');
  one(trust('mcp:docs/search'), '"mcp:docs/search" does not ask by default');
  one(trust('"shell(npm test"'), 'Write files:write, shell, shell(npm test)');
  one(trust('"shell(npm test; rm -rf .)"'), '; has a meaning of its own in a shell | Write it like shell(npm test).');
  one(trust('"shell(*)"'), 'it would allow every command');
  one(trust('"shell()"'), 'it names no command');
  one(
    trust('shell', 'shell', '\napprove: [run_command]'),
    'rule/dead "shell" under `trust` never holds, because "run_command" under `approve` counts before it',
  );
});

test.each(['git', 'find', 'sed', 'xargs', 'env', 'tar', 'npm', 'node', 'sh', '/usr/bin/python3'])(
  'a * after %s is warned of, with the reason, in trust and in shell.allow',
  (program) => {
    const trusted = { 'a.md': `tools: [shell]\ntrust: ["shell(${program} x *)"]` };
    one(
      check(trusted),
      `a.md:3:9 warning shell/open-command "${program} x *" lets ${program.replace('/usr/bin/', '')} do`,
    );
    const allowed = { 'a.md': 'tools: [shell]', 'cadre.yaml': `${config}shell: {allow: ["${program} x *"]}` };
    one(check(allowed), 'cadre.yaml:5:17 warning shell/open-command');
    expect(check({ 'a.md': `tools: [shell]\ntrust: ["shell(${program} x)"]` })).toEqual([]);
  },
);

test('a sandbox that is required has to be installed, if an agent runs commands', () => {
  const all = (yaml: string, agent: string, has: boolean) => {
    const texts = new Map([
      ['cadre.yaml', `${config}${yaml}`],
      ['a.md', `---\n${agent}\n---\nx`],
    ]);
    const disk = {
      functionTexts: () => new Map(),
      isInstalled: () => true,
      isFolder: () => true,
      workspaceFileProblem: () => undefined,
      skillsHere: () => ({ skills: [], rest: 0 }),
      hasCommand: () => has,
      partText: () => expect.unreachable('no part is named'),
    };
    return assemble({ folder: '/cadre', texts, others: new Set() }, [], {}, disk).diagnostics;
  };
  expect(all('shell: {sandbox: required}', 'tools: [shell]', false)).toMatchObject([
    { code: 'shell/no-sandbox', file: 'cadre.yaml', line: 5, column: 18 },
  ]);
  expect(all('shell: {sandbox: required}', 'tools: [shell]', true)).toEqual([]);
  expect(all('shell: {sandbox: required}', 'tools: [files]', false)).toEqual([]);
  expect(all('shell: {sandbox: auto}', 'tools: [shell]', false)).toEqual([]);
});

test('files that an agent accepts are seen by one of its models', () => {
  const models = 'models: {m: {use: openai/gpt-4o}, blind: {use: groq/x}, eyes: {use: ollama/llava, sees: [image]}}\n';
  const found = (accepts: string, model: string) =>
    check({ 'cadre.yaml': models, 'a.md': `models: ${model}\ninput: {accepts: [${accepts}]}` });
  expect(found('image, pdf', 'm')).toEqual([]);
  expect(found('image', '[blind, eyes]')).toEqual([]);
  one(
    found('image, pdf', 'eyes'),
    'a.md:3:18 warning accepts/unseen `input.accepts` names pdf, and none of its models (eyes) is known to see PDF files',
  );
  one(found('image', 'blind'), 'sees: [image]}}.');
});
