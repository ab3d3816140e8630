import { expect, test } from 'vitest';
import { watchOutlasting } from './outlasting.ts';

function bench() {
  const moments: (() => void)[] = [];
  const watched: string[] = [];
  const outlasting = watchOutlasting((run) => moments.push(run));
  const work = (name: string) => ({ watch: () => watched.push(name) });
  return { moments, watched, outlasting, work };
}

test('only work that outlasts the moment is watched', () => {
  const { moments, watched, outlasting, work } = bench();
  const [short, long] = [work('short'), work('long')];
  const place = outlasting.begun(short);
  outlasting.begun(long);
  outlasting.over(short, place);
  expect(moments).toHaveLength(1);
  moments[0]?.();
  expect(watched).toEqual(['long']);
});

test('what ends after the moment leaves the work of the next one alone', () => {
  const { moments, watched, outlasting, work } = bench();
  const [early, late] = [work('early'), work('late')];
  const place = outlasting.begun(early);
  moments[0]?.();
  outlasting.begun(late);
  outlasting.over(early, place);
  moments[1]?.();
  expect(watched).toEqual(['early', 'late']);
});
