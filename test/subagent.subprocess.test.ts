import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readAll } from '../src/engine/pinned.ts';
import type { RunEvent } from '../src/journal/event.ts';
import type { Command } from '../src/run/own-command.ts';
import { ledger } from '../src/views/costs/ledger.ts';
import { KEYS, subagentConformance } from './subagent.conformance.ts';
import { untilGone } from './support/alive.ts';
import { builtWorker } from './support/built-worker.ts';
import { brokenOff } from './support/cadre.ts';
import { open, type Story, tell, timeless, writeStory } from './support/subagent.ts';

const fixture = join(dirname(fileURLToPath(import.meta.url)), 'fixtures/subagent/child.mjs');

const child = (mode: string, file = ''): Command => ({ command: process.execPath, args: [fixture, mode, file] });

const played = (mode: string, story: Story = {}, file?: string) => tell(story, 'subprocess', child(mode, file));

describe('subagent in a process of its own', () => {
  subagentConformance({ runner: 'subprocess', worker: builtWorker });

  test('a child that ignores SIGTERM is killed at the deadline with all that it started', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'cadre-stubborn-')), 'pids.json');
    const { output, events } = await played('stubborn', { config: { timeoutSeconds: 1 } }, file);
    expect(Object.keys(output)).toEqual(KEYS);
    expect(output).toMatchObject({ success: false, timed_out: true, error_code: 'timeout' });
    const pids = JSON.parse(readFileSync(file, 'utf8')) as readonly number[];
    expect(pids).toHaveLength(2);
    await untilGone(pids);
    expect(ledger(events).lines.find(({ agent }) => agent === 'parent/subagent')).toMatchObject({
      status: 'failed',
      fault: 'timeout',
    });
  });

  test('a child that has answered and does not go is ended', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'cadre-lingering-')), 'pids.json');
    const { output } = await played('lingering', {}, file);
    expect(output.success).toBe(true);
    await untilGone(JSON.parse(readFileSync(file, 'utf8')) as readonly number[]);
  });

  test.each([
    ['not-json', 'validation', '$ is not JSON'],
    ['wrong-version', 'validation', '$.v must be 4'],
    ['wrong-shape', 'validation', '$.event.message.text'],
    ['wrong-call', 'validation', '$.event.message.calls[0].name'],
    ['wrong-fault', 'validation', '$.event.fault.code'],
    ['negative-cost', 'validation', '$.event.usd'],
    ['unasked-for', 'validation', '$.id is no call that was made'],
    ['writing-events', 'validation', '$.type must be "event"'],
    ['silent', 'failed', 'I have nothing to say.'],
    ['crashing', 'failed', 'exit code 3'],
  ])('a child that is %s gives a structured %s', async (mode, code, says) => {
    const { output, outcome } = await played(mode);
    expect(outcome.kind).toBe('answered');
    expect(Object.keys(output)).toEqual(KEYS);
    expect(output).toMatchObject({ success: false, timed_out: false, error_code: code });
    expect(output.error).toContain(says);
  });

  test('a line of a child after the end of a reply is not heard', async () => {
    const { output, events } = await played('talkative');
    expect(output).toMatchObject({ success: true, summary: 'done' });
    expect(ledger(events).lines.filter(({ agent }) => agent === 'parent/subagent')).toHaveLength(1);
  });

  test('a child over the output cap is cut, with the sizes; one that never stops is ended', async () => {
    const { output } = await played('over-cap');
    expect(output).toMatchObject({
      success: true,
      truncated: [{ field: 'summary', original_bytes: 300_000, kept_bytes: 65_536 }],
    });
    const flood = await played('flooding', { input: { task: 'x', max_iterations: 1 } });
    expect(flood.output).toMatchObject({ error_code: 'output_too_large' });
  });

  test('a runner that is not there is a structured start failure', async () => {
    const { output } = await tell({}, 'subprocess', { command: '/nowhere/node', args: [] });
    expect(Object.keys(output)).toEqual(KEYS);
    expect(output).toMatchObject({ success: false, timed_out: false, error_code: 'start_failed' });
  });

  test('the same mocked child gives the same output twice', async () => {
    expect(timeless((await played('honest')).text)).toBe(timeless((await played('honest')).text));
  });

  test('a child sees the variables that its models name, and no other secret', async () => {
    process.env['CADRE_TEST_SECRET'] = 'not for children';
    process.env['CADRE_TEST_KEY'] = 'for this child';
    try {
      const { output } = await played('environment', {
        settings: [
          'providers:',
          '  demo: {kind: scripted, script: ./demo.script.yaml}',
          '  local: {kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1", apiKey: "${CADRE_TEST_KEY}"}',
          '  other: {kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1", apiKey: "${CADRE_TEST_SECRET}"}',
          'models: {second: {use: local/small}, third: {use: other/small}}',
        ].join('\n'),
        models: '[demo/any, second]',
      });
      const seen = JSON.parse(output.summary) as Record<string, string>;
      expect(Object.keys(seen)).toContain('CADRE_TEST_KEY');
      expect(Object.keys(seen)).not.toContain('CADRE_TEST_SECRET');
      expect(output.summary).not.toContain('for this child');
    } finally {
      delete process.env['CADRE_TEST_SECRET'];
      delete process.env['CADRE_TEST_KEY'];
    }
  });

  test("the start envelope has a version and the call's correlation id", async () => {
    const { output, run } = await played('started');
    const envelope = JSON.parse(output.summary) as Record<string, unknown>;
    expect(envelope).toMatchObject({ v: 4, type: 'start' });
    expect(String(envelope['correlation_id']).startsWith(`${run}/0.`)).toBe(true);
  });

  test('broken off at every event, it resumes to the same output, and starts a process only for a call that is left', async () => {
    const folder = writeStory({ input: { task: 'Count.', files: ['a.txt'] }, files: { 'a.txt': 'one' } }, 'subprocess');
    const first = await open(folder, child('honest'));
    const handle = await first.start();
    await handle.outcome();
    const events = await readAll(handle.run, first.store);
    const asked = events.find(
      (one) =>
        one.type === 'op-start' && 'agent' in one.op && one.op.agent === 'parent/subagent' && one.op.kind === 'model',
    );
    const isReply = (event: RunEvent): boolean =>
      event.type === 'op-end' && asked !== undefined && 'path' in asked && event.path === asked.path;
    expect(events.filter(isReply)).toHaveLength(1);
    for (let count = 1; count < events.length; count++) {
      const replied = events.slice(0, count).some(isReply);
      const store = await brokenOff(events, count, handle.run);
      const again = await open(folder, replied ? child('crashing') : child('honest'), store);
      expect(await (await again.resume(handle.run)).outcome()).toMatchObject({
        text: expect.stringContaining('"done"'),
      });
      await again.close();
    }
    await first.close();
  });

  test('both runners leave the same record', async () => {
    const story: Story = {
      input: { task: 'Count.', files: ['a.txt'] },
      files: { 'a.txt': 'one' },
      helper: [{ call: { list_files: {} } }, { report: { summary: 'One.' } }],
    };
    const shape = async (runner: 'in-process' | 'subprocess') => {
      const { events } = await tell(story, runner, await builtWorker());
      return events.map((event) => [event.type, 'path' in event && event.path, 'kind' in event && event.kind]);
    };
    expect(await shape('subprocess')).toEqual(await shape('in-process'));
  });

  test('a cancelled parent takes the process along', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'cadre-cancelled-')), 'pids.json');
    const opened = await open(writeStory({}, 'subprocess'), child('stubborn', file));
    const handle = await opened.start();
    const pids = (): readonly number[] => {
      try {
        return JSON.parse(readFileSync(file, 'utf8')) as readonly number[];
      } catch {
        return [];
      }
    };
    while (pids().length < 2) await new Promise((soon) => setImmediate(soon));
    handle.interrupt('cancel', 'Enough.');
    expect((await handle.outcome()).kind).toBe('cancelled');
    await untilGone(pids());
    await opened.close();
  });
});
