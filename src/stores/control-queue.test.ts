// Claims of messages, where a process died half-way.

import { expect, test } from 'vitest';
import type { Cells, Space } from '../journal/cells.ts';
import { textValue } from '../journal/cells.ts';
import { controlQueue } from '../journal/control-queue.ts';
import { sendMessage } from '../journal/store.conformance.ts';
import { memoryCells } from './memory-cells.ts';

const MESSAGES: Space = { name: 'control', holds: 'lines' };
const CLAIMS: Space = { name: 'control-claims', holds: 'lines' };

const queueOn = (cells: Cells) => controlQueue({ cells, known: async () => {}, now: () => 1, warn() {} });

async function posted() {
  const cells = memoryCells();
  const queue = queueOn(cells);
  await queue.post('r1', sendMessage('one'));
  const version = (await cells.get(MESSAGES, 'r1/one'))?.version ?? '';
  const claim = (head: string) => cells.putIf(CLAIMS, 'r1/one', textValue(head), 'any');
  return { cells, queue, version, claim };
}

test('a message whose sender died while it took it back is not delivered, and one that is posted again is', async () => {
  const { queue, claim, version } = await posted();
  await claim(`withdrawn ${version}`);
  expect(await queue.pending('r1')).toEqual([]);
  expect(await queue.posted('r1')).toEqual([]);
  await queue.post('r1', sendMessage('one'));
  expect(await queue.pending('r1')).toEqual([sendMessage('one')]);
});

test('a claim on an earlier message of the same id does not count', async () => {
  for (const head of ['withdrawn earlier', 'taken earlier']) {
    const { queue, claim } = await posted();
    await claim(head);
    expect(await queue.posted('r1')).toEqual([sendMessage('one')]);
    expect(await queue.withdraw('r1', 'one')).toBe(true);
    expect(await queue.pending('r1')).toEqual([]);
  }
});

test('a message that a process took and did not record is taken by the next, and not taken back', async () => {
  const { cells, queue } = await posted();
  expect(await queue.pending('r1')).toEqual([sendMessage('one')]);
  const next = queueOn(cells);
  expect(await next.withdraw('r1', 'one')).toBe(false);
  expect(await next.pending('r1')).toEqual([sendMessage('one')]);
  await next.remove('r1', ['one']);
  expect(await cells.list(CLAIMS, '')).toEqual([]);
  await queue.post('r1', sendMessage('one', 'again'));
  expect(await queue.withdraw('r1', 'one')).toBe(true);
});

test('one of a run and a sender that both claim a message gets it, at every step of the other', async () => {
  for (let step = 0; step < 8; step++) {
    const { cells, queue } = await posted();
    let calls = 0;
    let other: Promise<unknown> | undefined;
    const disturbed: Cells = {
      ...cells,
      putIf: async (...given) => {
        if (calls++ === step) other = queue.pending('r1');
        await other;
        return cells.putIf(...given);
      },
      delete: async (...given) => {
        if (calls++ === step) other = queue.pending('r1');
        await other;
        return cells.delete(...given);
      },
    };
    const isWithdrawn = await queueOn(disturbed).withdraw('r1', 'one');
    const taken = await queue.pending('r1');
    expect(taken).toHaveLength(isWithdrawn ? 0 : 1);
  }
});

test('claims without a message are collected with what was said to runs that are gone', async () => {
  const { cells, queue } = await posted();
  await cells.putIf(CLAIMS, 'r2/lost', textValue('taken x'), 'absent');
  await queue.pending('r1');
  await queue.collect(Date.now() + 1000, async (run) => run === 'r1');
  expect((await cells.list(CLAIMS, '')).map(({ key }) => key)).toEqual(['r1/one']);
  await queue.collect(Date.now() + 1000, async () => false);
  expect([...(await cells.list(CLAIMS, '')), ...(await cells.list(MESSAGES, ''))]).toEqual([]);
});
