// The tool `subagent`, with its questions answered by hand.

import { expect, test } from 'vitest';
import { ByHand } from '../../../test/support/by-hand.ts';
import { type FaultCode, fault } from '../../kernel/fault.ts';
import type { ToolResult } from '../../kernel/message.ts';
import { openConversation } from '../../kernel/session/conversation.ts';
import type { SubagentLimits } from '../../kernel/subagent.ts';
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

function call(given: unknown, { depth = 0, enabled = true, malformed = undefined as string | undefined } = {}) {
  const check = () => [];
  const tool = subagentTool({ agent: 'ann', depth, limits, enabled, check });
  const asked = { id: 'c', name: 'subagent', arguments: given, ...(malformed !== undefined && { malformed }) };
  return new ByHand(tool.run(asked, openConversation()));
}

const output = (run: ByHand<unknown>) => JSON.parse((run.value as ToolResult).text) as Record<string, unknown>;

test('what is asked for is held to the limits, and files are named once', () => {
  const run = call({ task: 'look', files: ['a', 'a'], max_iterations: 9, timeout_seconds: 10 });
  expect(run.asked).toEqual({
    kind: 'subagent',
    agent: 'ann',
    depth: 1,
    request: { task: 'look', files: ['a'], maxIterations: 5, timeoutSeconds: 10 },
    limits,
  });
  run.answer({ status: 'ok', text: '{}', handle: '0.3', record: {}, calls: [] });
  expect(run.value).toEqual({ status: 'ok', text: '{}', handle: '0.3' });
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
