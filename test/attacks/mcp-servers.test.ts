// MCP servers that lie, flood or say nothing, as programs on stdio, through the built command line: what such a server
// does is a fault of that source, and the run goes on to its answer.

import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { NOTHING_SECRET } from '../../src/kernel/redacted.ts';
import { mcpSource } from '../../src/tools/mcp/source.ts';
import { type Folder, folderWith } from '../support/cli.ts';

const SERVER = fileURLToPath(new URL('./fixtures/hostile-server.mjs', import.meta.url));
const folders: Folder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

const server = (name: string, manner: string, file = ''): string =>
  `  ${name}: { command: ${JSON.stringify(process.execPath)}, args: [${SERVER}, ${manner}${file === '' ? '' : `, ${file}`}] }\n`;

const agent = (frontmatter: string): string => `---\ndescription: d\n${frontmatter}\n---\nYou work.\n`;

function cadreWith(files: Readonly<Record<string, string>>, servers: string, script: object): Folder {
  const folder = folderWith({
    'cadre.yaml': `providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/m] }\nmcpServers:\n${servers}`,
    's.yaml': JSON.stringify(script),
    ...files,
  });
  folders.push(folder);
  return folder;
}

/** A lead whose child alone has the server, so that the run can go on without it. */
const withChild = (manner: string): Folder =>
  cadreWith({ 'lead.md': agent('agents: [child]'), 'child.md': agent('tools: [mcp:bad]') }, server('bad', manner), {
    agents: {
      lead: [{ call: { agent__child: { input: 'go', reason: 'r' } } }, { answer: '{{last}}' }],
      child: [{ call: { echo: {} } }, { answer: '{{last}}' }],
    },
  });

test.each([
  ['malformed', /cannot be used: /],
  ['no-list', /cannot be used: /],
  ['endless', /cannot be used: .*listMaxPages \(32\)/],
  ['many-tools', /cannot be used: it lists 1001 tools, and 1000 are the most/],
  ['large-pages', /cannot be used: it sent a list of tools of more than 32 MiB/],
  ['deep-list', /cannot be used: it sent a message that is nested more than 200 levels deep/],
  ['one-line', /cannot be used: it sent a message of more than 16 MiB/],
  ['lines', /cannot be used: it printed more than 10000 lines that are not messages/],
  ['twice', /cannot be used: it lists the tool "echo" twice/],
])('a server whose list of tools is %s is a fault of that source, and the run answers', async (manner, told) => {
  const folder = withChild(manner);
  const { stdout, exit } = await folder.cadre(['run', 'lead', 'go']);
  expect(stdout).toMatch(told);
  expect(stdout).toMatch(/The MCP server "bad"/);
  expect(exit).toBe(0);
  expect((await folder.cadre(['replay'])).stdout).toMatch(/^identical: /);
});

test('a server that never lists its tools is given up after its time', async () => {
  const source = mcpSource(
    {
      name: 'mute',
      kind: 'stdio',
      command: process.execPath,
      args: [SERVER, 'unanswered'],
      env: {},
      redactor: NOTHING_SECRET,
    },
    { restartPauseMs: 1, listTimeoutMs: 300 },
  );
  try {
    await expect(source.tools()).rejects.toMatchObject({
      fault: {
        code: 'tool/source',
        message: expect.stringContaining('did not list its tools within 300 ms') as string,
      },
    });
  } finally {
    await source.close();
  }
});

test.each([
  ['long-result', /was lost during the call: it sent a message of more than 16 MiB/],
  ['deep-result', /was lost during the call: it sent a message that is nested more than 200 levels deep/],
])('a %s of a tool is an error for the model, and the run answers', async (manner, told) => {
  const folder = withChild(manner);
  const { stdout, exit } = await folder.cadre(['run', 'lead', 'go']);
  expect(stdout).toMatch(told);
  expect(exit).toBe(0);
  expect((await folder.cadre(['replay'])).stdout).toMatch(/^identical: /);
});
