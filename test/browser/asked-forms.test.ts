// The form of an MCP server on the page: a field for each of its properties, and the answer that they give. The server is a
// real one, of the official package.

import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ApprovalList } from '../../src/server/protocol.ts';
import { violations } from './support/axe.ts';
import { armed, newPage, type PageOptions } from './support/page.ts';
import { agent, CONFIG, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';

const SERVER = fileURLToPath(new URL('../fixtures/mcp/asking-server.mjs', import.meta.url));

/** A page with the question of this tool, and what the run answers in the end. */
async function askedBy(tool: string, options: PageOptions = {}) {
  const server = { command: process.execPath, args: [SERVER, 'log', 'request'] };
  const own = await served({
    files: scripted(
      { clerk: agent('tools: [mcp:asking]\n') },
      { agents: { clerk: [{ call: { [tool]: {} } }, { answer: '{{last}}' }] } },
      { 'cadre.yaml': `${CONFIG}\nmcpServers: ${JSON.stringify({ asking: server })}\n` },
    ),
  });
  const run = await own.run('clerk', 'Go.', false);
  const waiting = async () => (await own.api<ApprovalList>('/api/approvals')).waiting;
  await expect.poll(async () => (await waiting()).length).toBe(1);
  const [asked] = await waiting();
  const page = await newPage(options);
  await page.goto(own.at(`/approvals/${run}#${asked!.path}`));
  await armed(page);
  const answered = async (): Promise<string> => JSON.stringify(await own.api(`/api/runs/${run}`));
  return { page, answered, field: (name: string) => page.locator('.asks').getByRole('group', { name }) };
}

const answerButton = (page: Page) => page.locator('.asks').getByRole('button', { name: /^Answer/ });

test('a form has a field for each property with its default, and is answered with what stands in them', async () => {
  const { page, answered, field } = await askedBy('order', { expected: /status of 422/ });
  await page.getByText('The MCP server "asking" asks:').waitFor();
  await field('size').getByRole('radio', { name: 'small', checked: true }).waitFor();
  await expect.poll(() => field('wrapped').getByRole('radio', { checked: true }).count()).toBe(0);
  await expect.poll(() => answerButton(page).getAttribute('title')).toBe('Fill in count first.');
  const count = field('count').getByRole('textbox');
  await count.fill('two');
  await expect.poll(() => answerButton(page).getAttribute('title')).toBe('count takes an integer, not "two".');
  await count.fill('0');
  await field('size').getByRole('radio', { name: 'large' }).click();
  await field('wrapped').getByRole('radio', { name: 'yes' }).click();
  await expect.poll(() => answerButton(page).getAttribute('aria-disabled')).toBeNull();
  expect(await violations(page)).toEqual([]);
  await answerButton(page).click();
  await page.getByRole('alert').filter({ hasText: 'count' }).waitFor(); // the server of the page checks it against the form
  await count.fill('3');
  await armed(page);
  await answerButton(page).click();
  await page.getByText('answered by you').first().waitFor();
  await expect.poll(answered).toContain(String.raw`{\"size\":\"large\",\"count\":3,\"wrapped\":true}`);
});

test('a form is filled in by keys alone, and a letter in a field is no command', async () => {
  const { page, answered, field } = await askedBy('order', { viewport: { width: 390, height: 844 } });
  const count = field('count').getByRole('textbox');
  await count.focus();
  await page.keyboard.type('j4');
  await expect.poll(() => count.inputValue()).toBe('j4');
  await count.fill('4');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight');
  await field('wrapped').getByRole('radio', { name: 'yes', checked: true }).waitFor();
  await page.keyboard.press('ArrowRight');
  await field('wrapped').getByRole('radio', { name: 'no', checked: true }).waitFor();
  await answerButton(page).scrollIntoViewIfNeeded();
  await armed(page);
  await page.keyboard.press('Control+Enter');
  await page.getByText('answered by you').first().waitFor();
  await expect.poll(answered).toContain(String.raw`{\"size\":\"small\",\"count\":4,\"wrapped\":false}`);
});

test('a form of one field has its default in it', async () => {
  const { page, answered, field } = await askedBy('open_port');
  const port = field('port').getByRole('textbox');
  await expect.poll(() => port.inputValue()).toBe('8080');
  await port.fill('9090');
  await armed(page);
  await answerButton(page).click();
  await expect.poll(answered).toContain(String.raw`{\"port\":9090}`);
});
