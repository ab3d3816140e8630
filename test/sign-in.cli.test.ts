// Sign-ins as users meet them: the built command line, a real MCP server with a real authorization server, and a stand-in for
// the browser that goes where it is led.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { ended, type Folder, folderWith, main, type Ran, until } from './support/cli.ts';
import { startCollector } from './support/collector.ts';
import { type SignInServer, signInServer } from './support/sign-in-server.mjs';

const BROWSER = fileURLToPath(new URL('./support/browser.mjs', import.meta.url));
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Desk {
  readonly folder: Folder;
  readonly server: SignInServer;
  cadre(...args: readonly string[]): Promise<Ran>;
  signIn(): Promise<Ran>;
  /** Starts a run in the background, and returns its id. */
  detached(input: string): Promise<string>;
  /** Waits until so many runs wait for a person, and returns what `cadre approvals` lists. */
  waiting(count: number): Promise<readonly { readonly run: string; readonly path: string; readonly about: object }[]>;
}

const READS = [{ call: { read_notes: { about: '{{input}}' } } }, { answer: '{{last}}' }];
const WRITES = [{ call: { write_note: { text: 'once' } } }, { answer: '{{last}}' }];

async function deskWith(
  options: Parameters<typeof signInServer>[0] = {},
  script: readonly object[] = READS,
  more = '',
): Promise<Desk> {
  const server = await signInServer(options);
  closing.push(() => server.close());
  const folder = folderWith({
    'cadre.yaml': `providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/m] }\n${more}\nmcpServers:\n  notes: { url: "${server.url}", auth: oauth }\n`,
    's.yaml': JSON.stringify({ agents: { clerk: script } }),
    'clerk.md': '---\ndescription: d\ntools: [mcp:notes]\n---\nYou work.\n',
  });
  closing.push(() => folder.remove());
  const cadre = (...args: readonly string[]): Promise<Ran> => folder.cadre(args, { env: { BROWSER } });
  return {
    folder,
    server,
    cadre,
    signIn: () => cadre('sign-in', 'notes'),
    async detached(input) {
      return (await cadre('run', 'clerk', input, '--detach')).stdout.trim();
    },
    async waiting(count) {
      return vi.waitUntil(
        async () => {
          const found = JSON.parse((await cadre('approvals', '--json')).stdout) as Awaited<ReturnType<Desk['waiting']>>;
          return found.length >= count && found;
        },
        { timeout: 30_000, interval: 50 },
      );
    },
  };
}

/** Every file of the store but the sign-ins themselves. */
function storedText(folder: Folder, below = '.cadre'): string {
  return readdirSync(join(folder.path, below), { withFileTypes: true })
    .map((entry) => {
      const path = join(below, entry.name);
      if (entry.name === 'sign-ins') return '';
      if (entry.isDirectory()) return storedText(folder, path);
      return statSync(join(folder.path, path)).isFile() ? folder.read(path) : '';
    })
    .join('\n');
}

/** The secrets of the sign-in, as the store has them. */
function keptSecrets(folder: Folder): readonly string[] {
  const files = readdirSync(join(folder.path, '.cadre/sign-ins')).filter((name) => name.startsWith('all'));
  const bodies = files.map((name) => folder.read(`.cadre/sign-ins/${name}`).split('\n').slice(1).join('\n'));
  return bodies.flatMap((body) => {
    const { tokens } = JSON.parse(body);
    return [tokens.access_token, tokens.refresh_token].filter((token) => typeof token === 'string');
  });
}

test('where nobody can be asked every command names cadre sign-in, and none waits', async () => {
  const { cadre, folder, signIn } = await deskWith();
  folder.write(
    'clerk.test.yaml',
    'agent: clerk\ncases:\n  one: { input: food, approve: all, expect: { answer: { contains: milk } } }\n',
  );
  const told = /The MCP server "notes" wants a sign-in\. Nobody has signed in\. Sign in with: cadre sign-in notes/;
  const ran = await cadre('run', 'clerk', 'food');
  expect(ran.exit).toBe(1);
  expect(ran.stderr).toMatch(told);
  expect(folder.journal().at(-1)?.['outcome']).toMatchObject({ kind: 'failed', fault: { code: 'tool/source' } });
  expect((await cadre('replay')).stdout).toMatch(/^identical/);
  const checked = await cadre('check', '--deep');
  expect([checked.exit, checked.stdout]).toEqual([1, expect.stringMatching(/= Run: cadre sign-in notes/)]);
  expect((await cadre('tools', '--connect')).stderr).toMatch(told);
  expect((await cadre('test')).stdout).toMatch(told);
  await signIn();
  expect((await cadre('check', '--deep')).exit).toBe(0);
  expect((await cadre('tools', '--connect')).stdout).toContain('read_notes');
  expect((await cadre('test')).exit).toBe(0);
});

