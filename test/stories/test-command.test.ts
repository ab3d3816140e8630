// cadre test through the built command, as a user runs it.

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Folder, folderWith } from '../support/cli.ts';
import { png } from '../support/media.ts';

let folder: Folder;
beforeEach(() => {
  folder = folderWith({});
});
afterEach(() => folder.remove());

const write = (files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) folder.write(name, text);
};

const DESK = {
  'cadre.yaml': `providers: { demo: { kind: scripted, script: ./desk.script.yaml }, far: { kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1" } }
models: { good: { use: demo/good, price: { input: 1, output: 1 } }, poor: { use: demo/poor, price: { input: 2, output: 2 } } }
defaults: { models: [good] }
`,
  'clerk.md': '---\ndescription: Answers.\n---\nYou answer.\n',
  'judge.md': '---\ndescription: Judges.\n---\nYou judge.\n',
  'desk.script.yaml': `pace: { delay: 5s }
agents:
  clerk:
    - when: { input: "/order (?<order>\\\\d+)/" }
      answer: "Order {{match.order}} is here."
    - answer: "I do not know."
  judge:
    - when: { input: "/is here/" }
      report: { good: true, why: "It says where." }
    - report: { good: false, why: "It says nothing." }
`,
};

test.each(['help-desk', 'ship-room', 'lighthouse', 'newsroom', 'subagent', 'repair', 'mend', 'digest'])(
  'the tests of examples/%s pass',
  async (name) => {
    cpSync(join('examples', name), join(folder.path, name), { recursive: true });
    const { stdout, exit } = await folder.cadre(['test', name]);
    expect(stdout).toMatch(/[1-9]\d* passed, 0 failed/);
    expect(exit).toBe(0);
  },
);

test('a failure shows the difference, and the command that shows the run', async () => {
  write({
    ...DESK,
    'desk.test.yaml': `agent: clerk
cases:
  an order is found:
    input: Where is order 17?
    expect: { answer: "Order 18 is here.", tools: [read_file], atMost: { calls: 0 } }
`,
  });
  const { stdout, exit } = await folder.cadre(['test']);
  expect(exit).toBe(1);
  expect(stdout).toContain('✕ an order is found  desk.test.yaml:4');
  expect(stdout).toContain('- Order 18 is here.');
  expect(stdout).toContain('+ Order 17 is here.');
  expect(stdout).toContain('read_file was not called.');
  expect(stdout).toContain('It made 1 model calls; at most 0 are allowed.');
  const [, run = ''] = /cadre show (\S+)/.exec(stdout) ?? [];
  expect((await folder.cadre(['show', run])).stdout).toContain('Where is order 17?');
});

test('rows of a table are cases of their own', async () => {
  write({
    ...DESK,
    'orders.csv': 'order,answer\n17,Order 17 is here.\n"18","Order 18 is here."\n',
    'desk.test.yaml': `agent: clerk
cases:
  order {{order}}:
    each: ./orders.csv
    input: "Where is order {{order}}?"
    expect: { answer: "{{answer}}" }
`,
  });
  const { stdout } = await folder.cadre(['test', '--json']);
  const { results } = JSON.parse(stdout) as { results: { name: string; state: string }[] };
  expect(results.map(({ name, state }) => [name, state])).toEqual([
    ['order 17', 'passed'],
    ['order 18', 'passed'],
  ]);
});

test('mistakes in a test file are shown with their place, and nothing is run', async () => {
  write({ ...DESK, 'desk.test.yaml': 'agent: clerk\ncases:\n  one:\n    inptu: hello\n' });
  const { stderr, exit } = await folder.cadre(['test']);
  expect(stderr).toContain('desk.test.yaml:4:5');
  expect(stderr).toContain('Did you mean "input"?');
  expect(exit).not.toBe(0);
});

test('a judge decides by its verdicts, and what it cost is told apart', async () => {
  write({
    ...DESK,
    'desk.test.yaml': `agent: clerk
cases:
  good: { input: "Where is order 17?", expect: { judge: { agent: judge, rubric: "Says where.", repeat: 3 } } }
  poor: { input: "Where?", expect: { judge: { agent: judge, rubric: "Says where.", repeat: 2 } } }
`,
  });
  const { stdout, exit } = await folder.cadre(['test']);
  expect(stdout).toContain('judged good 3 of 3');
  expect(stdout).toContain('judge found 0 of 2 good:\n  - It says nothing.');
  expect(stdout).toContain('2 model calls');
  expect(stdout).toContain('judges 5 calls');
  expect(exit).toBe(1);
});

