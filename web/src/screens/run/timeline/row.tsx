// One row of the timeline: name, three figures, bars.

import type { ComponentChildren } from 'preact';
import * as amounts from '../../../../../src/views/amounts.ts';
import type { Totals } from '../../../../../src/views/costs/totals.ts';
import type { OpNode, OpState } from '../../../../../src/views/tree/op-tree.ts';
import { StateMark, type StateName, TriggerTag } from '../../../parts/state.tsx';
import { Lasting } from '../../../parts/times.tsx';
import { unchanged } from '../../../parts/unchanged.ts';
import { type Placed } from './bars.ts';
import { isBad, type Row, waitsForPerson } from './rows.ts';

export interface Doing {
  readonly words: string;
  readonly state: StateName;
}

export interface RowProps {
  readonly row: Row;
  readonly index: number;
  readonly bars: readonly Placed[];
  /** A second line: what an agent does now. */
  readonly doing?: Doing | undefined;
  /** The area of a group. */
  readonly area?: ComponentChildren;
  readonly selected: boolean;
  readonly dimmed: boolean;
  readonly argument: string | undefined;
  readonly attempts: number;
  readonly onSelect: (key: string) => void;
  readonly onTwist: (key: string, open: boolean) => void;
}

export const TimelineRow = unchanged((props: RowProps) => {
  const { row, index, bars, selected } = props;
  return (
    <div
      id={rowId(row.key)}
      class={props.dimmed ? 'tl-row tl-grid dim' : 'tl-row tl-grid'}
      role="row"
      aria-level={row.depth + 1}
      aria-rowindex={index + 1}
      aria-expanded={row.open === 'leaf' ? undefined : row.open === 'open'}
      aria-selected={selected}
      onClick={() => props.onSelect(row.key)}
    >
      <div class="n" role="gridcell">
        <Indents depth={row.depth} />
        <button
          type="button"
          class="tw"
          tabIndex={-1}
          aria-hidden="true"
          onClick={(event) => {
            if (row.open === 'leaf') return;
            event.stopPropagation();
            props.onTwist(row.key, row.open !== 'open');
          }}
        >
          {row.open === 'leaf' ? '' : row.open === 'open' ? '▾' : '▸'}
        </button>
        <Name {...props} />
      </div>
      <Figures row={row} />
      <div class="g" role="gridcell">
        {props.area}
        {bars.map(({ bar, left, width }, place) => (
          <i
            key={place}
            class={`b-${bar.kind}${bar.to === undefined ? ' now' : ''}`}
            style={{ left: `${left}%`, ...(bar.kind === 'post' || bar.kind === 'mark' ? {} : { width: `${width}%` }) }}
            title={bar.words}
          >
            {bar.label}
          </i>
        ))}
        <span class="sr">{bars.map(({ bar }) => bar.words).join('; ')}</span>
      </div>
    </div>
  );
});

export const rowId = (key: string): string => `row-${key.replaceAll(' ', '_')}`;

const Indents = ({ depth }: { readonly depth: number }) => (
  <>
    {Array.from({ length: depth }, (_, level) => (
      <span key={level} class="in" />
    ))}
  </>
);

