// A team beside one agent on the page: the sentence as the command line says it, the cells by keys, the plot, and the runs.

import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import type { StartedTests } from '../../src/server/protocol.ts';
import { answeringServer } from '../support/answering-server.ts';
import { main } from '../support/cli.ts';
import { violations } from './support/axe.ts';
import { newPage } from './support/page.ts';
import { agent, scripted } from './support/scripts.ts';
import { type Served, served } from './support/served.ts';

/** The one agent is wrong two times of three. */
async function modelServer(): Promise<string> {
  let alone = 0;
  return answeringServer((asked) => {
    const isAlone = asked.includes('## clerk');
    const isWrong = isAlone && asked.includes('Where is it?') && alone++ % 3 !== 0;
    return { content: isWrong ? 'Nowhere.' : 'It is here.', input: isAlone ? 300 : 900 };
  });
}

const shop = async (price: string): Promise<Served> =>
  served({
    files: {
      'cadre.yaml': `providers: { local: { kind: openai-compatible, baseUrl: "${await modelServer()}" } }\nmodels: { near: { use: local/a${price} } }\ndefaults: { models: [near] }\n`,
      'boss.md': agent('agents: [clerk]\nbudget: { tokens: 100000 }\n', 'You lead.'),
      'clerk.md': agent('', 'You answer.'),
      'boss.test.yaml': JSON.stringify({
        agent: 'boss',
        cases: {
          'a thing is found': { input: 'Where is it?', expect: { answer: { contains: 'It is here' } } },
          'all is good': { input: 'Is it?', expect: { atMost: { calls: 9 } } },
          'the clerk is asked': { agent: 'clerk', input: 'Where?', expect: { answer: { contains: 'It is here' } } },
        },
      }),
    },
  });

/** Ends with the process: a case that fails is no error here. */
const cadreTest = ({ folder }: Served, ...args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile(process.execPath, [main(), 'test', ...args], { cwd: folder }, (_error, stdout) => resolve(stdout));
  });

const PRICED = ', price: { input: 1, output: 1 }';

test.each([
  { mode: 'light', width: 1440 },
  { mode: 'dark', width: 1440 },
  { mode: 'light', width: 1024 },
  { mode: 'dark', width: 390 },
] as const)(
  'candidates stand beside each other and lead to their runs by keys, in $mode at $width pixels',
  async (look) => {
    const server = await shop(PRICED);
    const said = await cadreTest(server, '--alone', '--times', '3', '--live', '--keep', '--at-once', '1');
    const sentence = said.split('\n').find((line) => line.startsWith('team and alone')) ?? '';
    expect(sentence).toContain('6 of 6 against 4 of 6 passed');
    const page = await newPage({ colorScheme: look.mode, viewport: { width: look.width, height: 900 } });
    await page.goto(server.at('/tests/last'));
    await page.getByText(sentence).waitFor();
    const rows = page.getByRole('table', { name: 'Candidates' }).getByRole('row');
    await expect.poll(() => rows.nth(1).innerText()).toMatch(/team\s+6 of 6\s+2 to 2/);
    await expect.poll(() => rows.nth(2).innerText()).toMatch(/alone\s+4 of 6\s+1 to 2/);
    await page.getByRole('button', { name: 'a thing is found, alone: 1 of 3 passed' }).waitFor();
    await page.getByRole('button', { name: 'the clerk is asked, alone: left out' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: /^alone: 4 of 6 passed, \$\S+ a case$/ }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('candidate')).toBe('1');
    await page.getByRole('heading', { name: /a thing is found/ }).waitFor();
    await page.getByText('failed').first().waitFor();
    await page.getByRole('link', { name: 'Compare with team' }).waitFor();
    await page.getByLabel('across').selectOption('tokens');
    await page.getByRole('button', { name: /^team: 6 of 6 passed, 905/ }).waitFor();
    await page.getByRole('button', { name: 'a thing is found, alone: 1 of 3 passed' }).click();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => new URL(page.url()).searchParams.get('candidate')).toBe('0');
    await expect.poll(() => new URL(page.url()).searchParams.get('case')).toBe('boss.test.yaml all is good');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'the run of time 1' }).click();
    await page.waitForURL(/\/runs\//);
  },
);

