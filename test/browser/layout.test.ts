// The screens at the widths of phones, tablets and desks: nothing sticks out of its bar or covers another thing, and every
// part can be reached.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ROOT } from '../support/fences.ts';
import { violations } from './support/axe.ts';
import { newPage } from './support/page.ts';
import { type Served, serve, served } from './support/served.ts';

const WIDTHS = [390, 768, 1024, 1280, 1920];
const REFUND = 'The mirror of my sextant arrived broken. Please refund order 17.';

let desk: Served;
let room: Served;
let paper: Served;
let answered = '';
let team = '';
let piece = '';
beforeAll(async () => {
  const refunds = readFileSync(join(ROOT, 'examples/help-desk/refunds.md'), 'utf8');
  const asking = { 'refunds.md': refunds.replace('tools:', 'approve: [files]\ntools:') };
  [desk, room, paper] = await Promise.all([
    serve({ example: 'help-desk', files: asking }),
    serve({ example: 'ship-room' }),
    serve({ example: 'newsroom' }),
  ]);
  answered = await desk.run('front-desk', REFUND, false);
  await desk.api(`/api/runs/${answered}/ops/${await waiting(answered)}/verdict`, { approved: true });
  await ended(answered);
  await waiting(await desk.run('front-desk', REFUND, false));
  team = await room.run('release-lead', 'Does 4.2.0 go out today?');
  piece = await paper.run('editor', 'What the bridge did to the village');
}, 60_000);
afterAll(async () => {
  for (const server of [desk, room, paper]) {
    await server.stop('kill');
    rmSync(server.folder, { recursive: true, force: true });
  }
});

/** Waits until it is so: outside of a test there is no `expect.poll`. */
const until = <Value>(found: () => Promise<Value>): Promise<Value> => vi.waitFor(found, { timeout: 15_000 });

const ended = (run: string): Promise<void> =>
  until(async () => {
    const { state } = await desk.api<{ readonly state: string }>(`/api/runs/${run}/summary`);
    if (state !== 'ended') throw new Error(`It is ${state}.`);
  });

/** The op of a run that waits for a person. */
const waiting = (run: string): Promise<string> =>
  until(async () => {
    const list = await desk.api<{ readonly waiting: readonly { readonly path: string }[] }>(
      `/api/approvals?run=${run}`,
    );
    const path = list.waiting[0]?.path;
    if (path === undefined) throw new Error('Nothing waits.');
    return path;
  });

/** Finds in the browser the parts of bars that stick out of them, or cover a part beside them. */
const CROWDED = `(() => {
  const found = [];
  const bars = '.top, .ask, .run-head, .run-head h1, .panel-foot, .approvals-one > .line, .panel-head h2, .runs-asked, .figures';
  const words = (one) => one.className + ' "' + one.textContent.trim().slice(0, 40) + '"';
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page is wider than the screen');
  for (const bar of document.querySelectorAll(bars)) {
    const around = bar.getBoundingClientRect();
    const parts = [...bar.children].filter((one) => {
      const { position } = getComputedStyle(one);
      const { width, height } = one.getBoundingClientRect();
      return position !== 'absolute' && width > 0 && height > 0;
    });
    const places = parts.map((one) => one.getBoundingClientRect());
    for (const [index, place] of places.entries()) {
      const out = place.left < around.left - 1 || place.right > around.right + 1 ||
        place.top < around.top - 5 || place.bottom > around.bottom + 5;
      if (out) found.push(words(parts[index]) + ' sticks out of ' + bar.className);
      for (const [other, beside] of places.entries())
        if (other > index && place.left < beside.right - 1 && beside.left < place.right - 1 &&
            place.top < beside.bottom - 1 && beside.top < place.bottom - 1)
          found.push(words(parts[index]) + ' covers ' + words(parts[other]));
    }
  }
  return found;
})()`;

const sized = (width: number): Promise<Page> =>
  newPage({
    viewport: { width, height: width < 720 ? 844 : width < 1200 ? 1024 : 900 },
    ...(width < 720 && { hasTouch: true, isMobile: true }),
  });

const settled = async (page: Page, at: string): Promise<void> => {
  await page.goto(at);
  await page.locator('main').getByText(/\S/).filter({ visible: true }).first().waitFor();
  await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
};

const places = (): readonly (readonly [Served, string])[] => [
  [desk, '/runs'],
  [desk, `/runs/${answered}`],
  [desk, `/runs/${answered}#0.3`],
  [desk, `/runs/${answered}/graph`],
  [desk, `/runs/${answered}/conversation`],
  [desk, `/runs/${answered}/cost`],
  [desk, `/runs/${answered}/journal#seq=3`],
  [desk, '/agents/refunds'],
  [desk, '/approvals'],
  [desk, '/chat/new'],
  [room, `/runs/${team}/team`],
];

test.each(WIDTHS)('at %i pixels nothing sticks out of its bar or covers what stands beside it', async (width) => {
  const page = await sized(width);
  const found: string[] = [];
  for (const [server, place] of places()) {
    await settled(page, server.at(place));
    for (const one of await page.evaluate<readonly string[]>(CROWDED)) found.push(`${place}: ${one}`);
  }
  expect(found).toEqual([]);
});

test('at 200 % zoom every screen has its content, no sideways scroll, and no finding of axe', {
  timeout: 180_000,
}, async () => {
  // A screen of 1440 by 900 pixels whose pixels are twice as large.
  const page = await newPage({ viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 });
  const found: string[] = [];
  for (const [server, place] of places()) {
    await settled(page, server.at(place));
    for (const one of await page.evaluate<readonly string[]>(CROWDED)) found.push(`${place}: ${one}`);
    for (const one of await violations(page)) found.push(`${place}: ${one}`);
  }
  expect(found).toEqual([]);
});

