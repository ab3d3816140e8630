// The checklist of docs/reference/subagent.md, executed: one named check for each line.

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { replay } from '../src/engine/history/replay.ts';
import type { Command } from '../src/run/own-command.ts';
import { services } from '../src/run/services.ts';
import { ledger } from '../src/views/costs/ledger.ts';
import { KEYS } from './subagent.conformance.ts';
import { untilGone } from './support/alive.ts';
import { builtWorker } from './support/built-worker.ts';
import { isHelperStart, type Story, type Told, tell, timeless } from './support/subagent.ts';

const here = dirname(fileURLToPath(import.meta.url));
const page = readFileSync(resolve(here, '../docs/reference/subagent.md'), 'utf8');
const lines = [...page.matchAll(/^- \[x\] `([a-z-]+)`: (.+)$/gm)].map(
  ([, name = '', says = '']) => [name, says] as const,
);

type Tell = (story: Story) => Promise<Told>;
type Check = (tell: Tell) => Promise<void>;

const onBoth =
  (check: Check): (() => Promise<void>) =>
  async () => {
    const worker = await builtWorker();
    await Promise.all([
      check((story) => tell(story, 'in-process')),
      check((story) => tell(story, 'subprocess', worker)),
    ]);
  };

const child = (mode: string, file = ''): Command => ({
  command: process.execPath,
  args: [join(here, 'fixtures/subagent/child.mjs'), mode, file],
});

const checks: Readonly<Record<string, () => Promise<void>>> = {
  'stable-shape': onBoth(async (tell) => {
    const stories: readonly Story[] = [
      {},
      { helper: [{ fault: 'refused-key' }] },
      { config: { maxIterations: 1 }, helper: [{ report: { summary: 1 } }] },
      { config: { enabled: false } },
      { input: {} },
    ];
    for (const { output } of await Promise.all(stories.map(tell))) {
      const { success, error, error_code: code } = output;
      expect(Object.keys(output)).toEqual(KEYS);
      if (success) expect([error, code]).toEqual([null, null]);
      else expect(String(error).startsWith(`${code}: `)).toBe(true);
    }
  }),
  'plain-text': onBoth(async (tell) => {
    expect((await tell({ helper: [{ answer: 'plain' }] })).output).toMatchObject({ success: true, summary: 'plain' });
  }),
  isolation: onBoth(async (tell) => {
    expect((await tell({ helper: [{ answer: '{{input}}' }] })).output.summary).toBe('## TASK\n\nCount the lamps.');
  }),
  'read-only': onBoth(async (tell) => {
    const { output } = await tell({ helper: [{ call: { nothing: {} } }, { answer: '{{last}}' }] });
    expect(output.summary).toContain('The tools you have: list_files, read_file, search_files, final_report.');
  }),
  'file-hints': onBoth(async (tell) => {
    const { output } = await tell({ input: { task: 'x', files: ['/etc/passwd'] }, helper: [{ answer: '{{input}}' }] });
    expect(output.summary).toContain('Not read: "/etc/passwd" is outside the workspace.');
  }),
  timeout: onBoth(async (tell) => {
    const { output } = await tell({ config: { timeoutSeconds: 1 }, helper: [{ fault: 'hang' }] });
    expect(output).toMatchObject({ success: false, timed_out: true, error_code: 'timeout' });
  }),
  kill: async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'cadre-eval-')), 'pids.json');
    await tell({ config: { timeoutSeconds: 2 } }, 'subprocess', child('stubborn', file));
    await untilGone(JSON.parse(readFileSync(file, 'utf8')) as readonly number[]);
  },
  validation: onBoth(async (tell) => {
    const helper = [{ report: { summary: '', artifacts: [{ kind: 'zip', value: 1 }] } }];
    const { output } = await tell({ config: { maxIterations: 1 }, helper });
    expect(output).toMatchObject({ error_code: 'validation' });
    for (const path of ['$.summary', '$.artifacts[0].kind', '$.artifacts[0].value']) {
      expect(output.error).toContain(path);
    }
  }),
  'invalid-json': async () => {
    const { output } = await tell({}, 'subprocess', child('not-json'));
    expect(output).toMatchObject({ error_code: 'validation', error: expect.stringContaining('$ is not JSON') });
  },
  unavailable: async () => {
    const { output } = await tell({}, 'subprocess', { command: '/nowhere/cadre', args: [] });
    expect(output).toMatchObject({ error_code: 'start_failed' });
  },
  'output-cap': onBoth(async (tell) => {
    const { output } = await tell({ config: { maxOutputBytes: 256 }, helper: [{ answer: '😀'.repeat(100) }] });
    expect(output.summary).toBe('😀'.repeat(64));
    expect(output.truncated).toEqual([{ field: 'summary', original_bytes: 400, kept_bytes: 256 }]);
  }),
  'input-cap': onBoth(async (tell) => {
    const { output, events } = await tell({ config: { maxInputBytes: 256 }, input: { task: 'x'.repeat(257) } });
    expect(output).toMatchObject({ error_code: 'input_too_large' });
    expect(events.some(isHelperStart)).toBe(false);
  }),
  depth: onBoth(async (tell) => {
    const { output } = await tell({ helper: [{ call: { subagent: { task: 'x' } } }, { answer: '{{last}}' }] });
    expect(JSON.parse(output.summary)).toMatchObject({ error_code: 'depth_exceeded' });
  }),
  iterations: onBoth(async (tell) => {
    const helper = [{ call: { list_files: {} }, repeat: true }];
    const { output } = await tell({ config: { maxIterations: 2 }, input: { task: 'x', max_iterations: 99 }, helper });
    expect(output).toMatchObject({ error_code: 'iterations_exhausted', error: expect.stringContaining('2 turns') });
  }),
  disabled: onBoth(async (tell) => {
    const { output } = await tell({ config: { enabled: false } });
    expect(output).toMatchObject({ error_code: 'not_enabled', error: expect.stringContaining('{enabled: true}') });
  }),
  'same-output': onBoth(async (tell) => {
    const story: Story = { helper: [{ report: { summary: 's', artifacts: [{ kind: 'json', value: '[1]' }] } }] };
    expect(timeless((await tell(story)).text)).toBe(timeless((await tell(story)).text));
  }),
  replay: onBoth(async (tell) => {
    const { events, cadre } = await tell({ helper: [{ call: { list_files: {} } }, { answer: 'done' }] });
    expect(await replay(events, cadre, services)).toMatchObject({ kind: 'identical', ended: true });
  }),
  ledger: onBoth(async (tell) => {
    const { events } = await tell({ helper: [{ call: { list_files: {} } }, { answer: 'done' }] });
    expect(
      ledger(events)
        .lines.map(({ agent, turn }) => `${agent} ${turn}`)
        .sort(),
    ).toEqual(['parent 1', 'parent 2', 'parent/subagent 1', 'parent/subagent 2']);
  }),
};

describe('the checklist of docs/reference/subagent.md', () => {
  test('has a check for every line, and a line for every check', () => {
    expect(lines.map(([name]) => name).sort()).toEqual(Object.keys(checks).sort());
  });
  test.each(lines)('%s: %s', (name) => checks[name]?.() ?? Promise.reject(new Error('no such check')));
});
