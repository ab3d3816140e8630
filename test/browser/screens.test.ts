// The screens around a run, in a real browser with the real server: list, agents, start, approvals, conversation, team,
// cost, journal, changes and comparison.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunSummary, ThreadInfo } from '../../src/server/protocol.ts';
import { violations } from './support/axe.ts';
import { armed, newPage } from './support/page.ts';
import { agent, asking, CONFIG, scripted } from './support/scripts.ts';
import { type Served, serve, served } from './support/served.ts';

let server: Served;
let run = '';
let other = '';
beforeAll(async () => {
  server = await serve({ example: 'ship-room' });
  run = await server.run('release-lead', 'Does 4.2.0 go out today?');
  other = await server.run('release-lead', 'Does 4.2.0 go out tomorrow?');
});
afterAll(async () => {
  await server.stop('kill');
  rmSync(server.folder, { recursive: true, force: true });
});

test.each(['light', 'dark'] as const)(
  'every screen is named, readable and without a finding of axe, in %s',
  async (colorScheme) => {
    const page = await newPage({ colorScheme });
    const places = [
      '/runs',
      '/agents',
      '/agents/tester?tab=prompt',
      '/agents/release-lead/start',
      '/approvals',
      `/runs/${run}/conversation`,
      `/runs/${run}/team`,
      `/runs/${run}/cost`,
      `/runs/${run}/journal`,
      `/runs/${run}/changes`,
      `/runs/${run}/diff/${other}`,
    ];
    const found: string[] = [];
    for (const place of places) {
      await page.goto(server.at(place));
      await page.locator('main').getByText(/\S/).first().waitFor();
      await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
      for (const one of await violations(page)) found.push(`${place}: ${one}`);
    }
    expect(found).toEqual([]);
  },
);

test('a run is started with a form, approved on the screen of approvals, and answered', async () => {
  const own = await served({
    files: {
      ...asking(),
      'clerk.md': agent(
        'tools: [files]\napprove: [files]\ninput: {format: json, schema: {type: object, properties: {order: {type: string, pattern: "^[0-9]+$"}, fast: {type: boolean}}, required: [order]}}\n',
      ),
    },
  });
  const page = await newPage();
  await page.goto(own.at('/agents/clerk/start'));
  const start = page.getByRole('button', { name: /^Start/ }).last();
  await expect.poll(() => start.getAttribute('aria-disabled')).toBe('true'); // the server was asked
  await expect.poll(() => page.locator('.err').count()).toBe(0); // nobody has written anything yet
  await page.getByLabel(/^order/).fill('x');
  await page
    .getByText(/must match pattern/)
    .first()
    .waitFor();
  await page.getByLabel(/^order/).fill('17');
  await expect.poll(() => start.getAttribute('aria-disabled')).toBeNull();
  await page.keyboard.press('Control+Enter');
  await page.waitForURL(/\/runs\//);
  const started = new URL(page.url()).pathname;
  await page.goto(own.at('/approvals'));
  await page.getByRole('button', { name: /^Next/ }).click();
  await page.getByRole('heading', { name: /clerk asks you: read_file/ }).waitFor();
  await page.getByLabel(/Note/).fill('Go on.');
  await armed(page);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('heading', { name: 'read_file cadre.yaml' }).waitFor();
  await page.getByText('approved by you').first().waitFor();
  await page.goto(own.at(started));
  await page.locator('.run-head .chip', { hasText: 'answered' }).waitFor();
});

test('the list of runs is filtered and moved through by keys, and stands in the address', async () => {
  const page = await newPage();
  await page.goto(server.at('/runs'));
  await page.getByRole('grid', { name: 'Runs' }).waitFor();
  await expect.poll(() => page.locator('.runs-row').count()).toBe(2);
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => new URL(page.url()).searchParams.get('run')).toBe(run);
  await page.keyboard.press('/');
  await page.keyboard.type('tomorrow');
  await expect.poll(() => page.locator('.runs-row').count()).toBe(1);
  await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('tomorrow');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.locator('.runs-row').count()).toBe(2);
  await page.keyboard.press('x');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('c');
  await page.waitForURL(/\/diff\//);
  await page.getByRole('heading', { level: 1, name: /then different|the same throughout|Different from/ }).waitFor();
});