test('several models are compared, and a model over a network is left out without --live', async () => {
  write({
    ...DESK,
    'desk.test.yaml': 'agent: clerk\ncases:\n  one: { input: "order 1?", expect: { answer: "Order 1 is here." } }\n',
  });
  const { stdout } = await folder.cadre(['test', '--models', 'good,poor,far/x']);
  expect(stdout).toMatch(/MODEL +PASSED/);
  expect(stdout).toMatch(/good +1 of 1/);
  expect(stdout).toContain('skipped: it would call far/x: add --live');
  expect(stdout).toContain('2 passed, 0 failed, 1 skipped');
});

test('a snapshot is kept by --update, and compared afterwards', async () => {
  const file = (order: number) =>
    `agent: clerk\ncases:\n  one: { input: "order ${order}?", expect: { answer: { snapshot: true } } }\n`;
  write({ ...DESK, 'desk.test.yaml': file(1) });
  expect((await folder.cadre(['test'])).stdout).toContain('There is no snapshot of the answer yet.');
  expect((await folder.cadre(['test', '--update'])).exit).toBe(0);
  expect((await folder.cadre(['test'])).exit).toBe(0);
  write({ 'desk.test.yaml': file(2) });
  expect((await folder.cadre(['test'])).stdout).toContain('The answer is not that of the snapshot.');
});

test('a test made of a run passes, and fails when an agent changes what is asked', async () => {
  write(DESK);
  await folder.cadre(['run', 'clerk', 'Where is order 17?', '--save-test', 'saved.test.yaml']);
  expect((await folder.cadre(['test', '--junit', 'out.xml'])).exit).toBe(0);
  expect(folder.read('out.xml')).toContain('tests="1" failures="0"');
  write({ 'clerk.md': '---\ndescription: Answers.\n---\nYou answer at once.\n' });
  const { stdout, exit } = await folder.cadre(['test']);
  expect(exit).toBe(1);
  expect(stdout).toContain('First difference: the system prompt');
  const again = await folder.cadre(['run', 'clerk', 'x', '--save-test', 'saved.test.yaml']);
  expect(again.stderr).toContain('is there already');
});

test('rounds of a loop are expected, saved with a test, and told apart by agent', async () => {
  write({
    ...DESK,
    'clerk.md': '---\ndescription: Answers.\nrepeat: {until: judge, max: 4}\n---\nYou answer.\n',
    'desk.script.yaml': `agents:
  clerk: [{ answer: "It is gone." }, { answer: "It is here." }, { answer: "x" }]
  judge:
    - when: { input: "/is here/" }
      report: { good: true, why: "It says where." }
    - report: { good: false, why: "It says nothing." }
`,
    'desk.test.yaml': `agent: clerk
cases:
  right: { input: Where?, expect: { rounds: 2 } }
  by name: { input: Where?, expect: { rounds: { clerk: 2 } } }
  wrong: { input: Where?, expect: { rounds: 3 } }
  nobody: { input: Where?, expect: { rounds: { judge: 1 } } }
`,
  });
  const { stdout, exit } = await folder.cadre(['test']);
  expect(exit).toBe(1);
  expect(stdout).toContain('2 of the answers of clerk were judged, and 3 were expected.');
  expect(stdout).toContain('No answer of judge was judged.');
  expect(stdout).toContain('2 passed, 2 failed');
  folder.write('desk.test.yaml', 'agent: clerk\ncases:\n  zero: { input: Where?, expect: { rounds: 0 } }\n');
  expect((await folder.cadre(['test'])).stderr).toMatch(/desk\.test\.yaml:3:/);
  await folder.cadre(['run', 'clerk', 'Where?', '--save-test', 'saved.test.yaml']);
  expect(folder.read('saved.test.yaml')).toContain('rounds: 2');
  expect((await folder.cadre(['test', 'saved.test.yaml'])).exit).toBe(0);
});

test('the case of a branch is expected, saved with a test, and told apart by agent', async () => {
  write({
    ...DESK,
    'clerk.md':
      '---\ndescription: Answers.\noutput: {format: json, schema: {type: object, properties: {kind: {enum: [lost, found]}}, required: [kind]}}\n' +
      'next: {by: kind, to: {lost: judge, found: ~}}\n---\nYou sort.\n',
    'judge.md': '---\ndescription: Judges.\n---\nYou judge.\n',
    'desk.script.yaml': `agents:
  clerk:
    - when: { input: "/Where/" }
      report: { kind: lost }
    - report: { kind: found }
  judge: [{ answer: "gone" }]
`,
    'desk.test.yaml': `agent: clerk
cases:
  right: { input: Where?, expect: { case: lost } }
  stands: { input: Here!, expect: { case: [found] } }
  by name: { input: Where?, expect: { case: { clerk: lost } } }
  wrong: { input: Where?, expect: { case: found } }
  nobody: { input: Where?, expect: { case: { judge: lost } } }
`,
  });
  const { stdout, exit } = await folder.cadre(['test']);
  expect(exit).toBe(1);
  expect(stdout).toContain('clerk took lost, and found was expected.');
  expect(stdout).toContain('No branch of judge took a case.');
  expect(stdout).toContain('3 passed, 2 failed');
  folder.write('desk.test.yaml', 'agent: clerk\ncases: { one: { input: Where? } }\n');
  await folder.cadre(['run', 'clerk', 'Where?', '--save-test', 'saved.test.yaml']);
  expect(folder.read('saved.test.yaml')).toContain('case: lost');
  expect((await folder.cadre(['test', 'saved.test.yaml'])).exit).toBe(0);
});

