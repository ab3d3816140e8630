// Says in words how two runs differ: how far they are the same, where they part, and what came of each.

import { isBroken, type Outcome } from '../../kernel/outcome.ts';
import * as amounts from '../../views/amounts.ts';
import { type Divergence, partingTexts, type RunDiff, type Side } from '../../views/report/diff.ts';
import type { Paint } from '../screen/terminal.ts';
import { differenceLines, firstDifference } from './difference.ts';
import { cutToWidth, oneLine } from './width.ts';

export function diffText(
  diff: RunDiff,
  { paint, columns = 100 }: { readonly paint: Paint; readonly columns?: number },
): readonly string[] {
  const { left, right, parting, changed } = diff;
  return [
    `${paint('faint', 'left ')}  ${sideText(left)}`,
    `${paint('faint', 'right')}  ${sideText(right)}`,
    ...(changed.length === 0
      ? []
      : [`${paint('faint', 'texts')}  ${changed.join(', ')} ${changed.length === 1 ? 'is' : 'are'} not the same`]),
    '',
    ...(parting === undefined
      ? [paint('good', `The two runs are the same throughout: ${amounts.plural(diff.common, 'step')}.`)]
      : partingLines(parting, diff.common, paint, columns)),
    '',
    ...compared(left, right),
  ];
}

const sideText = ({ run, agent, forkedFrom }: Side): string =>
  `${run}  ${agent}${forkedFrom === undefined ? '' : `, forked from ${forkedFrom.run} at ${forkedFrom.at}`}`;

const HOW: Readonly<Record<Divergence['kind'], string>> = {
  input: 'They were asked for different things.',
  asked: 'The request is not the same.',
  answered: 'The request is the same, the answer is not.',
  missing: 'Only one of them has this step.',
  outcome: 'They ended differently.',
};

function partingLines(parting: Divergence, common: number, paint: Paint, columns: number): readonly string[] {
  const { path, what, kind, left, right } = parting;
  const where = path === undefined ? '' : ` at ${path}, ${what}`;
  const same = common === 0 ? 'Different' : `Same for ${amounts.plural(common, 'step')}, then different`;
  const texts = partingTexts(parting);
  const place = firstDifference(left, right);
  const lines =
    texts !== undefined
      ? texts.map((text, index) => `${index === 0 ? 'left ' : 'right'}  ${cutToWidth(oneLine(text), columns - 9)}`)
      : place === undefined
        ? []
        : differenceLines(place, columns - 2, ['left', 'right']);
  return [`${paint('warning', `${same}${where}.`)} ${HOW[kind]}`, ...lines.map((line) => `  ${line}`)];
}

function compared(left: Side, right: Side): readonly string[] {
  const rows: readonly (readonly [string, string, string])[] = [
    ['outcome', outcomeWord(left.outcome), outcomeWord(right.outcome)],
    ['calls', String(left.totals.calls), String(right.totals.calls)],
    ['tokens', tokensOf(left), tokensOf(right)],
    ['cost', costOf(left), `${costOf(right)}${costDifference(left, right)}`],
  ];
  const width = Math.max(...rows.map(([, one]) => one.length), 4);
  return [['', 'left', 'right'] as const, ...rows].map(([name, one, other]) =>
    `${name.padEnd(8)}  ${one.padEnd(width)}  ${other}`.trimEnd(),
  );
}

const SHOWN = 60;

function outcomeWord(outcome: Outcome | null): string {
  if (outcome === null) return 'none yet';
  if (isBroken(outcome)) return cutToWidth(`${outcome.kind} (${outcome.fault.code})`, SHOWN);
  return 'text' in outcome ? cutToWidth(`${outcome.kind}: ${oneLine(outcome.text)}`, SHOWN) : outcome.kind;
}

const tokensOf = ({ totals }: Side): string =>
  `${amounts.tokens(totals.input)} in, ${amounts.tokens(totals.output)} out`;

const costOf = ({ totals }: Side): string =>
  totals.calls === 0 ? amounts.usd(0) : amounts.cost(totals.usd, totals.unpriced);

function costDifference(left: Side, right: Side): string {
  if (left.totals.usd === undefined || right.totals.usd === undefined) return '';
  if (left.totals.unpriced + right.totals.unpriced > 0) return '';
  const more = right.totals.usd - left.totals.usd;
  if (Math.abs(more) < 1e-9) return '';
  return more > 0 ? ` (${amounts.usd(more)} more)` : ` (${amounts.usd(-more)} less)`;
}
