// All parts of the page in all of their states, as web/all-parts draws them, compared with the pictures of them that are kept
// here. CADRE_PICTURES=write keeps new ones; look at them before they are committed.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { beforeAll, expect, test } from 'vitest';
import { pageOfParts } from './support/all-parts.mjs';
import { violations } from './support/axe.ts';
import { fontScript } from './support/fonts.mjs';
import { newPage } from './support/page.ts';

const KEPT = fileURLToPath(new URL('all-parts/', import.meta.url));
const AT = 'http://parts.test/';
/** The moment that the pictures show. */
const NOW = 1_800_000_000_000;

const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1200, height: 6000 } },
  dark: { colorScheme: 'dark', viewport: { width: 1200, height: 6000 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 14000 }, hasTouch: true, isMobile: true },
} as const;

let html = '';
beforeAll(async () => {
  html = await pageOfParts();
});

/** The pictures are of the browser from npm with the fonts from npm, which draws the same on each machine. */
const isKnownBrowser =
  process.platform === 'linux' && process.arch === 'x64' && (process.env['CADRE_BROWSER'] ?? 'npm') === 'npm';

test.each(Object.keys(LOOKS) as (keyof typeof LOOKS)[])(
  'all parts in all states look as they are kept, and axe finds nothing: %s',
  async (look) => {
    const page = await newPage({ ...LOOKS[look], reducedMotion: 'reduce', timezoneId: 'UTC' });
    await page.clock.setFixedTime(NOW);
    await page.addInitScript(fontScript());
    await page.route('**', (route) =>
      route.request().url() === AT ? route.fulfill({ contentType: 'text/html', body: html }) : undefined,
    );
    await page.goto(AT);
    await page.evaluate('document.fonts.ready');
    // All of it is in view, so that each question may be answered by now.
    await page.locator('.asks .btn[title="Look at it first."]').first().waitFor({ state: 'detached' });
    await page.locator('.bone').first().waitFor();
    await expect
      .poll(() => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'))
      .toBeLessThanOrEqual(0);
    // The same part stands here in many states: on a screen there is one of it.
    expect((await violations(page)).filter((one) => !one.startsWith('landmark-unique'))).toEqual([]);
    if (!isKnownBrowser) return;
    for (const name of await page.locator('.specimens').evaluateAll((all) => all.map(({ id }) => id))) {
      const seen = await page.locator(`#${name}`).screenshot();
      expect(differing(`${name}.${look}.png`, seen), `${name}, ${look}`).toBe(0);
    }
  },
);

/** The number of pixels that are seen to differ from those of the picture that is kept. */
function differing(file: string, png: Buffer): number {
  if (process.env['CADRE_PICTURES'] === 'write') {
    mkdirSync(KEPT, { recursive: true });
    writeFileSync(
      KEPT + file,
      PNG.sync.write(PNG.sync.read(png), { colorType: 2, deflateLevel: 9, deflateStrategy: 0, filterType: 0 }),
    );
  }
  if (!existsSync(KEPT + file)) throw new Error(`There is no picture ${KEPT}${file}: CADRE_PICTURES=write makes it.`);
  const [seen, kept] = [PNG.sync.read(png), PNG.sync.read(readFileSync(KEPT + file))];
  if (seen.width !== kept.width || seen.height !== kept.height) return seen.width * seen.height;
  return pixelmatch(seen.data, kept.data, undefined, seen.width, seen.height, { threshold: 0.1 });
}
