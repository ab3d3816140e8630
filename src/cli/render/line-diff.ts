// Two texts line by line: what stands in both, in the first alone, and in the second alone. Pure.

import type { Paint } from '../screen/terminal.ts';

/** Above this many lines the two texts are shown whole: comparing them line by line would take too long. */
const MOST = 1000;
const AROUND = 2;

interface Line {
  readonly side: 'both' | 'expected' | 'received';
  readonly text: string;
}

export function lineDiff(expected: string, received: string, paint: Paint): readonly string[] {
  const left = expected.split('\n');
  const right = received.split('\n');
  const lines = left.length > MOST || right.length > MOST ? wholes(left, right) : compared(left, right);
  return shortened(lines).map(({ side, text }) =>
    side === 'both'
      ? paint('faint', `  ${text}`)
      : side === 'expected'
        ? paint('good', `- ${text}`)
        : paint('error', `+ ${text}`),
  );
}

const wholes = (left: readonly string[], right: readonly string[]): readonly Line[] => [
  ...left.map((text) => ({ side: 'expected', text }) as const),
  ...right.map((text) => ({ side: 'received', text }) as const),
];

/** By the longest row of lines that stand in both. */
function compared(left: readonly string[], right: readonly string[]): readonly Line[] {
  const common = left.map(() => new Uint16Array(right.length + 1));
  common.push(new Uint16Array(right.length + 1));
  for (let one = left.length - 1; one >= 0; one--)
    for (let other = right.length - 1; other >= 0; other--)
      common[one]![other] =
        left[one] === right[other]
          ? common[one + 1]![other + 1]! + 1
          : Math.max(common[one + 1]![other]!, common[one]![other + 1]!);
  const lines: Line[] = [];
  let one = 0;
  let other = 0;
  while (one < left.length || other < right.length) {
    if (one < left.length && other < right.length && left[one] === right[other]) {
      lines.push({ side: 'both', text: left[one++]! });
      other++;
    } else if (one < left.length && (other >= right.length || common[one + 1]![other]! >= common[one]![other + 1]!))
      lines.push({ side: 'expected', text: left[one++]! });
    else lines.push({ side: 'received', text: right[other++]! });
  }
  return lines;
}

/** Long stretches that are the same are left out, and counted. */
function shortened(lines: readonly Line[]): readonly Line[] {
  const near = lines.map((_line, index) =>
    lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ side }) => side !== 'both'),
  );
  const shown: Line[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (near[at]) {
      shown.push(lines[at]!);
      continue;
    }
    const from = at;
    while (at + 1 < lines.length && !near[at + 1]) at++;
    shown.push({ side: 'both', text: `… ${at - from + 1} lines are the same` });
  }
  return shown;
}
