import { expect, test } from 'vitest';
import { approvalPrompt, type Preview, previewOf, questionKey, restWords } from './approval.ts';

const command: Preview = { kind: 'command', command: 'npm test', cwd: '/w', sandbox: 'none' };
const narrowed = { ...command, rest: { key: 'npm test', words: 'with exactly this command' } };
const reached = { ...command, rest: { key: 'host', words: 'to this host', once: true as const } };
const about = (preview?: Preview) => ({ id: 'a', name: 'shell', arguments: {}, ...(preview && { preview }) });

test('the question names the agent, the tool, and its source where it has one', () => {
  expect(approvalPrompt('desk', about())).toBe('desk wants to call shell');
  expect(approvalPrompt('desk', { ...about(), source: 'mcp: box' })).toBe('desk wants to call shell (mcp: box)');
});

test('a yes for the rest of the run covers the tool, or what its preview narrows it to', () => {
  expect(restWords(about())).toBe('further calls of shell by this agent');
  expect(restWords(about(command))).toBe('further calls of shell by this agent');
  expect(restWords(about(narrowed))).toBe('further calls of shell by this agent with exactly this command');
  expect(restWords(about(reached))).toBe('further calls by any agent of this run to this host');
  expect(restWords(undefined)).toBe('further calls of the tool by this agent');
});

test('one question is told from another by its prompt and its narrower action, or by what is reached alone', () => {
  const [desk, clerk] = ['desk wants to call shell', 'clerk wants to call shell'];
  expect(questionKey(desk, about())).toBe(questionKey(desk, about(command)));
  expect(questionKey(desk, about())).not.toBe(questionKey(clerk, about()));
  expect(questionKey(desk, about(narrowed))).not.toBe(questionKey(desk, about()));
  expect(questionKey(desk, about(reached))).toBe(questionKey(clerk, about(reached)));
  expect(questionKey(desk, about(reached))).not.toBe(questionKey(desk, about(narrowed)));
});

test('a preview is one of the kinds that a person can be shown', () => {
  expect(previewOf(about(command))).toBe(command);
  for (const wrong of [undefined, null, {}, { preview: null }, { preview: { kind: 'magic' } }])
    expect(previewOf(wrong)).toBeUndefined();
});
