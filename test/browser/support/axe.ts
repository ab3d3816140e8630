// The findings of axe-core on a page, in words, and a rule that it leaves out: a screen has one title.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Elements that fade in have no colour to judge yet: axe looks once nothing with an end is on its way. */
const AT_REST =
  'Promise.allSettled(document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime !== Infinity).map((one) => one.finished))';

/** The page's own policy allows no script from elsewhere: axe comes through the debugger, not through the page. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(AT_REST);
  await page.evaluate(source);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } };
    return (await axe.run({ resultTypes: ['violations'] })).violations;
  });
  const titles = await page.getByRole('heading', { level: 1 }).allTextContents();
  return [
    ...(titles.length === 1 ? [] : [`headings of the first level: ${JSON.stringify(titles)}`]),
    ...found.flatMap(({ id, help, nodes }) =>
      nodes.slice(0, 3).map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`),
    ),
  ];
}
