// Approvals that were decided, files in a conversation, a run saved as a test, the palette, and agents with errors: in a real
// browser with the real server.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { violations } from './support/axe.ts';
import { armed, newPage } from './support/page.ts';
import { agent, asking, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';

test('decisions stand below the waiting calls, with the note and the result of the call', async () => {
  const server = await served({ files: asking() });
  const page = await newPage();
  await page.goto(server.at('/approvals'));
  await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
  await server.run('clerk', 'first', false);
  await page.getByRole('button', { name: /^Next/ }).click();
  await page.getByRole('heading', { name: 'clerk asks you: read_file cadre.yaml' }).waitFor();
  await page.getByText('Reads a text file').first().waitFor();
  await page.getByLabel(/Note/).fill('Not that file.');
  await armed(page);
  await page.keyboard.press('Control+Backspace');
  const decided = page.getByRole('region', { name: 'Decided' });
  await decided.getByText('Not that file.').waitFor();
  await decided.getByText('“Not that file.” run answered').waitFor();
  await server.run('clerk', 'second', false);
  await page.getByRole('button', { name: /^Next/ }).click();
  await page.getByRole('heading', { name: /clerk asks you: read_file/ }).waitFor();
  await armed(page);
  await page.keyboard.press('Control+Enter');
  await decided.getByText('approved').waitFor();
  await decided.getByText(/(?:done|failed); run answered/).waitFor();
  await expect.poll(() => decided.getByRole('link').count()).toBe(2);
  await expect.poll(() => decided.getByRole('link').first().innerText()).toContain('approved');
  expect(await violations(page)).toEqual([]);
  await decided.getByRole('link').last().click();
  await page.waitForURL(/\/approvals\/.*#0\.2$/);
});

test('a file that is attached in a conversation goes to the agent with the message', async () => {
  const server = await served({
    files: scripted(
      { host: agent('') },
      {
        agents: {
          host: [{ when: { input: '/the tide is high/' }, answer: 'I read it.' }, { answer: 'Hello.' }],
        },
      },
    ),
  });
  const first = await server.api<{ run: string }>('/api/runs?wait=30s', { agent: 'host', input: 'hi', thread: 'new' });
  const page = await newPage();
  await page.goto(server.at(`/runs/${first.run}/conversation`));
  await page.locator('input[type=file]').setInputFiles([
    { name: 'tides.txt', mimeType: 'text/plain', buffer: Buffer.from('At noon the tide is high.') },
    { name: 'more.txt', mimeType: 'text/plain', buffer: Buffer.from('Nothing.') },
  ]);
  await page.getByText('tides.txt').waitFor();
  await page.getByRole('button', { name: /more\.txt/ }).click();
  await expect.poll(() => page.getByText('more.txt').count()).toBe(0);
  await page.getByRole('textbox', { name: 'Ask host a follow-up' }).fill('Read this.');
  await page.keyboard.press('Enter');
  await page.getByText('I read it.').first().waitFor();
  const asked = await server.api<{ items: { run: string }[] }>('/api/runs?limit=1');
  const start = await server.api<{ input: { text: string } }>(`/api/runs/${asked.items[0]?.run}/events/0`);
  expect(start.input.text).toContain('tides.txt');
  expect(start.input.text).toContain('At noon the tide is high.');
  expect(start.input.text).not.toContain('more.txt');
});

test('a run is saved as a test beside its agents, and a second one of the same name is refused in place', async () => {
  const server = await served({ files: scripted({ host: agent('') }, { agents: { host: [{ answer: 'Hello.' }] } }) });
  const run = await server.run('host', 'hi');
  const page = await newPage({ expected: /400/ });
  await page.goto(server.at(`/runs/${run}`));
  const save = async (): Promise<void> => {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Save as test' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('greeting');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Control+Enter');
  };
  await save();
  await page.getByRole('dialog').getByText('greeting.test.yaml').first().waitFor();
  await expect.poll(() => readFileSync(join(server.folder, 'greeting.test.yaml'), 'utf8')).toContain('Hello.');
  await page.keyboard.press('Escape');
  await save();
  await page
    .getByRole('dialog')
    .getByText(/is there already/)
    .waitFor();
});

test('the palette finds agents, runs by their text, and ops of the run, by keys alone', async () => {
  const server = await served({ example: 'help-desk' });
  const run = await server.run('front-desk', 'The mirror of my sextant arrived broken. Please refund order 17.');
  const page = await newPage();
  await page.goto(server.at('/agents'));
  await page.getByRole('heading', { level: 2, name: /front-desk/ }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('sextant');
  await page.getByRole('group', { name: 'Runs' }).getByRole('option').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(run));
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('@risk');
  await page.getByRole('group', { name: 'Agents' }).getByRole('option', { name: 'risk', exact: true }).waitFor();
  await expect.poll(() => page.getByRole('option', { name: 'Start risk' }).count()).toBe(0);
  await expect.poll(() => page.getByRole('group', { name: 'Runs' }).count()).toBe(0);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('#read_file');
  const ops = page.getByRole('group', { name: 'Ops of this run' }).getByRole('option');
  await ops.first().waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/#0(?:\.\d+)+$/);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('fork');
  await page.getByRole('option', { name: /Fork here with another model/ }).waitFor();
});

test('a finding shows its line with carets, an agent goes on as it was, and one that never ran cannot be started', async () => {
  const server = await served({ files: scripted({ host: agent('') }, { agents: { host: [{ answer: 'Hello.' }] } }) });
  await server.run('host', 'hi');
  const page = await newPage();
  await page.goto(server.at('/agents/host'));
  await page.getByText('took part in 1 run').waitFor();
  writeFileSync(join(server.folder, 'host.md'), agent('maxTurn: 8\n'));
  writeFileSync(join(server.folder, 'late.md'), agent('nonsense: true\n'));
  const findings = page.getByRole('list', { name: 'Findings of the check' });
  await findings.getByText('maxTurn: 8').first().waitFor();
  await expect.poll(() => findings.innerText()).toContain('^^^^^^^');
  await page.getByText('A start uses them as they were before.').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.goto(server.at('/agents/late'));
  await page
    .getByText(/It cannot be started until late\.md:\d+ is fixed\./)
    .first()
    .waitFor();
  const start = page.getByRole('complementary').getByRole('button', { name: /Start/ });
  await expect.poll(() => start.getAttribute('aria-disabled')).toBe('true');
  expect(await violations(page)).toEqual([]);
});

test('the form takes the input of the last run', async () => {
  const server = await served({ files: scripted({ host: agent('') }, { agents: { host: [{ answer: 'Hello.' }] } }) });
  await server.run('host', 'What is the tide?');
  const page = await newPage();
  await page.goto(server.at('/agents/host/start'));
  await page.getByRole('button', { name: 'Use its input' }).click();
  await expect.poll(() => page.getByLabel('Your question').inputValue()).toBe('What is the tide?');
});
