// JSON that is nested so deep that whoever walks down into it runs out of stack.

import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith } from '../support/cli.ts';
import { type ChatServer, chatServer, type Reply } from './chat-server.ts';

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

async function withModel(
  frontmatter: string,
  replies: readonly Reply[],
): Promise<{ readonly folder: Folder; readonly chat: ChatServer }> {
  const chat = await chatServer(replies);
  const folder = folderWith({
    'cadre.yaml': `providers:\n  far: { kind: openai-compatible, baseUrl: "http://127.0.0.1:${chat.port}/v1", apiKey: some-key-of-ours }\ndefaults: { models: [far/m], maxRetries: 2, maxTurns: 3 }\n`,
    'keeper.md': `---\n${frontmatter}\n---\nYou keep.\n`,
  });
  opened.push(chat, { close: () => folder.remove() });
  return { folder, chat };
}

test.each([3000, 200_000])('arguments nested %i deep are a malformed reply, which is tried again', async (depth) => {
  const { folder } = await withModel('tools: [files]', [
    { call: 'list_files', input: `{"path": ${nested(depth)}}` },
    { text: 'Fine after all.' },
  ]);
  const { stdout, stderr, exit } = await folder.cadre(['run', 'keeper', '--json', 'go']);
  expect(exit, stderr).toBe(0);
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; fault?: { code: string } });
  expect(events.find(({ type }) => type === 'attempt')?.fault?.code).toBe('model/malformed');
});

test.each([3000, 200_000])('an answer nested %i deep is refused, and the agent is asked for another', async (depth) => {
  const { folder } = await withModel('output: { format: json }', [{ text: nested(depth) }, { text: '{"fine": true}' }]);
  const { stdout, stderr, exit } = await folder.cadre(['run', 'keeper', 'go']);
  expect(exit, stderr).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ fine: true });
});

test.each([3000, 200_000])('an input nested %i deep is not taken, and says why', async (depth) => {
  const { folder, chat } = await withModel('input: { format: json }', [{ text: 'never asked' }]);
  const { stderr, exit } = await folder.cadre(['run', 'keeper', '-'], { input: nested(depth) });
  expect(stderr).toContain('is nested more than 100 levels deep');
  expect(stderr).not.toContain('defect');
  expect(exit).toBe(1);
  expect(chat.asked).toEqual([]);
});
