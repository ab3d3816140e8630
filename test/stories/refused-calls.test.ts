// Calls that were not made are seen everywhere: in the tree with their reason, in the summary, in JSON, in why the answer is
// what it is. In every place where an agent can work, and by each way in which a call can be refused.

import { afterEach, expect, test } from 'vitest';
import type { RunReport } from '../../src/views/report/run-report.ts';
import { type Folder, folderWith, main } from '../support/cli.ts';
import { closeTerminals, inTerminal, noTerminal } from '../support/terminal.ts';

let folder: Folder;
afterEach(() => {
  closeTerminals();
  folder.remove();
});

type Steps = readonly unknown[];

const CONFIG = 'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/x] }\n';

function cadre(files: Readonly<Record<string, string>>, script: Readonly<Record<string, Steps>>): Folder {
  folder = folderWith({
    'cadre.yaml': `${CONFIG}shell: { sandbox: off }\n`,
    's.yaml': JSON.stringify({ agents: script }),
    'a.txt': 'one\n',
    ...Object.fromEntries(
      Object.entries(files).map(([name, keys]) => [
        `${name}.md`,
        `---\ndescription: ${name}.\n${keys === '' ? '' : `${keys}\n`}---\nWork.\n`,
      ]),
    ),
  });
  return folder;
}

const report = async (): Promise<RunReport> =>
  JSON.parse((await folder.cadre(['show', 'last', '--json'])).stdout) as RunReport;
/** The refused calls: the agent, the tool, and the beginning of the reason. */
const refused = ({ refused: calls = [] }: RunReport): readonly string[] =>
  calls.map(({ agent, name, why }) => `${agent} ${name}: ${why.split('\n')[0]}`);

const NO_TOOL = { nosuch: {} };
const tries: Steps = [
  { when: { turn: 1 }, call: NO_TOOL },
  { answer: 'done', repeat: true },
];
const lead = (keys: string) => ({ lead: keys, doer: 'tools: [files]' });

const PLACES: Readonly<
  Record<string, { files: Readonly<Record<string, string>>; script: Readonly<Record<string, Steps>> }>
> = {
  alone: { files: { doer: '', lead: 'next: doer' }, script: { lead: [{ answer: 'go' }], doer: tries } },
  router: {
    files: lead('router: { destinations: [doer] }'),
    script: { lead: [{ call: { 'handoff-to': { agent: 'doer' } } }], doer: tries },
  },
  'an advisor': { files: lead('advisors: [doer]'), script: { lead: [{ answer: 'over' }], doer: tries } },
  'a sub-agent': {
    files: lead('agents: [doer]'),
    script: { lead: [{ call: { agent__doer: { input: 'x', reason: 'r' } } }, { answer: 'over' }], doer: tries },
  },
  'a sub-agent that is asked again': {
    files: { ...lead('agents: [doer]'), doer: 'chat: true' },
    script: {
      lead: [
        { call: { agent__doer: { input: 'x', reason: 'r' } } },
        { call: { agent__ask_clarification: { id: 'doer@0.2', question: 'and?' } } },
        { answer: 'over' },
      ],
      doer: [{ answer: 'first' }, { call: NO_TOOL }, { answer: 'second' }],
    },
  },
  'a member': {
    files: { ...lead('team: { members: [doer], supervisor: boss }'), boss: '' },
    script: {
      doer: [
        { when: { turn: 1 }, call: NO_TOOL },
        { call: { team_broadcast: { message: 'm' } }, repeat: true },
      ],
      boss: [{ answer: 'over', repeat: true }],
    },
  },
  'a spawned run': {
    files: lead('spawn: { agents: [doer] }'),
    script: {
      lead: [
        { call: { sessions_spawn: { task: 'x', agent: 'doer', label: 'one' } } },
        { call: { sessions_wait: { labels: ['one'] } } },
        { answer: 'over' },
      ],
      doer: tries,
    },
  },
};

test.each(Object.keys(PLACES))('a call of a tool that is not there is a row of its session: %s', async (place) => {
  const { files, script } = PLACES[place]!;
  const ran = await cadre(files, script).cadre(['run', 'lead', 'go']);
  expect([ran.exit, ran.stderr]).toEqual([0, expect.stringContaining('1 call refused')]);
  const shown = await report();
  expect(refused(shown)).toEqual([expect.stringMatching(/^doer nosuch: There is no tool named nosuch\./)]);
  expect(shown.calls).toEqual({ failed: 0, denied: 0, changesDenied: 0, refused: 1 });
  expect((await folder.cadre(['show', '--tree'])).stdout).toMatch(
    /nosuch +refused.*\n[ │]+There is no tool named nosuch/,
  );
  expect((await folder.cadre(['replay'])).stdout).toContain('identical');
});

