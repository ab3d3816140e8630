// A question to a person on the page: what cannot slip. A verdict is given for what was on the screen when the key or the
// button went down, once, and never for what came into its place.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ApprovalInfo, ApprovalList, GivenVerdict } from '../../src/server/protocol.ts';
import { violations } from './support/axe.ts';
import { armed, newPage } from './support/page.ts';
import { agent, scripted } from './support/scripts.ts';
import { type Served, served } from './support/served.ts';

const CLERK = scripted(
  { clerk: agent('tools: [files]\napprove: [files]\n') },
  {
    agents: {
      clerk: [{ calls: [{ read_file: { path: 'cadre.yaml' } }] }, { answer: 'I have read it.' }],
    },
  },
);

interface Verdict extends GivenVerdict {
  readonly run: string;
  readonly op: string;
}

/** So many runs that wait, the oldest first, and every verdict that the page sends. */
async function asking(count: number) {
  const own = await served({ files: CLERK });
  for (let index = 0; index < count; index++) await own.run('clerk', `Read ${index}.`, false);
  await expect.poll(async () => (await waitingAt(own)).length).toBe(count);
  return { own, waiting: await waitingAt(own) };
}

const waitingAt = async (own: Served): Promise<readonly ApprovalInfo[]> =>
  (await own.api<ApprovalList>('/api/approvals')).waiting;

const VERDICT = /\/api\/runs\/([^/]+)\/ops\/([^/]+)\/verdict$/;

function verdictsOf(page: Page): readonly Verdict[] {
  const sent: Verdict[] = [];
  page.on('request', (request) => {
    const [, run = '', op = ''] = VERDICT.exec(request.url()) ?? [];
    if (run !== '') sent.push({ ...(request.postDataJSON() as GivenVerdict), run, op });
  });
  return sent;
}

const placeOf = ({ run, path }: ApprovalInfo): string => `/approvals/${run}#${path}`;
const headingOf = (page: Page) => page.locator('.asks .q-head :is(h1, h2)');
const approve = (page: Page) => page.locator('.asks').getByRole('button', { name: /^Approve/ });
const isArmed = async (page: Page): Promise<boolean> =>
  (await approve(page).count()) === 1 && (await approve(page).getAttribute('aria-disabled')) === null;

test('a held ⌘↵ with five that wait gives one verdict, for the one that was shown', async () => {
  const { own, waiting } = await asking(5);
  const page = await newPage();
  const sent = verdictsOf(page);
  await page.goto(own.at(placeOf(waiting[1]!)));
  await armed(page);
  await page.keyboard.press('p');
  await page.keyboard.down('Control');
  for (let press = 0; press < 90; press++) await page.keyboard.down('Enter'); // a key that is held repeats
  await page.getByText('approved by you').first().waitFor();
  for (let press = 0; press < 90; press++) await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await page.keyboard.up('Control');
  for (let press = 0; press < 5; press++) await page.keyboard.press('Control+Enter');
  expect(sent).toEqual([
    expect.objectContaining({ run: waiting[1]!.run, op: waiting[1]!.path, approved: true, seen: waiting[1]!.digest }),
  ]);
  expect((await waitingAt(own)).map(({ run }) => run)).toEqual(
    waiting.filter((_, index) => index !== 1).map(({ run }) => run),
  );
  // It stays, with its buttons off.
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/approvals/${waiting[1]!.run}`);
  await expect.poll(() => page.getByRole('button', { name: 'Approved' }).getAttribute('aria-disabled')).toBe('true');
});

test('presses before half a second has passed give no verdict, and one after it gives one', async () => {
  const { own, waiting } = await asking(1);
  const page = await newPage();
  const sent = verdictsOf(page);
  await page.goto(own.at('/runs'));
  await page.getByRole('grid', { name: 'Runs' }).waitFor();
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.getByRole('link', { name: /^Approvals/ }).click();
  await expect
    .poll(async () => {
      await page.clock.runFor(20);
      return approve(page).count();
    })
    .toBe(1);
  await headingOf(page).focus();
  const tries = [0, 50, 300];
  for (const after of tries) {
    await page.clock.runFor(after);
    await expect.poll(() => approve(page).getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Control+Enter');
    const { x, y } = (await approve(page).boundingBox())!;
    await page.mouse.click(x + 20, y + 10);
    await headingOf(page).focus();
  }
  expect(sent).toEqual([]);
  // The browser tells of a shift in its own time, not in that of the clock, and the half second begins anew.
  await expect
    .poll(async () => {
      await page.clock.runFor(100);
      return isArmed(page);
    })
    .toBe(true);
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => sent.length).toBe(1);
  expect(sent[0]).toMatchObject({ run: waiting[0]!.run, approved: true });
});

test('a double click is one verdict', async () => {
  const { own } = await asking(2);
  const page = await newPage();
  const sent = verdictsOf(page);
  const [first] = await waitingAt(own);
  await page.goto(own.at(placeOf(first!)));
  await armed(page);
  await approve(page).dblclick();
  await page.getByText('approved by you').first().waitFor();
  expect(sent).toHaveLength(1);
});

test('a question that arrives while a button is down gets no verdict, and moves nothing', async () => {
  const { own, waiting } = await asking(1);
  const page = await newPage();
  const sent = verdictsOf(page);
  await page.goto(own.at(placeOf(waiting[0]!)));
  await armed(page);
  const before = await approve(page).boundingBox();
  await approve(page).hover();
  await page.mouse.down();
  await own.run('clerk', 'Read more.', false);
  await page.locator('.approvals-list').getByRole('link').nth(1).waitFor();
  await expect.poll(() => approve(page).boundingBox()).toEqual(before);
  await page.mouse.up();
  await page.getByText('approved by you').first().waitFor();
  expect(sent.map(({ run }) => run)).toEqual([waiting[0]!.run]);
  await expect.poll(() => waitingAt(own)).toHaveLength(1);
});

test('a button that went down at one question and up at another gives none', async () => {
  const { own, waiting } = await asking(2);
  const page = await newPage();
  const sent = verdictsOf(page);
  await page.goto(own.at(placeOf(waiting[0]!)));
  await armed(page);
  await approve(page).hover();
  await page.mouse.down();
  await page.keyboard.press('j');
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/approvals/${waiting[1]!.run}`);
  await armed(page);
  await page.mouse.up();
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  expect(sent).toEqual([]);
});