test('runs wait for a sign-in, and one sign-in lets all of them go on', async () => {
  const { cadre, detached, waiting, signIn, folder } = await deskWith();
  const runs = [await detached('food'), await detached('rent')];
  const asked = await waiting(2);
  expect(asked.map(({ path, about }) => [path, about])).toEqual(
    Array.from({ length: 2 }, () => ['0.-1', expect.objectContaining({ kind: 'sign-in', server: 'notes' })]),
  );
  expect((await cadre('approvals')).stdout).toMatch(/\$ cadre sign-in notes/);
  const signed = await signIn();
  expect([signed.exit, signed.stdout]).toEqual([0, 'Signed in to notes. It offers 2 tools.\n']);
  expect(signed.stderr).toMatch(/2 runs that waited for it may go on/);
  for (const run of runs) {
    await cadre('runs', 'wait', run);
    expect((await cadre('show', run)).stdout).toMatch(/Notes about (food|rent): buy milk/);
    expect((await cadre('replay', run)).stdout).toMatch(/^identical/);
  }
  const forked = await cadre('fork', runs[0] ?? '', '--at', '0.2');
  expect([forked.exit, forked.stderr]).toEqual([0, expect.not.stringMatching(/divergence/)]);
  expect(storedText(folder)).not.toMatch(new RegExp(keptSecrets(folder).join('|')));
});

test('the states are listed, and a sign-out is the end of it', async () => {
  const { cadre, signIn } = await deskWith();
  const state = async () => JSON.parse((await cadre('sign-in', '--json')).stdout).servers[0];
  expect(await state()).toMatchObject({ server: 'notes', state: 'signed-out' });
  expect((await cadre('sign-in')).stdout).toMatch(/notes +nobody: cadre sign-in notes/);
  await signIn();
  expect(await state()).toMatchObject({ state: 'signed-in', scope: 'notes:read' });
  expect((await cadre('run', 'clerk', 'food')).exit).toBe(0);
  expect((await cadre('sign-out', 'notes')).stdout).toBe('Signed out of notes.\n');
  expect(await state()).toMatchObject({ state: 'signed-out' });
  expect((await cadre('sign-out', 'notes')).stdout).toMatch(/^Nobody is signed in to notes in /);
  expect((await cadre('run', 'clerk', 'food')).exit).toBe(1);
});

test.each([
  [['sign-in', 'nots'], /no MCP server "nots"\. With auth: notes\. Did you mean "notes"\?/],
  [['sign-in', 'plain'], /mcpServers\.plain has no auth/],
  [['sign-in', 'notes', '--port', 'x'], /--port takes a number/],
  [['sign-in', 'notes', '--store', 'restate://127.0.0.1:1'], /keeps no sign-ins: stores in Restate/],
  [['sign-out', 'gone'], /no MCP server "gone"/],
])('cadre %j says what is wrong', async (args, why) => {
  const { folder, cadre } = await deskWith();
  folder.write('cadre.yaml', `${folder.read('cadre.yaml')}  plain: { url: "http://127.0.0.1:1/mcp" }\n`);
  const { exit, stderr } = await cadre(...args);
  expect([exit, stderr]).toEqual([2, expect.stringMatching(why)]);
});

test('a call that needs more waits below itself, and is made once, also over a kill', async () => {
  const { cadre, server, detached, waiting, signIn } = await deskWith({}, WRITES);
  server.hooks.scopesFor = (tool) => (tool === 'write_note' ? ['notes:write'] : []);
  await signIn();
  const run = await detached('go');
  const [asked] = await waiting(1);
  expect(asked).toMatchObject({ run, about: { kind: 'sign-in', scopes: expect.arrayContaining(['notes:write']) } });
  expect(asked?.path).toMatch(/^0\.\d+(\.\d+)*\.0$/);
  expect(server.calls).toEqual([]);
  killHolder(run);
  const signed = await signIn();
  expect(signed.exit).toBe(0);
  const resumed = await cadre('resume', run);
  expect([resumed.exit, resumed.stdout]).toEqual([0, 'Wrote 4 characters.\n']);
  expect(server.calls).toEqual([['write_note', 'once']]);
  expect((await cadre('replay', run)).stdout).toMatch(/^identical/);
});