test('a helper: a row of its session', async () => {
  cadre(
    { lead: 'subagent: true' },
    { lead: [{ call: { subagent: { task: 'look' } } }, { answer: 'over' }], 'lead/subagent': tries },
  );
  await folder.cadre(['run', 'lead', 'go']);
  expect(refused(await report())).toEqual([expect.stringMatching(/nosuch: There is no tool named nosuch/)]);
});

test('each way to be refused is a row with its reason, in the order of the calls', async () => {
  cadre(
    {
      lead: 'tools: [files, files:write]\nagents: [child]\nsubagent: { enabled: false }\nspawn: { maxTotal: 2 }\nmaxToolCallsPerTurn: 3',
      child: 'input: { format: json, schema: { type: object, properties: { n: { type: number } }, required: [n] } }',
    },
    {
      lead: [
        {
          calls: [
            { read_file: { path: 'a.txt' } },
            NO_TOOL,
            { read_file: { file: 'x' } },
            { read_file: { path: 'a.txt' } },
          ],
        },
        { calls: [{ agent__child: { n: 'x' } }, { agent__child: { n: 1, reason: 'r' } }, { subagent: { task: 'x' } }] },
        {
          calls: [
            { sessions_spawn: { task: ['a', 'b', 'c'], parallel: true } },
            { sessions_send: { label: 'nobody', message: 'hi' } },
            { agent__ask_clarification: { id: 'x', question: 'y' } },
          ],
        },
        { call: { edit_file: { path: 'a.txt', old_text: 'zzz', new_text: 'y' } } },
        { calls: [{ final_report: { content: 'one' } }, { final_report: { content: 'two' } }] },
        { calls: [{ read_file: { file: 'x' } }, { final_report: { content: 'done' } }] },
      ],
      child: [{ answer: 'child done' }],
    },
  );
  const ran = await folder.cadre(['run', 'lead', 'go']);
  expect([ran.stdout, ran.stderr]).toEqual(['done\n', expect.stringContaining('12 calls refused')]);
  expect(refused(await report())).toEqual([
    expect.stringMatching(/^lead nosuch: There is no tool/),
    'lead read_file: The arguments of read_file do not satisfy its schema:',
    'lead read_file: The reply made 4 calls, and maxToolCallsPerTurn allows 3.',
    'lead agent__child: The arguments of agent__child do not satisfy its schema:',
    expect.stringMatching(/^lead subagent: not_enabled: /),
    'lead sessions_spawn: The list has 3 tasks, and spawn.maxTotal allows 2 spawned runs in all.',
    'lead sessions_send: There is no run "nobody" in this family. None was spawned yet.',
    expect.stringMatching(/^lead agent__ask_clarification: There is no tool/),
    expect.stringMatching(/^lead edit_file: old_text does not occur in a\.txt/),
    expect.stringMatching(/^lead final_report: A reply may end your work only once/),
    expect.stringMatching(/^lead final_report: A reply may end your work only once/),
    'lead read_file: The arguments of read_file do not satisfy its schema:', // beside the answer, which no request follows
  ]);
  const why = (await folder.cadre(['show', '--why'])).stdout;
  expect(why).toContain('refused: nosuch  0.1.1');
  expect(why).toContain('sent back once:');
  expect((await folder.cadre(['show', '--why', '0.1.1'])).stdout).toContain('lead decides, turn 1  0.1');
  expect((await folder.cadre(['show'])).stdout).toMatch(/calls +12 calls refused/);
  expect((await folder.cadre(['replay'])).stdout).toContain('identical');
});

test('runs beyond the limits of spawning are refused with both numbers, also where some were spawned', async () => {
  cadre(
    { lead: 'spawn: { maxTotal: 3, maxChildren: 9, agents: [doer] }', doer: '' },
    {
      lead: [
        { call: { sessions_spawn: { task: ['a', 'b'], parallel: true, agent: 'doer' } } },
        { call: { sessions_spawn: { task: ['c', 'd'], parallel: true, agent: 'doer' } } },
        { call: { sessions_spawn: { task: 'e', agent: 'doer' } } },
        { call: { sessions_wait: {} } },
        { answer: 'over', repeat: true },
      ],
      doer: [{ answer: 'ok' }],
    },
  );
  await folder.cadre(['run', 'lead', 'go']);
  const shown = await report();
  expect(refused(shown)).toEqual([
    'lead sessions_spawn: 1 of 2 runs: There are 3 spawned runs in this run, and spawn.maxTotal allows 3.',
    'lead sessions_spawn: There are 3 spawned runs in this run, and spawn.maxTotal allows 3.',
  ]);
  expect((await folder.cadre(['show', '--tree'])).stdout).toMatch(/spawned e? *refused|spawned .* refused/);
});

