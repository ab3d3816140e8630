// The command line as a stranger meets it: the built file, a small cadre on the scripted model, and what is on
// stdout, on stderr and in the exit code.

import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ended, type Folder, folderWith, until } from '../support/cli.ts';

const CONFIG = `providers:
  demo: { kind: scripted, script: ./demo.script.yaml }
models:
  fast: { use: demo/small, price: { input: 1, output: 2 } }
defaults: { models: [fast], maxRetries: 1 }
`;

const agent = (keys: string, body = 'Do it.'): string => `---\n${keys}\n---\n${body}\n`;

const DESK: Readonly<Record<string, string>> = {
  'cadre.yaml': CONFIG,
  'hello.md': agent('description: Says hello\nusage: Your name'),
  'lost.md': agent('description: Never ends\nmaxTurns: 2\ntools: [files]'),
  'broken.md': agent('description: Has a dead model'),
  'late.md': agent('description: Takes too long\ntimeout: 200ms'),
  'poor.md': agent('description: Has little to spend\nbudget: { tokens: 20 }'),
  'first.md': agent('description: Begins\nnext: second'),
  'second.md': agent('description: Ends'),
  'order.md': agent(
    'description: Takes an order\nusage: The number of an order\n' +
      'input: { format: json, schema: { type: object, properties: { order: { type: integer } }, required: [order] } }',
  ),
  'reader.md': agent('description: Reads\ntools: [files]\napprove: [read_file]'),
  'slow.md': agent('description: Works in two steps\ntools: [files]'),
  'demo.script.yaml': `agents:
  hello: [{ answer: "Hello, Ada.", usage: { input: 10, output: 5 } }]
  lost: [{ say: "Still looking.", call: list_files }, { say: "Not found.", call: list_files }]
  broken: [{ fault: server, repeat: true }]
  poor: [{ answer: "Too much.", repeat: true }]
  late: [{ answer: "Too late.", delay: 30s }]
  first: [{ answer: "One." }]
  second: [{ answer: "Two." }]
  order: [{ answer: "Order taken." }]
  reader: [{ call: { read_file: { path: hello.md } } }, { answer: "Read." }]
  slow:
    - { call: list_files }
    - { answer: "Done slowly.", delay: 1500ms }
`,
};

const folders: Folder[] = [];
const desk = (more: Readonly<Record<string, string>> = {}): Folder => {
  const folder = folderWith({ ...DESK, ...more });
  folders.push(folder);
  return folder;
};
const bare = (files: Readonly<Record<string, string>>): Folder => {
  const folder = folderWith(files);
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

const STACK = /^\s+at .+:\d+:\d+\)?$/m;

test('only the answer is on stdout when it is piped, and one summary line on stderr', async () => {
  const { stdout, stderr, exit } = await desk().cadre(['run', 'hello', 'I am Ada']);
  expect({ stdout, exit }).toEqual({ stdout: 'Hello, Ada.\n', exit: 0 });
  expect(stderr).toMatch(/^answered {2}1 call {2}15 tok {2}\$0\.00002 {2}\S+ {2}cadre show \d{8}-\d{6}-\w+\n$/);
});

test('--quiet leaves stderr empty', async () => {
  const { stderr } = await desk().cadre(['run', './hello.md', 'I am Ada', '--quiet']);
  expect(stderr).toBe('');
});

test('input comes from a pipe, with and without "-"', async () => {
  const folder = desk();
  expect((await folder.cadre(['run', 'hello', '-'], { input: 'I am Ada\n' })).exit).toBe(0);
  expect((await folder.cadre(['run', 'hello'], { input: 'I am Ada\n' })).exit).toBe(0);
  const { stdout } = await folder.cadre(['show', '--transcript']);
  expect(stdout).toContain('I am Ada');
});