test('J goes to the next one with the focus on its heading, and a chord right after it does nothing', async () => {
  const { own, waiting } = await asking(2);
  const page = await newPage();
  const sent = verdictsOf(page);
  await page.goto(own.at('/runs'));
  await page.getByRole('grid', { name: 'Runs' }).waitFor();
  await page.goto(own.at(placeOf(waiting[0]!)));
  await armed(page);
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.keyboard.press('j');
  await expect
    .poll(async () => {
      await page.clock.runFor(20);
      return headingOf(page).and(page.locator(':focus')).count();
    })
    .toBe(1);
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/approvals/${waiting[1]!.run}`);
  for (let step = 0; step < 4; step++) {
    await page.keyboard.press('Control+Enter');
    await page.clock.runFor(100);
  }
  expect(sent).toEqual([]);
  await page.clock.runFor(600);
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => sent.map(({ run }) => run)).toEqual([waiting[1]!.run]);
});

test('a verdict from elsewhere while it is armed is shown with by whom, and the page sends none', async () => {
  const { own, waiting } = await asking(1);
  const page = await newPage();
  const sent = verdictsOf(page);
  const [first] = waiting;
  await page.goto(own.at(placeOf(first!)));
  await armed(page);
  await page.keyboard.press('p');
  await own.api(`/api/runs/${first!.run}/ops/${first!.path}/verdict`, { approved: false, note: 'Not today.' });
  await page
    .getByText(/denied by/)
    .first()
    .waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByText('“Not today.”').first().waitFor();
  expect(sent).toEqual([]);
});

test('Enter alone, a chord outside of the form, and a chord that a person holds while it appears do nothing', async () => {
  const { own, waiting } = await asking(1);
  const page = await newPage();
  const sent = verdictsOf(page);
  await page.goto(own.at(placeOf(waiting[0]!)));
  await armed(page);
  await page.keyboard.press('Control+Enter'); // the focus is on the page
  await page.getByLabel('Note').focus();
  await page.keyboard.press('Enter');
  await approve(page).focus();
  await page.keyboard.press('Enter');
  expect(sent).toEqual([]);
  await page.goto(own.at('/approvals'));
  await page.getByRole('button', { name: /^Next/ }).waitFor();
  await page.keyboard.down('Control');
  await page.keyboard.down('j');
  await page.keyboard.up('Control');
  await page.getByRole('button', { name: /^Next/ }).click();
  await headingOf(page).filter({ hasText: 'clerk asks you: read_file cadre.yaml' }).waitFor();
  const whileHeld = await isArmed(page);
  expect(whileHeld).toBe(false);
  await page.keyboard.up('j');
  await armed(page);
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => sent.length).toBe(1);
});

test('a layout shift of the button disarms it', async () => {
  const { own, waiting } = await asking(1);
  const page = await newPage();
  const sent = verdictsOf(page);
  await page.goto(own.at(placeOf(waiting[0]!)));
  await armed(page);
  await headingOf(page).focus();
  await page.locator('.asks .q-body').evaluate((body: { style: { paddingTop: string } }) => {
    body.style.paddingTop = '3px';
  });
  await page.keyboard.press('Control+Enter');
  expect(sent).toEqual([]);
  await armed(page);
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => sent.length).toBe(1);
});

test('without an op in the address no question is chosen, and nothing can be approved', async () => {
  const { own, waiting } = await asking(2);
  const page = await newPage();
  const sent = verdictsOf(page);
  for (const place of ['/approvals', `/approvals/${waiting[0]!.run}`]) {
    await page.goto(own.at(place));
    await page.getByRole('heading', { name: '2 questions wait for you' }).waitFor();
    await page.getByText('the oldest:').waitFor();
    await expect.poll(() => page.getByText(/others? waits?:/).count()).toBe(0);
    await expect.poll(() => page.locator('.asks').count()).toBe(0);
    await page.keyboard.press('Control+Enter');
  }
  expect(sent).toEqual([]);
  await page.getByRole('link', { name: /^Approvals/ }).click();
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/approvals/${waiting[0]!.run}`);
});

