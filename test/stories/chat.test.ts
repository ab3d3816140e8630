// A conversation through the built command line: by a pipe, killed and gone on with, and in a real terminal.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ended, type Folder, folderWith, main, until } from '../support/cli.ts';
import { closeTerminals, inTerminal, noTerminal } from '../support/terminal.ts';

const missing = noTerminal();
const folders: Folder[] = [];
afterEach(() => {
  closeTerminals();
  for (const folder of folders.splice(0)) folder.remove();
});

const CONFIG = `providers: { demo: { kind: scripted, script: ./demo.script.yaml } }
models: { fast: { use: demo/small, price: { input: 1, output: 2 } } }
defaults: { models: [fast], maxRetries: 1 }
`;

/** A desk that hands everything on. Sales says what it remembers; "hang" keeps it busy, "fail" fails. */
const script = (hang: string): string => `agents:
  desk: [{ call: { handoff-to: { agent: sales } }, repeat: true }]
  sales:
    - when: { last: hang }
      ${hang}
    - when: { last: "fail" }
      fault: server
    - when: { last: "memory" }
      answer: "{{history}}"
    - when: { last: "/USER REQUEST\\\\n\\\\n([^]*)/" }
      answer: "Heard {{match.1}}."
  asker:
    - when: { turn: 1 }
      call: { list_files: {} }
    - answer: Listed.
`;

function cadre(): Folder {
  const folder = folderWith({
    'cadre.yaml': CONFIG,
    'desk.md': '---\ndescription: The desk\nrouter: { destinations: [sales] }\n---\nHand it on.\n',
    'sales.md': '---\ndescription: Sells\n---\nSell.\n',
    'asker.md': '---\ndescription: Asks\ntools: [files]\napprove: [list_files]\n---\nAsk.\n',
    'demo.script.yaml': script('fault: hang'),
  });
  folders.push(folder);
  return folder;
}

type Event = Record<string, unknown>;

/** The journals of the store, oldest first, as far as they are written. */
function journals(folder: Folder): readonly (readonly Event[])[] {
  const runs = join(folder.path, '.cadre/runs');
  if (!existsSync(runs)) return [];
  const files = readdirSync(runs)
    .sort()
    .map((run) => join(runs, run, 'events.jsonl'));
  return files.filter(existsSync).map((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Event),
  );
}

const threadIn = (text: string): string => /--thread (t\S+)/.exec(text)?.[1] ?? '';

test('five messages over a router by a pipe, killed in the third and gone on with, are one conversation', async () => {
  const folder = cadre();
  const killed = folder.start(['chat', 'desk']);
  const over = ended(killed);
  killed.stdin?.write('one\ntwo\nplease hang\n');
  const isBusy = (): boolean =>
    journals(folder).some((events) =>
      events.some(({ path, op }) => path === '0.2.1' && /hang/.test(JSON.stringify(op))),
    );
  await until(isBusy);
  killed.kill('SIGKILL');
  const before = await over;
  expect(before.stdout).toBe('Heard one.\n\nHeard two.\n');
  const thread = /thread, (\S+)/.exec(before.stderr)?.[1] ?? '';

  folder.write('demo.script.yaml', script('answer: Here I am.'));
  const after = await folder.cadre(['chat', 'desk', '--thread', thread], { input: 'four\nmemory' });
  expect(after, after.stderr).toMatchObject({ exit: 0 });
  const remembered = [
    'user: one',
    'assistant: Heard one.',
    'user: two',
    'assistant: Heard two.',
    'user: please hang',
    'assistant: Here I am.',
    'user: four',
    'assistant: Heard four.',
  ].join('\n');
  expect(after.stdout).toBe(`Here I am.\n\nHeard four.\n\n${remembered}\n`);
  expect(after.stderr).toContain('was broken off before it was answered. Run ');
  expect(threadIn(after.stderr)).toBe(thread);

  const runs = journals(folder);
  expect(runs).toHaveLength(5);
  const starts = runs.map(([start]) => start as Event);
  expect(starts.map(({ continues }) => continues)).toEqual([undefined, ...starts.slice(0, 4).map(({ run }) => run)]);
  expect(new Set(starts.map((start) => start['thread']))).toEqual(new Set([thread]));
  const deskCalls = runs[2]?.filter(({ type, path }) => type === 'op-start' && path === '0.1');
  expect(deskCalls).toHaveLength(1); // paid once
  for (const start of starts) {
    expect((await folder.cadre(['replay', String(start['run'])])).stdout).toContain('identical');
  }
}, 60_000);

