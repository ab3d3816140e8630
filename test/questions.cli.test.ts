// Questions of MCP servers in the middle of a call, through the built command line: a real server of the official package, in
// both forms that the protocol has.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Folder, folderWith, type Ran } from './support/cli.ts';

const SERVER = fileURLToPath(new URL('./fixtures/mcp/asking-server.mjs', import.meta.url));
const folders: Folder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

interface Waiting {
  readonly run: string;
  readonly path: string;
  readonly prompt: string;
  readonly shown: string;
}

function deskWith(form: 'request' | 'unfinished' | 'unchecked', tool: string, frontmatter = '') {
  const folder = folderWith({
    'cadre.yaml': `providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/m] }\nmcpServers:\n  asking: { command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(SERVER)}, log, ${form}] }\n`,
    's.yaml': JSON.stringify({ agents: { clerk: [{ call: { [tool]: {} } }, { answer: '{{last}}' }] } }),
    'clerk.md': `---\ndescription: d\ntools: [mcp:asking]\n${frontmatter}\n---\nYou work.\n`,
  });
  folders.push(folder);
  const cadre = (...args: readonly string[]): Promise<Ran> => folder.cadre(args);
  return {
    folder,
    cadre,
    log: () => (folder.has('log') ? folder.read('log').trim().split('\n') : []),
    /** Starts a run in the background, and waits until it asks. */
    async asked(): Promise<Waiting> {
      const run = (await cadre('run', 'clerk', 'go', '--detach')).stdout.trim();
      return vi.waitUntil(
        async () => {
          const found = JSON.parse((await cadre('approvals', '--json')).stdout) as readonly Waiting[];
          return found.find((one) => one.run === run);
        },
        { timeout: 30_000, interval: 50 },
      );
    },
    async answer(run: string): Promise<string> {
      await cadre('runs', 'wait', run);
      return (await cadre('show', run)).stdout;
    },
  };
}

const accepted = (content: object) => JSON.stringify({ action: 'accept', content });