test('a conversation goes on in the same thread, and a live run takes a message', async () => {
  const own = await served({
    files: scripted(
      { host: agent('') },
      {
        agents: {
          host: [
            { when: { input: '/second/' }, delay: '200ms', answer: 'The second answer.' },
            { answer: 'The first answer.' },
          ],
        },
      },
    ),
  });
  const first = await own.api<{ run: string }>('/api/runs?wait=30s', { agent: 'host', input: 'first', thread: 'new' });
  const page = await newPage();
  await page.goto(own.at(`/runs/${first.run}/conversation`));
  await page.getByText('The first answer.').first().waitFor();
  await page.getByRole('textbox', { name: 'Ask host a follow-up' }).fill('second');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => !url.pathname.includes(first.run));
  await page.getByText('The second answer.').first().waitFor();
  await page.getByRole('heading', { name: 'This thread, 2 messages' }).waitFor();
  // A run that is of no thread, as the command line starts them, begins one.
  const alone = await own.api<{ run: string }>('/api/runs?wait=30s', { agent: 'host', input: 'first' });
  await page.goto(own.at(`/runs/${alone.run}/conversation`));
  await page.getByText('The first answer.').first().waitFor();
  await page.getByRole('textbox', { name: 'Ask host a follow-up' }).fill('second');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => !url.pathname.includes(alone.run));
  await page.getByText('The second answer.').first().waitFor();
  const path = `/api/runs/${new URL(page.url()).pathname.split('/')[2]}/summary`;
  const { history } = await own.api<ThreadInfo>(`/api/threads/${(await own.api<RunSummary>(path)).thread}`);
  expect(history.map(({ text }) => text)).toEqual(['first', 'The first answer.', 'second', 'The second answer.']);
});

test('a team is watched while it works', async () => {
  const asked = await server.run('release-lead', 'Does 4.2.1 go out?', false);
  const page = await newPage();
  await page.goto(server.at(`/runs/${asked}/team`));
  await page.getByText('Three changes.').first().waitFor();
  await page.getByRole('region', { name: 'Final report' }).waitFor();
  await expect.poll(() => page.locator('.team-row').count()).toBeGreaterThan(5);
});

test('Now has what each member last told its team', async () => {
  const own = await served({
    files: scripted(
      { lead: agent('team: {members: [ann], supervisor: self}\n'), ann: agent('') },
      { agents: { lead: [{ delay: '600s', answer: 'Late.' }], ann: [{ answer: 'The tests are green.' }] } },
    ),
  });
  const run = await own.run('lead', 'Are they?', false);
  const page = await newPage();
  await page.goto(own.at(`/runs/${run}`));
  await page.locator('.now-row', { hasText: 'ann' }).getByText('said, #1 The tests are green.').waitFor();
});

test('files that a run changed are shown as a diff, and taken back', async () => {
  const own = await served({
    files: scripted(
      { writer: agent('tools: [files, "files:write"]\ntrust: ["files:write"]\n') },
      {
        agents: {
          writer: [
            { call: { edit_file: { path: 'notes.txt', old_text: 'old', new_text: 'new' } } },
            { answer: 'Done.' },
          ],
        },
      },
      { 'notes.txt': 'an old line\n' },
    ),
  });
  const done = await own.run('writer', 'Change it.');
  const page = await newPage();
  await page.goto(own.at(`/runs/${done}/changes`));
  await page.getByText('+an new line').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Take all of it back' }).click();
  await page.getByText('All of it was taken back.').waitFor();
  expect(readFileSync(join(own.folder, 'notes.txt'), 'utf8')).toBe('an old line\n');
});

test('a server that is killed and started again is found again, and nothing is missing', async () => {
  const own = await served({
    files: scripted({ slow: agent('') }, { agents: { slow: [{ delay: '4s', answer: 'At last.' }] } }),
  });
  const asked = await own.run('slow', 'Take your time.', false);
  const page = await newPage({ expected: /Failed to load resource|net::ERR/ });
  await page.goto(own.at(`/runs/${asked}/conversation`));
  await page.getByText('Take your time.').first().waitFor();
  await own.stop('kill');
  await page
    .getByText(/reconnecting/)
    .first()
    .waitFor();
  await own.again();
  await page.getByText('At last.').first().waitFor();
  await page.locator('.run-head .chip', { hasText: 'answered' }).waitFor();
});

test('texts of models do nothing but stand there', async () => {
  const evil =
    '<img src=x onerror="globalThis.broken=1"><script>globalThis.broken=1</script> ‮txt [a](javascript:globalThis.broken=1)';
  const own = await served({
    files: scripted(
      { host: agent(`usage: '${evil.replaceAll("'", '')}'\n`) },
      { agents: { host: [{ answer: `${evil}\n\n${'x'.repeat(1_000_000)}` }] } },
    ),
  });
  const done = await own.run('host', evil);
  const page = await newPage();
  for (const place of [
    '/runs',
    '/agents/host',
    `/runs/${done}`,
    `/runs/${done}/conversation`,
    `/runs/${done}/journal`,
  ]) {
    await page.goto(own.at(place));
    await page.locator('main').getByText(/\S/).first().waitFor();
    await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
  }
  await expect.poll(() => page.evaluate(() => (globalThis as { broken?: number }).broken)).toBeUndefined();
  await expect.poll(() => page.locator('main img, main script, main a[href^="javascript"]').count()).toBe(0);
});

