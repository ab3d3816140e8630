// Chats in a real browser: messages with figures of their own runs, the end that is followed, wordings, a message that waits
// for the connection, an approval, a stop, and a server that is killed while it streams.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunRow, ThreadInfo } from '../../src/server/protocol.ts';
import { violations } from './support/axe.ts';
import { armed, goByKeys, newPage } from './support/page.ts';
import { agent, asking, CONFIG, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';

const LONG = 'A line of an answer that is long enough to be scrolled.\n\n'.repeat(12);

test('a chat begins, goes on, and every answer has the figures of its own run', async () => {
  const server = await served({
    files: scripted(
      { desk: agent('') },
      { agents: { desk: [{ answer: `You said {{input}}. ${LONG}`, repeat: true }] } },
    ),
  });
  const page = await newPage();
  await page.goto(server.at('/agents'));
  await page.getByRole('status').filter({ hasText: 'live' }).waitFor();
  await goByKeys(page, 'c', '/chat');
  await page.keyboard.press('Shift+n');
  await page.waitForURL('**/chat/new');
  const field = page.getByRole('textbox', { name: /^(Ask|Message) desk$/ });
  await field.fill('first\nline');
  await field.press('Enter');
  await page.waitForURL(/\/chat\/t/);
  await page.getByText('You said first').waitFor();
  await expect.poll(() => field.evaluate((element) => element.matches(':focus'))).toBe(true);
  for (const text of ['second', 'third']) {
    await field.fill(text);
    await field.press('Enter');
    await page.getByText(`You said ${text}`).waitFor();
  }
  const thread = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const { runs } = await server.api<ThreadInfo>(`/api/threads/${thread}`);
  expect(runs.map(({ input }) => input.text)).toEqual(['first\nline', 'second', 'third']);
  const figures = page.locator('.chat-figures > .num');
  await expect.poll(() => figures.count()).toBe(3);
  const shown = () => figures.evaluateAll((all) => all.map((one) => one.getAttribute('title')));
  await expect.poll(shown).toEqual(runs.map(({ tokens }) => `${tokens.input} tokens in, ${tokens.output} out`));
  const list = page.locator('.chat-list');
  const left = () => list.evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight);
  await expect.poll(left).toBeLessThan(2);
  await page.reload();
  await page.getByText('You said third').waitFor();
  await expect.poll(left).toBeLessThan(2);
  await page.locator('.chat-row').getByText('3 messages').waitFor();
  expect(await violations(page)).toEqual([]);
});

test('a long message is edited whole, also after its chat was read again, and a very long one is cut until a press', async () => {
  const answers = { agents: { desk: [{ answer: 'Read.', repeat: true }] } };
  const server = await served({ files: scripted({ desk: agent('') }, answers) });
  const long = `${'word '.repeat(200)}end`;
  const longer = `${'word '.repeat(2000)}last`;
  const { run, thread } = await server.api<{ readonly run: string; readonly thread: string }>('/api/runs?wait=20s', {
    agent: 'desk',
    input: long,
    thread: 'new',
  });
  await server.api('/api/runs?wait=20s', { agent: 'desk', input: longer, thread, continues: run });
  const page = await newPage();
  await page.goto(server.at(`/chat/${thread}`));
  const said = page.locator('.chat-said').last();
  const all = page.getByRole('button', { name: /^Show all/ });
  await all.waitFor();
  await expect.poll(() => said.textContent()).not.toContain('last');
  await all.click();
  await expect.poll(() => said.textContent()).toBe(longer);
  await page.getByRole('button', { name: 'Edit' }).first().click();
  const field = page.getByRole('textbox', { name: 'Word the message anew' });
  await expect.poll(() => field.inputValue()).toBe(long);
});

test('a reader further up is left there, and is told that an answer came', async () => {
  const server = await served({
    files: scripted(
      { desk: agent('') },
      { agents: { desk: [{ answer: `You said {{input}}. ${LONG}`, repeat: true }] } },
    ),
  });
  const first = await server.api<{ run: string; thread: string }>('/api/runs?wait=30s', {
    agent: 'desk',
    input: 'one',
    thread: 'new',
  });
  await server.api('/api/runs?wait=30s', { agent: 'desk', input: 'two', thread: first.thread });
  const page = await newPage();
  await page.goto(server.at(`/chat/${first.thread}`));
  await page.getByText('You said two').waitFor();
  const list = page.locator('.chat-list');
  await list.hover();
  await page.mouse.wheel(0, -5000);
  await expect.poll(() => list.evaluate((one) => one.scrollTop)).toBe(0);
  await server.api('/api/runs?wait=30s', { agent: 'desk', input: 'three', thread: first.thread });
  await page.getByRole('button', { name: 'New answer below' }).click();
  await page.getByText('You said three').waitFor();
  await expect.poll(() => list.evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight)).toBeLessThan(2);
  await page.getByRole('button', { name: 'New answer below' }).waitFor({ state: 'detached' });
});