test('--json prints every event on a line, and run-end last', async () => {
  const folder = desk();
  const { stdout, exit } = await folder.cadre(['run', 'hello', 'hi', '--json']);
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(events[0]).toMatchObject({ type: 'run-start', agent: 'hello' });
  expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: { kind: 'answered', text: 'Hello, Ada.' } });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  expect(exit).toBe(0);
});

test.each([
  ['lost', 3, 'exhausted'],
  ['broken', 1, 'failed'],
  ['poor', 4, 'over-budget'],
  ['late', 5, 'timed-out'],
])('%s ends with exit code %i, %s on stderr and nothing on stdout', async (name, code, word) => {
  const { stdout, stderr, exit } = await desk().cadre(['run', name, 'go']);
  expect({ stdout, exit }).toEqual({ stdout: '', exit: code });
  expect(stderr).toContain(`${word}`);
  expect(stderr).not.toMatch(STACK);
});

test('partial output is shown on stderr and marked as partial', async () => {
  const { stderr } = await desk().cadre(['run', 'lost', 'go']);
  expect(stderr).toContain('--- partial output of lost, not an answer ---\nNot found.\n');
});

test('a stage that breaks is named', async () => {
  const folder = desk({ 'second.md': agent('description: Ends\nmodels: [demo/dead]') });
  folder.write(
    'demo.script.yaml',
    'agents:\n  first: [{ answer: One. }]\n  second: [{ fault: server, repeat: true }]\n',
  );
  const { stderr } = await folder.cadre(['run', 'first', 'go']);
  expect(stderr).toContain('failed at second:');
});

test('SIGTERM cancels: exit 130, and the journal says why', async () => {
  const folder = desk();
  const child = folder.start(['run', 'slow', 'go']);
  const running = ended(child);
  await until(() => folder.journal().some((event) => event['type'] === 'op-end'));
  child.kill('SIGTERM');
  const { exit, stdout } = await running;
  expect({ exit, stdout }).toEqual({ exit: 130, stdout: '' });
  expect(folder.journal().at(-1)).toMatchObject({ type: 'run-end', outcome: { kind: 'cancelled' } });
});

test('Ctrl+C once asks for a final answer', async () => {
  const folder = desk();
  const child = folder.start(['run', 'slow', 'go']);
  const running = ended(child);
  await until(() => folder.journal().some((event) => event['type'] === 'op-start'));
  child.kill('SIGINT');
  const { stderr, stdout, exit } = await running;
  expect(stderr).toContain('stopping: asked for a final answer (Ctrl+C again cancels)');
  expect({ stdout, exit }).toEqual({ stdout: 'Done slowly.\n', exit: 0 });
});

test('show --json has run, outcome, tree, ledger, calls and totals', async () => {
  const folder = desk();
  await folder.cadre(['run', 'first', 'go']);
  const { stdout, exit } = await folder.cadre(['show', 'last', '--json']);
  const shown = JSON.parse(stdout) as Record<string, unknown>;
  expect(exit).toBe(0);
  expect(Object.keys(shown)).toEqual(['run', 'outcome', 'tree', 'ledger', 'calls', 'totals']);
  expect(shown['outcome']).toMatchObject({
    kind: 'answered',
    text: 'Two.',
    chainedStages: ['agent__first', 'agent__second'],
  });
  expect(shown['ledger']).toHaveLength(2);
  expect(shown['totals']).toMatchObject({ calls: 2, usd: expect.any(Number), input: expect.any(Number) });
});

test('show prints the tree with its chain tags, the ledger with totals, and the conversations', async () => {
  const folder = desk();
  await folder.cadre(['run', 'first', 'go']);
  expect((await folder.cadre(['show'])).stdout).toMatch(/└ second \(next, after first, stage 0\) +answered/);
  expect((await folder.cadre(['show', '--ledger'])).stdout).toMatch(/^total +2 /m);
  expect((await folder.cadre(['show', '--transcript', 'second'])).stdout).toMatch(/user\n {4}One\.\n/);
});

