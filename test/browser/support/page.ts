// One browser for all tests of a worker, and a page for each test. What the page writes to its console as an error, and
// what it throws, fails the test.

import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { browserProgram } from './chromium.mjs';

let browser: Promise<Browser> | undefined;

export function theBrowser(): Promise<Browser> {
  browser ??= launch();
  return browser;
}

async function launch(): Promise<Browser> {
  const { path, env, args } = browserProgram();
  return chromium.launch({
    executablePath: path,
    headless: true,
    env: { ...process.env, ...env } as Record<string, string>,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...args,
    ],
  });
}

/** Once the question on the screen may be answered: see ARM-1 in web/src/parts/asks/arming.ts. */
export async function armed(page: Page): Promise<void> {
  await page.locator('.asks .btns .btn:not([aria-disabled])').first().waitFor();
}

/** Once a run that has ended stands on the page with all its events: the first rows may be seen before. */
export async function wholeRun(page: Page, run: string): Promise<void> {
  const whole = `performance.getEntriesByName('cadre:whole:${run}').length`;
  await expect.poll(() => page.evaluate<number>(whole)).toBeGreaterThan(0);
}

export interface PageOptions extends BrowserContextOptions {
  /** Errors that the test is about. */
  readonly expected?: RegExp;
}

/** A page of its own, closed when the test is over. */
export async function newPage({ expected, ...options }: PageOptions = {}): Promise<Page> {
  const context = await (await theBrowser()).newContext({ viewport: { width: 1440, height: 900 }, ...options });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`);
  });
  onTestFinished(async () => {
    await context.close();
    const unexpected = errors.filter((error) => expected?.test(error) !== true);
    if (unexpected.length > 0) throw new Error(`the page reported: ${unexpected.join('\n')}`);
  });
  return page;
}

/** Presses `g` and a key until the page goes there: on a machine that stands still the second key may come too late. */
export const goByKeys = (page: Page, key: string, path: string): Promise<void> =>
  expect
    .poll(async () => {
      if (new URL(page.url()).pathname === path) return path;
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      return new URL(page.url()).pathname;
    })
    .toBe(path);
