// Pictures and documents on the page, in a real browser: chosen, pasted, refused, sent, shown and downloaded.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeFiles } from '../../src/engine/files/take-files.ts';
import { tooManyBytesWords } from '../../src/kernel/file-ref.ts';
import type { ThreadInfo } from '../../src/server/protocol.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { pdf, pdfOf, png, pngOf } from '../support/media.ts';
import { violations } from './support/axe.ts';
import { newPage } from './support/page.ts';
import { agent, CONFIG, scripted } from './support/scripts.ts';
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

test('a chat takes files in its first message and later ones, keeps them in an edit, and refuses a kind before it is sent', async () => {
  const answers = { agents: { desk: [{ when: { file: 'image/png' }, answer: 'I see {{files}}' }] } };
  const files = scripted({ desk: agent('input: { accepts: [image] }\n') }, answers);
  const server = await served({ files });
  const uploads: string[] = [];
  const page = await newPage();
  page.on('request', (one) => {
    if (one.url().includes('/api/blobs?name=')) uploads.push(new URL(one.url()).search);
  });
  await page.goto(server.at('/chat/new'));
  const field = page.getByRole('textbox', { name: /^(Ask|Message) desk$/ });
  await field.waitFor();
  const chooser = page.getByLabel('Attach texts or pictures');
  await chooser.setInputFiles([
    { name: 'shot.png', mimeType: 'image/png', buffer: SHOT },
    { name: 'plan.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdf(2)) },
  ]);
  await page.locator('.att', { hasText: 'shot.png' }).waitFor();
  await page.getByRole('alert').filter({ hasText: 'plan.pdf cannot go along: desk takes no PDF files' }).waitFor();
  expect(uploads).toEqual(['?name=shot.png']);
  expect(await violations(page)).toEqual([]);
  await field.fill('What is this?');
  await field.press('Enter');
  await page.waitForURL(/\/chat\/t/);
  await page.getByText('I see shot.png, image/png').first().waitFor();
  const sent = page.locator('a.att', { hasText: 'shot.png' });
  await expect
    .poll(() =>
      sent.locator('img').evaluate((one) => (one as unknown as { readonly naturalWidth: number }).naturalWidth),
    )
    .toBe(128);
  await sent.getByText('128×72').waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), sent.click()]);
  expect(readFileSync(await download.path()).equals(SHOT)).toBe(true);

  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    const bytes = new Uint8Array(${JSON.stringify([...png(64, 36, 7)])});
    dataTransfer.items.add(new File([bytes], 'later.png', { type: 'image/png' }));
    const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
    document.querySelector('.chat-foot textarea').dispatchEvent(event);
  })()`);
  await page.locator('.chat-foot .att', { hasText: 'later.png' }).waitFor();
  await field.fill('And this?');
  await field.press('Enter');
  await page.locator('.chat-list a.att', { hasText: 'later.png' }).waitFor();
  await expect.poll(() => page.locator('.chat-foot .att').count()).toBe(0);
  await page.getByText('later.png, image/png').first().waitFor();
  expect(await violations(page)).toEqual([]);

  await page.getByRole('button', { name: 'Edit' }).first().click();
  const edit = page.getByRole('textbox', { name: 'Word the message anew' });
  await page.locator('.chat-exchange .ask-field .att', { hasText: 'shot.png' }).waitFor();
  await edit.fill('What is in it?');
  await edit.press('Enter');
  await page.getByText('2 of 2').waitFor();
  await page.locator('.chat-list a.att', { hasText: 'shot.png' }).waitFor();
  const thread = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const { runs } = await server.api<ThreadInfo>(`/api/threads/${thread}`);
  expect(runs.map(({ input }) => [input.text, input.files?.map(({ name }) => name)])).toEqual([
    ['What is this?', ['shot.png']],
    ['And this?', ['later.png']],
    ['What is in it?', ['shot.png']],
  ]);
});

test('files beyond 24 MiB together are refused before they are sent, in the words of the server', async () => {
  const server = await served({ files: scripted({ desk: agent('') }, { agents: { desk: [{ answer: 'I see.' }] } }) });
  const uploads: string[] = [];
  const page = await newPage();
  page.on('request', (one) => {
    if (one.url().includes('/api/blobs?name=')) uploads.push(new URL(one.url()).search);
  });
  await page.goto(server.at('/chat/new'));
  await page.getByRole('textbox', { name: /^(Ask|Message) desk$/ }).waitFor();
  const chooser = page.getByLabel('Attach texts, pictures or documents');
  const pictures = ['one', 'two', 'three', 'four'].map((name) => ({
    name: `${name}.png`,
    mimeType: 'image/png',
    buffer: pngOf(5 * 1_048_576),
  }));
  await chooser.setInputFiles(pictures);
  await page.locator('.att', { hasText: 'four.png' }).waitFor();
  const words = tooManyBytesWords();
  await chooser.setInputFiles([
    { name: 'plan.pdf', mimeType: 'application/pdf', buffer: pdfOf(5 * 1_048_576) },
    { name: 'small.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdf(1)) },
  ]);
  await page
    .getByRole('alert')
    .filter({ hasText: `plan.pdf cannot go along. ${words}` })
    .waitFor();
  await page.locator('.att', { hasText: 'small.pdf' }).waitFor();
  expect(uploads).not.toContain('?name=plan.pdf');

  const files = [...pictures, pictures[0]].map((one, index) => ({ name: `${index}.png`, data: one?.buffer ?? '' }));
  const store = memoryStore();
  const all = takeFiles(files, { uploads: store.uploads, owner: 'me' });
  await expect(all).rejects.toThrow(words);
});

test('a model that was passed over for a file stands with its call, and with the reasons of the answer', async () => {
  const files = scripted({ desk: agent('models: [blind, eyes]\n') }, { any: [{ answer: 'I see.', repeat: true }] });
  const two = 'models: {blind: {use: demo/blind, sees: []}, eyes: {use: demo/eyes}, ';
  const server = await served({ files: { ...files, 'cadre.yaml': CONFIG.replace('models: {', two) } });
  const shot = { name: 'shot.png', data: SHOT.toString('base64') };
  const asked = { agent: 'desk', input: 'Look.', files: [shot] };
  const { run } = await server.api<{ readonly run: string }>('/api/runs?wait=20s', asked);
  const page = await newPage();
  await page.goto(server.at(`/runs/${run}`));
  await page.getByText('blind passed over, which sees less of the files').waitFor();
  await page.getByRole('link', { name: '0.1', exact: true }).first().click();
  await page.getByRole('heading', { name: 'Passed over' }).waitFor();
  await page.getByText('blind passed over, which sees less of the files.').waitFor();
  expect(await violations(page)).toEqual([]);
});

test('the form of an agent that takes JSON takes files, wherever a question is begun', async () => {
  const keys = `input:\n  format: json\n  accepts: [image]\n  schema: { type: object, properties: { city: { type: string } }, required: [city] }\n`;
  const answers = { agents: { desk: [{ when: { file: 'image/png' }, answer: 'I see {{files}}' }] } };
  const server = await served({ files: scripted({ desk: agent(keys) }, answers) });
  const page = await newPage();
  for (const place of ['/runs', '/chat/new']) {
    await page.goto(server.at(place));
    await page.getByRole('link', { name: 'Fill in what desk takes' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel(/^city/).fill('Oslo');
    await form.getByLabel('Attach pictures').setInputFiles([
      { name: 'shot.png', mimeType: 'image/png', buffer: SHOT },
      { name: 'plan.pdf', mimeType: 'application/pdf', buffer: Buffer.from(pdf(1)) },
    ]);
    await form.locator('.att', { hasText: 'shot.png' }).waitFor();
    await form.getByRole('alert').filter({ hasText: 'desk takes no PDF files' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await form.getByRole('button', { name: 'Start' }).click();
    await page.waitForURL(/\/runs\/\d/);
    await page.getByText('I see shot.png, image/png').first().waitFor();
    const run = new URL(page.url()).pathname.split('/')[2] ?? '';
    const [first = ''] = readFileSync(join(server.folder, '.cadre/runs', run, 'events.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(first)).toMatchObject({ input: { data: { city: 'Oslo' }, files: [{ name: 'shot.png' }] } });
  }
});

test('the first visit and New run take files too, and the command that stands there names them', async () => {
  const answers = { agents: { desk: [{ when: { file: 'image/png' }, answer: 'I see {{files}}' }] } };
  const server = await served({ files: scripted({ desk: agent('') }, answers) });
  const page = await newPage();
  const shot = { name: 'shot.png', mimeType: 'image/png', buffer: SHOT };
  for (const place of ['first visit', 'New run']) {
    await page.goto(server.at('/runs'));
    const field = page.getByRole('textbox', { name: 'Ask desk' });
    if (place === 'New run') await page.getByRole('button', { name: /^New run/ }).click();
    await field.waitFor();
    await page.getByLabel('Attach texts, pictures or documents').setInputFiles([shot]);
    await page.locator('.att', { hasText: 'shot.png' }).waitFor();
    await page.getByText("--file 'shot.png'").waitFor();
    await field.fill('What is this?');
    await field.press('Enter');
    await page.waitForURL(/\/runs\/\d/);
    await page.getByText('I see shot.png, image/png').first().waitFor();
  }
});