test('an edited message begins a branch of the same thread, and both wordings can be read', async () => {
  const server = await served({
    files: scripted({ desk: agent('') }, { agents: { desk: [{ answer: 'You said {{input}}.', repeat: true }] } }),
  });
  const first = await server.api<{ run: string; thread: string }>('/api/runs?wait=30s', {
    agent: 'desk',
    input: 'one',
    thread: 'new',
  });
  await server.api('/api/runs?wait=30s', { agent: 'desk', input: 'two', thread: first.thread });
  const page = await newPage();
  await page.goto(server.at(`/chat/${first.thread}`));
  await page.getByText('You said two.').waitFor();
  await page.getByRole('textbox', { name: /^(Ask|Message) desk$/ }).press('ArrowUp');
  const edit = page.getByRole('textbox', { name: 'Word the message anew' });
  await edit.fill('two, worded anew');
  await edit.press('Enter');
  await page.getByText('You said two, worded anew.').waitFor();
  await page.getByText('2 of 2').waitFor();
  await page.getByText('You said one.').waitFor();
  await page.getByRole('button', { name: 'The wording before' }).click();
  await page.getByText('You said two.').waitFor();
  await page.getByText('1 of 2').waitFor();
  const { runs } = await server.api<ThreadInfo>(`/api/threads/${first.thread}`);
  expect(runs.map(({ continues }) => continues)).toEqual([undefined, first.run, first.run]);
});

test('a message that cannot be sent stays, and is sent once when the server is back', async () => {
  const server = await served({
    files: scripted({ desk: agent('') }, { agents: { desk: [{ answer: 'You said {{input}}.', repeat: true }] } }),
  });
  const first = await server.api<{ thread: string }>('/api/runs?wait=30s', {
    agent: 'desk',
    input: 'one',
    thread: 'new',
  });
  const page = await newPage({ expected: /Failed to load resource|ERR_/ });
  await page.goto(server.at(`/chat/${first.thread}`));
  await page.getByText('You said one.').waitFor();
  await server.stop('kill');
  await page.getByRole('status').filter({ hasText: 'reconnecting' }).waitFor();
  const field = page.getByRole('textbox', { name: /^(Ask|Message) desk$/ });
  await field.fill('two');
  await field.press('Enter');
  await page.getByText('not sent, reconnecting').waitFor();
  await server.again();
  await page.getByText('You said two.').waitFor();
  const { runs } = await server.api<ThreadInfo>(`/api/threads/${first.thread}`);
  expect(runs.map(({ input }) => input.text)).toEqual(['one', 'two']);
});

test('a run that asks a person does so in the place of its answer; Enter in the field never approves', async () => {
  const server = await served({ files: asking() });
  const first = await server.api<{ run: string; thread: string }>('/api/runs', {
    agent: 'clerk',
    input: 'read',
    thread: 'new',
  });
  const page = await newPage();
  await page.goto(server.at(`/chat/${first.thread}`));
  await page.locator('.asks').waitFor();
  await page.locator('.chat-row').getByText('asks you').waitFor();
  const field = page.getByRole('textbox', { name: 'Message clerk' });
  await field.fill('hurry');
  await field.press('Enter');
  await page.getByText('read before its next turn').waitFor();
  expect((await server.api<RunRow>(`/api/runs/${first.run}/summary`)).waiting).toBe(1);
  await armed(page);
  await page.getByRole('button', { name: /^Approve/ }).click();
  await page.getByText('I have').waitFor();
});

test('a chat of very many messages opens at its end with a part of them in the document, and the first can be reached', async () => {
  const journals = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => {
      const run = `20260101-${String(100000 + index).slice(-6)}-00abcde`;
      const before = index === 0 ? {} : { continues: `20260101-${String(100000 + index - 1).slice(-6)}-00abcde` };
      return [run, exchange(run, index, before)];
    }),
  );
  const server = await served({
    files: scripted({ desk: agent('') }, { agents: { desk: [{ answer: 'Yes.', repeat: true }] } }),
    journals,
  });
  const page = await newPage();
  await page.goto(server.at('/chat/tlong'));
  await page.getByText('answer 299').waitFor();
  const turns = page.locator('.chat-turn');
  await expect.poll(() => turns.count()).toBeLessThanOrEqual(400);
  await page.getByText('240 earlier messages above').waitFor();
  const list = page.locator('.chat-list');
  await expect
    .poll(async () => {
      await list.evaluate((one) => {
        one.scrollTop = 0;
      });
      return page.getByText('answer 0', { exact: true }).count();
    })
    .toBe(1);
  await expect.poll(() => turns.count()).toBeLessThanOrEqual(400);
});

function exchange(run: string, index: number, before: object) {
  const at = 1_767_225_600_000 + index * 1000;
  const start = {
    seq: 0,
    at,
    type: 'run-start',
    run,
    version: 2,
    kernel: 2,
    agent: 'desk',
    input: { text: `question ${index}` },
    folder: '/agents',
    thread: 'tlong',
    texts: {},
    ...before,
  };
  const end = {
    seq: 1,
    at: at + 10,
    type: 'run-end',
    outcome: { kind: 'answered', agent: 'desk', text: `answer ${index}` },
  };
  return [start, end] as unknown as NonNullable<Parameters<typeof served>[0]['journals']>[string];
}

