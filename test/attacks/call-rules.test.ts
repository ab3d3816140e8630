// Rules for calls against a model that spells what it may not do in other ways, through the built command line: paths, links,
// hosts behind redirects, commands, arguments, helpers and a person's yes.

import { symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith } from '../support/cli.ts';
import { mcpProgram } from '../support/everything.ts';

let folder: Folder;
let servers: Server[] = [];
afterEach(() => {
  folder.remove();
  for (const server of servers) server.close();
  servers = [];
});

const CONFIG = `providers: { demo: { kind: scripted, script: ./demo.script.yaml } }
defaults: { models: [demo/any] }
workspace: work
functions: ./tools.mjs
shell: { sandbox: off }
web: { allowPrivate: true }
`;
const TOOLS = `
export const send = {
  name: 'send',
  description: 'Sends.',
  parameters: { type: 'object', properties: { to: {}, text: { type: 'string' } } },
  run: async (input) => 'sent ' + JSON.stringify(input),
};
`;

interface Call {
  readonly [tool: string]: unknown;
}

/** An agent that makes these calls, one a turn, in a workspace with a folder of secrets. */
function acting(frontmatter: string, calls: readonly Call[], config = ''): Folder {
  folder = folderWith({
    'cadre.yaml': CONFIG + config,
    'tools.mjs': TOOLS,
    'demo.script.yaml': JSON.stringify({
      agents: { actor: [...calls.map((call) => ({ call })), { answer: 'done' }] },
    }),
    'actor.md': `---\n${frontmatter}\nmaxTurns: 30\n---\nYou act.\n`,
    'work/secrets/key.txt': 'the cellar',
    'work/src/main.txt': 'main',
  });
  return folder;
}

interface ToolEnd {
  readonly name: string;
  readonly code?: string;
  readonly text: string;
  readonly rule?: unknown;
}

/** The ends of the calls in the journal of the run. */
function ends(): readonly ToolEnd[] {
  const events = folder.journal() as readonly {
    readonly type: string;
    readonly path: string;
    readonly op?: { readonly kind: string; readonly call: { readonly name: string } };
    readonly result?: {
      readonly ok: boolean;
      readonly fault?: { readonly code: string; readonly message: string };
      readonly value?: { readonly text: string; readonly rule?: unknown };
    };
  }[];
  const calls = events.filter(({ type, op }) => type === 'op-start' && op?.kind === 'tool');
  return calls.map(({ path, op }) => {
    const { result } = events.find((event) => event.type === 'op-end' && event.path === path) ?? {};
    return {
      name: op?.call.name ?? '',
      ...(result?.fault !== undefined && { code: result.fault.code }),
      text: result?.fault?.message ?? result?.value?.text ?? '',
      ...(result?.value?.rule !== undefined && { rule: result.value.rule }),
    };
  });
}
const codes = (): readonly (string | undefined)[] => ends().map(({ code }) => code);
const asked = (): number =>
  folder.journal().filter(({ type, op }) => type === 'op-start' && (op as { kind: string }).kind === 'approval').length;

const DENIED = 'tool/denied';

