// ask_person: a question to a person, and what counts as an answer to it.

import { afterEach, expect, test } from 'vitest';
import { replay } from '../src/engine/history/replay.ts';
import { readAll } from '../src/engine/pinned.ts';
import type { Verdict } from '../src/kernel/effect.ts';
import { FaultError } from '../src/kernel/fault.ts';
import { type Approver, fromElsewhere, nobodyThere } from '../src/run/approver.ts';
import { ruledTools } from '../src/run/resources/ruled-tools.ts';
import { services } from '../src/run/services.ts';
import { memoryStore } from '../src/stores/memory.ts';
import { personSource } from '../src/tools/person/source.ts';
import { bench, brokenOff, cadre, finish, lastText, type Model } from './support/cadre.ts';
import { type Folder, folderWith, main, until } from './support/cli.ts';
import { closeTerminals, inTerminal, noTerminal } from './support/terminal.ts';

const of = cadre({ name: 'asker', tools: ['person'] });
const go = { agent: 'asker', input: { text: 'go' } };

const asking =
  (args: unknown): Model =>
  (request) =>
    request.turn === 1 ? { calls: [{ name: 'ask_person', args }] } : lastText(request);

const story = (args: unknown, approve: Approver, store = memoryStore()) =>
  bench(of, asking(args), {
    approve,
    store,
    toolsOf: async (agent) => {
      const [tool] = await personSource().tools();
      const boxed = [{ tool: tool!, address: 'person/ask_person' }];
      return ruledTools(agent, boxed);
    },
  });

const COLOURS = { question: 'Which colour?', options: ['red', 'blue'] };

test.each<[object, Verdict, string]>([
  [{ question: 'What now?' }, { approved: true, answer: 'Lunch.' }, 'Lunch.'],
  [COLOURS, { approved: true, answer: 'blue' }, 'blue'],
  [COLOURS, { approved: true, answer: 'green' }, 'not answered: The answer must be one of: "red", "blue".'],
  [COLOURS, { approved: true }, 'not answered: This op is a question, so it needs an answer.'],
  [COLOURS, { approved: true, answer: 'red', scope: 'run' }, 'no yes can hold for the rest of the run'],
  [COLOURS, { approved: false, note: 'Neither.' }, 'The question was not answered: Neither.'],
])('the question %j with the answer %j gives the model %j', async (args, verdict, told) => {
  const made = story(args, async () => verdict);
  const { outcome, events } = await finish(made, go);
  expect(outcome.kind === 'answered' && outcome.text).toContain(told);
  expect(await replay(events, of, services)).toMatchObject({ kind: 'identical', ended: true });
});

test('with nobody there the model is told so', async () => {
  const { outcome } = await finish(story(COLOURS, nobodyThere), go);
  expect(outcome).toMatchObject({ text: expect.stringContaining('not answered: Nobody is there to answer.') });
});

test('arguments that are no question are refused before anybody is asked', async () => {
  const { outcome } = await finish(
    story({ question: 'Which?', options: ['only'] }, () => expect.unreachable('somebody was asked')),
    go,
  );
  expect(outcome).toMatchObject({ text: expect.stringContaining('do not satisfy its schema') });
});

test('a wrong answer from elsewhere is refused, and the question goes on waiting', async () => {
  const made = story(COLOURS, fromElsewhere);
  const handle = await made.engine.start(go);
  for await (const event of handle.events()) if (event.type === 'op-start' && event.op.kind === 'approval') break;
  const op = '0.2';
  const say = (verdict: Verdict) => handle.control({ kind: 'verdict', op, ...verdict });
  const misfit = { fault: { code: 'approval/answer' } };
  await expect(say({ approved: true })).rejects.toMatchObject(misfit);
  await expect(say({ approved: true, answer: 'green' })).rejects.toMatchObject(misfit);
  await say({ approved: true, answer: 'red', by: 'ann' });
  expect(await handle.outcome()).toMatchObject({ text: 'red' });
  await expect(say({ approved: true, answer: 'blue' })).rejects.toThrow(FaultError);
});

