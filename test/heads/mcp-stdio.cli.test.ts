// cadre mcp as an editor starts it: the built command, the official client, nothing but the protocol on stdout.

import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ended, type Folder, folderWith, main, until } from '../support/cli.ts';
import { AGENTS } from '../support/served.ts';

let folder: Folder;
beforeAll(() => {
  folder = folderWith({
    ...AGENTS,
    'cadre.yaml': `${AGENTS['cadre.yaml']}\nfunctions: ./tools.mjs`,
    'tools.mjs': [
      "console.log('loaded');",
      'export const erase = {',
      "  name: 'erase',",
      "  description: 'Erases a thing.',",
      "  parameters: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },",
      '  run({ what }) {',
      "    process.stdout.write('erasing now\\n');",
      '    return `erased ${what}`;',
      '  },',
      '};',
    ].join('\n'),
    'eraser.md': '---\ndescription: Erases.\ntools: [erase]\napprove: [erase]\n---\nYou erase.',
    'demo.script.yaml': `${AGENTS['demo.script.yaml']}\n  eraser:\n    - call: { erase: { what: draft } }\n    - answer: "{{last}}"`,
  });
});
afterAll(() => folder.remove());

const ERAS: readonly (readonly [string, ClientOptions])[] = [
  ['2025', {}],
  ['2026', { versionNegotiation: { mode: 'auto' } }],
];

/** The client takes a result before the progress that came in one piece with it, and then knows no call of that progress. */
const LATE = 'progress notification for an unknown token: ';

/** `late`: told the progress of calls that had ended. */
async function connect(options: ClientOptions, late?: (message: string) => void): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, options);
  client.onerror = (error) => {
    const [, notification] = error.message.split(LATE);
    if (late === undefined || notification === undefined) throw error; // a line on stdout that is not the protocol
    late((JSON.parse(notification) as { params: { message: string } }).params.message);
  };
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder.path };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main(), 'mcp', folder.path],
    env,
    cwd: '/',
    stderr: 'ignore',
  });
  await client.connect(transport);
  return client;
}

const textOf = (result: { readonly content?: unknown }): string =>
  (result.content as readonly { readonly text: string }[])[0]?.text ?? '';

test.each(ERAS)('%s: agents are called, tell their progress, and ask the person at the client', async (_, options) => {
  const told: string[] = [];
  const client = await connect({ ...options, capabilities: { elicitation: { form: {} } } }, (message) =>
    told.push(message),
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { approve: true } }));
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('agent__echo');
  const looked = await client.callTool(
    { name: 'agent__looker', arguments: { input: 'Look.' } },
    { onprogress: ({ message }) => void told.push(message ?? '') },
  );
  expect(textOf(looked)).toBe('I looked.');
  await expect.poll(() => told).toContain('looker: calls list_files');
  const erased = await client.callTool({ name: 'agent__eraser', arguments: { input: 'Erase.' } });
  expect(textOf(erased)).toContain('erased draft');
  await client.close();
});

test('an agent that is written while it runs is offered from then on', async () => {
  const client = await connect({});
  folder.write('late.md', '---\ndescription: Came late.\n---\nYou are late.');
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  let seen = await names();
  while (!seen.includes('agent__late')) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    seen = await names();
  }
  await client.close();
});

test('when the client leaves, its run ends as cancelled, and the process ends', async () => {
  const child = folder.start(['mcp', '.']);
  const done = ended(child);
  const say = (message: object): void => void child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 't', version: '1' };
  say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  say({ method: 'notifications/initialized' });
  say({ id: 2, method: 'tools/call', params: { name: 'agent__slow', arguments: { input: 'Go.' } } });
  const slow = async () =>
    JSON.parse((await folder.cadre(['runs', '--json', '--agent', 'slow'])).stdout) as { state: string }[];
  let runs = await slow();
  while (runs.length === 0) runs = await slow();
  child.stdin?.end();
  const { exit, stdout } = await done;
  expect(exit).toBe(0);
  for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  expect(await slow()).toMatchObject([{ state: 'ended', outcome: 'cancelled' }]);
});

test('a folder with errors says so on stderr, and offers what it can', async () => {
  const bad = folderWith({ ...AGENTS, 'wrong.md': '---\nnonsense: true\n---\nYou are wrong.' });
  const child = bad.start(['mcp', '.']);
  let stderr = '';
  child.stderr?.on('data', (text: Buffer) => (stderr += text.toString()));
  await until(() => stderr.includes('cadre check'));
  child.stdin?.end();
  await new Promise((resolve) => child.once('close', resolve));
  expect(stderr).toContain('echo');
  bad.remove();
});

test('a folder that is not there, and one without agents, end with the reason', async () => {
  const empty = folderWith({ 'notes.txt': 'no agents' });
  for (const place of ['nowhere', '.']) {
    const { exit, stdout, stderr } = await empty.cadre(['mcp', place]);
    expect([exit, stdout]).toEqual([1, '']);
    expect(stderr).toContain('error: ');
  }
  empty.remove();
});
