// Texts from models and tools that would like to be more than text.

import { expect, test } from 'vitest';
import { newPage } from './support/page.ts';
import { agent, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';

const HOSTILE = [
  '<img src=x onerror="window.hit = 1">',
  '<script>window.hit = 2</script>',
  '[press me](javascript:window.hit=3)',
  '![pixel](https://evil.example/pixel.png)',
  '<iframe src="https://evil.example"></iframe><style>*{display:none!important}</style>',
  '\u202Etxet desrever\u202C and \u0000\u0007\u001b[31m',
].join('\n\n');

test('HTML, scripts, images, bidi and control characters of a model are text and load nothing', async () => {
  const server = await served({
    files: scripted(
      { clerk: agent('tools: [files]\n') },
      {
        agents: {
          clerk: [{ say: HOSTILE, call: { read_file: { path: 'evil.txt' } } }, { answer: `# Done\n\n${HOSTILE}` }],
        },
      },
      { 'evil.txt': HOSTILE },
    ),
  });
  const run = await server.run('clerk', HOSTILE);
  const page = await newPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  for (const tab of ['', '/conversation', '/journal', '/cost']) {
    await page.goto(server.at(`/runs/${run}${tab}`));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('tabpanel').waitFor();
  }
  await page.goto(server.at(`/runs/${run}`));
  await page.getByRole('heading', { level: 2, name: 'The answer' }).waitFor();
  await page.getByText('<script>window.hit = 2</script>').first().waitFor();
  await page.goto(server.at('/runs'));
  await page.getByText('onerror').first().waitFor();
  await expect.poll(() => page.evaluate('window.hit')).toBeUndefined();
  expect(asked.filter((url) => !url.startsWith(new URL(server.openUrl).origin))).toEqual([]);
  await expect
    .poll(() => page.locator('main img, main iframe, main script, main style, a[href^="javascript"]').count())
    .toBe(0);
});

test('a line of a megabyte is cut where it is shown, and does not stop the page', async () => {
  const line = 'x'.repeat(1_000_000);
  const server = await served({
    files: scripted({ clerk: agent('') }, { agents: { clerk: [{ answer: `${line} END` }] } }),
  });
  const run = await server.run('clerk', 'Write.');
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  await page.getByRole('heading', { level: 2, name: 'The answer' }).waitFor();
  await page
    .getByRole('button', { name: /Show all/ })
    .first()
    .waitFor();
  expect((await page.locator('main').textContent())?.length).toBeLessThan(100_000);
});

test('a call with a long argument leaves the steps of an answer within their column', async () => {
  const path = `${'long '.repeat(200)}.txt`;
  const server = await served({
    files: scripted(
      { clerk: agent('tools: [files]\n') },
      { agents: { clerk: [{ call: { read_file: { path } } }, { answer: 'There is none.' }] } },
    ),
  });
  const run = await server.run('clerk', 'Read.');
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  const steps = page.locator('.why-steps');
  await steps.locator('.why-beside').first().waitFor();
  await expect.poll(() => steps.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
});
