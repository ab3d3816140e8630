// Types that the package does not name are reached through those that it does, as docs/concepts/library.md says.

import { expectTypeOf, test } from 'vitest';
import type { Cadre, CadreOptions, Pattern, RunEvent } from '../src/index.ts';

test('options and results of a method are reached through the method', () => {
  expectTypeOf<NonNullable<Parameters<Cadre['fork']>[2]>>().toHaveProperty('models');
  expectTypeOf<NonNullable<Parameters<Cadre['spawn']>[2]>>().toHaveProperty('after');
  expectTypeOf<Awaited<ReturnType<Cadre['undo']>>>().not.toBeAny();
  expectTypeOf<NonNullable<CadreOptions['providers']>[string]>().not.toBeAny();
});

test('a kind of event, and what a pattern is given, are parts of RunEvent and of Pattern', () => {
  expectTypeOf<Extract<RunEvent, { type: 'op-end' }>>().toHaveProperty('path');
  expectTypeOf<Parameters<NonNullable<Pattern['check']>>[1]>().toHaveProperty('fit');
});
