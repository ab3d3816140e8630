import { expect, test } from 'vitest';
import { FaultError } from '../../kernel/fault.ts';
import { loadScript } from './load.ts';

function mistakes(yaml: string): readonly string[] {
  try {
    loadScript(yaml, 's.yaml');
  } catch (error) {
    if (error instanceof FaultError) return error.fault.message.split('\n');
    throw error;
  }
  return [];
}

test('a script becomes steps with their lines', () => {
  const script = loadScript(
    `pace: { delay: 100ms, chunk: 5ms }
agents:
  clerk:
    - say: Let me look.
      call: { list_files: { path: "." } }
    - when: { last: "/done/i", turn: 2 }
      answer: Done.
      delay: 2
    - call: now
`,
    's.yaml',
  );
  expect(script.agents.get('clerk')).toEqual([
    {
      agent: 'clerk',
      file: 's.yaml',
      line: 4,
      faults: [],
      repeat: 1,
      delayMs: 100,
      chunkMs: 5,
      reply: { text: 'Let me look.', calls: [{ name: 'list_files', arguments: { path: '.' } }], templated: false },
    },
    {
      agent: 'clerk',
      file: 's.yaml',
      line: 6,
      when: { last: /done/i, turn: 2 },
      faults: [],
      repeat: 1,
      delayMs: 2000,
      chunkMs: 5,
      reply: { text: 'Done.', calls: [], templated: false },
    },
    {
      agent: 'clerk',
      file: 's.yaml',
      line: 9,
      faults: [],
      repeat: 1,
      delayMs: 100,
      chunkMs: 5,
      reply: { text: '', calls: [{ name: 'now', arguments: {} }], templated: false },
    },
  ]);
});

test('all mistakes are reported at once, each at its place', () => {
  expect(
    mistakes(`agents:
  clerk:
    - anwser: hello
    - when: { lst: x }
      answer: a
    - fault: rate-limt
    - call: { a: {}, b: {} }
    - say: hi
      delay: soon
    - answer: "{{inptu}}"
    - answer: x
      call: y
    - when: { last: "/(/" }
      answer: x
    - answer: "{{match.1}}"
    - delay: 1s
    - answer: on
      repeat: true
    - answer: never
`),
  ).toEqual([
    expect.stringMatching(
      /^s\.yaml:3:7 unknown key "anwser" in a step\. Did you mean "answer"\? Known keys: when, say/,
    ),
    expect.stringMatching(/^s\.yaml:4:15 unknown key "lst" in "when"\. Did you mean "last"\?/),
    expect.stringMatching(/^s\.yaml:6:14 there is no fault "rate-limt"\. Did you mean "rate-limit"\?/),
    expect.stringMatching(/^s\.yaml:7:13 a call is one tool/),
    expect.stringMatching(/^s\.yaml:9:14 "delay" must be a duration/),
    expect.stringMatching(/^s\.yaml:10:15 \{\{inptu\}\} is not a placeholder\. Did you mean "input"\?/),
    expect.stringMatching(/^s\.yaml:12:13 "call" does not go with "answer"/),
    expect.stringMatching(/^s\.yaml:13:21 "last" is not a regular expression/),
    expect.stringMatching(/^s\.yaml:15:15 \{\{match\.1\}\} needs a regular expression/),
    expect.stringMatching(/^s\.yaml:16:7 a step needs a reply/),
    expect.stringMatching(/^s\.yaml:19:7 this step is never reached: the one at line 17/),
  ]);
});

test.each([
  ['', 's.yaml:1:1 a script must be a mapping'],
  ['just words', 's.yaml:1:1 a script must be a mapping'],
  ['agent: {}', 's.yaml:1:1 unknown key "agent" in a script. Did you mean "agents"?'],
  ['agents:\n  clerk:\n    say: hi\n', 's.yaml:3:5 the script of "clerk" must be a list'],
  ['agents:\n  clerk: [{ say: hi }\n', 's.yaml:3:1 '],
  ['agents:\n  clerk: []\n  clerk: []\n', 's.yaml:3:3 Map keys must be unique'],
  ['any:\n  -\n', 's.yaml:2:4 a step must be a mapping'],
  ['agents:\n', 's.yaml:1:8 "agents" must be a mapping'],
  ['any: [{ call: { a: *gone } }]', 's.yaml:1:20 *gone refers to nothing'],
  [
    `any:
  - call: &a { x: [1, 2, 3, 4, 5, 6, 7, 8, 9, 0] }
  - call: &b { x: [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a] }
  - call: &c { x: [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b] }
  - call: { x: [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c] }
`,
    's.yaml:',
  ],
])('%j is refused with its place', (yaml, expected) => {
  const [first] = mistakes(yaml);
  expect(first?.startsWith(expected), first).toBe(true);
});

test('an agent named __proto__ is an agent like any other', () => {
  expect(loadScript('agents: { __proto__: [{ answer: hi }] }', 's.yaml').agents.get('__proto__')).toHaveLength(1);
});
