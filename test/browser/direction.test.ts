// Texts of people, models, tools and files find their own direction, wherever a screen shows them.

import { expect, test } from 'vitest';
import { newPage } from './support/page.ts';
import { agent, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';
import { testInfo } from './support/states.ts';

const SAID = 'שלום עולם';
const described = (keys: string): string => agent(keys, `${SAID}, prompt.`).replace('Does it.', `${SAID}, described.`);

const SCHEMA = `{type: object, properties: {place: {type: string, description: "${SAID}, field."}}, required: [place]}`;

const FILES = scripted(
  {
    desk: described('tools: [files]\nagents: [clerk]\nusage: "שלום, usage."\n'),
    clerk: described(''),
    asker: described('tools: [files]\napprove: [files]\n'),
    form: described(`input: {format: json, schema: ${SCHEMA}}\n`),
    lead: described('team: {members: [scout], supervisor: self}\n'),
    scout: described(''),
  },
  {
    agents: {
      desk: [
        { say: `${SAID}, says.`, call: { read_file: { path: 'שלום.txt' } } },
        { call: { agent__clerk: { input: `${SAID}, input.`, reason: `${SAID}, reason.` } } },
        {
          answer: `# ${SAID}, title\n\n${SAID}, answer.\n\n- [ ] ${SAID}, item\n\n| ${SAID}, head |\n|---|\n| ${SAID}, cell |`,
        },
      ],
      clerk: [{ answer: `${SAID}, clerk.` }],
      asker: [{ call: { read_file: { path: 'שלום.txt' } } }],
      scout: [{ call: { team_broadcast: { message: `${SAID}, broadcast.` } } }],
      lead: [{ report: `${SAID}, report.` }],
    },
  },
  { 'שלום.txt': `${SAID}, file.\n` },
);

/** In the browser: right-to-left texts whose nearest element with a direction does not find it by itself. */
const ASTRAY = `(() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (!/[\\u0590-\\u05ff]/.test(node.data) || node.parentElement.closest('script, style, title') !== null) continue;
    const holder = node.parentElement.closest('[dir], bdi');
    if (holder === null || (holder.dir !== 'auto' && holder.localName !== 'bdi'))
      found.push(node.parentElement.localName + '.' + node.parentElement.className + ': ' + node.data.slice(0, 40));
  }
  for (const field of document.querySelectorAll('textarea, input[type=text]'))
    if (field.dir !== 'auto' && field.dataset.filter === undefined) found.push(field.outerHTML.slice(0, 120));
  return found;
})()`;

test('every screen lets texts from right to left run that way', async () => {
  const server = await served({ files: FILES });
  const input = `${SAID}, asked.`;
  const run = await server.run('desk', input);
  const team = await server.run('lead', input);
  const chat = await server.api<{ thread: string }>('/api/runs?wait=60s', { agent: 'clerk', input, thread: 'new' });
  const waits = await server.run('asker', input, false);
  const asked = async () =>
    (await server.api<{ waiting: readonly { path: string }[] }>('/api/approvals')).waiting[0]?.path;
  await expect.poll(asked).toBeDefined();
  const page = await newPage();
  const result = testInfo('ended', false, SAID);
  await page.route(/\/api\/tests\/x$/, (route) => route.fulfill({ json: result }));
  const places: readonly (readonly [string, RegExp])[] = [
    ['/runs', /asked/],
    [`/runs?run=${run}`, /answer/],
    [`/runs/${run}`, /answer/],
    [`/runs/${run}#0.1`, /says/],
    [`/runs/${run}#0.2`, /file/],
    [`/runs/${run}#0.3`, /turn 2/],
    [`/runs/${run}#0.4`, /input/],
    [`/runs/${run}/conversation`, /answer/],
    [`/runs/${run}/cost`, /desk/],
    [`/runs/${run}/journal#seq=0`, /asked/],
    [`/runs/${run}/diff/${team}`, /asked/],
    [`/runs/${team}/team`, /broadcast/],
    [`/runs/${waits}`, /asks you/],
    [`/approvals/${waits}#${await asked()}`, /asks you/],
    ['/agents/desk', /described/],
    ['/agents/desk?as=list', /described/],
    ['/agents/desk?tab=prompt', /prompt/],
    ['/agents/desk?tab=runs', /asked/],
    ['/agents/form/start', /field/],
    ['/agents/desk/start', /usage/],
    [`/chat/${chat.thread}`, /clerk/],
    [`/chat/${chat.thread}?why=last`, /clerk/],
    ['/chat/new', /described/],
    ['/tests/x?show=all', /case/],
    [`/tests/x?case=${encodeURIComponent(`desk.test.yaml ${SAID}, case`)}`, /answer/],
  ];
  const astray: string[] = [];
  for (const [place, reads] of places) {
    await page.goto(server.at(place));
    await expect.poll(() => page.locator('body').innerText(), { message: place }).toMatch(reads);
    await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
    for (const one of await page.evaluate<readonly string[]>(ASTRAY)) astray.push(`${place}: ${one}`);
  }
  await page.goto(server.at('/agents'));
  await page.keyboard.press('n');
  await page
    .getByRole('dialog')
    .getByText(/described/)
    .first()
    .waitFor();
  for (const one of await page.evaluate<readonly string[]>(ASTRAY)) astray.push(`new run: ${one}`);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('שלום');
  await page.getByRole('option').first().waitFor();
  for (const one of await page.evaluate<readonly string[]>(ASTRAY)) astray.push(`palette: ${one}`);
  expect(astray).toEqual([]);
});