test('a denied path is denied however it is spelled, and its neighbours are not', async () => {
  acting(
    'tools: [files, "files:write"]\ntrust: [files:write]\ndeny: ["files(path=secrets/**)", "files:write(path=secrets/**)"]',
    [
      { read_file: { path: 'secrets/key.txt' } },
      { read_file: { path: './src/../secrets//key.txt' } },
      { read_file: { path: 'link/key.txt' } },
      { read_file: { path: 'file-link' } },
      { list_files: { path: 'secrets' } },
      { search_files: { query: 'cellar', path: 'link' } },
      { write_file: { path: 'link/new/deep.txt', content: 'x' } },
      { move_file: { path: 'src/main.txt', to: 'link/main.txt' } },
      { move_file: { path: 'src/main.txt', to: 'secrets/main.txt' } },
      { delete_file: { path: 'secrets/key.txt' } },
      { read_file: { path: '../cadre.yaml' } },
      { read_file: { path: 'src/main.txt' } },
      { list_files: {} },
      { search_files: { query: 'cellar' } },
    ],
  );
  symlinkSync('secrets', join(folder.path, 'work/link'));
  symlinkSync('secrets/key.txt', join(folder.path, 'work/file-link'));
  await folder.cadre(['run', 'actor', 'go']);
  expect(codes()).toEqual([...Array(11).fill(DENIED), undefined, undefined, undefined]);
  const text = JSON.stringify(ends().slice(0, 11));
  expect(text).not.toContain('the cellar');
  expect(text).toContain('The rule \\"files(path=secrets/**)\\" under deny forbids this call of read_file.');
  expect(ends().at(-1)?.text).toContain('the cellar'); // a rule is about calls, not about what a search finds
  expect(folder.has('work/secrets/new')).toBe(false);
  expect(folder.has('work/src/main.txt')).toBe(true);
  expect(asked()).toBe(0);
});

test('a trusted folder trusts neither a link out of it nor a move with one end elsewhere', async () => {
  acting('tools: ["files:write"]\ntrust: ["files:write(path=src/**)"]', [
    { write_file: { path: 'src/new.txt', content: 'x' } },
    { write_file: { path: 'src/out/new.txt', content: 'x' } },
    { move_file: { path: 'src/main.txt', to: 'main.txt' } },
    { move_file: { path: 'secrets/key.txt', to: 'src/key.txt' } },
    { move_file: { path: 'src/main.txt', to: 'src/other.txt' } },
  ]);
  symlinkSync('../secrets', join(folder.path, 'work/src/out'));
  await folder.cadre(['run', 'actor', 'go']);
  expect(ends().map(({ name, rule }) => [name, rule])).toEqual([
    ['write_file', { verdict: 'trusted', entry: 'files:write(path=src/**)' }],
    ['move_file', { verdict: 'trusted', entry: 'files:write(path=src/**)' }],
  ]);
  expect(asked()).toBe(3);
  expect(folder.has('work/secrets/new.txt')).toBe(false);
  expect(folder.has('work/src/other.txt')).toBe(true);
});

test('a denied host is denied in other letters, with another port and behind a redirect', async () => {
  const evil = await serving((_url) => ({ status: 200, text: 'the cellar' }));
  const good = await serving(() => ({ status: 302, to: `http://127.0.0.1:${evil}/x` }));
  acting('tools: [web]\ntrust: [web]\ndeny: ["web(127.0.0.1)"]', [
    { fetch_page: { url: `http://127.0.0.1:${evil}/` } },
    { fetch_page: { url: `http://0x7f.1:${evil}/` } },
    { fetch_page: { url: `http://2130706433:${evil}/` } },
    { fetch_page: { url: `http://[::ffff:127.0.0.1]:${evil}/` } },
    { fetch_page: { url: `HTTP://127.0.0.1.:${evil}/` } },
    { fetch_page: { url: `http://localhost:${good}/` } },
    { fetch_page: { url: `http://localhost:${evil}/` } },
  ]);
  await folder.cadre(['run', 'actor', 'go']);
  expect(codes()).toEqual([...Array(6).fill(DENIED), undefined]);
  expect(ends().at(-1)?.text).toContain('the cellar');
  expect(JSON.stringify(ends().slice(0, 6))).not.toContain('the cellar');
});

test('a denied command is denied in quotes, in another command and behind env; a plain other one runs', async () => {
  const deny = 'tools: [shell]\ntrust: [shell]\ndeny: ["shell(touch *)"]';
  const commands = [
    `'touch' a`,
    'true; touch a',
    'true && touch a',
    'env touch a',
    'true\ntouch a',
    '$(echo touch) a',
    '/usr/bin/touch a',
  ];
  acting(
    deny,
    [...commands, 'echo fine'].map((one) => ({ run_command: { command: one } })),
  );
  await folder.cadre(['run', 'actor', 'go']);
  expect(codes()).toEqual([...commands.map(() => DENIED), undefined]);
  expect(ends()[1]?.text).toContain('it is not one plain command');
  expect(folder.has('work/a')).toBe(false);
});

