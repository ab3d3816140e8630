// Details that hold on every screen: an agent that is linked is seen, the banner names who asks,
// Markdown is read as plain text in a list, and no name is too long.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newPage, wholeRun } from './support/page.ts';
import { agent, asking, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';

const isSeen = (page: Page, selector: string) =>
  page.locator(selector).evaluate((one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const around = one.closest('.agents-work')!.getBoundingClientRect();
    return top >= around.top - 1 && bottom <= around.bottom + 1 && left >= around.left - 1 && right <= around.right + 1;
  });

test('a link to an agent brings it into view in the graph and in the list', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `clerk-${String(index).padStart(2, '0')}`);
  const server = await served({
    files: scripted(Object.fromEntries(names.map((name) => [name, agent('')])), { any: [{ answer: 'Done.' }] }),
  });
  const page = await newPage();
  await page.goto(server.at('/agents/clerk-57'));
  await page.locator('.agents-node.chosen').waitFor();
  await expect.poll(() => isSeen(page, '.agents-node.chosen')).toBe(true);
  await page.getByRole('radio', { name: 'List' }).click();
  const inList = '.agents-list [aria-current="true"]';
  await expect.poll(() => isSeen(page, inList)).toBe(true);
  await page.goto(server.at('/agents/clerk-03?as=list'));
  await page.locator(inList, { hasText: 'clerk-03' }).waitFor();
  for (let press = 0; press < 40; press++) await page.keyboard.press('ArrowDown');
  await page.locator(inList, { hasText: 'clerk-43' }).waitFor();
  await expect.poll(() => isSeen(page, inList)).toBe(true);
});

test('the banner of the list names who asks and what, the oldest first, and counts the others', async () => {
  const server = await served({ files: asking() });
  const page = await newPage();
  await page.goto(server.at('/runs'));
  const banner = page.locator('.runs-waiting');
  await server.run('clerk', 'First.', false);
  await banner.getByText(/^clerk asks you: .*read_file/).waitFor();
  const look = () => banner.getByRole('link', { name: /^Look at it/ }).getAttribute('href');
  await expect.poll(look).toContain('/approvals/');
  const first = await look();
  await expect.poll(() => banner.getByText(/^and \d more$/).count()).toBe(0);
  await server.run('clerk', 'Second.', false);
  await banner.getByText('and 1 more', { exact: true }).waitFor();
  await expect.poll(look).toBe(first);
});

test('the way to an answer is plain text: no marks, a task with its box, a table by its first row', async () => {
  const answer = '## Plan\n\n- [x] **seen**\n- [ ] paid\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |';
  const server = await served({ files: scripted({ clerk: agent('') }, { agents: { clerk: [{ answer }] } }) });
  const run = await server.run('clerk', 'Go.');
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  const step = page.locator('.why-steps li').first().locator('p').first();
  await expect.poll(() => step.textContent()).toBe('Plan\n☑ seen\n☐ paid\n1, 2 …');
  // In the answer itself a task stands on the line of its box.
  const task = page.locator('.panel-body .text li').filter({ hasText: 'seen' });
  await expect
    .poll(() =>
      task.evaluate(
        (one) => new Set([...one.children].map((part) => Math.round(part.getBoundingClientRect().bottom))).size,
      ),
    )
    .toBe(1);
});

test.each([1440])(
  'names of any length stay inside their part, and the title has the whole, at %i pixels',
  async (width) => {
    const name = `clerk-${'of-the-north-harbour-'.repeat(5)}office`.slice(0, 63);
    const server = await served({
      files: scripted(
        { [name]: agent('tools: [files]\n') },
        { agents: { [name]: [{ call: { list_files: {} } }, { answer: 'Done.' }] } },
      ),
    });
    const run = await server.run(name, 'Go.');
    const page = await newPage({ viewport: { width, height: 844 } });
    for (const place of [
      '/runs',
      `/runs/${run}`,
      `/runs/${run}/conversation`,
      `/runs/${run}/cost`,
      '/chat/new',
      `/agents/${name}`,
      '/approvals',
      `/start/${name}`,
    ]) {
      await page.goto(server.at(place));
      await page.locator('main').getByText(/\S/).filter({ visible: true }).first().waitFor();
      await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
      const sideways = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      await expect.poll(async () => `${place} ${await sideways()}`).toBe(`${place} 0`);
    }
    await page.goto(server.at(`/runs/${run}`));
    await wholeRun(page, run);
    await expect.poll(() => page.locator(`.tl-row [title*="${name}"]`).count()).toBeGreaterThan(0);
  },
);