test('a broken-off message that cannot be taken up is told, and the conversation goes on without it', async () => {
  const folder = cadre();
  const extra = 'restTools: { ask: { description: Asks., url: "http://127.0.0.1:9/" } }\n';
  folder.write('cadre.yaml', `${CONFIG}${extra}`);
  const killed = folder.start(['chat', 'desk']);
  const over = ended(killed);
  killed.stdin?.write('one\nplease hang\n');
  await until(() =>
    journals(folder).some((events) =>
      events.some(({ path, op }) => path === '0.2.1' && /hang/.test(JSON.stringify(op))),
    ),
  );
  killed.kill('SIGKILL');
  await over;
  folder.write('cadre.yaml', CONFIG);
  const after = await folder.cadre(['chat', 'desk', '--thread', 'last'], { input: 'memory' });
  expect(after).toMatchObject({ exit: 0, stdout: 'user: one\nassistant: Heard one.\n' });
  expect(after.stderr).toContain('The run was begun with parts of cadre.yaml');
});

test('a pipe ends with the first message that fails and with its exit code', async () => {
  const folder = cadre();
  const ran = await folder.cadre(['chat', 'desk'], { input: 'one\nfail\nthree\n' });
  expect(ran).toMatchObject({ stdout: 'Heard one.\n', exit: 1 });
  expect(ran.stderr).toContain('failed at sales');
  expect(journals(folder)).toHaveLength(2);
});

test('the commands work in a pipe, a line that ends with a backslash goes on, and an unknown command ends it', async () => {
  const folder = cadre();
  const input = [
    'one \\',
    'more',
    '',
    'two',
    '/undo',
    'memory',
    '/fork',
    'three',
    '/cost',
    '/runs',
    '/etc is a path',
    '/nope',
    'x',
  ];
  const ran = await folder.cadre(['chat', 'desk'], { input: input.join('\n') });
  expect(ran.stdout.split('\n\n')).toEqual([
    'Heard one \nmore.',
    'Heard two.',
    'user: one \nmore\nassistant: Heard one \nmore.',
    'Heard three.',
    'Heard /etc is a path.\n',
  ]);
  expect(ran.exit).toBe(2);
  expect(ran.stderr).toContain('Undone: two\nYour next message continues from before it.');
  expect(ran.stderr).toContain('There is no command /nope. /help lists the commands.');
  const starts = journals(folder).map(([start]) => start as Event);
  const [old, forked] = [starts[0]?.['thread'], starts[3]?.['thread']];
  expect(ran.stderr).toContain(`This is a new thread with the same conversation: ${String(forked)}`);
  expect(ran.stderr).toContain(`The old one stays: cadre chat desk --thread ${String(old)}`);
  expect(ran.stderr).toMatch(/total +1 run +\$0\.0/);
  expect(ran.stderr).toContain(`thread ${String(forked)}, which goes on from run ${String(starts[2]?.['run'])}`);
  expect(starts.map(({ thread }) => thread)).toEqual([old, old, old, forked, forked]);
});

test('Ctrl+C in a pipe that waits for a message leaves with 130, and says how to go on', async () => {
  const folder = cadre();
  const waiting = folder.start(['chat', 'desk']);
  const over = ended(waiting);
  waiting.stdin?.write('one\n');
  await until(() => /"run-end"/.test(JSON.stringify(journals(folder))));
  waiting.kill('SIGINT');
  const { exit, stdout, stderr } = await over;
  expect({ exit, stdout }, stderr).toEqual({ exit: 130, stdout: 'Heard one.\n' });
  const shown = await folder.cadre(['show', 'last']);
  expect(shown.stdout).toContain(`thread    ${threadIn(stderr)}\n`);
});

