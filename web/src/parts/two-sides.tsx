// Two runs beside each other: a column each, and the steps of both in one table.

import type { ComponentChildren } from 'preact';
import { duration, usd } from '../../../src/views/amounts.ts';
import type { ComparedStep, StepFate } from '../../../src/views/compared-steps.ts';
import { opHref } from '../app/addresses.ts';
import type { RecordedRun } from '../data/recorded-run.ts';
import { type FigureColumn, FigureTable } from './figure-table.tsx';
import './two-sides.css';

/** Two sections; on a phone the second stands below the first. */
export const TwoSides = (props: { readonly paper?: boolean; readonly children: ComponentChildren }) => (
  <div class={props.paper === true ? 'two-sides paper ruled' : 'two-sides ruled'}>{props.children}</div>
);

interface Props {
  readonly left: RecordedRun;
  readonly right: RecordedRun;
  readonly steps: readonly ComparedStep[];
  /** The names of both sides here. */
  readonly names: readonly [string, string];
  readonly caption?: string;
}

const MOST = 1000;

/** Nothing to look at: the same, or around what differs. */
const QUIET: ReadonlySet<StepFate> = new Set(['same', 'around']);

export const StepTable = ({ left, right, steps, names, caption }: Props) => {
  const [paid, pays] = [costsOf(left), costsOf(right)];
  return (
    <div class="step-table">
      <FigureTable
        {...(caption !== undefined && { caption })}
        columns={[{ title: 'op', as: 'code' }, { title: 'step' }, ...names.flatMap(figuresOf), FATE]}
        rows={steps.slice(0, MOST).map(({ path, what, left: took, right: takes, fate }) => ({
          key: path,
          look: QUIET.has(fate) ? 'quiet' : 'marked',
          cells: [
            <a key="op" class="link" href={opHref(fate === 'only right' ? right.run : left.run, path)}>
              {path}
            </a>,
            what,
            took !== undefined && duration(took),
            paid.get(path),
            takes !== undefined && duration(takes),
            pays.get(path),
            fate !== 'around' && fate,
          ],
        }))}
      />
      {steps.length > MOST && <p class="faint">and {steps.length - MOST} more</p>}
    </div>
  );
};

const FATE: FigureColumn = { title: 'how they compare', quiet: true };

const figuresOf = (name: string): readonly FigureColumn[] => [
  { title: name, as: 'figure' },
  { title: `cost, ${name}`, as: 'figure', quiet: true },
];

/** The cost of an op's model calls, by op. */
function costsOf(data: RecordedRun): ReadonlyMap<string, string> {
  const sums = new Map<string, number | undefined>();
  for (const { path, usd: spent } of data.ledger.value.lines)
    sums.set(path, spent === undefined ? sums.get(path) : (sums.get(path) ?? 0) + spent);
  return new Map([...sums].map(([path, sum]) => [path, sum === undefined ? '$?' : usd(sum)]));
}
