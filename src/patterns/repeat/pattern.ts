// The catalog record of `repeat`.

import { type Cost, type PatternBounds, sumOf, timesCost } from '../bounds.ts';
import type { Pattern } from '../record.ts';
import { triggersOf } from '../trigger-traits.ts';
import { checkRepeat } from './check.ts';
import { type RepeatConfig, repeatKey } from './key.ts';
import { repeat } from './repeat.ts';

export const repeatPattern: Pattern<RepeatConfig> = {
  key: 'repeat',
  keySpec: repeatKey,
  layer: 'again',
  triggers: triggersOf('judge', 'repeat'),
  excludes: {
    router:
      'Keep one of them: let the router lead to an agent that has the loop, or give the loop to its destinations.',
  },
  edges: ({ until, max }) => [{ to: until, role: 'judge', trigger: 'judge', label: `repeat ×${max}` }],
  seat: () => ({
    kind: 'undefined',
    why: 'has `repeat`: a participant of a team talks, and gives no answer that could be judged',
    help: 'Give the loop to the file that has the team: the team is repeated then. Or to a stage before this one.',
  }),
  check: checkRepeat,
  bound: boundOfLoop,
  wrap: repeat,
};

function boundOfLoop({ until, max, fresh }: RepeatConfig, inner: Cost, { run, isReplaced }: PatternBounds): Cost {
  return sumOf([timesCost(max, run(until)), fresh || isReplaced ? timesCost(max, inner) : inner]);
}
