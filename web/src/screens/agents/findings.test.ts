import { expect, test } from 'vitest';
import type { Diagnostic } from '../../../../src/server/protocol.ts';
import { handOversOf } from './findings.ts';

const about = (code: string, given: string, taken: string): Diagnostic => ({
  code,
  severity: 'warning',
  file: `${given}.md`,
  line: 1,
  column: 1,
  message: '',
  help: '',
  compared: { given: { agent: given, schema: true }, taken: { agent: taken, schema: true } },
});

test('an agent has the hand-overs on both its sides, each once', () => {
  const all = [
    about('chain/may-not-fit', 'a', 'b'),
    about('chain/overrides-output', 'a', 'b'),
    about('chain/never-fits', 'b', 'c'),
    about('chain/never-fits', 'c', 'd'),
  ];
  expect(handOversOf('b', all).map(({ compared: { given, taken } }) => [given.agent, taken.agent])).toEqual([
    ['a', 'b'],
    ['b', 'c'],
  ]);
  const { compared: _, ...plain } = about('key/unknown', 'b', 'b');
  expect(handOversOf('b', [plain])).toEqual([]);
});