test('runs lists the newest first, as a table and as JSON', async () => {
  const folder = desk();
  await folder.cadre(['run', 'hello', 'one']);
  await folder.cadre(['run', 'lost', 'two']);
  const { stdout } = await folder.cadre(['runs']);
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/)[2])).toEqual([
    'STATE',
    'exhausted',
    'answered',
    undefined,
  ]);
  const listed = JSON.parse((await folder.cadre(['runs', 'list', '--json', '--limit', '1'])).stdout) as unknown[];
  expect(listed).toEqual([expect.objectContaining({ agent: 'lost', outcome: 'exhausted', state: 'ended' })]);
});

test('a run that was killed goes on without repeating a finished call', async () => {
  const folder = desk();
  const child = folder.start(['run', 'slow', 'go']);
  const killed = ended(child);
  const startsOf = (kind: string) =>
    folder.journal().filter((event) => (event['op'] as { kind?: string } | undefined)?.kind === kind);
  await until(() => startsOf('model').length === 2);
  child.kill('SIGKILL');
  await killed;
  expect((await folder.cadre(['runs'])).stdout).toContain('broken-off');
  expect((await folder.cadre(['replay'])).stdout).toMatch(/^identical: \d+ events, up to where it was broken off\n$/);
  const { stdout, exit } = await folder.cadre(['resume', 'last']);
  expect({ stdout, exit }).toEqual({ stdout: 'Done slowly.\n', exit: 0 });
  expect(startsOf('tool')).toHaveLength(1);
  const ends = folder.journal().filter(({ type, kind }) => type === 'op-end' && kind === 'model');
  expect(ends).toHaveLength(2);
  expect((await folder.cadre(['resume'])).stderr).toContain('has ended already: answered');
});

test('a replay is identical, and shows the first difference after an agent was edited', async () => {
  const folder = desk();
  await folder.cadre(['run', 'first', 'go']);
  const same = await folder.cadre(['replay', 'last']);
  expect(same).toMatchObject({ stdout: `identical: ${folder.journal().length} events\n`, exit: 0 });
  folder.write('second.md', agent('description: Ends', 'Do it twice.'));
  const { stdout, exit } = await folder.cadre(['replay', 'last']);
  expect(exit).toBe(1);
  expect(stdout).toMatch(/^different: /);
  expect(stdout).toContain('model call of second, turn 1');
  expect(stdout).toContain('changed   second.md');
  expect(stdout).toMatch(/at +\$\.system\n +recorded +Do it\.\n +now +Do it twice\.\n/);
  expect((await folder.cadre(['replay', 'last', '--pinned'])).exit).toBe(0);
});

test('--stop-after ends a chain early and says so', async () => {
  const { stdout, stderr } = await desk().cadre(['run', 'first', 'go', '--stop-after', 'first']);
  expect(stdout).toBe('One.\n');
  expect(stderr).toContain('answered (stopped after first)');
});

test('--stop-after refuses an agent that is no stage of the run, before anything is spent', async () => {
  const folder = desk();
  const wrong = await folder.cadre(['run', 'first', 'go', '--stop-after', 'hello']);
  expect([wrong.exit, wrong.stdout, folder.journal()]).toEqual([2, '', []]);
  expect(wrong.stderr).toContain(
    'stopAfter (--stop-after): a run of first has no stage "hello". Its stages: first, second. Name one of them, or leave it out.',
  );
  const none = await folder.cadre(['run', 'hello', 'go', '--stop-after', 'hello']);
  expect(none.stderr).toContain('a run of hello has no stage "hello": no chain (next, handoff) begins there.');
  expect((await folder.cadre(['run', 'first', 'go', '--stop-after', 'agent__second'])).stdout).toBe('Two.\n');
});

test('a call that waits for a yes is denied where nobody is there, and allowed with --approve', async () => {
  const folder = desk();
  expect((await folder.cadre(['run', 'reader', 'go'])).stderr).toContain('denied: reader wants to call read_file');
  for (const flags of [['--approve'], ['--approve', 'read_file']]) {
    const { stderr } = await folder.cadre(['run', 'reader', 'go', ...flags]);
    expect(stderr).not.toContain('denied');
  }
});