const Name = (props: RowProps) => {
  const { row, doing } = props;
  const { node } = row;
  switch (row.kind) {
    case 'agent':
    case 'say':
      return (
        <>
          <StateMark state={doing?.state ?? stateOf(node, row.endedAt)} />
          {doing === undefined ? (
            <AgentName node={node} kind={row.kind} />
          ) : (
            <span class="two">
              <AgentName node={node} kind={row.kind} bare />
              <span class="what cut">{doing.words}</span>
            </span>
          )}
        </>
      );
    case 'group':
      return (
        <>
          <StateMark state={groupState(row.group ?? [])} />
          <span class="who cut">{node.agent}</span>
          <span class="tag">× {row.group?.length}</span>
          <span class="what cut">{groupWords(row.group ?? [])}</span>
        </>
      );
    case 'turn':
      return (
        <>
          {isBad(node) ? <StateMark state={node.state} /> : <span class="dot" />}
          <span class="nowrap">turn {node.turn}</span>
          <span class="what cut">{modelOf(node)}</span>
          {props.attempts > 1 && <span class="what bad-words">{props.attempts} attempts</span>}
          {node.state === 'refused' && <span class="what limit-words">sent back</span>}
        </>
      );
    case 'op':
      return (
        <>
          {isBad(node) || node.state === 'denied' ? (
            <StateMark state={node.state} />
          ) : (
            <span class={node.kind === 'tool' ? 'dot tool' : node.kind === 'approval' ? 'dot person' : 'dot wait'} />
          )}
          {node.kind === 'tool' ? <code>{node.name}</code> : <span class="nowrap">{opName(node)}</span>}
          <span class="what cut mono">{props.argument}</span>
        </>
      );
    case 'instant':
      return (
        <>
          <span class="dot mark-dot" />
          <span class="what cut">{node.name === undefined ? node.kind : `${node.kind} ${node.name}`}</span>
        </>
      );
  }
};

/** `bare`: without why it ran, where a second line says what it does. */
const AgentName = (props: { readonly node: OpNode; readonly kind: 'agent' | 'say'; readonly bare?: boolean }) => {
  const { node, kind, bare = false } = props;
  return (
    <span class="name cut">
      <span class="who">{node.agent}</span>
      {kind === 'say' && <span class="what"> again</span>}
      {node.label !== undefined && <span class="tag">{node.label}</span>}
      {node.label === undefined &&
        node.trigger !== undefined &&
        node.trigger !== 'start' &&
        kind === 'agent' &&
        !bare && (
          <TriggerTag
            trigger={node.trigger}
            {...(node.insteadOf !== undefined && { word: `instead of ${node.insteadOf}` })}
          />
        )}
    </span>
  );
};

const modelOf = (turn: OpNode): string => turn.children.find(({ kind }) => kind === 'model')?.model ?? '';

const opName = ({ kind, name }: OpNode): string => {
  if (kind === 'approval') return 'waits for a person';
  return kind === 'cancel-runs' ? `cancels ${name}` : `waits for ${name}`;
};

function stateOf(node: OpNode, endedAt: number | undefined): StateName {
  if (waitsForPerson(node)) return 'person';
  return endedAt === undefined && node.state !== 'in-doubt' ? 'running' : (node.state as OpState);
}

function groupState(runs: readonly OpNode[]): StateName {
  if (runs.some(waitsForPerson)) return 'person';
  if (runs.some(({ state }) => state === 'running')) return 'running';
  return runs.find(isBad)?.state ?? runs[0]?.state ?? 'done';
}

/** `all answered`, or `103 running, 247 answered`. */
export function groupWords(runs: readonly OpNode[]): string {
  const counts = new Map<string, number>();
  for (const { state } of runs) counts.set(state, (counts.get(state) ?? 0) + 1);
  const [only] = counts.keys();
  return counts.size === 1 ? `all ${only}` : [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
}

const Figures = ({ row }: { readonly row: Row }) => (
  <>
    <div class="f" role="gridcell">
      <span>{row.kind !== 'instant' && <Lasting from={row.startedAt} to={row.endedAt ?? settledEnd(row)} />}</span>
      <span>{tokensOf(row.totals)}</span>
      <span>{costOf(row.totals)}</span>
    </div>
  </>
);

/** What is in doubt does not go on: its time is not known. */
const settledEnd = ({ node, startedAt }: Row): number | undefined =>
  node.state === 'in-doubt' ? startedAt : undefined;

export const tokensOf = (totals: Totals | undefined): string =>
  totals === undefined || totals.input + totals.output === 0 ? '' : amounts.tokens(totals.input + totals.output);

export function costOf(totals: Totals | undefined): string {
  if (totals === undefined || totals.calls === 0) return '';
  if (totals.usd === undefined) return '$?';
  return `${totals.unpriced > 0 ? '≥ ' : ''}${amounts.usd(totals.usd)}`;
}