test('on its last turn, where only exits are offered, the call that it makes is a row', async () => {
  cadre({ lead: 'tools: [files]\nmaxTurns: 2' }, { lead: [{ call: { list_files: {} }, repeat: true }] });
  const ran = await folder.cadre(['run', 'lead', 'go']);
  expect([ran.exit, ran.stderr]).toEqual([3, expect.stringContaining('1 call refused')]);
  expect(refused(await report())).toEqual([
    'lead list_files: There is no tool named list_files. The tools you have: final_report.',
  ]);
});

test('a repair turn: the answer that broke the contract is a refused call', async () => {
  const schema = '{ type: object, properties: { n: { type: number } }, required: [n] }';
  cadre(
    { lead: `output: { format: json, schema: ${schema} }` },
    { lead: [{ report: { n: 'x' } }, { report: { n: 1 } }] },
  );
  const ran = await folder.cadre(['run', 'lead', 'go']);
  expect([ran.stdout, ran.stderr]).toEqual(['{"n":1}\n', expect.stringContaining('1 call refused')]);
  expect(refused(await report())[0]).toMatch(/^lead final_report: This answer does not satisfy the contract/);
});

test('a run whose every call failed does not look green', async () => {
  cadre(
    { lead: 'tools: [files]' },
    {
      lead: [{ call: { read_file: { path: 'gone' } } }, { call: { read_file: { path: 'away' } } }, { answer: 'well' }],
    },
  );
  const ran = await folder.cadre(['run', 'lead', 'go']);
  expect([ran.stdout, ran.exit]).toEqual(['well\n', 0]);
  expect(ran.stderr).toContain('2 calls failed');
  const tree = (await folder.cadre(['show', '--tree'])).stdout;
  expect(tree).toMatch(/read_file +failed.*\n[ │]+There is no "gone" in the workspace/);
  expect(tree).toMatch(/read_file +failed.*\n[ │]+There is no "away" in the workspace/);
});

const EDIT = { edit_file: { path: 'a.txt', old_text: 'one', new_text: 'two' } };

test('an answered run whose change was denied says so on its closing line and in JSON, and the answer stays alone', async () => {
  cadre({ lead: 'tools: [files, files:write]' }, { lead: [{ call: EDIT }, { answer: 'I tried.' }] });
  const ran = await folder.cadre(['run', 'lead', 'go']);
  expect([ran.stdout, ran.exit]).toEqual(['I tried.\n', 0]);
  expect(ran.stderr).toMatch(/answered {2}1 change denied/);
  expect((await report()).calls).toMatchObject({ denied: 1, changesDenied: 1 });
  expect((await folder.cadre(['show', '--why'])).stdout).toMatch(
    /^● lead answers .*\n│ I tried\.\n│ +denied: edit_file a\.txt +0\.3\n│ +Nobody is there to approve it\./,
  );
  const lines = (await folder.cadre(['run', 'lead', 'go', '--json'])).stdout.trim().split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
    type: 'run-end',
    outcome: { kind: 'answered' },
    calls: { denied: 1, changesDenied: 1, refused: 0 },
  });
});

test('a call that a rule denies is in why the run answered, with the rule', async () => {
  cadre(
    { lead: 'tools: [files, files:write]\ntrust: [files:write]\ndeny: ["edit_file(path=a.*)"]' },
    { lead: [{ call: EDIT }, { answer: 'I tried.' }] },
  );
  await folder.cadre(['run', 'lead', 'go']);
  expect((await folder.cadre(['show', '--why'])).stdout).toMatch(
    /told by edit_file a\.txt .*\n│ +tool\/denied: The rule "edit_file\(path=a\.\*\)" under deny/,
  );
});

test('the live tree counts what was refused, in its session and in the whole run', async (context) => {
  const missing = noTerminal();
  cadre({ lead: '' }, { lead: [{ call: NO_TOOL }, { answer: 'over', delay: '1500ms' } as never] });
  if (missing !== undefined) context.skip(missing);
  const terminal = inTerminal(`${process.execPath} ${main()} run lead go`, folder.path);
  await terminal.shown('thinks, 1 refused');
  const { screen } = await terminal.ended();
  expect(screen).toContain('1 call refused');
});
