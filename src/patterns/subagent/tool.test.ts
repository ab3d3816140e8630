// The tool `subagent`, with its questions answered by hand.

import { expect, test } from 'vitest';
import { ByHand } from '../../../test/support/by-hand.ts';
import { type FaultCode, fault } from '../../kernel/fault.ts';
import type { ToolResult } from '../../kernel/message.ts';
import { openConversation } from '../../kernel/session/conversation.ts';
import type { SubagentLimits, SubagentRecord } from '../../kernel/subagent.ts';
import { subagentTool } from './tool.ts';

const limits: SubagentLimits = {
  maxDepth: 1,
  maxIterations: 5,
  timeoutSeconds: 60,
  maxInputBytes: 40,
  maxOutputBytes: 1000,
  artifactKinds: ['note'],
  runner: 'in-process',
};

function call(
  given: unknown,
  { depth = 0, enabled = true, malformed = undefined as string | undefined, runner = limits.runner } = {},
) {
  const check = () => [];
  const tool = subagentTool({ agent: 'ann', depth, limits: { ...limits, runner }, enabled, check });
  const asked = { id: 'c', name: 'subagent', arguments: given, ...(malformed !== undefined && { malformed }) };
  return new ByHand(tool.run(asked, openConversation()));
}

const recordWith = (status: SubagentRecord['status']): SubagentRecord => ({
  status,
  started_at: 1,
  duration_ms: 4,
  artifacts: [],
  error: status === 'success' ? null : 'failed: why',
  error_code: status === 'success' ? null : 'failed',
  truncated: [],
});

const output = (run: ByHand<unknown>) => JSON.parse((run.value as ToolResult).text) as Record<string, unknown>;

test('the request is held to the limits, and files are named once', () => {
  const run = call({ task: 'look', files: ['a', 'a'], max_iterations: 9, timeout_seconds: 10 });
  expect(run.asked).toEqual({
    kind: 'run',
    agent: 'ann/subagent',
    input: { text: 'look', data: { files: ['a'], maxIterations: 5, timeoutSeconds: 10 } },
    trigger: { kind: 'subagent', depth: 1 },
    limits: { ms: 10_000, turns: 5 },
  });
  run.answer({ kind: 'answered', agent: 'ann/subagent', text: 'Seen.', handle: '0.3', record: recordWith('success') });
  expect(run.value).toMatchObject({ status: 'ok', handle: '0.3' });
  expect(output(run)).toMatchObject({ success: true, summary: 'Seen.', duration_ms: 4, artifacts: [] });
});

test('a helper that ended without a report is an error with what it wrote', () => {
  const why = fault('turns/exhausted', 'no turns');
  const run = call({ task: 'look' });
  run.answer({ kind: 'exhausted', fault: why, partial: 'Half.', record: recordWith('error') });
  expect(run.value).toMatchObject({ status: 'error' });
  expect(output(run)).toMatchObject({ success: false, summary: 'Half.', error: 'failed: why' });
});

test('a process of its own is asked for where the file says so', () => {
  expect(call({ task: 'look' }, { runner: 'subprocess' }).asked).toMatchObject({ kind: 'run', isolate: 'process' });
});

test('a refused call starts no helper, and has the same keys as every output', () => {
  const refused = [
    call({ task: 'look' }, { enabled: false }),
    call({ task: 'look' }, { depth: 1 }),
    call({ task: ' ' }),
    call({ task: 'x'.repeat(30), context: 'x'.repeat(30) }),
    call(undefined, { malformed: '{' }),
  ].map(output);
  expect(refused.map(({ error_code }) => error_code)).toEqual([
    'not_enabled',
    'depth_exceeded',
    'invalid_input',
    'input_too_large',
    'invalid_input',
  ]);
  for (const one of refused) {
    expect(Object.keys(one)).toEqual([
      'success',
      'summary',
      'artifacts',
      'error',
      'error_code',
      'timed_out',
      'duration_ms',
      'truncated',
    ]);
  }
});

const unbegun: readonly (readonly [FaultCode, string])[] = [
  ['timeout', 'timeout'],
  ['budget/exceeded', 'over_budget'],
  ['cancelled', 'cancelled'],
  ['limit/depth', 'depth_exceeded'],
  ['model/server', 'start_failed'],
];

test.each(unbegun)('a helper that %s kept from starting is the error %s', (code, told) => {
  const run = call({ task: 'look' }).fail(fault(code, 'no'));
  expect(run.value).toMatchObject({ status: 'error' });
  expect(output(run)).toMatchObject({ success: false, error_code: told, timed_out: code === 'timeout' });
});