test('a run with an item that failed, or with calls that were approved, is saved as a test that passes', async () => {
  cpSync('examples/digest', join(folder.path, 'digest'), { recursive: true });
  await folder.cadre(['run', 'digest/sorter.md', 'What came in?', '--save-test', 'digest/saved.test.yaml']);
  expect(folder.read('digest/saved.recording.jsonl')).toContain('"type":"reply-fault"');
  const items = await folder.cadre(['test', 'digest/saved.test.yaml']);
  expect(items.stdout).toContain('1 passed, 0 failed');

  cpSync('examples/mend', join(folder.path, 'mend'), { recursive: true });
  cpSync('examples/mend', join(folder.path, 'again'), { recursive: true });
  const saving = ['--approve', 'edit_file', '--save-test', 'again/saved.test.yaml'];
  await folder.cadre(['run', 'mend/mender.md', 'The tests fail. Please fix that.', ...saving]);
  expect(folder.read('again/saved.test.yaml')).toContain('approve:\n  - edit_file\n');
  const mended = await folder.cadre(['test', 'again/saved.test.yaml']);
  expect(mended.stdout).toContain('1 passed, 0 failed');
});

test('the files of a run are saved with its test, under a name that makes no agent of them, and the test passes', async () => {
  write({
    ...DESK,
    'cadre.yaml': DESK['cadre.yaml'].replace('good: {', 'good: { sees: [image, pdf],'),
    'desk.script.yaml': 'agents: { clerk: [{ when: { file: image/png }, answer: "I see {{files}}" }] }\n',
    'notes.txt': 'It is a ship.\n',
  });
  const shot = png(32, 18);
  writeFileSync(join(folder.path, 'shot.png'), shot);
  const sent = ['--file', 'shot.png', '--file', 'notes.txt'];
  const ran = await folder.cadre(['run', 'clerk', 'What is it?', ...sent, '--save-test', 'tests/saved.test.yaml']);
  expect(ran.exit, ran.stderr).toBe(0);
  expect(readFileSync(join(folder.path, 'tests/saved.files/shot.png')).equals(shot)).toBe(true);
  expect(folder.read('tests/saved.test.yaml')).toContain('files:\n      - saved.files/shot.png\n');
  expect(folder.read('tests/saved.test.yaml')).not.toContain('match: place');
  const tested = await folder.cadre(['test', 'tests/saved.test.yaml']);
  expect(tested.stdout).toContain('1 passed, 0 failed');
  writeFileSync(join(folder.path, 'tests/saved.files/shot.png'), png(32, 18, 7));
  expect((await folder.cadre(['test', 'tests/saved.test.yaml'])).exit).toBe(1);

  mkdirSync(join(folder.path, 'sent'));
  writeFileSync(join(folder.path, 'sent', 'shot.md'), shot);
  await folder.cadre(['run', 'clerk', 'And this?', '--file', join('sent', 'shot.md')]);
  rmSync(join(folder.path, 'sent'), { recursive: true });
  const shown = await folder.cadre(['show', 'last', '--save-test', 'other.test.yaml']);
  expect(shown.exit, shown.stderr).toBe(0);
  expect(folder.read('other.test.yaml')).toContain('- other.files/file-1.png\n');
  const other = await folder.cadre(['test', 'other.test.yaml']);
  expect(other.stdout).toContain('1 passed, 0 failed');

  mkdirSync(join(folder.path, 'third.files'));
  const there = await folder.cadre(['run', 'clerk', 'What is it?', ...sent, '--save-test', 'third.test.yaml']);
  expect([there.exit, there.stderr]).toEqual([2, expect.stringContaining('third.files is there already')]);
});

test('a recording lacks an answer without --live, and gets it with --live', async () => {
  write({
    ...DESK,
    'desk.test.yaml': 'agent: clerk\nrecording: ./desk.recording.jsonl\ncases:\n  one: { input: "order 1?" }\n',
  });
  expect((await folder.cadre(['test', '--live'])).exit).toBe(0);
  write({
    'desk.test.yaml':
      'agent: clerk\nrecording: ./desk.recording.jsonl\ncases:\n  one: { input: "order 1?" }\n  two: { input: "order 2?" }\n',
  });
  expect((await folder.cadre(['test'])).stdout).toContain('does not hold this call of "clerk"');
  expect((await folder.cadre(['test', '--live'])).exit).toBe(0);
  expect((await folder.cadre(['test'])).stdout).toContain('2 passed, 0 failed');
  const listed = await folder.cadre(['test', '--list']);
  expect(listed.stdout).toContain('desk.recording.jsonl  answers in 2 cases');
});

