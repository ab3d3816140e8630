// Agents that run commands, through the built command line: asked, trusted, approved for the rest of the run, and killed.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { isAlive, untilGone } from '../support/alive.ts';
import { type Folder, folderWith, main, until } from '../support/cli.ts';
import { closeTerminals, inTerminal, noTerminal } from '../support/terminal.ts';

let folder: Folder;
afterEach(() => {
  closeTerminals();
  folder.remove();
});

const CONFIG =
  'providers: { demo: { kind: scripted, script: ./demo.script.yaml } }\ndefaults: { models: [demo/any] }\n';

function running(
  commands: readonly string[],
  frontmatter = 'tools: [shell]',
  config = 'shell: { sandbox: off }\n',
): Folder {
  folder = folderWith({
    'cadre.yaml': CONFIG + config,
    'demo.script.yaml': JSON.stringify({
      agents: {
        runner: [
          ...commands.map((command) => ({ call: { run_command: { command } } })),
          { answer: '{{result.run_command}}' },
        ],
      },
    }),
    'runner.md': `---\n${frontmatter}\n---\nYou run commands.\n`,
  });
  return folder;
}

test('without a person nothing runs, and both are told the way out', async () => {
  running(['touch done']);
  const { stdout, stderr } = await folder.cadre(['run', 'runner', 'go']);
  expect(folder.has('done')).toBe(false);
  expect(stdout).toContain('not approved: Nobody is there to approve it.');
  expect(stdout).toContain("name it under trust in the agent's file");
  expect(stderr).toContain('--approve shell/run_command says yes beforehand');
  expect(stderr).toContain('trust: [shell]');
});

test.each([
  ['tools: [shell]\ntrust: [shell]', []],
  ['tools: [shell]\ntrust: ["shell(touch *)"]', []],
  ['tools: [shell]', ['--approve', 'shell']],
  ['tools: [shell]', ['--approve=run_command']],
  ['tools: [shell]', ['--approve']],
])('%j with %j runs it', async (frontmatter, options) => {
  running(['touch done'], frontmatter);
  const { stdout, exit } = await folder.cadre(['run', 'runner', 'go', ...options]);
  expect(stdout).toContain('exit code 0');
  expect(exit).toBe(0);
  expect(folder.has('done')).toBe(true);
  expect((await folder.cadre(['replay'])).stdout).toContain('identical');
});

test('a trusted command is not a longer one', async () => {
  running(['touch one; touch two'], 'tools: [shell]\ntrust: ["shell(touch one)", "shell(touch one *)"]');
  const { stdout } = await folder.cadre(['run', 'runner', 'go']);
  expect(stdout).toContain('not approved');
  expect(folder.has('one')).toBe(false);
});

test('a detached run shows its command, and a yes for the rest covers the same command alone', async () => {
  running(['echo one', 'echo  one', 'echo two']);
  await folder.cadre(['run', 'runner', 'go', '--detach']);
  const asked = (times: number) =>
    until(() => folder.journal().filter((event) => event['type'] === 'op-start' && isApproval(event)).length === times);
  await asked(1);
  const { stdout } = await folder.cadre(['approvals']);
  expect(stdout).toContain('$ echo one');
  expect(stdout).toContain('without a sandbox: cadre.yaml says shell.sandbox: off');
  expect(stdout).toContain(
    '--rest also says yes to further calls of run_command by this agent with exactly this command',
  );
  expect((await folder.cadre(['approve', 'last', '--rest'])).stdout).toMatch(
    /wants to call run_command[^]*\$ echo one[^]*approved, also for the rest of the run/,
  );
  await asked(3);
  expect((await folder.cadre(['approvals'])).stdout).toContain('$ echo two');
  await folder.cadre(['approve', 'last', '--deny', '--note', 'Two is enough.']);
  await until(() => folder.journal().some(({ type }) => type === 'run-end'));
  expect(JSON.stringify(folder.journal().at(-1))).toContain('Two is enough.');
  const tree = (await folder.cadre(['show', 'last', '--tree'])).stdout;
  expect(tree).toMatch(
    /asked about run_command \(by .*for the rest of the run\)[^]*asked about run_command \(by .*the yes of 0\.3\)/,
  );
});

const isApproval = ({ op }: Record<string, unknown>): boolean => (op as { readonly kind: string }).kind === 'approval';

test('in a terminal the command is shown, and r says yes for the rest', async (context) => {
  const missing = noTerminal();
  if (missing !== undefined) context.skip(missing);
  running(['echo \u001b[8mone > out', 'echo \u001b[8mone > out']);
  const terminal = inTerminal(`${process.execPath} ${main()} run runner go`, folder.path);
  await terminal.shown('◆');
  terminal.type('r');
  const { screen } = await terminal.ended();
  expect(screen).toContain('$ echo \\u001b[8mone > out');
  expect(screen).toContain('exit code 0');
  expect(screen.split('Allow this call?').length).toBeGreaterThan(1);
  expect(folder.has('out')).toBe(true);
});

test('in a terminal w says no and why', async (context) => {
  const missing = noTerminal();
  if (missing !== undefined) context.skip(missing);
  running(['touch out']);
  const terminal = inTerminal(`${process.execPath} ${main()} run runner go`, folder.path);
  await terminal.shown('◆');
  terminal.type('w');
  await terminal.shown('Why not?');
  terminal.type('Not on a Friday.\r');
  const { screen } = await terminal.ended();
  expect(screen).toContain('was not approved: Not on a Friday.');
  expect(folder.has('out')).toBe(false);
});

test('a command that was under way when Cadre was killed ends, and is not run again', async () => {
  running(['echo $$ > pid; echo once >> count; sleep 600'], 'tools: [shell]\ntrust: [shell]');
  const child = folder.start(['run', 'runner', 'go']);
  await until(() => existsSync(join(folder.path, 'pid')) && folder.read('pid').trim() !== '');
  const pid = Number(folder.read('pid'));
  expect(isAlive(pid)).toBe(true);
  child.kill('SIGKILL');
  await untilGone([pid]);
  const { stdout } = await folder.cadre(['resume']);
  expect(stdout).toContain('its outcome is unknown');
  expect(folder.read('count')).toBe('once\n');
});
