// A call that waits for a person's yes waits for it in a helper too: a model cannot have its `subagent`, or the file
// hints of one, read a file that it may not read unasked. The same in this process and in another.

import { afterEach, describe, expect, test } from 'vitest';
import { replay } from '../../src/engine/history/replay.ts';
import { readAll } from '../../src/engine/pinned.ts';
import { approvalPrompt, questionKey } from '../../src/kernel/approval.ts';
import type { Verdict } from '../../src/kernel/effect.ts';
import type { ToolCall } from '../../src/kernel/message.ts';
import type { Approver } from '../../src/run/approver.ts';
import { services } from '../../src/run/services.ts';
import { Verdicts } from '../../src/run/verdicts.ts';
import { builtWorker } from '../support/built-worker.ts';
import { brokenOff } from '../support/cadre.ts';
import { type Folder, folderWith } from '../support/cli.ts';
import { open, type Story, tell, writeStory } from '../support/subagent.ts';

const SECRET = 'the cellar is open';

/** A helper that is given a hint and reads the same file again, and then tells all that it knows. */
const reading: Story = {
  frontmatter: 'tools: [files]\napprove: [read_file]',
  input: { task: 'Read.', files: ['diary.txt'] },
  files: { 'diary.txt': SECRET, 'other.txt': '' },
  helper: [
    { when: { tool: 'list_files' }, report: { summary: '{{input}}|{{result.read_file}}|{{result.list_files}}' } },
    { when: { turn: 1 }, call: { read_file: { path: 'diary.txt' } } },
    { when: { turn: 2 }, call: { list_files: {} } },
  ],
};

/** Answers in turn, and notes what it was asked. */
function answering(...verdicts: readonly Verdict[]): { readonly approve: Approver; readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    approve: async (prompt, about) => {
      asked.push(`${prompt} ${JSON.stringify((about as ToolCall).arguments)}`);
      return verdicts[asked.length - 1] ?? { approved: false, note: 'Enough.' };
    },
  };
}
const QUESTION = 'parent/subagent wants to call read_file {"path":"diary.txt"}';

describe.each(['in-process', 'subprocess'] as const)('a helper: %s', (runner) => {
  const worker = () => (runner === 'subprocess' ? builtWorker() : Promise.resolve(undefined));

  test('it reads nothing if nobody can be asked, neither by a hint nor by a call', async () => {
    const { output, events, cadre } = await tell(reading, runner, await worker());
    expect(output.success).toBe(true);
    expect(JSON.stringify(events)).not.toContain(SECRET);
    const refused = 'The call of read_file was not approved: Nobody is there to approve it.';
    expect(output.summary.split(refused)).toHaveLength(3);
    expect(output.summary).toContain(`### diary.txt\n\nNot read: ${refused}`);
    expect(output.summary).toContain('other.txt'); // listing does not wait
    expect(await replay(events, cadre, services)).toMatchObject({ kind: 'identical', ended: true });
  });

  test('a person is asked for each, and a yes holds for what it was given to', async () => {
    const { approve, asked } = answering({ approved: true }, { approved: false, note: 'Once is enough.' });
    const { output, events, cadre } = await tell(reading, runner, await worker(), approve);
    expect(asked).toEqual([QUESTION, QUESTION]);
    expect(output.summary.split(SECRET)).toHaveLength(2);
    expect(output.summary).toContain('The call of read_file was not approved: Once is enough.');
    expect(await replay(events, cadre, services)).toMatchObject({ kind: 'identical', ended: true });
    expect(JSON.stringify(events)).toContain('Once is enough.');
  });

  test('a yes for the rest of the run is not asked for again, and holds for later helpers of the same agent', async () => {
    const { approve, asked } = answering({ approved: true, scope: 'run', by: 'ann' });
    const { output, events, cadre } = await tell(reading, runner, await worker(), approve);
    expect(asked).toEqual([QUESTION]);
    expect(output.summary.split(SECRET)).toHaveLength(3);
    expect(await replay(events, cadre, services)).toMatchObject({ kind: 'identical', ended: true });
    const verdicts = new Verdicts();
    for (const event of events) verdicts.add(event);
    const standing = (agent: string, name: string): unknown =>
      verdicts.standing(questionKey(approvalPrompt(agent, { id: '1', name, arguments: {} }), {}));
    expect(standing('parent/subagent', 'read_file')).toMatchObject({ approved: true, by: 'ann' });
    expect(standing('parent', 'read_file')).toBeUndefined();
    expect(standing('parent/subagent', 'list_files')).toBeUndefined();
  });

  test('`approve: [files]` holds for every tool of a helper, also where the agent itself has none', async () => {
    const { approve, asked } = answering({ approved: true }, { approved: true }, { approved: true });
    const story = { ...reading, frontmatter: 'approve: [files]' };
    const { output } = await tell(story, runner, await worker(), approve);
    expect(asked).toEqual([QUESTION, QUESTION, 'parent/subagent wants to call list_files {}']);
    expect(output.summary.split(SECRET)).toHaveLength(3);
  });

  test("a helper's helper asks as well", async () => {
    const { approve, asked } = answering();
    const { output } = await tell(
      {
        ...reading,
        config: { maxDepth: 2 },
        input: { task: 'outer' },
        helper: [
          { when: { tool: 'subagent' }, report: { summary: '{{result.subagent}}' } },
          { when: { input: 'inner' }, answer: '{{input}}' },
          { call: { subagent: { task: 'inner', files: ['diary.txt'] } } },
        ],
      },
      runner,
      await worker(),
      approve,
    );
    expect(asked).toEqual([QUESTION]);
    expect(output.summary).not.toContain(SECRET);
    expect(output.summary).toContain('Not read: The call of read_file was not approved: Enough.');
  });

  test('a question ends with the helper that asked it', async () => {
    let ended: Promise<unknown> | undefined;
    const approve: Approver = (_prompt, _about, signal) => {
      const over = new Promise<Verdict>((resolve) => {
        signal.addEventListener('abort', () => resolve({ approved: true, note: 'too late' }), { once: true });
      });
      ended = over;
      return over;
    };
    const story = { ...reading, config: { timeoutSeconds: 2 } };
    const { output, events } = await tell(story, runner, await worker(), approve);
    expect(output).toMatchObject({ success: false, timed_out: true, error_code: 'timeout' });
    expect(await ended).toMatchObject({ note: 'too late' });
    expect(JSON.stringify(events)).not.toContain(SECRET);
  });
});