test('a run that goes on with a conversation is not made a test without what was said before', async () => {
  write(DESK);
  await folder.cadre(['chat', 'clerk'], { input: 'Where is order 17?\nAnd order 18?\n' });
  const { stderr, exit } = await folder.cadre(['show', 'last', '--save-test', 'saved.test.yaml']);
  expect(stderr).toContain('goes on with a conversation');
  expect([exit, folder.has('saved.test.yaml'), folder.has('saved.recording.jsonl')]).toEqual([2, false, false]);
});

const CASES = `agent: clerk
cases:
  an order is found: { input: Where is order 17?, expect: { answer: { contains: is here } } }
  a talk: { thread: [Where is order 17?, Where is order 18?], expect: { atMost: { calls: 1 } } }
  a wrong one: { input: Hello, expect: { answer: Goodbye } }
`;

test('a result is kept, listed and shown again, with the runs of what failed', async () => {
  write({ ...DESK, 'desk.test.yaml': CASES });
  const ran = await folder.cadre(['test']);
  expect(ran.exit).toBe(1);
  const id = /--results (\S+)/.exec(ran.stdout)?.[1] ?? '';
  const list = await folder.cadre(['test', '--results']);
  expect(list.stdout).toContain(id);
  expect(list.stdout).toMatch(/2 of 3 .* cadre test/);
  const again = await folder.cadre(['test', '--results', id.slice(0, 17)]);
  expect(again.stdout).toContain('+ I do not know.');
  const run = /cadre show (\S+)/.exec(again.stdout)?.[1] ?? '';
  expect((await folder.cadre(['show', run])).stdout).toContain('I do not know.');
  const kept = JSON.parse((await folder.cadre(['test', '--results', 'last', '--json'])).stdout);
  expect(kept).toMatchObject({ id, state: 'ended', counts: { passed: 2, failed: 1 }, spent: { calls: 4 } });
  expect(kept.cases.find((one: { name: string }) => one.name === 'a talk')).toMatchObject({
    spent: { calls: 2 },
    runs: [expect.any(String), expect.any(String)],
    kept: false,
  });
  const unknown = await folder.cadre(['test', '--results', 'nothing']);
  expect([unknown.exit, unknown.stderr]).toEqual([1, expect.stringContaining('There is no result of tests "nothing"')]);
});

test('--no-keep leaves nothing behind, and --store keeps elsewhere', async () => {
  write({ ...DESK, 'desk.test.yaml': CASES });
  const none = await folder.cadre(['test', '--no-keep']);
  expect(none.stdout).not.toContain('cadre show');
  expect(existsSync(join(folder.path, '.cadre'))).toBe(false);
  const ran = await folder.cadre(['test', '--store', 'elsewhere']);
  expect(ran.stdout).toMatch(/cadre show \S+ --store elsewhere/);
  expect((await folder.cadre(['test', '--results', '--store', 'elsewhere'])).stdout).toContain('cadre test');
});

test('a result that cannot be kept is told, and the tests go on', async () => {
  write({ ...DESK, 'desk.test.yaml': CASES, taken: 'a file' });
  const { exit, stdout, stderr } = await folder.cadre(['test', '--only', 'order', '--store', 'taken/below']);
  expect(stderr).toContain('The result is not kept');
  expect(stdout).toContain('1 passed, 0 failed');
  expect(exit).toBe(0);
});

test('an agent that searches its folder does not find its tests, so a saved one passes beside others', async () => {
  write({
    ...DESK,
    'clerk.md': '---\ndescription: Answers.\ntools: [files]\n---\nYou look it up.\n',
    'orders.md': 'order 17: at the harbour\n',
    'desk.script.yaml': `agents:
  clerk:
    - { when: { turn: 1 }, call: { search_files: { query: "order 17" } } }
    - { answer: "It says: {{result.search_files}}" }
`,
    'desk.test.yaml':
      'agent: clerk\ncases: { it looks: { input: Where is order 17?, expect: { answer: { contains: harbour } } } }\n',
  });
  for (const name of ['one', 'two'])
    expect(
      (await folder.cadre(['run', 'clerk.md', 'Where is order 17?', '--save-test', `${name}.test.yaml`])).exit,
    ).toBe(0);
  const { stdout, exit } = await folder.cadre(['test']);
  expect(stdout).toContain('3 passed, 0 failed');
  expect(exit).toBe(0);
});
