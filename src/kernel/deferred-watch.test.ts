import { expect, test } from 'vitest';
import { deferredWatch } from './deferred-watch.ts';

function bench() {
  const moments: (() => void)[] = [];
  const watched: string[] = [];
  const watching = deferredWatch((run) => moments.push(run));
  const work = (name: string) => ({ watch: () => watched.push(name) });
  return { moments, watched, watching, work };
}

test('only work that outlasts the moment is watched', () => {
  const { moments, watched, watching, work } = bench();
  const [short, long] = [work('short'), work('long')];
  const place = watching.begun(short);
  watching.begun(long);
  watching.over(short, place);
  expect(moments).toHaveLength(1);
  moments[0]?.();
  expect(watched).toEqual(['long']);
});

test('work that ends after the moment leaves that of the next one alone', () => {
  const { moments, watched, watching, work } = bench();
  const [early, late] = [work('early'), work('late')];
  const place = watching.begun(early);
  moments[0]?.();
  watching.begun(late);
  watching.over(early, place);
  moments[1]?.();
  expect(watched).toEqual(['early', 'late']);
});
