// The moving picture of README: what changed from screen to screen, in one file that a browser shows.

import { expect, test } from 'vitest';
import { animated, encoder } from '../../scripts/pictures/webp.mjs';
import { fontScript } from './support/fonts.mjs';
import { newPage, theBrowser } from './support/page.ts';

test('screens become one animated picture that holds what changed, and a screen like the one before it adds nothing', async () => {
  const page = await newPage({ viewport: { width: 300, height: 200 } });
  const { part, close } = await encoder(await theBrowser());
  /** Shows this, and gives what changed on the screen. */
  const shown = async (html: string) => {
    await page.setContent(`<body style="margin:0;background:white">${html}`);
    return part(await page.screenshot());
  };
  const square = (left: number): string =>
    `<i style="position:absolute;left:${left}px;top:50px;width:21px;height:20px;background:#06c"></i>`;
  const first = await shown(square(10));
  expect(first).toMatchObject({ left: 0, top: 0, width: 300, height: 200 });
  const again = await shown(square(10));
  expect(again).toBeUndefined();
  const second = await shown(square(101));
  expect(second).toMatchObject({ left: 10, top: 50, width: 112, height: 20 });
  const file = animated({ width: 300, height: 200 }, [
    { ...first!, ms: 40 },
    { ...second!, ms: 70 },
  ]);
  // A browser decodes only for a page with a secure address.
  await page.route('https://pictures.example/', (route) => route.fulfill({ body: '', contentType: 'text/html' }));
  await page.goto('https://pictures.example/');
  const read = await page.evaluate(`(async () => {
    const data = Uint8Array.from(atob('${file.toString('base64')}'), (one) => one.charCodeAt(0));
    const decoder = new ImageDecoder({ data, type: 'image/webp' });
    await decoder.tracks.ready;
    const { image } = await decoder.decode({ frameIndex: 1 });
    const canvas = new OffscreenCanvas(300, 200);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const at = (x) => context.getImageData(x, 60, 1, 1).data[2] - context.getImageData(x, 60, 1, 1).data[0] > 100;
    return { frames: decoder.tracks.selectedTrack.frameCount, width: image.codedWidth, old: at(20), now: at(110) };
  })()`);
  await close();
  expect(read).toEqual({ frames: 2, width: 300, old: false, now: true });
});

test('pictures have the fonts of the design, whatever the machine has', async () => {
  const page = await newPage();
  await page.addInitScript(fontScript());
  await page.goto('about:blank');
  await page.setContent('<p style="font-family: Inter">a</p><p style="font-family: JetBrains Mono">b</p>');
  await expect
    .poll(() => page.evaluate("[...document.fonts].filter((one) => one.status === 'loaded').map((one) => one.family)"))
    .toEqual(expect.arrayContaining(['Inter', 'JetBrains Mono'].map((name) => expect.stringContaining(name))));
});