test('an argument is compared as one plain value, and what it does not catch goes by the weaker rules', async () => {
  acting('tools: [send]\napprove: [send]\ntrust: ["send(to=*@good.com)"]\ndeny: ["send(to=*@evil.com)"]', [
    { send: { to: 'a@evil.com' } },
    { send: { to: ['a@good.com'] } },
    { send: { text: 'to nobody' } },
    { send: { to: 'a\u200b@evil.com\u200b' } },
    { send: { to: ' a@evil.com\n' } },
    { send: { to: 'a@good.com' } },
    { send: { to: 'a@other.com, b@good.com' } },
    { send: { to: 'a@other.com' } },
  ]);
  const { stdout } = await folder.cadre(['run', 'actor', 'go', '--json']);
  expect(codes()).toEqual([DENIED, DENIED, DENIED, DENIED, DENIED, undefined]);
  expect(ends().at(-1)).toMatchObject({ text: 'sent {"to":"a@good.com"}', rule: { entry: 'send(to=*@good.com)' } });
  expect(asked()).toBe(2);
  expect(stdout).toContain('"outcome":{"kind":"answered"');
});

test('no yes lifts a deny: not --approve, and not one for the rest of the run', async () => {
  acting('tools: ["files:write"]\ndeny: ["files:write(path=secrets/**)"]', [
    { write_file: { path: 'a.txt', content: 'x' } },
    { write_file: { path: 'secrets/key.txt', content: 'x', overwrite: true } },
  ]);
  await folder.cadre(['run', 'actor', 'go', '--approve']);
  expect(codes()).toEqual([undefined, DENIED]);
  expect(asked()).toBe(1);
  expect(folder.read('work/secrets/key.txt')).toBe('the cellar');
});

test('limits, defaults and the file add up, and a tool that is denied whole is not offered', async () => {
  acting(
    'tools: [files, "files:write", shell, send]\napprove: [send]\ndeny: [move_file]',
    [{ run_command: { command: 'true' } }, { send: { to: 'a' } }],
    'limits: { deny: [shell] }\n',
  );
  folder.write('cadre.yaml', folder.read('cadre.yaml').replace('defaults: {', 'defaults: { deny: [delete_file], '));
  await folder.cadre(['run', 'actor', 'go']);
  expect(ends()).toEqual([]); // run_command is no tool of it, and nobody is there to approve send
  const fact = folder.journal().find(({ type }) => type === 'fact') as { value: { tools: { name: string }[] } };
  const names = fact.value.tools.map(({ name }) => name);
  expect(names).toEqual(['list_files', 'read_file', 'search_files', 'write_file', 'edit_file', 'send', 'read_result']);
  const { stdout } = await folder.cadre(['tools', 'actor', '--json', '--connect']);
  const [{ tools }] = (
    JSON.parse(stdout) as { agents: [{ tools: { name: string; approval: string; rules?: unknown }[] }] }
  ).agents;
  const of = (name: string) => tools.find((tool) => tool.name === name);
  expect(of('run_command')).toMatchObject({ approval: 'denied', rules: { deny: ['shell'] } });
  expect(of('delete_file')).toMatchObject({ approval: 'denied', rules: { deny: ['delete_file'] } });
  expect(of('send')).toMatchObject({ approval: 'approve', rules: { approve: ['send'] } });
});

