// The scripts that the HTML does not name: what the page loads ahead, or when it is shown.

import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { built } from '../../support/dist.ts';
import { hold } from './held.ts';

/** A matcher for `page.route`. */
export function laterScripts(): (url: URL) => boolean {
  const html = readFileSync(built('page/index.html'), 'utf8');
  return ({ pathname }) => /^\/assets\/.*\.js$/.test(pathname) && !html.includes(pathname);
}

/** Holds them back until the answer is called. */
export const holdLaterScripts = (page: Page): Promise<() => void> => hold(page, laterScripts());
