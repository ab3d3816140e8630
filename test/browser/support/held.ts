// Requests of a page that are not answered until a test lets them go.

import type { Page } from 'playwright-core';

type Where = Parameters<Page['route']>[0];

/** Until the answer is called. What is asked for after that is not held. */
export async function hold(page: Page, where: Where): Promise<() => void> {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(where, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}
