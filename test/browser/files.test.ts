// Pictures and documents on the page, in a real browser: chosen, pasted, refused, sent, shown and downloaded.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pdf, png } from '../support/media.ts';
import { violations } from './support/axe.ts';
import { newPage } from './support/page.ts';
import { agent, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';

const SHOT = png(128, 72);

test('a picture and a document are attached to a question, sent by their digests, and stand with it', async () => {
  const server = await served({
    files: scripted(
      { desk: agent('') },
      {
        agents: {
          desk: [
            { when: { file: 'image/png' }, answer: 'I see {{files}}' },
            { answer: 'Hello.', repeat: true },
          ],
        },
      },
    ),
  });
  const begun = await server.api<{ readonly run: string }>('/api/runs?wait=20s', {
    agent: 'desk',
    input: 'Hello.',
    thread: 'new',
  });
  const page = await newPage({ expected: /422/ }); // a file that is refused
  await page.goto(server.at(`/runs/${begun.run}/conversation`));
  const field = page.getByRole('textbox', { name: 'Ask desk a follow-up' });
  await field.waitFor();
  const chooser = page.getByLabel('Attach texts, pictures or documents');
  await chooser.setInputFiles([
    { name: 'shot.png', mimeType: 'image/png', buffer: SHOT },
    { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4 nothing') },
  ]);
  const chip = page.locator('.att', { hasText: 'shot.png' });
  await chip.waitFor();
  await expect.poll(() => chip.textContent()).toContain('128×72');
  await expect
    .poll(() => chip.locator('canvas').evaluate((one) => (one as unknown as { readonly height: number }).height))
    .toBe(56);
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('cannot be read as application/pdf');

  await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    const bytes = new Uint8Array(${JSON.stringify([...pdf(2)])});
    clipboardData.items.add(new File([bytes], 'plan.pdf', { type: 'application/pdf' }));
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.querySelector('.talk-compose textarea').dispatchEvent(event);
  })()`);
  await page.locator('.att', { hasText: 'plan.pdf' }).getByText('2 pages').waitFor();
  expect(await violations(page)).toEqual([]);

  await field.fill('What is this?');
  await field.press('Enter');
  await page.getByText('I see shot.png, image/png').first().waitFor();
  const sent = page.locator('a.att', { hasText: 'shot.png' });
  await sent.waitFor();
  await expect
    .poll(() =>
      sent.locator('img').evaluate((one) => (one as unknown as { readonly naturalWidth: number }).naturalWidth),
    )
    .toBe(128);
  const [download] = await Promise.all([page.waitForEvent('download'), sent.click()]);
  expect(download.suggestedFilename()).toBe('shot.png');
  expect(readFileSync(await download.path()).equals(SHOT)).toBe(true);
  expect(await violations(page)).toEqual([]);
});
