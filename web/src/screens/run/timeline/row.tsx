// One row of the timeline: name, three figures, bars.

import type { ComponentChildren } from 'preact';
import * as amounts from '../../../../../src/views/amounts.ts';
import type { Totals } from '../../../../../src/views/costs/totals.ts';
import { Lasting } from '../../../parts/times.tsx';
import { unchanged } from '../../../parts/unchanged.ts';
import { type Placed } from './bars.ts';
import { type NamedRow, nameOf } from './row-name.tsx';
import { type Row } from './rows.ts';

export interface RowProps extends NamedRow {
  readonly index: number;
  /** The top in pixels. */
  readonly top: number;
  readonly bars: readonly Placed[];
  /** The area of a group. */
  readonly area?: ComponentChildren;
  readonly selected: boolean;
  readonly dimmed: boolean;
  readonly onSelect: (key: string) => void;
  readonly onTwist: (key: string, open: boolean) => void;
}

/** Few elements, and none that must be laid out against another: a fast scroll draws some forty rows in each frame. */
export const TimelineRow = unchanged((props: RowProps) => {
  const { row, index, bars, selected } = props;
  return (
    <div
      id={rowId(row.key)}
      class={`tl-row choosable${props.dimmed ? ' dim' : ''}`}
      style={{ top: `${props.top}px` }}
      role="row"
      aria-level={row.depth + 1}
      aria-rowindex={index + 1}
      aria-expanded={row.open === 'leaf' ? undefined : row.open === 'open'}
      aria-selected={selected}
      onClick={(event) => {
        const twists = event.target instanceof Element && event.target.className === 'tw';
        if (twists) props.onTwist(row.key, row.open !== 'open');
        else props.onSelect(row.key);
      }}
    >
      <div class="n cut" role="gridcell" style={indentOf(row.depth)}>
        {row.open === 'leaf' ? null : (
          <span class="tw" aria-hidden="true">
            {row.open === 'open' ? '▾' : '▸'}
          </span>
        )}
        {nameOf(props)}
      </div>
      <span class="f f-time num soft" role="gridcell">
        {timeOf(row, props.arriving)}
      </span>
      <span class="f f-tokens num soft" role="gridcell">
        {tokensOf(row.totals)}
      </span>
      <span class="f f-cost num soft" role="gridcell">
        {costOf(row.totals)}
      </span>
      <div class="g" role="gridcell" aria-label={bars.map(({ bar }) => bar.words).join('; ')}>
        {props.area}
        {bars.map(drawnBar)}
      </div>
    </div>
  );
});

const drawnBar = ({ bar, left, width }: RowProps['bars'][number], place: number): ComponentChildren => (
  <i
    key={place}
    class={bar.to === undefined ? `b-${bar.kind} now` : `b-${bar.kind}`}
    style={bar.kind === 'post' || bar.kind === 'mark' ? { left: `${left}%` } : { left: `${left}%`, width: `${width}%` }}
    title={bar.words}
    data-label={bar.label}
  />
);

/** Room for the lines of those above it, which the style draws as one background. */
const INDENTS = Array.from({ length: 24 }, (_, depth) => ({
  paddingLeft: `calc(var(--twist) + ${depth} * var(--indent))`,
  backgroundSize: `calc(${depth} * var(--indent)) 100%`,
}));

const indentOf = (depth: number): Readonly<Record<string, string>> =>
  INDENTS[Math.min(depth, INDENTS.length - 1)] ?? {};

/** The time of a row. One that is over has a fixed time: only one that goes on needs a clock. */
function timeOf(row: Row, arriving: RowProps['arriving']): ComponentChildren {
  if (row.kind === 'instant') return '';
  const to = row.endedAt ?? settledEnd(row) ?? (row.depth === 0 ? arriving?.endedAt : undefined);
  if (to === undefined && arriving !== undefined) return '';
  return to === undefined ? <Lasting from={row.startedAt} to={undefined} /> : amounts.duration(to - row.startedAt);
}

export const rowId = (key: string): string => `row-${key.replaceAll(' ', '_')}`;

/** The end of a settled row. One in doubt does not go on: its time is not known. */
const settledEnd = ({ node, startedAt }: Row): number | undefined =>
  node.state === 'in-doubt' ? startedAt : undefined;

export const tokensOf = (totals: Totals | undefined): string =>
  totals === undefined || totals.input + totals.output === 0 ? '' : amounts.tokens(totals.input + totals.output);

export function costOf(totals: Totals | undefined): string {
  if (totals === undefined || totals.calls === 0) return '';
  if (totals.usd === undefined) return '$?';
  return `${totals.unpriced > 0 ? '≥ ' : ''}${amounts.usd(totals.usd)}`;
}