/** Two agents in a chain whose schemas may not fit, and a form with optional fields. */
const chained = () =>
  scripted(
    {
      clerk: agent(
        'next: payer\nmaxTurns: 7\noutput: {format: json, schema: {type: object, properties: {order: {type: string}, amount: {type: number}}, required: [order, amount]}}\n',
      ),
      payer: agent(
        'input: {format: json, schema: {type: object, properties: {note: {type: string}, order: {type: string, pattern: "^[0-9]+$"}, amount: {type: number, exclusiveMinimum: 0}, fast: {type: boolean}}, required: [order, amount]}}\noutput: {format: json, schema: {type: object, properties: {paid: {type: boolean}}, required: [paid]}}\n',
      ),
    },
    { agents: { clerk: [{ answer: 'Done.' }], payer: [{ answer: 'Paid.' }] } },
  );

test('an agent shows where each setting comes from, and both sides of a hand-over that may not fit', async () => {
  const own = await served({ files: chained() });
  const page = await newPage();
  await page.goto(own.at('/agents/clerk'));
  const settings = page.locator('.agents-settings');
  const row = (key: string) => settings.locator('tr', { has: page.getByText(key, { exact: true }) }).innerText();
  await settings.waitFor();
  await expect.poll(() => row('maxTurns')).toMatch(/7\s+clerk\.md:4/);
  await expect.poll(() => row('models')).toMatch(/\[fast\]\s+cadre\.yaml:3, defaults/);
  await expect.poll(() => row('maxRetries')).toMatch(/3\s+built-in/);
  const sides = page.locator('table.wrapped', { hasText: 'payer takes' });
  await expect.poll(() => sides.getByRole('row', { name: /order/ }).innerText()).toMatch(/text\s+text, like \^\[0-9\]/);
  await expect.poll(() => sides.getByRole('img', { name: 'differs' }).count()).toBe(4); // note and fast are only on one side
  await page.goto(own.at('/agents/payer'));
  await page.locator('table.wrapped', { hasText: 'clerk gives' }).waitFor();
  expect(await violations(page)).toEqual([]);
});

test('the form folds optional fields until one is given or wrong, and says what the answer must be', async () => {
  const own = await served({ files: chained() });
  const page = await newPage();
  await page.goto(own.at('/agents/payer/start'));
  const more = page.locator('.start-more');
  await more.getByText('2 optional: note, fast').waitFor();
  await expect.poll(() => page.getByLabel(/^note/).isVisible()).toBe(false);
  await more.locator('summary').click();
  await page.getByLabel(/^note/).fill('Please.');
  await page.locator('.start-beside').getByText('"Please."', { exact: true }).waitFor();
  await expect.poll(() => page.locator('.start-beside table.wrapped').innerText()).toMatch(/paid\s+yes or no/);
  await page.goto(own.at('/agents/payer/start?input={"order":"17","amount":2,"fast":"x"}'));
  await page.getByText('1 optional: note').waitFor();
  await page.locator('.field', { hasText: 'fast' }).getByText('must be boolean').waitFor(); // given, so it stands open
  await page.getByText('Correct fast to start').waitFor();
  await page.goto(own.at('/agents/payer/start?side=json&input={"order":"17","amount":2}'));
  await page.getByRole('radio', { name: 'Form' }).click();
  await page.getByText('2 optional: note, fast').waitFor();
  await page.goto(own.at('/agents/clerk/start'));
  await page.getByText('where payer answers').waitFor(); // a chain is answered by its end
});

test('an approval says what a REST call would do, and what becomes of it if it breaks off', async () => {
  const own = await served({
    files: {
      ...scripted(
        { clerk: agent('tools: [rest:pay]\napprove: [rest:pay]\n') },
        { agents: { clerk: [{ call: { pay: { order: '17', amount: 3 } } }, { answer: 'Paid.' }] } },
      ),
      'cadre.yaml': `${CONFIG}
restTools:
  pay:
    description: Pays an amount back.
    method: POST
    url: https://pay.example/orders/{order}/refund
    headers: { authorization: Bearer of-nobody-else }
    input: {schema: {type: object, properties: {order: {type: string}, amount: {type: number}}}}
`,
    },
  });
  await own.run('clerk', 'Pay.', false);
  const page = await newPage();
  await page.goto(own.at('/approvals'));
  await page.getByRole('button', { name: /^Next/ }).click();
  await page.getByText('POST https://pay.example/orders/17/refund').waitFor();
  await page.getByText(/After a crash: not made again/).waitFor();
  await expect.poll(() => page.locator('body').innerText()).not.toContain('of-nobody-else');
  expect(await violations(page)).toEqual([]);
});