/** Kills the process that works on a run, as a crash would. */
function killHolder(run: string): void {
  const found = spawnSync('pgrep', ['-f', run], { encoding: 'utf8' });
  for (const pid of found.stdout.trim().split('\n')) if (pid !== '') process.kill(Number(pid), 'SIGKILL');
}

test('after a no the call fails and names the command, and the run goes on', async () => {
  const { cadre, server, detached, waiting, signIn } = await deskWith({}, WRITES);
  server.hooks.scopesFor = () => ['notes:write'];
  await signIn();
  const run = await detached('go');
  const [asked] = await waiting(1);
  const rest = await cadre('approve', run, asked?.path ?? '', '--rest');
  expect([rest.exit, rest.stderr]).toEqual([1, expect.stringMatching(/no yes can hold for the rest of the run/)]);
  await cadre('approve', run, asked?.path ?? '', '--deny', '--note', 'Not today.');
  await cadre('runs', 'wait', run);
  const { stdout } = await cadre('show', run);
  expect(stdout).toMatch(/wants a sign-in[^]*cadre sign-in notes[^]*Not today\./);
  expect(server.calls).toEqual([]);
});

test('a server that goes on asking for more after a sign-in has its error told', async () => {
  const { cadre, server, detached, waiting } = await deskWith({}, WRITES);
  server.hooks.scopesFor = (tool) => (tool === 'write_note' ? ['notes:never'] : []);
  await cadre('sign-in', 'notes');
  const run = await detached('go');
  const [asked] = await waiting(1);
  await cadre('approve', run, asked?.path ?? '');
  await cadre('runs', 'wait', run);
  expect((await cadre('show', run)).stdout).toMatch(/It asks for more: .*notes:never/);
});

test('an agent finds neither the sign-ins nor a token: its file tools do not see them, and what its shell prints is redacted', async () => {
  const { cadre, folder, signIn } = await deskWith(
    {},
    [
      { call: { read_notes: {} } },
      { call: { run_command: { command: 'cat .cadre/sign-ins/all*' } } },
      { call: { list_files: { path: '.cadre' } } },
      { answer: '{{last}}' },
    ],
    'shell: { sandbox: off }',
  );
  folder.write('clerk.md', '---\ndescription: d\ntools: [mcp:notes, shell, files]\ntrust: [shell]\n---\nYou work.\n');
  await signIn();
  const ran = await cadre('run', 'clerk', 'food', '--json');
  expect(ran.stdout).toContain('[redacted:access token of notes]');
  const secrets = keptSecrets(folder);
  expect(secrets).toHaveLength(2);
  for (const text of [storedText(folder), ran.stdout, ran.stderr, (await cadre('show', 'last', '--json')).stdout])
    for (const secret of secrets) expect(text).not.toContain(secret);
});

test('a run that uses no server with a sign-in does not record a token either', async () => {
  const { cadre, folder, signIn } = await deskWith(
    {},
    [{ call: { run_command: { command: 'cat .cadre/sign-ins/all*' } } }, { answer: '{{last}}' }],
    'shell: { sandbox: off }',
  );
  folder.write('clerk.md', '---\ndescription: d\ntools: [shell]\ntrust: [shell]\n---\nYou work.\n');
  await signIn();
  const ran = await cadre('run', 'clerk', 'food');
  expect(ran.stdout).toContain('[redacted:');
  for (const secret of keptSecrets(folder)) expect(storedText(folder) + ran.stdout).not.toContain(secret);
});