test('a thread that is not there or is of another agent is refused with the way out', async () => {
  const folder = cadre();
  const none = await folder.cadre(['chat', 'desk', '--thread', 'last'], { input: 'one' });
  expect(none).toMatchObject({ exit: 1, stdout: '' });
  expect(none.stderr).toContain('There are none yet: cadre chat <agent> begins one.');
  const { stderr } = await folder.cadre(['chat', 'desk'], { input: 'one' });
  const thread = threadIn(stderr);
  const refused = await folder.cadre(['chat', 'desk'], { input: '/nope' });
  expect(refused.stderr).not.toContain('--thread'); // it never began
  const other = await folder.cadre(['chat', 'sales', '--thread', 'last'], { input: 'two' });
  expect(other.stderr).toContain(
    `is a conversation with desk, not with sales. Go on with: cadre chat desk --thread ${thread}`,
  );
  expect((await folder.cadre(['chat', 'desk', '--thread', thread.slice(0, 10)], { input: 'two' })).exit).toBe(0);
});

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const UP = '\u001b[A';

test('in a terminal Ctrl+C cancels the answer and not the chat, lines go on, a paste is one message, and arrows bring back', async (context) => {
  if (missing !== undefined) context.skip(missing);
  const folder = cadre();
  const terminal = inTerminal(`exec ${process.execPath} ${main()} chat desk`, folder.path);
  await terminal.shown('desk> ');
  terminal.type('first \\\r');
  await terminal.shown('… ');
  terminal.type('line\r');
  await terminal.shown('cadre show');
  await terminal.shown('desk> ', 2);
  terminal.type('\u001b[200~pasted\rblock\u001b[201~');
  await terminal.shown('block');
  terminal.type('\r');
  await terminal.shown('cadre show', 2);
  terminal.type('hang\r');
  await terminal.shown('waits for sales');
  terminal.type(CTRL_C);
  await terminal.shown('stopping: asked for a final answer');
  terminal.type(CTRL_C);
  await terminal.shown('This message is not part of the conversation');
  terminal.type(`${UP}${UP}\r`); // hang, then block
  await terminal.shown('cadre show', 4);
  terminal.type(CTRL_C);
  await terminal.shown('Ctrl+C again, Ctrl+D or /quit leaves.');
  terminal.type(CTRL_D);
  const { exit, screen } = await terminal.ended();
  expect(exit).toBe(0);
  const starts = journals(folder).map(([start]) => start as { readonly input: { text: string; history?: unknown[] } });
  expect(starts.map(({ input }) => input.text)).toEqual(['first \nline', 'pasted\nblock', 'hang', 'block']);
  expect(starts.at(-1)?.input.history).toHaveLength(4);
  expect(threadIn(screen)).not.toBe('');
}, 60_000);

test('a person is asked for a yes in every message, also after Ctrl+C at a question of an earlier one', async (context) => {
  if (missing !== undefined) context.skip(missing);
  const folder = cadre();
  const terminal = inTerminal(`exec ${process.execPath} ${main()} chat asker`, folder.path);
  await terminal.shown('asker> ');
  terminal.type('one\r');
  await terminal.shown('◆');
  terminal.type(CTRL_C);
  await terminal.shown('cadre show');
  terminal.type('two\r');
  await terminal.shown('◆', 2);
  terminal.type('y');
  await terminal.shown('cadre show', 2);
  terminal.type('/quit\r');
  expect(await terminal.ended()).toMatchObject({ exit: 0 });
  const verdicts = journals(folder).flatMap((events) =>
    events.flatMap(({ type, kind, result }) =>
      type === 'op-end' && kind === 'approval' ? [(result as { value: unknown }).value] : [],
    ),
  );
  expect(verdicts).toMatchObject([{ approved: false }, { approved: true }]);
}, 60_000);
