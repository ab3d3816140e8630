// The catalog record of `repeat`.

import { type Cost, NO_COST, type PatternBounds, sumOf, timesCost } from '../bounds.ts';
import type { Pattern } from '../record.ts';
import { triggersOf } from '../trigger-traits.ts';
import { checkRepeat } from './check.ts';
import { askFirst } from './command.ts';
import { commandWords } from './command-words.ts';
import { isCommand, type RepeatConfig, repeatKey } from './key.ts';
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
  edges({ until, max }) {
    const edge = { role: 'judge', trigger: 'judge', label: `repeat ×${max}` };
    // A command is no agent of the folder, so a search for agents does not find it.
    return [isCommand(until) ? { ...edge, to: commandWords(until.command), isAside: true } : { ...edge, to: until }];
  },
  describe: ({ until }) =>
    isCommand(until)
      ? { helpers: [{ name: commandWords(until.command), description: 'A command that judges answers.' }] }
      : {},
  seat: () => ({
    kind: 'undefined',
    why: 'has `repeat`: a participant of a team talks, and gives no answer that could be judged',
    help: 'Give the loop to the file that has the team: the team is repeated then. Or to a stage before this one.',
  }),
  sources: ({ until }) => (isCommand(until) ? ['shell'] : []),
  hasLongResults: ({ until }) => isCommand(until),
  check: checkRepeat,
  bound: boundOfLoop,
  wrap: repeat,
  gate: askFirst,
};

function boundOfLoop({ until, max, fresh }: RepeatConfig, inner: Cost, { run, isReplaced }: PatternBounds): Cost {
  const judging = isCommand(until) ? NO_COST : timesCost(max, run(until));
  return sumOf([judging, fresh || isReplaced ? timesCost(max, inner) : inner]);
}