describe.each(['request', 'unfinished'] as const)('in the form of %s', (form) => {
  test.each([
    ['{"port": 9090}', { port: 9090 }],
    ['9090', { port: 9090 }],
    ['{}', { port: 8080 }],
  ])('an answer of %s fills the form, and the call goes on', async (given, content) => {
    const { cadre, asked, answer, log } = deskWith(form, 'open_port');
    const { run, path, prompt, shown } = await asked();
    expect(prompt).toBe('The MCP server "asking" asks: Which port shall it listen on?');
    expect(shown).toContain('port (integer; required; default 8080): where it listens');
    expect(path).toMatch(/^0\.\d+\.0$/);
    expect((await cadre('approve', run, path, '--answer', given)).exit).toBe(0);
    expect(await answer(run)).toContain(accepted(content));
    expect(log()).toEqual(['open_port called', `open_port ${accepted(content)}`]);
    expect((await cadre('replay', run)).stdout).toMatch(/^identical/);
  });

  test('an answer that does not fit is refused with the reason, and the question waits on', async () => {
    const { cadre, asked, answer } = deskWith(form, 'order');
    const { run, path } = await asked();
    const refused = async (given: string) => {
      const { exit, stderr } = await cadre('approve', run, path, '--answer', given);
      expect(exit).toBe(1);
      return stderr;
    };
    expect(await refused('3')).toMatch(/The form has 3 fields\. Answer with JSON, such as \{"size":"small"/);
    expect(await refused('{"count": 3, "colour": "red"}')).toMatch(/no field "colour".*It has: size, count, wrapped/);
    expect(await refused('{"count": 0}')).toMatch(/count/);
    expect(await refused('{"wrapped": true}')).toMatch(/count/);
    expect((await cadre('approve', run, path, '--answer', '{"count": 2, "wrapped": true}')).exit).toBe(0);
    expect(await answer(run)).toContain(accepted({ size: 'small', count: 2, wrapped: true }));
  });

  test('a no is told to the server as declined', async () => {
    const { cadre, asked, answer } = deskWith(form, 'open_port');
    const { run, path } = await asked();
    await cadre('approve', run, path, '--deny');
    expect(await answer(run)).toContain('{"action":"decline"}');
  });

  test('a question that nobody is there to answer is cancelled', async () => {
    const { cadre } = deskWith(form, 'open_port');
    const { exit, stdout } = await cadre('run', 'clerk', 'go');
    expect([exit, stdout]).toEqual([0, expect.stringContaining('{"action":"cancel"}')]);
  });

  test('the time of the call stands still while a person thinks', async () => {
    const { cadre, asked, answer } = deskWith(form, 'open_port', 'toolTimeout: 900ms');
    const { run, path } = await asked();
    for (let look = 0; look < 4; look++) await cadre('approvals'); // each takes a good part of that time
    await cadre('approve', run, path, '--answer', '7');
    expect(await answer(run)).toContain(accepted({ port: 7 }));
  });

  test('a request for sampling is refused by name', async () => {
    const { cadre } = deskWith(form, 'sample');
    const { stdout } = await cadre('run', 'clerk', 'go');
    expect(stdout).toMatch(/sampling/);
  });

  test('an entry of approve for the tool asks first, and apart', async () => {
    const { cadre, asked, answer, log } = deskWith(form, 'open_port', 'approve: [mcp:asking]');
    const first = await asked();
    expect(first.prompt).toMatch(/wants to call open_port/);
    expect(log()).toEqual([]);
    await cadre('approve', first.run, first.path);
    const second = await vi.waitUntil(
      async () => {
        const [one] = JSON.parse((await cadre('approvals', '--json')).stdout) as readonly Waiting[];
        return one !== undefined && one.path !== first.path && one;
      },
      { timeout: 30_000, interval: 50 },
    );
    await cadre('approve', second.run, second.path, '--answer', '5');
    expect(await answer(first.run)).toContain(accepted({ port: 5 }));
  });
});

test.each([
  ['request', 'visit', 'URL-mode elicitation'],
  ['unchecked', 'visit', 'asks a question in the mode url, and Cadre answers forms alone'],
  ['unchecked', 'sample', 'asks for sampling/createMessage, which Cadre does not answer'],
] as const)('in the form of %s, %s is refused by name and asked of nobody', async (form, tool, why) => {
  const { cadre, folder } = deskWith(form, tool);
  const { exit, stdout } = await cadre('run', 'clerk', 'go');
  expect([exit, stdout]).toEqual([0, expect.stringContaining(why)]);
  expect(folder.journal().filter(({ op }) => (op as { kind?: string } | undefined)?.kind === 'approval')).toEqual([]);
  expect(stdout).not.toContain('was lost');
});

test('a server that gives its question up closes it, and the call goes on', async () => {
  const { folder, cadre, asked, answer } = deskWith('request', 'give_up');
  const { run, path } = await asked();
  folder.write('enough', '');
  expect(await answer(run)).toContain('answer: "none"');
  expect(JSON.parse((await cadre('approvals', '--json')).stdout)).toEqual([]);
  const late = await cadre('approve', run, path, '--answer', '1');
  expect([late.exit, late.stderr]).toEqual([1, expect.stringMatching(/\S/)]);
  expect((await cadre('replay', run)).stdout).toMatch(/^identical/);
});

/** Kills the process that works on a run, as a crash would. */
function killHolder(run: string): void {
  const found = spawnSync('pgrep', ['-f', run], { encoding: 'utf8' });
  for (const pid of found.stdout.trim().split('\n')) if (pid !== '') process.kill(Number(pid), 'SIGKILL');
}

test('an unfinished call that waits when its process is killed goes on with what the server gave, and is begun once', async () => {
  const { cadre, asked, log } = deskWith('unfinished', 'open_port');
  const { run, path } = await asked();
  killHolder(run);
  await cadre('approve', run, path, '--answer', '9090');
  const { exit, stdout } = await cadre('resume', run);
  expect([exit, stdout]).toEqual([0, `${accepted({ port: 9090 })} opaque-state-1\n`]);
  expect(log()).toEqual(['open_port called', `open_port ${accepted({ port: 9090 })}`]);
  expect((await cadre('replay', run)).stdout).toMatch(/^identical/);
});

test('a call that was asked in the middle is in doubt after a kill, as any other', async () => {
  const { cadre, asked, log } = deskWith('request', 'open_port');
  const { run, path } = await asked();
  killHolder(run);
  const { stdout } = await cadre('resume', run);
  expect(stdout).toMatch(/its outcome is unknown/);
  expect(log()).toEqual(['open_port called']);
  const late = await cadre('approve', run, path, '--answer', '1');
  expect(late.exit).not.toBe(0);
});

test('a call that may be made again gets the recorded answer to the same question', async () => {
  const { cadre, asked, log } = deskWith('request', 'look');
  const { run, path } = await asked();
  killHolder(run);
  await cadre('approve', run, path, '--answer', '9090');
  const { exit, stdout } = await cadre('resume', run);
  expect([exit, stdout]).toEqual([0, `${accepted({ port: 9090 })}\n`]);
  expect(log()).toEqual(['look called', 'look called', `look ${accepted({ port: 9090 })}`]);
});