test('further calls are allowed only where the box was ticked, each time anew', async () => {
  const { own, waiting } = await asking(2);
  const page = await newPage();
  const sent = verdictsOf(page);
  await page.goto(own.at(placeOf(waiting[0]!)));
  await page.getByRole('checkbox', { name: /and further read_file calls/ }).check();
  await page.getByRole('button', { name: 'Approve, and further read_file' }).waitFor();
  await armed(page);
  await approve(page).click();
  await page.getByText('approved by you').first().waitFor();
  await page.getByRole('button', { name: /^Next/ }).click();
  await expect.poll(() => page.getByRole('checkbox').isChecked()).toBe(false);
  await armed(page);
  await approve(page).click();
  await expect.poll(() => sent.map(({ scope }) => scope)).toEqual(['run', undefined]);
});

/** The same numbers on each machine. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const KEYS = [
  'Control+Enter',
  'Control+Enter',
  'Control+Enter',
  'Control+Backspace',
  'Enter',
  'Space',
  'Tab',
  'Tab',
  'Shift+Tab',
  'p',
  'p',
  'j',
  'j',
  'k',
  'Escape Escape g w p',
  'Escape Escape g w p',
  'g r',
  'Escape',
  'ArrowDown',
  'ArrowUp',
  '1',
  '2',
  'Home',
  'End',
] as const;

/** In the browser: each verdict is noted as it is sent, so that it belongs to the key that sent it. */
const NOTE_REQUESTS = `
  globalThis.noted = [];
  const send = globalThis.fetch;
  globalThis.fetch = (url, ...rest) => {
    if (${VERDICT}.test(String(url))) noted.push(String(url));
    return send(url, ...rest);
  };
`;

/** `CADRE_KEY_PRESSES=1000` presses more. */
const PRESSES = Number(process.env['CADRE_KEY_PRESSES'] ?? 300);

test(`${PRESSES} random key presses with three runs that wait answer nothing that was not on the screen when the key went down`, {
  timeout: 300_000,
}, async () => {
  const { own } = await asking(3);
  // Letters that were sent as a message to a run that has ended, and a second yes while the first was on its way.
  const page = await newPage({ expected: /422|409/ });
  await page.addInitScript(NOTE_REQUESTS);
  await page.goto(own.at('/approvals'));
  await page.getByRole('button', { name: /^Next/ }).waitFor();
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  const random = seeded(30);
  let given = 0;
  for (let press = 0; press < PRESSES; press++) {
    const key = KEYS[Math.floor(random() * KEYS.length)]!;
    await page.clock.runFor(Math.floor(random() * 400));
    /** A person can have seen a question only if it is drawn, with the focus inside. */
    const { pathname, hash } = new URL(page.url());
    const heading = await page.locator('.asks:focus-within .q-head :is(h1, h2)').allTextContents();
    for (const one of key.split(' ')) await page.keyboard.press(one);
    const sent = await page.evaluate<readonly string[]>('noted.splice(0)');
    if (sent.length === 0) continue;
    given++;
    expect(sent, `press ${press}, ${key}`).toHaveLength(1);
    const [, run = '', op = ''] = VERDICT.exec(sent[0]!) ?? [];
    expect(heading, `press ${press}, ${key}`).toEqual([expect.stringContaining('clerk asks you: read_file')]);
    expect(pathname).toContain(run);
    if (pathname.startsWith('/approvals')) expect(hash).toBe(`#${op}`);
    await own.run('clerk', `Read after ${press}.`, false);
  }
  expect(given).toBeGreaterThan(0);
});

test.each([
  [1440, 900],
  [1024, 768],
  [390, 844],
])(
  'at %i pixels the question of a run is first below its tabs, whole, and its buttons are reached and armed',
  async (width, height) => {
    const { own, waiting } = await asking(1);
    const page = await newPage({ viewport: { width, height }, hasTouch: width < 720 });
    const sent = verdictsOf(page);
    await page.goto(own.at(`/runs/${waiting[0]!.run}`));
    await page.locator('.run-head .chip', { hasText: 'waits for you' }).waitFor();
    await approve(page).scrollIntoViewIfNeeded();
    await armed(page);
    const box = (await approve(page).boundingBox())!;
    if (width < 720) expect(box.height).toBeGreaterThanOrEqual(44);
    expect(await violations(page)).toEqual([]);
    await approve(page).click();
    await expect.poll(() => sent.length).toBe(1);
    await page.locator('.asks').getByText('approved by you').waitFor();
  },
);