test('a helper has the rules of its agent, for its calls and for the files that it is given', async () => {
  acting(
    'tools: [files]\nsubagent: true\ndeny: ["read_file(path=secrets/**)"]\napprove: ["list_files(path=src/**)"]',
    [],
  );
  folder.write(
    'demo.script.yaml',
    JSON.stringify({
      agents: {
        actor: [
          { call: { subagent: { task: 'Read.', files: ['secrets/key.txt', 'src/main.txt'] } } },
          { answer: 'done' },
        ],
        'actor/subagent': [
          { call: { read_file: { path: 'src/../secrets/key.txt' } } },
          { call: { list_files: { path: 'src' } } },
          { call: { list_files: { path: 'secrets' } } },
          { report: { summary: 'told' } },
        ],
      },
    }),
  );
  await folder.cadre(['run', 'actor', 'go']);
  expect(ends().map(({ name, code }) => [name, code])).toEqual([
    ['read_file', DENIED],
    ['read_file', undefined],
    ['read_file', DENIED],
    ['list_files', undefined],
  ]);
  expect(asked()).toBe(1);
  expect(JSON.stringify(ends())).not.toContain('the cellar');
});

test('rules are pinned: a run that is resumed goes by those that it began with, and it replays', async () => {
  acting('tools: [send]\napprove: ["send(to=wait)"]\ndeny: ["send(to=evil)"]', [
    { send: { to: 'wait' } },
    { send: { to: 'evil' } },
  ]);
  await folder.cadre(['run', 'actor', 'go', '--detach']);
  const waiting = async (): Promise<boolean> => (await folder.cadre(['approvals', '--json'])).stdout.includes('send');
  for (let looks = 0; !(await waiting()); looks++) expect(looks).toBeLessThan(50);
  folder.write('actor.md', '---\ntools: [send]\n---\nYou act.\n');
  await folder.cadre(['approve', 'last']);
  await folder.cadre(['show', 'last', '--follow']);
  expect(codes()).toEqual([undefined, DENIED]);
  expect(ends()[0]?.rule).toEqual({ verdict: 'asks', entry: 'send(to=wait)' });
  expect((await folder.cadre(['replay', 'last', '--pinned'])).stdout).toContain('identical');
});

test('a rule for what a server does not have fails the run before its first model call, and a server denied whole is not started', async () => {
  const server = `mcpServers: { every: { command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(mcpProgram('everything'))}] }, gone: { command: ./not-there } }\n`;
  acting('tools: ["mcp:every/echo"]\ndeny: ["mcp:every/echo(massage=*)"]', [], server);
  expect((await folder.cadre(['run', 'actor', 'go'])).stderr).toContain(
    'deny: "mcp:every/echo(massage=*)": mcp:every/echo has no argument "massage". It has: message',
  );
  folder.remove();
  acting('tools: ["mcp:every"]\ndeny: ["mcp:every/ecko"]', [], server);
  expect((await folder.cadre(['run', 'actor', 'go'])).stderr).toContain('deny: There is no tool "mcp:every/ecko"');
  const deep = await folder.cadre(['check', '--deep']);
  expect(deep.stdout + deep.stderr).toContain('names "mcp:every/ecko", and the server has no such tool');
  folder.remove();
  acting(
    'tools: ["mcp:every", "mcp:gone"]\ndeny: ["mcp:gone/*", "mcp:every/get-sum", "mcp:every(message=*evil*)"]',
    [{ echo: { message: 'so evil' } }, { echo: { message: 'good' } }],
    server,
  );
  await folder.cadre(['run', 'actor', 'go']);
  expect(codes()).toEqual([DENIED, undefined]);
  expect(folder.journal().find(({ type }) => type === 'fact')).not.toMatchObject({
    value: { tools: expect.arrayContaining([{ name: 'get-sum' }]) },
  });
});

async function serving(
  answer: (url: string) => { readonly status: number; readonly text?: string; readonly to?: string },
): Promise<number> {
  const server = createServer((request, response) => {
    const { status, text = '', to } = answer(request.url ?? '');
    response.writeHead(status, { 'content-type': 'text/plain', ...(to !== undefined && { location: to }) });
    response.end(text);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return (server.address() as AddressInfo).port;
}
