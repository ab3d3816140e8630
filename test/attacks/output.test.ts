// Text that would do something where it is written: move the cursor, set a title, turn or hide what stands beside it, or
// pass for a command of a CI service. Whatever it comes from and whichever command shows it, it is only text.

import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith, main } from '../support/cli.ts';
import { closeTerminals, inTerminal, noTerminal } from '../support/terminal.ts';

let folder: Folder | undefined;
afterEach(() => {
  closeTerminals();
  folder?.remove();
});

const EVIL =
  'begin \u001b]0;owned\u0007\u001b[2J\u001b[31mred\u009b1A\u009d0;x\u009c\rback\b\u202eturned\u{e0041} end\n' +
  '::error::forged\n \u3000::add-mask::a\nsee ##[error]forged ##vso[task.complete]forged\u2028::error::forged';

/** A text in double quotes, as YAML and JSON read it. */
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(/[\u007f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

const CONFIG = `providers: { demo: { kind: scripted, script: ./demo.script.yaml } }\ndefaults: { models: [demo/any] }\n`;

/** A file name can hold all of it but the slash. */
const EVIL_NAME = 'bad \u001b[31m\u202e\n::error::name.md';

const WRONG = `---\ndescription: Is wrong.\n${quoted(`key ${EVIL}`)}: 1\nagents: [${quoted(EVIL)}]\n---\nOther.\n`;

function prepared(files: Readonly<Record<string, string>> = {}): Folder {
  const path = `{ path: ${quoted(EVIL)} }`;
  folder = folderWith({
    'cadre.yaml': CONFIG,
    'waiter.md': `---\ndescription: ${quoted(EVIL)}\ntools: [files]\n---\n${EVIL}\n`,
    'other.md': '---\ndescription: Right.\n---\nOther.\n',
    'notes.txt': EVIL,
    'demo.script.yaml': `agents:
  waiter:
    - { say: ${quoted(EVIL)}, call: { read_file: { path: notes.txt } } }
    - { calls: [{ read_file: ${path} }, { ${quoted(EVIL)}: ${path} }] }
    - { answer: ${quoted(EVIL)} }
  other: [{ fault: { status: 400, message: ${quoted(EVIL)} } }]
`,
    ...files,
  });
  return folder;
}

/** The styles that `paint` uses, and nothing else does. */
const OWN_STYLES = new RegExp(String.raw`\x1b\[(?:1|2|22|3[1-9])m`, 'g');
/** The live tree goes up, to the beginning of a line, and erases. */
const MOVES = new RegExp(String.raw`\x1b\[\d*[AJK]|\r`, 'g');
const ACTS = /[^\P{Cc}\n\t]|[\u2028\u2029\u202a-\u202e\u2060-\u2069\u{e0000}-\u{e007f}]/u;

function expectHarmless(what: string, text: string): void {
  expect([what, ACTS.exec(text.replaceAll(OWN_STYLES, ''))?.[0]]).toEqual([what, undefined]);
}

function expectNoCommand(what: string, text: string): void {
  expect([what, text.split('\n').filter((line) => /^\s*::/.test(line) || /##(?:vso)?\[/.test(line))]).toEqual([
    what,
    [],
  ]);
}

const COMMANDS: readonly (readonly string[])[] = [
  ['show'],
  ['show', '--tree'],
  ['show', '--transcript'],
  ['show', '--ledger'],
  ['show', '--json'],
  ['show', EVIL],
  ['show', '--transcript', EVIL],
  ['runs'],
  ['runs', '--json'],
  ['runs', 'status', 'last'],
  ['runs', 'status', 'last', '--json'],
  ['diff', 'last', 'last'],
  ['diff', 'last', 'last', '--json'],
  ['replay'],
  ['resume'],
  ['check'],
  ['check', '--json'],
  ['check', EVIL],
  ['graph'],
  ['models'],
  ['models', '--json'],
  ['help', 'waiter'],
  ['help', EVIL],
  ['new', EVIL],
  ['run', EVIL, EVIL],
  ['run', 'waiter', '--output', EVIL, 'hi'],
  ['run', 'waiter', EVIL, '--json'],
  [EVIL],
  ['show', `--${EVIL}`],
];

/** These commands show another text if the folder fails its check. */
const READ_FOLDER: ReadonlySet<string> = new Set(['check', 'graph', 'models', 'help', 'replay']);

test('no command writes what a terminal would act on, or what a CI service would take for its own', async () => {
  const at = prepared();
  const env = { FORCE_COLOR: '1', GITHUB_ACTIONS: 'true', CI: 'true' };
  const failed = await at.cadre(['run', 'other', 'hi'], { env });
  expect([failed.exit, failed.stderr]).toEqual([1, expect.stringContaining('forged')]);
  expectNoCommand('a run that fails', failed.stderr);
  expectHarmless('a run that fails', failed.stderr);
  const ran = await at.cadre(['run', 'waiter', EVIL], { env });
  expect([ran.exit, ran.stderr]).toEqual([0, expect.stringContaining('answered')]);
  expectNoCommand('run', ran.stdout + ran.stderr);
  expectHarmless('run', ran.stderr);
  at.write('waiter.md', `${at.read('waiter.md')}\nand ${EVIL}`);
  for (const state of ['right', 'wrong']) {
    if (state === 'wrong') {
      at.write('other.md', WRONG);
      at.write(EVIL_NAME, 'no frontmatter');
    }
    for (const command of state === 'right' ? COMMANDS : COMMANDS.filter(([name = '']) => READ_FOLDER.has(name))) {
      const { stdout, stderr } = await at.cadre(command, { env });
      const what = `${command.join(' ')}, ${state}`;
      expectHarmless(what, stdout + stderr);
      expectNoCommand(what, stdout + stderr);
      if (stdout !== '' && command.includes('--json') && !command.includes('run')) JSON.parse(stdout);
    }
  }
}, 120_000);

test('a finding for GitHub is one command, whatever it quotes', async () => {
  const at = prepared({ 'other.md': WRONG, [EVIL_NAME]: 'no frontmatter' });
  const { stdout } = await at.cadre(['check', '--github'], { env: { GITHUB_ACTIONS: 'true' } });
  expectHarmless('check --github', stdout);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line).toMatch(/^::(?:error|warning) file=[^:]+,line=\d+,col=\d+.*,title=[^:]+::/);
});

test('a program gets the answer byte for byte', async () => {
  const { stdout } = await prepared().cadre(['run', 'waiter', 'hi']);
  expect(stdout).toBe(`${EVIL}\n`);
});

test('in a CI service a pipe gets the answer without commands, and a file gets it as it is', async () => {
  const at = prepared();
  const env = { GITHUB_ACTIONS: 'true' };
  const { stdout } = await at.cadre(['run', 'waiter', 'hi'], { env });
  expectNoCommand('run', stdout);
  expect(stdout.replaceAll(/\\(?=::|\[|vso)/g, '')).toBe(`${EVIL}\n`);
  const file = openSync(join(at.path, 'answer.txt'), 'w');
  const { status } = spawnSync(process.execPath, [main(), 'run', 'waiter', 'hi'], {
    cwd: at.path,
    env: { PATH: process.env['PATH'], HOME: at.path, ...env },
    stdio: ['ignore', file, 'ignore'],
  });
  closeSync(file);
  expect(status).toBe(0);
  expect(at.read('answer.txt')).toBe(`${EVIL}\n`);
});

test('an answer of data stays the same data in a CI service', async () => {
  const at = prepared({
    'demo.script.yaml': `agents: { waiter: [{ answer: ${quoted(JSON.stringify({ text: EVIL }))} }] }\n`,
  });
  const { stdout } = await at.cadre(['run', 'waiter', 'hi', '--output', 'json'], { env: { GITHUB_ACTIONS: 'true' } });
  expectNoCommand('run', stdout);
  expect(JSON.parse(stdout)).toEqual({ text: EVIL });
});

test.skipIf(noTerminal() !== undefined)('a terminal gets neither titles nor jumps nor turned text', async () => {
  const at = prepared();
  for (const command of ['run waiter hi', 'show', 'show --json', 'show --transcript', 'run waiter hi --json']) {
    const { screen } = await inTerminal(`${process.execPath} ${main()} ${command}`, at.path).ended();
    expect([command, screen]).toEqual([command, expect.stringContaining('begin')]);
    expectHarmless(command, screen.replaceAll(MOVES, ''));
    expect(screen).not.toContain('\u001b[2J');
  }
});

test('nothing else in the command line writes to a stream', () => {
  const root = resolve(dirname(main()), '../../src/cli');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  );
  const writers = files.filter((file) =>
    /\b(?:stdout|stderr|stream)\.write\b|\bconsole\.|\bwriteSync\(/.test(readFileSync(join(root, file), 'utf8')),
  );
  // lost-lines.ts writes the log of a server, escaped like the rest. protocol-only.ts writes nothing itself: it keeps stdout
  // for the messages of a protocol.
  expect(writers.sort()).toEqual(['screen/lost-lines.ts', 'screen/output.ts', 'screen/stdout-guard.ts']);
});
