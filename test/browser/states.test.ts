// Each state of each screen, as support/states.ts lists them, looked at in both modes and on a phone.

import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ApprovalList } from '../../src/server/protocol.ts';
import { violations } from './support/axe.ts';
import { newPage } from './support/page.ts';
import { type Served, serve } from './support/served.ts';
import { FILES, JOURNALS, type ScreenState, STATES } from './support/states.ts';

let server: Served;
let live = '';
let [waiting, question, thread] = ['', '', ''];
beforeAll(async () => {
  server = await serve({ files: FILES, journals: JOURNALS });
  live = await server.run('slow', 'Go.', false);
  const asked = { agent: 'clerk', input: 'Read it.', thread: 'new' };
  ({ run: waiting, thread } = await server.api<{ run: string; thread: string }>('/api/runs', asked));
  const opOf = async () => (await server.api<ApprovalList>('/api/approvals')).waiting[0]?.path;
  const path = await vi.waitFor(async () => (await opOf()) ?? Promise.reject(new Error('Nothing waits.')));
  question = `${waiting}#${path}`;
});
afterAll(async () => {
  await server.stop('kill');
  rmSync(server.folder, { recursive: true, force: true });
});

const NAMES = () => ({ LIVE: live, WAITING: waiting, ASKING: question, THREAD: thread });
const named = ({ screen, state }: ScreenState): string => `${screen}, ${state}`;

test('each screen that shows what happens has what it is while nothing is there, while it loads, at work, after the end, and when it failed', () => {
  const states = (screen: string) => STATES.filter((one) => one.screen === screen).map(({ state }) => state);
  for (const screen of ['runs', 'tests', 'test', 'team', 'changes'])
    expect(states(screen), screen).toEqual(
      expect.arrayContaining(['empty', 'loading', 'live', 'ended', 'failed'] satisfies ScreenState['state'][]),
    );
  for (const screen of ['timeline', 'conversation', 'cost', 'journal'])
    expect(states(screen), screen).toEqual(expect.arrayContaining(['loading', 'live', 'ended', 'failed']));
});

/** All in light; in dark what has colours; on a phone one state of each screen. */
const shown = STATES.filter(({ reads }) => reads !== undefined);
const LOOKS = [
  ['light', STATES, { colorScheme: 'light' }],
  ['dark', shown, { colorScheme: 'dark' }],
  [
    'on a phone',
    shown.filter(
      ({ screen, state }, index) => state === 'failed' || shown.findIndex((one) => one.screen === screen) === index,
    ),
    { colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  ],
] as const;

test.each(LOOKS)(
  'every state says what it is, and axe finds nothing: %s',
  { timeout: 300_000 },
  async (_name, states, look) => {
    const page = await newPage({ ...look, expected: /Failed to load resource|ERR_FAILED/ });
    await page.goto(server.at('/runs'));
    const found: string[] = [];
    for (const one of states) {
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      for (const [path, answer] of Object.entries(one.answers ?? {}))
        await page.route(
          (url) => url.pathname === path,
          (route) =>
            answer === 'never'
              ? undefined
              : route.fulfill({ status: answer.status ?? 200, json: answer.body as Record<string, unknown> }),
        );
      await page.goto(
        new URL(
          Object.entries(NAMES()).reduce((at, [name, value]) => at.replace(name, value), one.at),
          server.openUrl,
        ).href,
      );
      if (one.before !== undefined) await page.locator('main').getByText(one.before).first().waitFor();
      for (const key of one.keys ?? []) {
        await page.keyboard.press(key);
        if (key === 'Control+k') await page.getByRole('combobox').and(page.locator(':focus')).waitFor(); // its part is loaded late
      }
      const seen =
        one.reads === undefined ? page.locator('.bone').first() : page.locator('body').getByText(one.reads).first();
      await seen.waitFor({ state: one.reads === undefined ? 'visible' : 'attached' }).catch(async () => {
        found.push(
          `${named(one)}: ${one.reads ?? 'bars'} is not there, but: ${(await page.locator('main').innerText()).slice(0, 300)}`,
        );
      });
      if (one.reads !== undefined) {
        const sides = async () => (await page.locator('.side').allInnerTexts()).map((text) => text.trim());
        await vi
          .waitUntil(async () => !(await sides()).includes(''), { timeout: 10_000 })
          .catch(() => {
            found.push(`${named(one)}: there is an empty side`);
          });
      }
      for (const violation of await violations(page)) found.push(`${named(one)}: ${violation}`);
    }
    expect(found).toEqual([]);
  },
);