test.each([
  ['in-process', 'sessions: 2', 'The budget of parent is reached: 2 sessions'],
  ['in-process', 'depth: 1', 'The budget of parent is reached: 1 depth'],
  ['subprocess', 'sessions: 2', 'The budget of parent is reached: 2 sessions'],
  ['subprocess', 'depth: 1', 'The budget of parent is reached: 1 depth'],
] as const)("a budget's sessions and depth hold for a helper's helpers: %s, %s", async (runner, budget, why) => {
  const { output } = await tell(
    {
      config: { maxDepth: 2 },
      frontmatter: `budget: { ${budget} }`,
      input: { task: 'outer' },
      helper: [
        { when: { tool: 'subagent' }, report: { summary: '{{result.subagent}}' } },
        { when: { input: 'inner' }, answer: 'two of us' },
        {
          calls: [{ subagent: { task: 'inner' } }, { subagent: { task: 'inner' } }],
        },
      ],
    },
    runner,
    runner === 'subprocess' ? await builtWorker() : undefined,
  );
  expect(output.success).toBe(true);
  expect(JSON.parse(output.summary)).toMatchObject({ success: false, error_code: 'over_budget' });
  expect(output.summary).toContain(why);
});

test('a yes that is recorded is not asked for again after a crash', async () => {
  const folder = writeStory(reading, 'in-process');
  const yes = { approved: true };
  const first = await open(folder, undefined, undefined, answering(yes, yes).approve);
  const handle = await first.start();
  await handle.outcome();
  const events = await readAll(handle.run, first.store);
  const verdicts = (list: typeof events): number =>
    list.filter((event) => event.type === 'op-end' && event.kind === 'approval').length;
  expect(verdicts(events)).toBe(2);
  for (let count = 1; count < events.length; count++) {
    const { approve, asked } = answering(yes, yes);
    const again = await open(folder, undefined, await brokenOff(events, count, handle.run), approve);
    expect((await (await again.resume(handle.run)).outcome()).kind).toBe('answered');
    expect(asked).toHaveLength(2 - verdicts(events.slice(0, count)));
    await again.close();
  }
  await first.close();
});

let folder: Folder | undefined;
afterEach(() => folder?.remove());

test.each(['in-process', 'subprocess'])('through the command line: %s', async (runner) => {
  folder = folderWith({
    'cadre.yaml':
      'providers: { demo: { kind: scripted, script: ./demo.script.yaml } }\ndefaults: { models: [demo/any] }\n',
    'demo.script.yaml': `agents:
  clerk:
    - call: { subagent: { task: Read., files: [diary.txt] } }
    - answer: "{{result.subagent}}"
  clerk/subagent: [{ answer: "{{input}}" }]
`,
    'clerk.md': `---\ntools: [files]\napprove: [files]\nsubagent: { runner: ${runner} }\n---\nYou read.\n`,
    'diary.txt': SECRET,
  });
  const denied = await folder.cadre(['run', 'clerk', 'go']);
  expect(denied.stdout).not.toContain(SECRET);
  expect(denied.stderr).toContain('denied: clerk/subagent wants to call read_file');
  const allowed = await folder.cadre(['run', 'clerk', 'go', '--approve', 'read_file']);
  expect(allowed.stdout).toContain(SECRET);
  expect((await folder.cadre(['replay', 'last'])).stdout).toContain('identical');
});