test('a question that was open when the process died is asked again, and an answer is not', async () => {
  const yes: Approver = async () => ({ approved: true, answer: 'red' });
  const first = story(COLOURS, yes);
  const { events, run } = await finish(first, go);
  const end = events.findIndex((event) => event.type === 'op-end' && event.kind === 'approval');
  for (const count of [end, end + 1]) {
    let asked = 0;
    const store = await brokenOff(events, count, run);
    const again = story(COLOURS, async (...question) => (asked++, yes(...question)), store);
    expect(await (await again.engine.resume(run)).outcome()).toMatchObject({ text: 'red' });
    expect(asked).toBe(count === end ? 1 : 0);
    expect(await readAll(run, store)).not.toHaveLength(count);
  }
});

let folder: Folder | undefined;
afterEach(() => {
  closeTerminals();
  folder?.remove();
});

const written = (args: object): Folder =>
  folderWith({
    'cadre.yaml':
      'providers: { demo: { kind: scripted, script: ./demo.script.yaml } }\ndefaults: { models: [demo/any] }\n',
    'demo.script.yaml': JSON.stringify({
      agents: { asker: [{ call: { ask_person: args } }, { answer: 'It is {{result.ask_person}}.' }] },
    }),
    'asker.md': '---\ntools: [person]\n---\nYou ask.\n',
  });

test('a detached run waits, and is answered by the text or the number of an option', async () => {
  folder = written(COLOURS);
  const { path, cadre: run } = folder;
  expect((await run(['run', 'asker', 'go', '--detach'])).exit).toBe(0);
  await until(() => folder!.journal().some(({ op }) => (op as { kind?: string } | undefined)?.kind === 'approval'));
  const { stdout } = await run(['approvals']);
  expect(stdout).toMatch(/asker asks: Which colour\?[^]*1\. red\n {4}2\. blue\n.*--answer <its text or number>/);
  expect(await run(['approve', 'last'])).toMatchObject({ exit: 1, stderr: expect.stringContaining('needs an answer') });
  const wrong = await run(['approve', 'last', '--answer', '3']);
  expect(wrong.stderr).toContain('must be one of: "red", "blue"');
  expect((await run(['approve', 'last', '--answer', 'red', '--deny'])).stderr).toContain(
    '--deny and --answer are different',
  );
  expect((await run(['approve', 'last', '--answer', '2'])).stdout).toContain('answered');
  await until(() => folder!.journal().some(({ type }) => type === 'run-end'));
  expect(JSON.stringify(folder.journal().at(-1))).toContain('It is blue.');
  expect(path).not.toBe('');
});

test('without a terminal nobody is asked, --approve is no answer, and the model goes on', async () => {
  folder = written(COLOURS);
  const { stdout, stderr, exit } = await folder.cadre(['run', 'asker', 'go', '--approve'], { input: 'red\n' });
  expect(stdout).toContain('The question was not answered: Nobody is there to answer.');
  expect(stderr).toContain('not answered: asker asks: Which colour?');
  expect(exit).toBe(0);
});

test('in a terminal a line answers, and hostile text of the question is harmless', async (context) => {
  const missing = noTerminal();
  if (missing !== undefined) context.skip(missing);
  folder = written({ question: 'Which \u001b[8mport\u202e?\n- 80' });
  const terminal = inTerminal(`${process.execPath} ${main()} run asker go`, folder.path);
  await terminal.shown('Your answer?');
  terminal.type('8080\r');
  const { screen, exit } = await terminal.ended();
  expect(screen).toContain('It is 8080.');
  expect(screen).toContain('Which \\u001b[8mport\\u202e?');
  expect(screen).not.toContain('\u202e');
  expect(exit).toBe(0);
});

test('in a terminal one of the options is chosen with the keys', async (context) => {
  const missing = noTerminal();
  if (missing !== undefined) context.skip(missing);
  folder = written(COLOURS);
  const terminal = inTerminal(`${process.execPath} ${main()} run asker go`, folder.path);
  await terminal.shown('Your answer?');
  terminal.type('\u001b[B\r');
  const { screen } = await terminal.ended();
  expect(screen).toContain('It is blue.');
});