test('a message that nobody read says so where it was written, and is sent again as a new run', async () => {
  const server = await served({
    files: scripted(
      { desk: agent('') },
      {
        agents: {
          desk: [{ when: { input: '/slow/' }, delay: '600s', answer: 'Late.' }, { answer: 'Heard: {{input}}' }],
        },
      },
    ),
  });
  const { run, thread } = await server.api<{ run: string; thread: string }>('/api/runs', {
    agent: 'desk',
    input: 'Be slow.',
    thread: 'new',
  });
  const page = await newPage();
  await page.goto(server.at(`/chat/${thread}`));
  const field = page.getByRole('textbox', { name: /^(Ask|Message) desk$/ });
  await page.getByText('Read before its next turn.').waitFor();
  await field.fill('Hurry up.');
  await field.press('Enter');
  await page.getByText('read before its next turn', { exact: true }).waitFor();
  await server.api(`/api/runs/${run}/cancel`, {});
  const unread = page.locator('.chat-turn').filter({ hasText: 'not read: the run ended first' });
  await unread.getByText('Hurry up.').waitFor();
  await unread.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('Heard: Hurry up.').waitFor();
  await expect.poll(() => unread.count()).toBe(0);
  const { runs } = await server.api<ThreadInfo>(`/api/threads/${thread}`);
  expect(runs.map(({ input }) => input.text)).toEqual(['Be slow.', 'Hurry up.']);
});

/** `chunk`: the pause between the words of its long answer. */
const tenScript = (chunk: string): string =>
  JSON.stringify({
    agents: {
      clerk: [
        { when: { last: 'You have been asked to stop' }, answer: 'As far as I came.' },
        { when: { input: '/dig/' }, delay: '100ms', call: { list_files: {} } },
        { when: { input: '/read/', turn: 1 }, call: { read_file: { path: 'cadre.yaml' } } },
        {
          when: { input: '/long/' },
          chunk,
          answer: `${Array.from({ length: 400 }, (_, index) => `word-${index}`).join(' ')} and the end.`,
        },
        { answer: 'You said {{input}}.', repeat: true },
      ],
    },
  });

test('ten messages with an approval, a stop, and a server that is killed while it streams and started again', async () => {
  const server = await served({
    files: {
      ...scripted({ clerk: agent('tools: [files]\napprove: [read_file]\nmaxTurns: 1000\nstuck: off\n') }, {}),
      'cadre.yaml': `${CONFIG}\nlimits: {maxTurns: 1000}\n`,
      'demo.script.yaml': tenScript('200ms'),
    },
  });
  const page = await newPage({ expected: /Failed to load resource|ERR_/ });
  await page.goto(server.at('/chat/new'));
  const field = page.getByRole('textbox', { name: /^(Ask|Message) clerk$/ });
  const say = async (text: string): Promise<void> => {
    await field.fill(text);
    await field.press('Enter');
    await page.locator('.chat-said').getByText(text, { exact: true }).waitFor();
  };
  const answered = (text: string) => page.locator('.chat-answer').getByText(text, { exact: true }).last().waitFor();
  const asks = ['one', 'two', 'please read', 'four', 'dig', 'six', 'a long one', 'eight', 'nine', 'ten'];
  for (const text of asks) {
    await say(text);
    if (text === 'please read') {
      await armed(page);
      await page.getByRole('button', { name: /^Approve/ }).click();
      await answered('You said please read.');
    } else if (text === 'dig') {
      await page.getByRole('button', { name: 'Finish now' }).click();
      await answered('As far as I came.');
    } else if (text === 'a long one') {
      await page.locator('.chat-answer').getByText('word-3').waitFor();
      await server.stop('kill');
      await page.getByRole('status').filter({ hasText: 'reconnecting' }).waitFor();
      writeFileSync(join(server.folder, 'demo.script.yaml'), tenScript('0ms'));
      await server.again();
      await page.getByText('word-399 and the end.').waitFor();
    } else await answered(`You said ${text}.`);
  }
  const { runs } = await server.api<ThreadInfo>(`/api/threads/${new URL(page.url()).pathname.split('/').at(-1)}`);
  expect(runs.map(({ input }) => input.text)).toEqual(asks);
  expect(runs.map(({ outcome }) => outcome)).toEqual(asks.map(() => 'answered'));
  const { resumes } = await server.api<RunRow>(`/api/runs/${runs[6]!.run}/summary`);
  expect(resumes).toBe(1);
  // Each answer stands there once, with the figures of its own run.
  await expect.poll(() => page.locator('.chat-answer').count()).toBe(10);
  await expect.poll(() => page.locator('.chat-figures').count()).toBe(10);
  await page.reload();
  await answered('You said ten.');
  await expect.poll(() => page.locator('.chat-answer').count()).toBe(10);
  expect(await violations(page)).toEqual([]);
});