test('--approve never takes the agent or the input for the name of a tool', async () => {
  const folder = desk();
  for (const words of [
    ['--approve', 'reader', 'go'],
    ['reader', '--approve=read_file', 'go'],
    ['reader', 'go', '--approve', '--quiet'],
  ]) {
    const { exit, stderr } = await folder.cadre(['run', ...words]);
    expect({ words, exit, denied: stderr.includes('denied') }).toEqual({ words, exit: 0, denied: false });
  }
  expect(await folder.cadre(['run', 'reader', '--approve', 'go'])).toMatchObject({
    exit: 2,
    stderr: expect.stringMatching(
      /--approve took "go" for the name of a tool.*These tools wait for a yes: read_file\./,
    ),
  });
  for (const words of [['resume'], ['fork', '--at', '0.1']]) {
    expect(await folder.cadre([...words, '--approve', 'last'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('--approve took "last" for the name of a tool, but it names a run.'),
    });
  }
});

test('--transcript takes a session of the last run, or the run whose sessions are meant', async () => {
  const folder = desk();
  await folder.cadre(['run', 'first', 'go']);
  const [run] = folder.journal() as [{ run: string }];
  await folder.cadre(['run', 'hello', 'you']);
  expect((await folder.cadre(['show', '--transcript', 'hello'])).stdout).toContain('━━ hello');
  const { stdout } = await folder.cadre(['show', '--transcript', run.run]);
  expect(stdout).toContain('━━ first');
  expect(stdout).toContain('━━ second');
  expect((await folder.cadre(['show', '--transcript', 'last'])).stdout).toContain('━━ hello');
  expect((await folder.cadre(['show', run.run, '--transcript', 'second'])).stdout).not.toContain('━━ first');
  expect(await folder.cadre(['show', '--transcript', 'nobody'])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('There is no session "nobody" in this run. It has: 0 (hello)'),
  });
});

test("an input that does not fit is refused before anything runs, with the agent's own usage", async () => {
  const folder = desk();
  const { stderr, exit } = await folder.cadre(['run', 'order', '{"order":"x"}']);
  expect(exit).toBe(1);
  expect(stderr).toContain('- $.order must be integer');
  expect(stderr).toContain(`How to phrase it: The number of an order\nLike this: cadre run order '{"order":1}'`);
  expect((await folder.cadre(['run', 'order', 'seventeen'])).stderr).toContain(
    'expects JSON, but the input is not JSON',
  );
  expect(folder.journal()).toEqual([]);
  expect(await folder.cadre(['run', 'hello'])).toMatchObject({
    exit: 2,
    stderr: 'error: hello needs an input.\nHow to phrase it: Your name\nLike this: cadre run hello "…"\n',
  });
});

test.each([
  [['rnu'], 'Did you mean run?'],
  [['run', '--jsn', 'hello', 'x'], 'Did you mean --json?'],
  [['run'], 'missing required argument'],
  [['run', 'hello', 'x', '--output', 'xml'], '--output takes json, text, markdown'],
  [['runs', '--limit', 'many'], '--limit takes a whole number'],
])('%j is a mistake of usage: exit 2', async (args, said) => {
  const { stderr, exit, stdout } = await desk().cadre(args);
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
  expect(stderr).toContain(said);
});

test('check exits with 1 on errors, and prints them for people, machines and GitHub', async () => {
  const folder = desk({ 'bad.md': agent('descripton: Oops') });
  const text = await folder.cadre(['check']);
  expect(text).toMatchObject({ exit: 1, stdout: expect.stringContaining('bad.md:2:1') });
  const [finding] = JSON.parse((await folder.cadre(['check', '--json'])).stdout) as { file: string; line: number }[];
  expect(finding).toMatchObject({ file: 'bad.md', line: 2 });
  expect((await folder.cadre(['check', '--github'])).stdout).toMatch(/^::error file=bad\.md,line=2,/);
  expect((await desk().cadre(['check', '--bound'])).stdout).toMatch(/^first +20 /m);
});

