import { expect, test } from 'vitest';
import { paintFor, progressPlace } from './terminal.ts';

test('colours follow the stream, NO_COLOR, FORCE_COLOR and TERM', () => {
  const coloured = (isTTY: boolean, env: NodeJS.ProcessEnv) => paintFor({ isTTY }, env)('error', 'x') !== 'x';
  expect(coloured(true, {})).toBe(true);
  expect(coloured(false, {})).toBe(false);
  expect(coloured(true, { NO_COLOR: '1' })).toBe(false);
  expect(coloured(true, { TERM: 'dumb' })).toBe(false);
  expect(coloured(false, { FORCE_COLOR: '1' })).toBe(true);
  expect(coloured(true, { NO_COLOR: '1', FORCE_COLOR: '1' })).toBe(false);
});

test.each([
  [true, true, {}, 'live', 'stderr'],
  [false, true, {}, 'live', 'stderr'],
  [true, false, {}, 'live', 'stdout'],
  [false, false, {}, 'none', 'stderr'],
  [true, true, { TERM: 'dumb' }, 'lines', 'stderr'],
  [true, true, { CI: 'true' }, 'lines', 'stderr'],
  [false, false, { CI: 'true' }, 'lines', 'stderr'],
  [true, false, { TERM: 'dumb' }, 'none', 'stderr'],
])('with terminals %s and %s and %j, progress is %s on %s', (out, err, env, mode, where) => {
  const streams = { stdout: { isTTY: out }, stderr: { isTTY: err } } as never as {
    stdout: NodeJS.WriteStream;
    stderr: NodeJS.WriteStream;
  };
  const place = progressPlace(streams, env);
  expect(place.mode).toBe(mode);
  expect(place.stream).toBe(where === 'stdout' ? streams.stdout : streams.stderr);
});
