import { expect, test } from 'vitest';
import { rereading } from './reread.ts';

test('one read at a time; what is asked for meanwhile is read once more after it', async () => {
  const ends: (() => void)[] = [];
  const again = rereading(() => new Promise((resolve) => ends.push(resolve)));
  const endOf = async (nth: number): Promise<void> => {
    ends[nth]?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  for (let asked = 0; asked < 4; asked++) again();
  expect(ends).toHaveLength(1);
  await endOf(0);
  expect(ends).toHaveLength(2);
  await endOf(1);
  expect(ends).toHaveLength(2);
  again();
  expect(ends).toHaveLength(3);
});