test('new writes an agent that passes the check, help prints it with its values', async () => {
  const folder = desk();
  expect((await folder.cadre(['new', 'fresh'])).exit).toBe(0);
  expect((await folder.cadre(['check'])).exit).toBe(0);
  expect((await folder.cadre(['new', 'fresh'])).stderr).toContain('exists already');
  expect((await folder.cadre(['help', 'lost'])).stdout).toContain('maxTurns: 2');
  expect((await folder.cadre(['help', 'exit-codes'])).stdout).toMatch(/3 +exhausted/);
});

test.each(['text', 'mermaid', 'dot', 'svg', 'json'])('graph prints %s', async (format) => {
  const { stdout, exit } = await desk().cadre(['graph', '--format', format]);
  expect(exit).toBe(0);
  expect(stdout).toContain('second');
});

test('a reader that stops reading is no crash', async () => {
  const folder = desk();
  const child = folder.start(['run', 'slow', 'go', '--json']);
  const running = ended(child);
  child.stdout?.once('data', () => child.stdout?.destroy());
  const { stderr } = await running;
  expect(stderr).not.toMatch(STACK);
  expect(stderr).not.toContain('EPIPE');
});

test('a run keeps to the store that was named, and the summary tells how to find it', async () => {
  const folder = desk();
  const { stderr } = await folder.cadre(['run', 'hello', 'hi', '--store', 'elsewhere']);
  expect(stderr).toMatch(/cadre show \S+ --store elsewhere\n$/);
  expect((await folder.cadre(['show'])).stderr).toContain('nothing has been run here yet');
  expect((await folder.cadre(['show'], { env: { CADRE_STORE: 'elsewhere' } })).exit).toBe(0);
});

const refuse = async (folder: Folder, args: readonly string[], said: RegExp): Promise<void> => {
  const { stdout, stderr, exit } = await folder.cadre(args);
  expect(exit === 1 || exit === 2, `exit ${exit}`).toBe(true);
  expect(stdout + stderr).toMatch(said);
  expect(stderr).not.toMatch(STACK);
  expect(stderr).not.toContain('defect');
};

test('bad input gets a clear error and never a stack trace', async () => {
  const folder = desk();
  await refuse(folder, ['run', 'missing.md', 'x'], /missing\.md does not exist/);
  await refuse(folder, ['check', 'nowhere'], /nowhere does not exist/);
  await refuse(folder, ['run', '__proto__', 'x'], /There is no agent "__proto__"/);
  await refuse(folder, ['help', 'constructor'], /There is no agent "constructor"/);
  await refuse(folder, ['run', '.', 'x'], /There is no agent|is a folder/);
  await refuse(folder, ['show', '../../etc/passwd'], /There is no run/);
  await refuse(folder, ['run', 'hello', 'x', '--schema', 'none.json'], /none\.json/);
  await refuse(folder, ['run', 'hello', 'x', '--store', 'hello.md'], /hello\.md is not a folder/);
});

test.each([
  ['broken YAML', { 'a.md': '---\ndescription: [oops\n---\nHi\n' }, /a\.md:\d+:\d+/],
  ['a binary file', { 'a.md': '---\ndescription: x\u0000\u0001\n---\nHi\n' }, /not text/],
  ['a file that is no agent', { 'a.md': '# Just a note\n' }, /not an agent file/],
  ['an agent named __proto__', { 'a.md': '---\nname: __proto__\ndescription: x\n---\nHi\n' }, /__proto__/],
] as const)('%s is refused with its place', async (_, files, said) => {
  await refuse(bare({ 'cadre.yaml': CONFIG, ...files }), ['run', 'a.md', 'x'], said);
});

