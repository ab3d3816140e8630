// The measures of the house that have reached their aim stay there. `npm run house` prints all of them.

import { expect, test } from 'vitest';
import { featureLines } from '../scripts/house/features.mjs';
import { measures, sourceOf } from '../scripts/house/measures.mjs';
import { projectShapes } from '../scripts/house/names.mjs';

const shapes = projectShapes();
const byName = new Map(measures(shapes).map((measure) => [measure.name, measure]));

test.each([
  'longest function',
  'functions with more than 4 parameters',
  'type names with several meanings',
  'pairs of folders that import each other',
  'public names of the package',
])('%s: the aim is kept', (name) => {
  const measure = byName.get(name);
  expect(measure?.aim).toBeTypeOf('number');
  expect(measure?.value, `npm run house -- --list ${measure?.key ?? 'functions'}`).toBeLessThanOrEqual(
    measure?.aim ?? 0,
  );
});

test.each([
  ['page: lines of CSS', 4404],
  ['page: functions over 40 lines', 39],
])('%s: no more than was reached, %i', (name, most) => {
  const measure = byName.get(name);
  expect(
    measure?.value,
    'a form of style/base.css or a part of web/src/parts may be there already',
  ).toBeLessThanOrEqual(most);
});

test('the list of new features names files that are there', () => {
  const rows = featureLines(sourceOf(shapes));
  expect(rows.every(({ files }) => files > 0)).toBe(true);
});
