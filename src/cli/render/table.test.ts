import { expect, test } from 'vitest';
import { table } from './table.ts';

test('a table gives way in its flexible column', () => {
  const columns = [{ title: 'A' }, { title: 'TEXT', flexible: true as const }, { title: 'N', align: 'right' as const }];
  expect(table(columns, [['x', 'a long text indeed', '10']], 20)).toEqual([
    'A  TEXT            N',
    'x  a long text …  10'.slice(0, 20),
  ]);
  expect(table(columns, [['x', 'short', '10']])).toEqual(['A  TEXT    N', 'x  short  10']);
});
