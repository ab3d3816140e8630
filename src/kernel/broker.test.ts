import { expect, test } from 'vitest';
import { openBroker } from './broker.ts';

const saying = (memberId: string, message: string) => ({ memberId, message, type: 'update' }) as never;

test('a broadcast that is published is numbered, heard by those who listen, and read once by each of the others', () => {
  const broker = openBroker();
  const heard: number[] = [];
  const stop = broker.subscribe(({ number }) => heard.push(number));
  const first = broker.publish(saying('ann', 'one'), 1);
  broker.publish(saying('bob', 'two'), 2);
  stop();
  broker.publish(saying('ann', 'three'), 3);
  expect(first).toEqual({ number: 1, memberId: 'ann', message: 'one', type: 'update', timestamp: 1 });
  expect(heard).toEqual([1, 2]);
  const numbersFor = (member: string) => broker.consume(member).broadcasts.map(({ number }) => number);
  expect([numbersFor('ann'), numbersFor('bob'), numbersFor('cid')]).toEqual([[2], [1, 3], [1, 2, 3]]);
  expect([numbersFor('ann'), numbersFor('bob')]).toEqual([[], []]);
});

test('a draft is not said yet, and what was read before stays read', () => {
  const broker = openBroker();
  const draft = broker.draft(saying('ann', 'one'), 1);
  expect([draft.number, broker.transcript()]).toEqual([1, []]);
  broker.add(draft);
  broker.add(draft);
  expect(broker.transcript()).toEqual([draft]);
  broker.advance('bob', 1);
  broker.advance('bob', 0);
  expect(broker.unread('bob').broadcasts).toEqual([]);
});
