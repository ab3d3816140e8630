// Results of tests on the page: the list, models side by side, a case, and the way to its runs.

import { execFileSync, spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { main } from '../support/cli.ts';
import { violations } from './support/axe.ts';
import { newPage } from './support/page.ts';
import { agent } from './support/scripts.ts';
import { type Served, served } from './support/served.ts';

const script = (last: string): string =>
  JSON.stringify({
    agents: {
      clerk: [{ when: { input: '/17/' }, answer: 'Order 17 is here.' }, { answer: last }],
      judge: [{ report: { good: true, why: 'It says where.' }, repeat: true }],
    },
  });

const SHOP = {
  'cadre.yaml': [
    'providers: {small: {kind: scripted, script: ./small.yaml}, large: {kind: scripted, script: ./large.yaml}}',
    'models: {fast: {use: small/any, price: {input: 1, output: 1}}, careful: {use: large/any, price: {input: 2, output: 2}}}',
    'defaults: {models: [fast]}',
  ].join('\n'),
  'small.yaml': script('I do not know.'),
  'large.yaml': script('Order 18 is on its way.'),
  'clerk.md': agent(''),
  'judge.md': agent(''),
  'shop.test.yaml': JSON.stringify({
    agent: 'clerk',
    cases: {
      'order 17': { input: 'Where is order 17?', expect: { judge: { agent: 'judge', rubric: 'Where?', repeat: 2 } } },
      'order 18': { input: 'Where is order 18?', expect: { answer: 'Order 18 is on its way.' } },
      'the manager': { input: 'Where is the manager?', expect: { answer: { contains: 'upstairs' } } },
    },
  }),
};

const cadreTest = (server: Served, ...args: readonly string[]): void => {
  try {
    execFileSync(process.execPath, [main(), 'test', ...args], { cwd: server.folder, stdio: 'pipe' });
  } catch (thrown) {
    if ((thrown as { status?: number }).status !== 1) throw thrown; // 1: cases failed, as they must
  }
};

test.each(['light', 'dark'] as const)(
  'models stand side by side, a case that differs shows both answers, and one click opens its run, in %s',
  async (colorScheme) => {
    const server = await served({ files: SHOP });
    const page = await newPage({ colorScheme });
    await page.goto(server.at('/tests'));
    await page.getByRole('heading', { name: 'No tests have been run here yet' }).waitFor();
    expect(await violations(page)).toEqual([]);
    cadreTest(server, '--models', 'fast,careful');
    await page.getByRole('link', { name: 'cadre test --models fast,careful' }).waitFor(); // the stream tells of it
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: 'Models side by side' }).waitFor();
    const rows = page.getByRole('table', { name: 'Models side by side' }).getByRole('row');
    await expect.poll(() => rows.nth(1).innerText()).toMatch(/fast\s+1 of 3\s+100 %/);
    await expect.poll(() => rows.nth(2).innerText()).toMatch(/careful\s+2 of 3\s+100 %/);
    await expect.poll(() => page.getByRole('radio', { name: 'Differ 1' }).getAttribute('aria-checked')).toBe('true');
    await page.keyboard.press('ArrowDown');
    const detail = page.getByRole('complementary', { name: 'Case' });
    await detail.getByRole('heading', { name: 'order 18' }).waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('case')).toBe('shop.test.yaml order 18');
    await expect.poll(() => detail.innerText()).toContain('-Order 18 is on its way.');
    await expect.poll(() => detail.innerText()).toContain('+I do not know.');
    await expect.poll(() => detail.innerText()).toContain("cadre test shop.test.yaml --only 'order 18' --models fast");
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await detail.waitFor({ state: 'detached' });
    await page.getByRole('radio', { name: /^All/ }).click();
    await page.getByLabel('Filter').fill('manager');
    await expect.poll(() => page.locator('.tests-cases tbody tr').count()).toBe(1);
    await page
      .getByRole('link', { name: /^failed, .*: open its run/ })
      .first()
      .click();
    await page.getByText('I do not know.').first().waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/runs\//);
    await page.goBack();
    await page.getByRole('link', { name: 'the manager' }).click();
    await detail.getByRole('link', { name: 'Compare them' }).click();
    await page.waitForURL(/\/diff\//);
  },
);

test('tests are followed while they run, one model has its page too, and an unknown result says which are kept', async () => {
  const slow = JSON.stringify({ agents: { clerk: [{ delay: '6s', answer: 'It is here.', repeat: true }] } });
  // Three times as long as the server's pause between two looks, so that each step is seen.
  const server = await served({ files: { ...SHOP, 'small.yaml': slow } });
  const page = await newPage({ expected: /404/, viewport: { width: 390, height: 844 } });
  const running = spawn(process.execPath, [main(), 'test', '--only', 'order 18', '--no-keep'], { cwd: server.folder });
  await new Promise((resolve) => running.once('exit', resolve));
  await page.goto(server.at('/tests/last'));
  await page.getByText('None is kept here yet: run cadre test.').waitFor();
  await page.goto(server.at('/tests'));
  await page.getByRole('heading', { name: 'No tests have been run here yet' }).waitFor();
  const kept = spawn(process.execPath, [main(), 'test', '--at-once', '1', '--only', 'order'], { cwd: server.folder });
  const ended = new Promise((resolve) => kept.once('exit', resolve));
  await page.getByText('0 of 2', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'cadre test --only order' }).click();
  await page.getByText('1 of 2', { exact: true }).first().waitFor();
  await page.getByText('2 failed').first().waitFor();
  await ended;
  await expect.poll(() => page.title()).toBe('✕ 2 failed · tests');
  expect(await violations(page)).toEqual([]);
});