test('no span and no metric has a token of a sign-in, not even one of a shell that prints it or of a server that refuses it', async () => {
  const { folder, server, signIn } = await deskWith(
    {},
    [
      { call: { read_notes: {} } },
      { call: { run_command: { command: 'cat .cadre/sign-ins/all*; exit 3' } } },
      { call: { write_note: { text: 'once' } } },
      { answer: '{{last}}' },
    ],
    'shell: { sandbox: off }',
  );
  folder.write('clerk.md', '---\ndescription: d\ntools: [mcp:notes, shell]\ntrust: [shell]\n---\nYou work.\n');
  const collector = await startCollector();
  closing.push(() => collector.stop());
  await signIn();
  server.hooks.scopesFor = (tool) => (tool === 'write_note' ? ['notes:never'] : []);
  const env = { BROWSER, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const ran = await folder.cadre(['run', 'clerk', 'food', '--json'], { env });
  expect(ran.stdout, ran.stderr).toContain('[redacted:access token of notes]');
  const names = collector.spans().map(({ name }) => name);
  for (const tool of ['read_notes', 'run_command', 'write_note']) expect(names).toContain(`execute_tool ${tool}`);
  const sent = JSON.stringify([collector.requests, collector.points()]);
  const secrets = keptSecrets(folder);
  expect(secrets).toHaveLength(2);
  for (const secret of secrets) expect(sent).not.toContain(secret);
});

const hasSandbox = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;

test.runIf(hasSandbox)(
  'a command in a sandbox finds the folder of the sign-ins empty, whether it was there before or not',
  async () => {
    const { cadre, folder, signIn } = await deskWith(
      {},
      [{ call: { run_command: { command: 'ls -A .cadre/sign-ins | wc -l' } } }, { answer: '{{last}}' }],
      'shell: { sandbox: required }',
    );
    folder.write('clerk.md', '---\ndescription: d\ntools: [shell]\ntrust: [shell]\n---\nYou work.\n');
    for (let round = 0; round < 2; round++) {
      const ran = await cadre('run', 'clerk', 'food');
      expect([ran.exit, ran.stdout]).toEqual([0, expect.stringMatching(/(^|\n)0\n/)]);
      await signIn();
    }
    expect(keptSecrets(folder)).toHaveLength(2);
  },
);

/** A process in a PID namespace of its own, where its own id is 1 and no other process is to be seen. */
const APART = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
const canSetApart = spawnSync(APART[0] ?? '', [...APART.slice(1), 'true']).status === 0;

function startApart(folder: Folder, ...args: readonly string[]) {
  return import('node:child_process').then(({ spawn }) =>
    spawn(APART[0] ?? '', [...APART.slice(1), process.execPath, main(), ...args], {
      cwd: folder.path,
      env: { PATH: process.env['PATH'], HOME: folder.path },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
}

/** As if the time of the token were nearly over. */
function makeDue(folder: Folder): void {
  const [name = ''] = readdirSync(join(folder.path, '.cadre/sign-ins')).filter((one) => one.startsWith('all'));
  const [head = '', body = ''] = folder.read(`.cadre/sign-ins/${name}`).split('\n');
  folder.write(`.cadre/sign-ins/${name}`, `${head}\n${JSON.stringify({ ...JSON.parse(body), renewAt: 0 })}`, 0o600);
}

test.runIf(canSetApart)(
  'two processes in two PID namespaces renew with one request, and both runs answer',
  async () => {
    const { folder, server, signIn } = await deskWith();
    await signIn();
    makeDue(folder);
    const before = server.tokenRequests();
    let isOpen: () => void = () => {};
    const both = new Promise<void>((resolve) => (isOpen = resolve));
    server.hooks.beforeToken = () => both;
    const running = [
      await startApart(folder, 'run', 'clerk', 'food'),
      await startApart(folder, 'run', 'clerk', 'rent'),
    ];
    const over = running.map(ended);
    await until(() => readdirSync(join(folder.path, '.cadre')).includes('runs') && runsOf(folder) === 2);
    isOpen();
    const ran = await Promise.all(over);
    expect(ran.map(({ exit }) => exit)).toEqual([0, 0]);
    expect(server.tokenRequests() - before).toBe(1);
  },
);

const runsOf = (folder: Folder): number => readdirSync(join(folder.path, '.cadre/runs')).length;

test.runIf(canSetApart)(
  'one that is killed while it renews is followed by another, in another PID namespace',
  async () => {
    const { folder, server, signIn } = await deskWith();
    await signIn();
    makeDue(folder);
    let arrived: () => void = () => {};
    const hasArrived = new Promise<void>((resolve) => (arrived = resolve));
    const held = new Promise<void>(() => {});
    let isFirst = true;
    server.hooks.beforeToken = () => {
      if (!isFirst) return Promise.resolve();
      isFirst = false;
      arrived();
      return held;
    };
    const dying = await startApart(folder, 'run', 'clerk', 'food');
    const died = ended(dying);
    await hasArrived;
    dying.kill('SIGKILL');
    await died;
    const next = await startApart(folder, 'run', 'clerk', 'rent');
    const { exit, stdout } = await ended(next);
    expect([exit, stdout]).toEqual([0, expect.stringContaining('Notes about rent')]);
  },
  60_000,
);

test('the sign-ins of a store are files of their own', async () => {
  const { folder, signIn } = await deskWith();
  await signIn();
  const at = join(folder.path, '.cadre/sign-ins');
  for (const name of readdirSync(at)) expect(statSync(join(at, name)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(at, '.gitignore'), 'utf8')).toBe('*\n');
});