test('one time has no spread, a run that was not kept says so, and an unknown price has no point', async () => {
  const server = await shop('');
  await cadreTest(server, '--alone', '--live', '--at-once', '1');
  const page = await newPage();
  await page.goto(server.at('/tests/last'));
  await page.getByText('no spread from one time').waitFor();
  await page.getByText('No point, because a price is unknown: team, alone').waitFor();
  await page.getByText('price unknown').first().waitFor();
  await page.getByText('run not kept, use --keep').first().waitFor();
  await page.getByLabel('across').selectOption('ms');
  await page.getByRole('button', { name: /^team: 2 of 2 passed/ }).waitFor();
  expect(await violations(page)).toEqual([]);
});

test('a comparison is run again on the server after its bound was said', async () => {
  const server = await shop(', contextWindow: 1000, maxOutputTokens: 100, price: { input: 1, output: 1 }');
  await cadreTest(server, '--alone', '--live', '--at-once', '1');
  const page = await newPage();
  await page.goto(server.at('/tests/last'));
  await page.getByText('no spread from one time').waitFor();
  const before = await server.api<{ items: readonly { id: string }[] }>('/api/tests');
  await page.getByRole('button', { name: 'Run again' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run the tests again' });
  await dialog.getByText('3 cases, 2 candidates, 6 runs.').waitFor();
  await dialog.getByText(/^At most \d+ model calls, never more than \$[\d.]+\.$/).waitFor();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Start' }).click();
  await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/tests\/\d{8}-/);
  await dialog.waitFor({ state: 'detached' });
  const after = await server.api<{ items: readonly { id: string; command: string }[] }>('/api/tests');
  expect(after.items).toHaveLength(before.items.length + 1);
  expect(after.items[0]?.command).toBe('cadre test boss.test.yaml --live --alone');
  await expect.poll(() => page.locator('.tests-head').innerText(), { timeout: 20_000 }).toMatch(/passed/);
  const rows = page.getByRole('table', { name: 'Candidates' }).getByRole('row');
  await expect.poll(() => rows.nth(1).innerText(), { timeout: 20_000 }).toMatch(/team\s+2 of 2/);
});

test('tests that the server runs are cancelled where they are followed, after a yes that says what may be charged', async () => {
  const server = await served({
    files: scripted(
      { boss: agent('agents: [clerk]\n'), clerk: agent('') },
      { agents: { boss: [{ delay: '600s', answer: 'Late.' }], clerk: [], 'boss-alone': [] } },
      { 'boss.test.yaml': JSON.stringify({ agent: 'boss', cases: { 'it comes': { input: 'Where?', expect: {} } } }) },
    ),
  });
  const { id } = await server.api<StartedTests>('/api/tests', { places: ['boss.test.yaml'], times: 1 });
  const page = await newPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await page.goto(server.at(`/tests/${id}`));
  const head = page.locator('.tests-head');
  await head.getByRole('button', { name: 'Cancel' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel the tests' });
  await dialog.getByText('1 of 1 have no result yet.').waitFor();
  expect(await violations(page)).toEqual([]);
  // A dialog has a way out where there is no Escape.
  const close = await dialog.locator('.dialog-head').getByRole('button', { name: 'Close' }).boundingBox();
  expect(Math.min(close!.width, close!.height)).toBeGreaterThanOrEqual(24);
  await dialog.getByRole('button', { name: 'Cancel them' }).click();
  await dialog.waitFor({ state: 'detached' });
  await head.getByRole('button', { name: 'Run again' }).waitFor();
  await expect.poll(() => head.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
});
