// Marks on answers: in a chat, beside the answer of a run and in the list, and the test that is made of a marked run.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunRow } from '../../src/server/protocol.ts';
import { cli } from '../crash/support/cli.ts';
import { violations } from './support/axe.ts';
import { newPage } from './support/page.ts';
import { agent, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';

const REFUND = 'output: {format: json, schema: {type: object, properties: {type: {type: string}}, required: [type]}}\n';

const shop = () =>
  served({
    files: scripted(
      { desk: agent(''), refunds: agent(REFUND) },
      {
        agents: {
          desk: [{ answer: 'A watchmaker may open it.', repeat: true }],
          refunds: [{ report: { type: 'refund' }, repeat: true }],
        },
      },
    ),
  });

const marksOf = async (server: Awaited<ReturnType<typeof shop>>, run: string): Promise<readonly string[]> =>
  ((await server.api<RunRow>(`/api/runs/${run}/summary`)).notes ?? []).map(({ by, mark, text = '' }) =>
    `${by} ${mark} ${text}`.trim(),
  );

test.each(['light', 'dark'] as const)(
  'a thumb in a chat is pressed by keys, has its reason, becomes a test, and is taken back, in %s',
  async (colorScheme) => {
    const server = await shop();
    const asked = { agent: 'desk', input: 'May I open it?', thread: 'new' };
    const { run, thread } = await server.api<{ run: string; thread: string }>('/api/runs?wait=30s', asked);
    const page = await newPage({ colorScheme });
    await page.goto(server.at(`/chat/${thread}`));
    const bad = page.getByRole('button', { name: 'Bad answer' });
    await bad.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => bad.getAttribute('aria-pressed')).toBe('true');
    const reason = page.getByLabel('What was wrong');
    await reason.fill('It should say where.');
    await reason.press('Enter');
    await page.getByText('kept', { exact: true }).waitFor();
    await expect.poll(() => marksOf(server, run)).toEqual(['owner bad It should say where.']);
    await page.getByRole('button', { name: 'Make a test of it' }).click();
    const text = page.getByLabel('The text or the values');
    await expect.poll(() => text.inputValue()).toBe('');
    await page.getByRole('button', { name: 'Save test' }).waitFor();
    await expect
      .poll(() => page.getByRole('button', { name: 'Save test' }).getAttribute('title'))
      .toBe('Say first what must hold.');
    await text.fill('list of watchmakers');
    await page.getByText('expect: {"answer":{"contains":["list of watchmakers"]}}').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save test' }).click();
    const file = `desk-${run.slice(0, 15)}.test.yaml`;
    await page.getByText(`cadre test ${file}`).waitFor();
    const written = readFileSync(join(server.folder, file), 'utf8');
    expect(written).toMatch(/# bad, by owner, .*: It should say where\./);
    expect(written).toMatch(/contains:\s+- list of watchmakers/);
    const tested = await cli(['test', file], { cwd: server.folder });
    expect([tested.code, tested.stdout]).toEqual([1, expect.stringContaining('list of watchmakers')]);
    await bad.click();
    await expect.poll(() => marksOf(server, run)).toEqual([]);
    await reason.waitFor({ state: 'detached' });
    expect(await violations(page)).toEqual([]);
  },
);

test('a run has the thumbs beside its answer, a good one proposes its values, and the list shows and finds the mark', async () => {
  const server = await shop();
  const run = await server.run('refunds', 'Refund it.');
  await server.run('desk', 'Unmarked.');
  const page = await newPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const wide = await newPage();
  await wide.goto(server.at(`/runs/${run}`));
  await wide.getByRole('button', { name: 'Good answer' }).click();
  const reason = wide.getByLabel('What was good');
  await reason.fill('Short.');
  await reason.blur();
  await expect.poll(() => marksOf(server, run)).toEqual(['owner good Short.']);
  await wide.getByRole('button', { name: 'Make a test of it' }).click();
  await expect.poll(() => wide.getByLabel('The text or the values').inputValue()).toBe('$.type: "refund"');
  await wide.getByLabel('What must hold').selectOption('judge');
  await wide.getByLabel('The agent that judges').selectOption('desk');
  await wide.getByText(/"judge":\{"agent":"desk"/).waitFor();
  expect(await violations(wide)).toEqual([]);
  await wide.getByLabel('What must hold').selectOption('json');
  await wide.getByRole('button', { name: 'Save test' }).click();
  const file = `refunds-${run.slice(0, 15)}.test.yaml`;
  await expect.poll(() => existsSync(join(server.folder, file))).toBe(true);
  expect((await cli(['test', file], { cwd: server.folder })).code).toBe(0);
  await wide.goto(server.at('/runs?q=mark:good'));
  await wide.getByText('good, by owner: Short.').first().waitFor({ state: 'attached' });
  await expect.poll(() => wide.getByText('Unmarked.').count()).toBe(0);
  expect(await violations(wide)).toEqual([]);
  // It stands there for whoever comes later, and on a phone.
  await page.goto(server.at(`/runs/${run}`));
  await expect.poll(() => page.getByLabel('What was good').inputValue()).toBe('Short.');
  expect(await violations(page)).toEqual([]);
});

test('a token that may only see reads the marks of others and puts none', async () => {
  const server = await served({
    files: {
      ...scripted({ desk: agent('') }, { agents: { desk: [{ answer: 'Yes.', repeat: true }] } }),
      'cadre.yaml': [
        'providers: {demo: {kind: scripted, script: ./demo.script.yaml}}',
        'models: {fast: {use: demo/any, price: {input: 1, output: 1}}}',
        'defaults: {models: [fast]}',
        'server: {tokens: {looker: {token: looker-token-of-the-test, may: [see]}}}',
      ].join('\n'),
    },
  });
  const run = await server.run('desk', 'May I?');
  await server.api(`/api/runs/${run}/notes`, { mark: 'bad', text: 'Rude.' });
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`).replace(/token=.*/, 'token=looker-token-of-the-test'));
  await page.getByText(/by owner: Rude\./).waitFor();
  const good = page.getByRole('button', { name: 'Good answer' });
  await expect.poll(() => good.getAttribute('title')).toBe('The token looker has no permission "run".');
  await good.click({ force: true });
  await expect.poll(() => marksOf(server, run)).toEqual(['owner bad Rude.']);
});
