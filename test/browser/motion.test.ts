// With reduced motion nothing spins and nothing slides, on a run that is at work.

import { expect, test } from 'vitest';
import { newPage } from './support/page.ts';
import { agent, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';

const SLOW = scripted(
  { lead: agent('agents: [worker]\n'), worker: agent('') },
  {
    agents: {
      lead: [{ call: { agent__worker: { input: 'Go.', reason: 'Now.' } } }, { answer: 'Done.' }],
      worker: [{ delay: '60s', answer: 'Late.' }],
    },
  },
);

/** The moving elements, as the browser computes them: each element, and its parts before and after it. */
const MOVING = `[...document.querySelectorAll('*')].flatMap((element) =>
  [undefined, '::before', '::after'].flatMap((part) => {
    const { animationName, animationDuration, transitionDuration } = getComputedStyle(element, part);
    const name = element.tagName.toLowerCase() + '.' + (element.getAttribute('class') ?? '') + (part ?? '');
    const times = transitionDuration.split(',').map((time) => parseFloat(time) * (/ms/.test(time) ? 1 : 1000));
    return [
      ...(animationName !== 'none' && parseFloat(animationDuration) > 0 ? [name + ' runs ' + animationName] : []),
      ...times.filter((ms) => ms > 0).map((ms) => name + ' takes ' + ms + ' ms'),
    ];
  }))`;

const places = ['', '/conversation', '/cost', '/journal'] as const;

test('nothing moves with reduced motion; without it the ring of what is at work turns, and nothing takes over 120 ms', async () => {
  const server = await served({ files: SLOW });
  const run = await server.run('lead', 'Go.', false);
  const still = await newPage({ reducedMotion: 'reduce' });
  for (const place of places) {
    await still.goto(server.at(`/runs/${run}${place}`));
    await still.locator('.spin').first().waitFor();
    await expect.poll(() => still.evaluate<string[]>(MOVING)).toEqual([]);
  }
  await still.keyboard.press('Control+k');
  await still.getByRole('dialog').waitFor();
  await expect.poll(() => still.evaluate<string[]>(MOVING)).toEqual([]);
  await still.goto(server.at('/runs'));
  await still.locator('.spin').first().waitFor();
  await expect.poll(() => still.evaluate<string[]>(MOVING)).toEqual([]);
  const usual = await newPage({ reducedMotion: 'no-preference' });
  await usual.goto(server.at(`/runs/${run}`));
  await usual.locator('.spin').first().waitFor();
  const found = await usual.evaluate<string[]>(MOVING);
  expect(found.some((one) => one.endsWith('runs turn'))).toBe(true);
  const times = found.flatMap((one) => /takes (\d+) ms/.exec(one)?.[1] ?? []).map(Number);
  expect(Math.max(0, ...times)).toBeLessThanOrEqual(120);
  await server.api(`/api/runs/${run}/cancel`, {});
});
