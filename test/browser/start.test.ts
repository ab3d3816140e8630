// The dialog that starts an agent: what it sends, and what it says while it cannot.

import { expect, test } from 'vitest';
import { newPage } from './support/page.ts';
import { agent, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';

const SCHEMA =
  '{type: object, properties: {place: {type: string}, currency: {enum: [EUR, GBP], default: EUR}, note: {type: string}, to: {type: object, properties: {city: {type: string}}, required: [city]}}, required: [place]}';

test('a form sends what was typed and what has a default, and Start names the first field that is missing', async () => {
  const server = await served({
    files: scripted(
      { desk: agent(`input: {format: json, schema: ${SCHEMA}}\n`) },
      { agents: { desk: [{ answer: 'Seen.' }] } },
    ),
  });
  const page = await newPage();
  await page.goto(server.at('/agents/desk/start'));
  const dialog = page.getByRole('dialog');
  const start = dialog.getByRole('button', { name: 'Start' });
  const says = dialog.getByRole('status');
  await expect.poll(() => says.textContent()).toBe('Fill in place to start');
  await expect.poll(() => start.getAttribute('title')).toBe('Fill in place to start');
  await expect.poll(() => page.getByText('Nothing has been spent').count()).toBe(0);
  await dialog.getByLabel('place').fill('the pier');
  await expect.poll(() => start.getAttribute('aria-disabled')).toBe(null);
  await expect.poll(() => says.textContent()).toBe('');
  // An object in which something was begun is filled in as well, and left out again when it is emptied.
  await dialog.getByText(/optional: /).click();
  await dialog.getByLabel('note').fill('soon');
  await dialog.getByLabel('note').fill('');
  await dialog.getByLabel('city').fill('Lund');
  await dialog.getByLabel('city').fill('');
  await expect.poll(() => start.getAttribute('aria-disabled')).toBe(null);
  await start.click();
  await page.waitForURL(/\/runs\//);
  const run = new URL(page.url()).pathname.split('/')[2] ?? '';
  const begun = await server.api<{ input: { data: unknown } }>(`/api/runs/${run}/events/0`);
  expect(begun.input.data).toEqual({ place: 'the pier', currency: 'EUR' });
});