test.each([390, 768, 1024])(
  'at %i pixels what stands beside covers nothing, and can be closed and had again',
  async (width) => {
    const page = await sized(width);
    for (const place of [`/runs/${team}`, `/runs/${team}/team`, `/runs/${team}/journal#seq=3`, '/agents/tester']) {
      await settled(page, room.at(place));
      const side = (await page.locator('.split > .side').boundingBox())!;
      const pane = (await page.locator('.split > :first-child').boundingBox())!;
      expect([place, pane.y + pane.height <= side.y + 1]).toEqual([place, true]);
    }
    await settled(page, room.at(`/runs/${team}`));
    const answer = page.getByRole('complementary', { name: 'The answer' });
    await answer.getByText('Why this answer').waitFor();
    await answer.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => answer.count()).toBe(0);
    await page.getByRole('button', { name: 'Answer' }).click();
    await answer.getByRole('heading', { level: 2 }).waitFor();
    await page.goto(room.at(`/runs/${team}/conversation`));
    await page.getByRole('button', { name: 'Why', exact: true }).click();
    await page.getByRole('complementary', { name: 'Why this answer' }).getByText('release-lead').first().waitFor();
    await page.goto(desk.at('/approvals'));
    await page.getByRole('button', { name: /^Next/ }).click();
    await page.getByRole('complementary', { name: 'What led here' }).getByText('front-desk').first().waitFor();
  },
);

test('on a tablet what was asked has the room of calls and tokens in the list of runs', async () => {
  const page = await sized(768);
  await settled(page, desk.at('/runs'));
  const head = page.locator('.runs-head > span').filter({ visible: true });
  await expect.poll(() => head.allTextContents()).toEqual(['state', 'agent', 'asked', 'began', 'time', 'cost']);
  expect((await head.filter({ hasText: 'asked' }).boundingBox())!.width).toBeGreaterThan(180);
});

test('the graph cuts the folder of an agent before its name, if there are several folders', async () => {
  const all = await served({ dir: join(ROOT, 'examples') });
  const page = await newPage();
  await page.goto(all.at('/agents'));
  const names = page.locator('.agents-node strong > :last-child');
  await names
    .filter({ hasText: /^refund-order$/ })
    .first()
    .waitFor();
  const cut = await names.evaluateAll((found) =>
    found
      .filter((one) => {
        const [name, node] = [one, one.closest('a')!].map((part) => part.getBoundingClientRect());
        const hasRoom = one.textContent.length < 16; // a longer name alone fills the box
        return (hasRoom && one.scrollWidth > one.clientWidth) || name!.right > node!.right;
      })
      .map((one) => one.textContent),
  );
  expect(cut).toEqual([]);
});

test('on a phone approvals are one scroll: the question, what led to it, then the list, of which nothing is cut', async () => {
  const page = await sized(390);
  await page.goto(desk.at('/approvals'));
  await page.getByRole('button', { name: /^Next/ }).click();
  await page.getByRole('region', { name: 'Decided' }).getByText('read_file').waitFor();
  const tops = await page.evaluate<readonly number[]>(
    "['.approvals-asked', '.approvals-why', '.approvals-list'].map((one) => document.querySelector(one).getBoundingClientRect().top)",
  );
  expect(tops).toEqual(tops.toSorted((one, other) => one - other));
  const inner = await page.evaluate<readonly string[]>(
    "[...document.querySelectorAll('.approvals > *')].filter((one) => one.scrollHeight > one.clientHeight + 1).map((one) => one.className)",
  );
  expect(inner).toEqual([]);
  // Choosing one far below brings its question into view.
  await page.locator('.approvals').evaluate((all) => all.scrollTo(0, all.scrollHeight));
  await waiting(await desk.run('front-desk', 'The lens is scratched. Please refund order 17.', false));
  await page.locator('.approvals-one.s-limit').nth(1).click();
  await expect.poll(() => page.locator('.approvals').evaluate(({ scrollTop }) => scrollTop)).toBe(0);
});

test('on a phone it is seen who heard a broadcast, and a link to one shows it', async () => {
  const page = await sized(390);
  await page.goto(room.at(`/runs/${team}/team`));
  await page.locator('.team-row').first().waitFor();
  await page.keyboard.press('Home');
  await expect.poll(() => new URL(page.url()).hash).not.toBe('');
  await page.keyboard.press('End');
  const chosen = page.locator('.team-row.chosen');
  await expect.poll(() => chosen.locator('td').first().textContent()).toBe('#10');
  await expect.poll(() => chosen.locator('.team-heard').filter({ visible: true }).count()).toBe(4);
  const last = page.url();
  await page.goto('about:blank');
  await page.goto(last);
  const isSeen = `(() => {
    const row = document.querySelector('.team-row.chosen')?.getBoundingClientRect();
    const box = document.querySelector('.team')?.parentElement?.getBoundingClientRect();
    return row !== undefined && row.top >= box.top && row.bottom <= box.bottom + 1;
  })()`;
  await expect.poll(() => page.evaluate(isSeen)).toBe(true);
});

test('on a phone the label of a run is seen beside the name of its agent', async () => {
  const page = await sized(390);
  await page.goto(paper.at(`/runs/${piece}?side=off&level=turns`));
  const row = page.getByRole('row').filter({ hasText: 'note-2' }).first();
  const [label, name] = [await row.locator('.tag').boundingBox(), await row.locator('.n').boundingBox()];
  expect(label!.x + label!.width).toBeLessThanOrEqual(name!.x + name!.width);
});