test('a file of 50 MB is refused by its size', async () => {
  const folder = bare({ 'cadre.yaml': CONFIG });
  folder.write('huge.md', `---\ndescription: x\n---\n${'words '.repeat(8_800_000)}`);
  await refuse(folder, ['run', 'huge.md', 'x'], /huge\.md has \d+ bytes, and the limit is/);
});

test('a loop of links is no endless walk', async () => {
  const folder = desk();
  mkdirSync(join(folder.path, 'deep'));
  symlinkSync('..', join(folder.path, 'deep/up'));
  symlinkSync('ring.md', join(folder.path, 'ring.md'));
  await refuse(folder, ['run', 'ring.md', 'x'], /ring\.md/);
});

test('an unreadable folder is named', async () => {
  const folder = desk();
  mkdirSync(join(folder.path, 'secret'));
  chmodSync(join(folder.path, 'secret'), 0);
  chmodSync(folder.path, 0o755);
  const { stdout, exit } = await folder.cadre(['check'], { asNobody: true });
  expect(exit).toBe(1);
  expect(stdout).toMatch(/the folder secret cannot be read/);
});

test('--help before a command is the help of that command, and a far guess is not made', async () => {
  const here = folderWith({});
  const [before, after] = [await here.cadre(['--help', 'run']), await here.cadre(['run', '--help'])];
  expect(before).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^Usage: cadre run /) });
  expect(before.stdout).toBe(after.stdout);
  expect((await here.cadre(['--help'])).stdout).toMatch(/^Usage: cadre \[options\]/);
  expect(await here.cadre(['run', 'x', '--cron', 'y'])).toMatchObject({
    exit: 2,
    stderr: "error: unknown option '--cron'\nSee: cadre help\n",
  });
  expect((await here.cadre(['run', 'x', '--jsn'])).stderr).toContain('(Did you mean --json?)');
  here.remove();
});

test('with --dir an agent file is found from that folder or from here, and one with errors says what is wrong', async () => {
  const agent = '---\ndescription: d\n---\nYou review.\n';
  const here = folderWith({
    'team/cadre.yaml': 'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/any] }\n',
    'team/s.yaml': 'any: [{ answer: Reviewed., repeat: true }]\n',
    'team/agents/reviewer.md': agent,
    'team/agents/bad.md': agent.replace('---\n', '---\nfrobnicate: 1\n'),
  });
  for (const path of ['agents/reviewer.md', 'team/agents/reviewer.md', 'reviewer'])
    expect(await here.cadre(['run', path, 'Go.', '--dir', 'team'])).toMatchObject({ exit: 0, stdout: 'Reviewed.\n' });
  const { exit, stderr } = await here.cadre(['run', 'agents/bad.md', 'Go.', '--dir', 'team']);
  expect(exit).toBe(1);
  expect(stderr).toContain('All keys, each with what it does: cadre new example --full --print');
  expect((await here.cadre(['new', 'example', '--full', '--print'])).stdout).toContain('description:');
  here.remove();
});

test('cadre models ends with 1 where no model can be reached', async () => {
  const here = folderWith({
    'cadre.yaml':
      'providers: { demo: { kind: scripted, script: ./s.yaml }, far: { kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1" } }\n',
    's.yaml': 'any: [{ answer: Yes. }]\n',
    'a.md': '---\ndescription: d\nmodels: far/x\n---\nYou are a.\n',
  });
  expect((await here.cadre(['models'])).exit).toBe(1);
  here.write('b.md', '---\ndescription: d\nmodels: demo/x\n---\nYou are b.\n');
  expect((await here.cadre(['models'])).exit).toBe(0);
  here.remove();
});

test('a list under models of cadre.yaml is told where it belongs', async () => {
  const here = bare({ 'cadre.yaml': 'models: [demo/any]\n', 'a.md': '---\ndescription: d\n---\nYou are a.\n' });
  expect((await here.cadre(['check'])).stdout).toContain('stand under defaults: {models: […]}');
});
