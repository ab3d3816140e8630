// Two tables of the comparison: the whole one (medians with their spread, times the floor, times the fastest peer), and
// a short one of medians alone.

import { figure, median, quantile } from './statistics.mjs';

export const COLUMNS = [
  { metric: 'W1', workload: 'W1', heading: 'W1 µs/turn' },
  { metric: 'W2', workload: 'W2', heading: 'W2 µs/run' },
  { metric: 'W3', workload: 'W3', heading: 'W3 ms' },
  { metric: 'W4', workload: 'W4', heading: 'W4 µs/hop' },
  { metric: 'W6 first', workload: 'W6', heading: 'W6 first 20, µs/turn' },
  { metric: 'W6 last', workload: 'W6', heading: 'W6 last 20, µs/turn' },
  { metric: 'heap', workload: 'W3', heading: 'W3 heap KB/run' },
  { metric: 'W5', workload: 'W5', heading: 'W5 ms' },
];

/** Rows are `{ name, kind, values: Map<metric, number[]>, failed: Map<metric, string> }`. */
export function comparison(rows, workloads) {
  const columns = COLUMNS.filter(({ workload }) => workloads.includes(workload));
  const floor = rows.find(({ kind }) => kind === 'floor');
  const peers = rows.filter(({ kind }) => kind === 'peer');
  const best = new Map(columns.map(({ metric }) => [metric, Math.min(...peers.map((row) => middle(row, metric)))]));
  const cell = (row, metric) => {
    const values = row.values.get(metric);
    if (values === undefined) return row.failed.has(metric) ? 'failed' : '';
    const parts = [spread(values)];
    const relative = (to) => `×${figure(median(values) / to)}`;
    if (floor !== undefined && row !== floor && middle(floor, metric) > 0) parts.push(relative(middle(floor, metric)));
    if (row.kind === 'cadre' && Number.isFinite(best.get(metric))) parts.push(`**${relative(best.get(metric))}**`);
    return parts.join(' · ');
  };
  return markdown(
    ['', ...columns.map(({ heading }) => heading)],
    rows.map((row) => [row.name, ...columns.map(({ metric }) => cell(row, metric))]),
  );
}

const SHORT = ['W1', 'W2', 'W3', 'W4', 'W5', 'W6 last'];
const PEERS_SHOWN = 3;

/** The floor, Cadre, and the peers that are fastest in the first column. */
export function medians(rows, workloads) {
  const columns = SHORT.map((metric) => COLUMNS.find((column) => column.metric === metric)).filter(({ workload }) =>
    workloads.includes(workload),
  );
  const order = columns[0]?.metric;
  const peers = rows
    .filter(({ kind }) => kind === 'peer')
    .toSorted((left, right) => compared(middle(left, order), middle(right, order)))
    .slice(0, PEERS_SHOWN);
  const shown = [...rows.filter(({ kind }) => kind === 'floor' || kind === 'cadre'), ...peers];
  const cell = ({ values, failed }, { metric, workload }) =>
    values.has(metric) ? figure(median(values.get(metric))) : failed.has(workload) ? 'failed' : '';
  return markdown(
    ['', ...columns.map(({ heading }) => heading)],
    shown.map((row) => [row.name, ...columns.map((column) => cell(row, column))]),
  );
}

const ASKED_ROWS = ['cadre-file', 'openai-agents', 'langgraph', 'mastra'];
const ASKED_COLUMNS = [
  ['W1', 'µs a turn'],
  ['W2', 'µs a sub-agent'],
  ['W6 last', 'µs a turn, after 180'],
  ['W5', 'ms to start and answer'],
];

/** Cadre as most people run it, and the frameworks that they ask about. Undefined if one of them was not measured. */
export function mediansOfAsked(rows) {
  const shown = ASKED_ROWS.map((id) => rows.find((row) => row.id === id));
  const isWhole = shown.every((row) => row !== undefined && ASKED_COLUMNS.every(([metric]) => row.values.has(metric)));
  if (!isWhole) return undefined;
  return markdown(
    ['', ...ASKED_COLUMNS.map(([, heading]) => heading)],
    shown.map(({ name, values }) => [name, ...ASKED_COLUMNS.map(([metric]) => figure(median(values.get(metric))))]),
  );
}

/** Two rows that failed are both infinite, and their difference is no number. */
const compared = (left, right) => (left === right ? 0 : left - right);

function middle(row, metric) {
  const values = row.values.get(metric);
  return values === undefined ? Number.POSITIVE_INFINITY : median(values);
}

export function spread(values) {
  if (values.length < 3) return figure(median(values));
  return `${figure(median(values))} (${figure(quantile(values, 0.25))}–${figure(quantile(values, 0.75))})`;
}

export function markdown(headings, rows) {
  const widths = headings.map((heading, column) => Math.max(heading.length, ...rows.map((row) => row[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [line(headings), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join('\n');
}
