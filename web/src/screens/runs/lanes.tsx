// The lanes of a run: one for each run of an agent, with its model and tool calls.

import type { RunRow } from '../../../../src/server/protocol.ts';
import type { LedgerLine } from '../../../../src/views/costs/ledger.ts';
import type { OpNode } from '../../../../src/views/tree/op-tree.ts';
import { Section } from '../../parts/panel.tsx';
import { seconds } from '../../parts/times.tsx';
import '../../parts/bars.css';

export const BROKEN: ReadonlySet<string> = new Set(['failed', 'timed-out', 'exhausted', 'over-budget']);

interface Lane {
  readonly key: string;
  readonly agent: string;
  readonly from: number;
  readonly to: number;
  readonly broken: boolean;
  readonly bars: readonly { readonly from: number; readonly to: number; readonly kind: string }[];
}

const SHOWN_LANES = 12;

/** Bars of their own; all others are model calls. */
const BARS: Readonly<Record<string, string>> = { tool: 'b-tool', failed: 'b-failed', 'in-doubt': 'b-doubt' };

interface LanesProps {
  readonly tree: OpNode;
  readonly lines: readonly LedgerLine[];
  readonly row: RunRow;
}

export const Lanes = ({ tree, lines, row }: LanesProps) => {
  const end = row.endedAt ?? latest(tree);
  const lanes = lanesOf(tree, lines, end);
  const span = Math.max(1, end - row.startedAt);
  const at = (time: number): string => `${(Math.max(0, time - row.startedAt) / span) * 100}%`;
  return (
    <Section title="Who worked when" aside={`0 – ${seconds(span)}`}>
      <ol class="pairs runs-lanes small-text">
        {lanes.slice(0, SHOWN_LANES).map((lane) => (
          <li key={lane.key}>
            <span class={lane.broken ? 'cut bad-words' : 'cut'}>{lane.agent}</span>
            <span class="runs-lane ruled-left g" aria-label={`from ${seconds(lane.from - row.startedAt)}`} role="img">
              <i class="b-span" style={{ left: at(lane.from), width: width(lane.from, lane.to, span) }} />
              {lane.bars.map((bar) => (
                <i
                  key={`${bar.kind} ${bar.from}`}
                  class={BARS[bar.kind] ?? 'b-model'}
                  style={{ left: at(bar.from), width: width(bar.from, bar.to, span) }}
                />
              ))}
            </span>
          </li>
        ))}
      </ol>
      {lanes.length > SHOWN_LANES && <p class="faint">and {lanes.length - SHOWN_LANES} more</p>}
    </Section>
  );
};

const width = (from: number, to: number, span: number): string => `max(3px, ${(Math.max(0, to - from) / span) * 100}%)`;

const latest = (node: OpNode): number =>
  node.children.reduce((time, child) => Math.max(time, latest(child)), node.endedAt ?? node.startedAt);

/** One lane for each run of an agent, in the order in which they began, with its model calls. */
function lanesOf(tree: OpNode, lines: readonly LedgerLine[], end: number): readonly Lane[] {
  const runs: OpNode[] = [];
  const visit = (node: OpNode): void => {
    if (node.kind === 'run') runs.push(node);
    node.children.forEach(visit);
  };
  visit(tree);
  runs.sort((left, right) => right.path.length - left.path.length); // the nearest run above a call is found first
  const calls = new Map<string, LedgerLine[]>();
  for (const line of lines) {
    const run = runs.find(({ path }) => line.path === path || line.path.startsWith(`${path}.`));
    if (run !== undefined) calls.set(run.path, [...(calls.get(run.path) ?? []), line]);
  }
  return runs
    .map((node) => ({
      key: node.path,
      agent: node.agent ?? '',
      from: node.startedAt,
      to: node.endedAt ?? end,
      broken: BROKEN.has(node.state),
      bars: [
        ...(calls.get(node.path) ?? []).map(({ startedAt, ms, status }) => ({
          from: startedAt,
          to: ms === undefined ? end : startedAt + ms,
          kind: status,
        })),
        ...partsIn(node).map((op) => ({
          from: op.startedAt,
          to: op.endedAt ?? end,
          kind: op.kind === 'tool' ? 'tool' : 'now',
        })),
      ],
    }))
    .sort((left, right) => left.from - right.from);
}

/** The tool calls of a run, and model calls that are under way: a ledger has only those that ended. */
const partsIn = (node: OpNode): readonly OpNode[] =>
  node.children.flatMap((child) => {
    if (child.kind === 'run') return [];
    const own = child.kind === 'tool' || (child.kind === 'model' && child.state === 'running') ? [child] : [];
    return [...own, ...partsIn(child)];
  });
