// One suite for every runner of the `subagent` tool: the same stories, the same outputs.

import { expect, test } from 'vitest';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import type { RunEvent } from '../src/journal/event.ts';
import { digest } from '../src/journal/fingerprint.ts';
import type { AnsweredOutcome } from '../src/kernel/outcome.ts';
import type { SubagentOutput } from '../src/patterns/subagent/output.ts';
import type { Command } from '../src/run/own-command.ts';
import { services } from '../src/run/services.ts';
import { ledger } from '../src/views/costs/ledger.ts';
import { opTree } from '../src/views/tree/op-tree.ts';
import { brokenOff } from './support/cadre.ts';
import {
  isHelperStart,
  open,
  type Story,
  type Told,
  tell as tellOn,
  timeless,
  writeStory,
} from './support/subagent.ts';

export const KEYS = ['success', 'summary', 'artifacts', 'error', 'error_code', 'timed_out', 'duration_ms', 'truncated'];

export interface Conformance {
  readonly runner: 'in-process' | 'subprocess';
  worker(): Promise<Command | undefined>;
}

export function subagentConformance({ runner, worker }: Conformance): void {
  const tell = async (story: Story): Promise<Told> => tellOn(story, runner, await worker());

  test('a report comes back whole, with the same keys in the same order', async () => {
    const artifacts = [
      { kind: 'note', value: 'Lamp 3 flickers.' },
      { kind: 'path', value: 'lamps/3.md' },
      { kind: 'diff', value: '-off\n+on' },
      { kind: 'json', value: '{"lamps":3}' },
    ];
    const { output, outcome } = await tell({ helper: [{ report: { summary: 'Three lamps.', artifacts } }] });
    expect(outcome.kind).toBe('answered');
    expect(Object.keys(output)).toEqual(KEYS);
    expect(output).toMatchObject({ success: true, summary: 'Three lamps.', artifacts, error: null, timed_out: false });
    expect(output.truncated).toEqual([]);
    expect(Number.isInteger(output.duration_ms) && output.duration_ms >= 0).toBe(true);
  });

  test('plain text counts as the summary', async () => {
    const { output } = await tell({ helper: [{ answer: 'Three lamps.' }] });
    expect(output).toMatchObject({ success: true, summary: 'Three lamps.', artifacts: [] });
  });

  test('the helper knows its task, its context and its files, and nothing of its parent', async () => {
    const { output, events } = await tell({
      input: { task: 'Count them.', context: 'In the cellar.', files: ['lamps.txt'] },
      files: { 'lamps.txt': 'one\n```\ntwo' },
      helper: [{ answer: '{{input}}' }],
    });
    expect(output.summary).toContain('## TASK\n\nCount them.');
    expect(output.summary).toContain('## CONTEXT\n\n```\nIn the cellar.\n```');
    expect(output.summary).toContain('### lamps.txt\n\n````\nlamps.txt, lines 1 to 3 of 3.\n\none\n```\ntwo\n````');
    expect(output.summary).not.toMatch(/xyzzy|Go\./);
    const asked = events.flatMap((event) => (event.type === 'op-start' && event.op.kind === 'model' ? event.op : []));
    for (const { agent, system } of asked) if (agent !== 'parent') expect(system).not.toContain('xyzzy');
  });

  test('file hints that are missing, outside or secret are told of and are not fatal', async () => {
    const { output } = await tell({
      input: { task: 'Read.', files: ['gone.txt', '../../etc/passwd', '.env', 'here.txt'] },
      files: { 'here.txt': 'present', '.env': 'KEY=hunter2hunter2' },
      helper: [{ answer: '{{input}}' }],
    });
    expect(output.success).toBe(true);
    expect(output.summary).toContain('### gone.txt\n\nNot read: There is no "gone.txt" in the workspace.');
    expect(output.summary).toContain('Not read: "../../etc/passwd" is outside the workspace.');
    expect(output.summary).toContain('Not read: ".env" is not read');
    expect(output.summary).toContain('present');
    expect(output.summary).not.toContain('hunter2');
  });

  test('the helper reads the workspace with its own tools, and has no others', async () => {
    const { output } = await tell({
      files: { 'lamps.txt': 'three lamps' },
      helper: [
        { call: { read_file: { path: 'lamps.txt' } } },
        { when: { tool: 'write_file' }, report: { summary: '{{result.read_file}}|{{result.write_file}}' } },
        { call: { write_file: { path: 'x' } } },
      ],
    });
    expect(output.summary).toContain('three lamps');
    expect(output.summary).toContain(
      'There is no tool named write_file. The tools you have: list_files, read_file, search_files, final_report.',
    );
  });

  test("a helper does not see Cadre's own files, whichever runner it has", async () => {
    const { output } = await tell({
      files: { 'notes.txt': 'three lamps' },
      helper: [{ call: { list_files: {} } }, { report: { summary: '{{result.list_files}}' } }],
    });
    expect(output.summary).toContain('notes.txt');
    expect(output.summary).not.toMatch(/cadre\.yaml|script\.yaml/);
  });

  test('malformed output is a validation error that names each violation', async () => {
    const bad = { summary: 7, artifacts: [{ kind: 'zip', value: 'x' }], more: true };
    const { output } = await tell({ input: { task: 'x', max_iterations: 2 }, helper: [{ report: bad, repeat: true }] });
    expect(Object.keys(output)).toEqual(KEYS);
    expect(output).toMatchObject({ success: false, timed_out: false, error_code: 'validation' });
    for (const path of ['$.summary', '$.artifacts[0].kind', '$.more']) expect(output.error).toContain(path);
  });

  test('a malformed report may be mended in the turns that are left', async () => {
    const { output } = await tell({
      helper: [
        { report: { summary: '' } },
        { report: { summary: 'mended', artifacts: [{ kind: 'json', value: '{}' }] } },
      ],
    });
    expect(output).toMatchObject({ success: true, summary: 'mended' });
  });

  test.each([
    ['json that is none', { kind: 'json', value: '{' }, 'is not JSON'],
    ['a path out of the workspace', { kind: 'path', value: '../x' }, 'stays inside'],
    ['a kind that the file does not allow', { kind: 'diff', value: '+' }, '$.artifacts[0].kind'],
  ])('an artifact is refused: %s', async (_, artifact, says) => {
    const { output } = await tell({
      config: { artifactKinds: ['json', 'path'], maxIterations: 1 },
      helper: [{ report: { summary: 's', artifacts: [artifact] } }],
    });
    expect(output).toMatchObject({ error_code: 'validation', error: expect.stringContaining(says) });
  });

  test('a helper that does not finish in time is ended, and what it wrote comes along', async () => {
    const { output, events } = await tell({
      config: { timeoutSeconds: 3 },
      helper: [{ say: 'Half way.', call: { list_files: {} } }, { fault: 'hang' }],
    });
    expect(Object.keys(output)).toEqual(KEYS);
    expect(output).toMatchObject({ success: false, summary: 'Half way.', timed_out: true, error_code: 'timeout' });
    expect(output.duration_ms).toBeGreaterThanOrEqual(2900);
    expect(ledger(events).lines.filter(({ agent }) => agent === 'parent/subagent')).toHaveLength(2);
  });

  test('a summary over the cap is cut between characters, and the cut is told', async () => {
    const artifacts = [
      { kind: 'note', value: 'ä'.repeat(200) },
      { kind: 'path', value: 'a/b' },
    ];
    const report = { summary: '€'.repeat(100), artifacts };
    const { output } = await tell({ config: { maxOutputBytes: 256 }, helper: [{ report }] });
    expect(output.success).toBe(true);
    expect(output.summary).toBe('€'.repeat(42));
    expect(output.artifacts).toEqual([
      { kind: 'note', value: 'ä'.repeat(65) },
      { kind: 'path', value: '' },
    ]);
    expect(output.truncated).toEqual([
      { field: 'summary', original_bytes: 300, kept_bytes: 126 },
      { field: 'artifacts[0].value', original_bytes: 400, kept_bytes: 130 },
      { field: 'artifacts[1].value', original_bytes: 3, kept_bytes: 0 },
    ]);
  });

  test('turns spent without a report are an error that is not success', async () => {
    const { output } = await tell({
      input: { task: 'x', max_iterations: 3 },
      helper: [{ say: 'thinking', call: { list_files: {} }, repeat: true }],
    });
    expect(output).toMatchObject({ success: false, summary: 'thinking', error_code: 'iterations_exhausted' });
  });

  test('the request of a call is held to the guardrails', async () => {
    const { output } = await tell({
      config: { maxIterations: 2 },
      input: { task: 'x', max_iterations: 50, timeout_seconds: 3000 },
      helper: [{ call: { list_files: {} }, repeat: true }],
    });
    expect(output.error).toContain('2 turns');
  });

  test('a helper may not delegate further, and is told so in the same form', async () => {
    const { output } = await tell({
      helper: [{ call: { subagent: { task: 'deeper' } } }, { report: { summary: '{{result.subagent}}' } }],
    });
    const inner = JSON.parse(output.summary) as Record<string, unknown>;
    expect(Object.keys(inner)).toEqual(KEYS);
    expect(inner).toMatchObject({ success: false, error_code: 'depth_exceeded' });
  });

  test('with maxDepth 2 a helper has a helper, and that one has none', async () => {
    const { output, events } = await tell({
      config: { maxDepth: 2 },
      helper: [
        { when: { input: 'level three' }, answer: 'unreachable' },
        {
          when: { input: 'level two', tool: 'subagent' },
          report: { summary: '{{result.subagent}}' },
        },
        { when: { input: 'level two' }, call: { subagent: { task: 'level three' } } },
        { when: { tool: 'subagent' }, report: { summary: '{{result.subagent}}' } },
        { call: { subagent: { task: 'level two' } } },
      ],
    });
    const second = JSON.parse(output.summary) as { readonly summary: string };
    expect(JSON.parse(second.summary)).toMatchObject({ error_code: 'depth_exceeded' });
    const { lines, totals } = ledger(events);
    const sessions = [...new Set(lines.flatMap(({ agent, session }) => (agent === 'parent' ? [] : [session])))];
    const [own = '', below = ''] = sessions.toSorted((left, right) => left.length - right.length);
    expect([sessions.length, below.startsWith(`${own}.`)]).toEqual([2, true]);
    expect(opTree(events).inclusive.calls).toBe(totals.calls);
  });

  test('a model that fails is a structured failure', async () => {
    const { output } = await tell({ helper: [{ fault: 'refused-key' }] });
    expect(output).toMatchObject({ success: false, error_code: 'failed' });
    expect(output.error).toContain('model/refused-key');
  });

  test('disabled, it answers every call that it is not enabled, and how to enable it', async () => {
    const { output } = await tell({ config: { enabled: false }, input: 'anything' });
    expect(Object.keys(output)).toEqual(KEYS);
    expect(output).toMatchObject({ success: false, duration_ms: 0, error_code: 'not_enabled' });
    expect(output.error).toContain('subagent is not enabled in this phase');
    expect(output.error).toContain('subagent: {enabled: true}');
  });

  test.each([
    ['no task', {}, '"task"'],
    ['a blank task', { task: ' \n' }, '$.task'],
    ['an unknown key', { task: 'x', depth: 3 }, '$.depth'],
    ['no turns', { task: 'x', max_iterations: 0 }, '$.max_iterations'],
    ['half a second', { task: 'x', timeout_seconds: 0.5 }, '$.timeout_seconds'],
    ['files that are none', { task: 'x', files: 'a' }, '$.files'],
  ])('bad input is a structured error: %s', async (_, input, path) => {
    const { output } = await tell({ input });
    expect(Object.keys(output)).toEqual(KEYS);
    expect(output).toMatchObject({ error_code: 'invalid_input', error: expect.stringContaining(path) });
  });

  test('input over its cap is refused with the sizes', async () => {
    const { output } = await tell({ config: { maxInputBytes: 256 }, input: { task: 'ä'.repeat(129) } });
    expect(output).toMatchObject({ error_code: 'input_too_large', error: expect.stringContaining('258 bytes') });
  });

  test('the same child twice gives the same output, but for the time it took', async () => {
    const story: Story = { helper: [{ report: { summary: 's', artifacts: [{ kind: 'note', value: 'n' }] } }] };
    expect(timeless((await tell(story)).text)).toBe(timeless((await tell(story)).text));
  });

  test('each call is recorded with its input, its digest, its times and its output, and replays identically', async () => {
    const task = '  Count\n the   lamps.  ';
    const { events, cadre, run, text } = await tell({ input: { task, files: ['a.txt'] }, files: { 'a.txt': 'a' } });
    const start = events.find(isHelperStart);
    if (start === undefined) throw new Error('no run of a helper was recorded');
    expect(start.op).toEqual({
      kind: 'run',
      agent: 'parent/subagent',
      input: { text: task, data: { files: ['a.txt'], maxIterations: 8, timeoutSeconds: 120 } },
      trigger: {
        kind: 'subagent',
        depth: 1,
        correlation_id: `${run}/${start.path}`,
        task_sha256: digest(task),
        preview: 'Count the lamps.',
      },
    });
    const end = events.find((event) => event.type === 'op-end' && event.path === start.path);
    const { success, summary, timed_out, ...rest } = JSON.parse(text) as SubagentOutput;
    expect([success, timed_out]).toEqual([true, false]);
    expect(end).toMatchObject({
      kind: 'run',
      result: { ok: true, value: { kind: 'answered', agent: 'parent/subagent', text: summary } },
    });
    expect((end as { result: { value: AnsweredOutcome } }).result.value.record).toEqual({
      status: 'success',
      started_at: expect.any(Number),
      ...rest,
    });
    expect(await replay(events, cadre, services)).toMatchObject({ kind: 'identical', ended: true });
  });

  test('each model call of the helper is in the ledger once, with what it cost', async () => {
    const { events } = await tell({
      helper: [
        { fault: 'rate-limit' },
        { call: { list_files: {} }, usage: { input: 10, output: 5, usd: 0.25 } },
        { answer: 'done', usage: { input: 20, output: 5, usd: 0.5 } },
      ],
    });
    const { lines, agents } = ledger(events);
    const own = lines.filter(({ agent }) => agent === 'parent/subagent');
    expect(own.map(({ turn, status, usd }) => [turn, status, usd])).toEqual([
      [1, 'failed', undefined],
      [1, 'ok', 0.25],
      [2, 'ok', 0.5],
    ]);
    expect(lines.filter(({ agent }) => agent === 'parent')).toHaveLength(2);
    expect(agents.find(({ agent }) => agent === 'parent')?.inclusive).toMatchObject({ calls: 5 });
  });

  test('a deadline counts what was worked since the first start, by the record, also after a restart', async () => {
    const folder = writeStory({ helper: [{ fault: 'hang' }] }, runner);
    const first = await open(folder, await worker());
    const handle = await first.start();
    const begun = new Promise<void>((resolve) => {
      handle.watch({
        event: (event) => {
          if (isHelperStart(event)) resolve();
        },
      });
    });
    await begun;
    handle.interrupt('cancel', 'The process dies here.');
    await handle.outcome();
    const events = await readAll(handle.run, first.store);
    await first.close();
    const started = events.findIndex(isHelperStart);
    const before = events.slice(0, started + 1);
    const last = events[started]?.at ?? 0;
    const worked: RunEvent[] = [
      ...before.map((event) => ({ ...event, at: event.at - 121_000 })),
      { type: 'fact', seq: before.length, at: last, key: 'worked', value: true },
    ];
    const again = await open(folder, await worker(), await brokenOff(worked, worked.length, handle.run));
    const outcome = await (await again.resume(handle.run)).outcome();
    await again.close();
    expect(outcome).toMatchObject({ kind: 'answered', text: expect.stringContaining('"timed_out":true') });
  });

  test('a budget of the parent holds for the helper', async () => {
    const { events } = await tell({
      frontmatter: 'budget: {tokens: 8000}\nmaxOutputTokens: 200\nstuck: off',
      helper: [{ call: { list_files: {} }, usage: { input: 900, output: 200 }, repeat: true }],
      parent: [
        { call: { subagent: { task: 'x' } }, usage: { input: 10, output: 10 } },
        { answer: '{"summary": "{{result.subagent.error_code}}"}', usage: { input: 10, output: 10 } },
      ],
    });
    const end = events.find((event) => event.type === 'op-end' && event.kind === 'run');
    expect(JSON.stringify(end)).toContain('over_budget');
    const { totals, lines } = ledger(events);
    expect(lines.filter(({ agent, status }) => agent === 'parent/subagent' && status === 'ok').length).toBeGreaterThan(
      0,
    );
    expect(totals.input + totals.output).toBeLessThanOrEqual(8000);
  });

  test('a helper is told when the budget that it works under is nearly spent', async () => {
    const { output } = await tell({
      frontmatter: 'budget: {tokens: 8000}\nmaxOutputTokens: 200\nstuck: off',
      helper: [
        { when: { last: 'is nearly spent' }, answer: 'I was told to finish.', usage: { input: 10, output: 10 } },
        { call: { list_files: {} }, usage: { input: 900, output: 200 }, repeat: true },
      ],
    });
    expect(output).toMatchObject({ success: true, summary: 'I was told to finish.' });
  });
}
