// Requests of a page that are not answered until a test lets them go.

import type { Page } from 'playwright-core';

type Where = Parameters<Page['route']>[0];

/** Holds requests until the returned function is called. A request after that is not held. */
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
