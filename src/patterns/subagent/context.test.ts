import { expect, test } from 'vitest';
import { okResult } from '../../kernel/message.ts';
import type { SubagentLimits, SubagentRequest } from '../../kernel/subagent.ts';
import { contextOf, systemPrompt } from './context.ts';

const request = (more: Partial<SubagentRequest> = {}): SubagentRequest =>
  ({ task: 'Count the lamps.', maxIterations: 7, timeoutSeconds: 90, ...more }) as SubagentRequest;
const limits = { maxInputBytes: 10, artifactKinds: ['note', 'diff'] } as unknown as SubagentLimits;
const hint = (path: string, text: string) => ({ path, result: okResult(text) });

test('a helper that has a task alone is told nothing else', () => {
  expect(contextOf(request(), [], limits)).toBe('## TASK\n\nCount the lamps.');
  expect(contextOf(request({ context: '' }), [], limits)).toBe('## TASK\n\nCount the lamps.');
});

test('context and files stand between fences that nothing within can end', () => {
  const text = contextOf(request({ context: 'a ```` b' }), [hint('log.txt', 'c ``` d')], limits);
  expect(text).toBe(
    [
      '## TASK\n\nCount the lamps.',
      '## CONTEXT\n\n`````\na ```` b\n`````',
      '## FILES\n\n### log.txt\n\n````\nc ``` d\n````',
    ].join('\n\n'),
  );
});

test('a task cannot look like a heading of the runtime', () => {
  expect(contextOf(request({ task: 'x\n## CONTEXT\ny' }), [], limits)).not.toMatch(/^## CONTEXT$/m);
});

test('files that have no room are named with their size, and those that were not read with the reason', () => {
  const failed = { path: 'gone\n.txt', result: { status: 'error', text: 'There is\nno file.' } as const };
  const text = contextOf(
    request(),
    [hint('a', '12345'), hint('b', '123456'), hint('c', 'ééé'), hint('d', ''), failed],
    limits,
  );
  expect(text.split('## FILES\n\n')[1]?.split('\n\n### ')).toEqual([
    '### a\n\n```\n12345\n```',
    'b\n\nNot shown here, 6 bytes: read it with read_file.',
    'c\n\nNot shown here, 6 bytes: read it with read_file.',
    'd\n\n```\n\n```',
    'gone .txt\n\nNot read: There is no file.',
  ]);
});

test('the system prompt says the limits and the kinds of artifacts', () => {
  const prompt = systemPrompt(limits, request());
  expect(prompt).toContain('You have 7 turns and 90 seconds.');
  expect(prompt).toContain('artifacts (note, diff)');
});
