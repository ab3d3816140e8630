import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FaultError, fault } from '../../kernel/fault.ts';
import { Batches } from './batches.ts';

/** Statements that are answered by hand. Each gives the length of its items. */
function statements(most = 100) {
  const sent: { readonly items: readonly string[]; answer(): void; fail(thrown: unknown): void }[] = [];
  const batches = new Batches<string, number>({
    atOnce: 2,
    most,
    sizeOf: (item) => item.length,
    send: (items) =>
      new Promise((resolve, reject) => {
        sent.push({ items, answer: () => resolve(items.map(({ length }) => length)), fail: reject });
      }),
  });
  return { sent, batches };
}

const refused = new FaultError(fault('store/unreachable', 'refused', { refused: true }));

test('requests of one turn of the event loop are one statement, and each gets its own answer', async () => {
  const { sent, batches } = statements();
  const answers = Promise.all([batches.add('a'), batches.add('bb'), batches.add('ccc')]);
  await setImmediate();
  expect(sent.map(({ items }) => items)).toEqual([['a', 'bb', 'ccc']]);
  sent[0]?.answer();
  expect(await answers).toEqual([1, 2, 3]);
});

test('a request is sent before the loop turns to work that waits already, if nothing is under way', async () => {
  const { sent, batches } = statements();
  const log: string[] = [];
  const other = setImmediate().then(() => log.push(`other work, after ${sent.length}`));
  void Promise.resolve().then(() => batches.add('a'));
  await other;
  expect(log).toEqual(['other work, after 1']);
});

test('while enough statements are under way, what is asked goes with the next one', async () => {
  const { sent, batches } = statements();
  for (const item of ['a', 'b', 'c', 'd', 'e']) {
    void batches.add(item);
    await setImmediate();
  }
  expect(sent.map(({ items }) => items)).toEqual([['a'], ['b']]);
  sent[1]?.answer();
  await setImmediate();
  expect(sent[2]?.items).toEqual(['c', 'd', 'e']);
});

test('a statement does not become larger than it may be, and an item that is larger goes alone', async () => {
  const { sent, batches } = statements(4);
  for (const item of ['aa', 'bb', 'cccccc', 'd']) void batches.add(item);
  await setImmediate();
  for (let index = 0; index < 3; index++) {
    sent[index]?.answer();
    await setImmediate();
  }
  expect(sent.map(({ items }) => items)).toEqual([['aa', 'bb'], ['cccccc'], ['d']]);
});

test('a refusal of one of them is no refusal of the others', async () => {
  const { sent, batches } = statements();
  const answers = Promise.allSettled([batches.add('a'), batches.add('bad'), batches.add('cc')]);
  await setImmediate();
  sent[0]?.fail(refused);
  for (let index = 1; index < 4; index++) {
    await setImmediate();
    if (sent[index]?.items[0] === 'bad') sent[index]?.fail(refused);
    else sent[index]?.answer();
  }
  expect(sent.slice(1).map(({ items }) => items)).toEqual([['a'], ['bad'], ['cc']]);
  expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('a database that is gone is not asked again for each of them', async () => {
  const { sent, batches } = statements();
  const answers = Promise.allSettled([batches.add('a'), batches.add('b')]);
  await setImmediate();
  sent[0]?.fail(new FaultError(fault('store/unreachable', 'gone')));
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(sent).toHaveLength(1);
});
