// Two runs side by side: one count of steps, and a fault beside a reply.

import { expect, test } from 'vitest';
import { fault } from '../../src/kernel/fault.ts';
import { journalByHand } from '../support/events.ts';
import { newPage } from './support/page.ts';
import { agent, scripted } from './support/scripts.ts';
import { served } from './support/served.ts';

const FAULT = fault('model/server', 'upstream connect error');

/** A desk that answered, and its next stage that was asked. */
const common = (run: string) => {
  const book = journalByHand('desk');
  Object.assign(book.events[0] as object, { run });
  return book
    .ask('0.1')
    .reply('0.1', 'Pay 17.')
    .run('0.2', 'pay', { kind: 'next' })
    .ask('0.2.1', { session: '0.2', agent: 'pay' });
};

test('a comparison counts each step once, marks nothing around what differs, and shows a fault and a reply as two texts', async () => {
  const ended = { kind: 'failed', agent: 'pay', fault: FAULT } as const;
  const failed = common('failed').fails('0.2.1', 'model', FAULT).runEnds('0.2', ended).over(ended).events;
  const paid = { kind: 'answered', agent: 'pay', text: 'Paid.' } as const;
  const answered = common('answered').reply('0.2.1', 'Paid.').runEnds('0.2', paid).over(paid).events;
  const files = scripted({ desk: agent('next: pay\n'), pay: agent('') }, { agents: {} });
  const server = await served({ files, journals: { failed, answered } });
  const page = await newPage();
  await page.goto(server.at('/runs/failed/diff/answered'));
  await page.getByRole('heading', { level: 1, name: 'Same for 1 step, then different' }).waitFor();
  const rows = page.getByRole('row');
  const isMarked = rows.filter({ hasText: /other answer|other request|only / });
  await expect.poll(() => isMarked.count()).toBe(1);
  await page.getByText('different 1', { exact: true }).waitFor();
  await page.getByText('only in one 0', { exact: true }).waitFor();
  await expect.poll(() => rows.filter({ hasText: 'run of pay' }).getByRole('cell').last().textContent()).toBe('');
  const left = page.getByRole('region', { name: 'Left' }).locator('.text');
  await expect.poll(() => left.textContent()).toBe('upstream connect error (model/server). Trying again may help.');
  await expect.poll(() => page.getByRole('region', { name: 'Right' }).locator('.text').textContent()).toBe('Paid.');
  await expect.poll(() => page.locator('.diff-part mark').count()).toBe(0);
});
