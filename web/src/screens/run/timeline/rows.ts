// The rows of the timeline: the op tree, made flat. Pure.
// ROW-1. A session is no row: its children stand in its place. Siblings are ordered by when they began, then by path.
// ROW-2. A spawned run hangs below the run that spawned it, in the order of spawning, and below neither turn nor
//        `spawn`.
// ROW-3. How much is open is the level's matter; a row that was opened or closed by hand stays so. At the level of
//        agents a further message continues the row of its session.
// ROW-4. Ops of no duration are marks on their row, or rows of their own.
// ROW-5. More than twelve runs of one agent in one turn are one row. Those that failed, are in doubt or wait for a
//        person are listed by name under it all the same.
// ROW-6. Agents have the figures of all below them, turns those of their model call, tools none.
// ROW-7. A row of which nothing has changed is the same object as before, so that it is not drawn again.
// ROW-8. A call that was refused is a row at every level, under the session that made it.

import { comparePaths, type OpPath } from '../../../../../src/kernel/path.ts';
import { addTotals, type Totals } from '../../../../../src/views/costs/totals.ts';
import type { OpNode } from '../../../../../src/views/tree/op-tree.ts';
import { isSame } from '../../../parts/same.ts';

export const LEVELS = ['agents', 'turns', 'ops'] as const;
export type Level = (typeof LEVELS)[number];

export type RowKind = 'agent' | 'say' | 'group' | 'turn' | 'op' | 'instant';

export interface Row {
  /** The path, but for a group. */
  readonly key: string;
  readonly kind: RowKind;
  readonly node: OpNode;
  readonly depth: number;
  /** `leaf`: nothing below it. */
  readonly open: 'open' | 'closed' | 'leaf';
  /** The nodes behind its bars: its own and everything below it that has no row. */
  readonly hidden: readonly OpNode[];
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly totals: Totals | undefined;
  /** The runs of a group. */
  readonly group?: readonly OpNode[];
}

export interface RowOptions {
  readonly level: Level;
  /** Rows that were opened or closed by hand, by key. */
  readonly byHand: ReadonlyMap<string, boolean>;
  readonly instants: boolean;
  /** An op that must have a row, whatever the level. */
  readonly shown?: OpPath | undefined;
}

const MANY = 12;
const LASTING: ReadonlySet<string> = new Set(['tool', 'compact', 'approval', 'await-runs', 'cancel-runs']);

export function rowsOf(tree: OpNode, options: RowOptions): readonly Row[] {
  const rows: Row[] = [];
  const says = saysBySession(tree);
  const way = options.shown === undefined ? [] : wayTo(tree, options.shown);
  const must = new Set(way.map(({ path }) => path));

  /** A row for a node, with its rows below. */
  const add = (node: OpNode, depth: number, open: boolean): void => {
    const kind = kindOf(node);
    const later = options.level === 'agents' && kind === 'agent' ? (says.get(node.path) ?? []) : [];
    const all = [...partsOf(node), ...later.flatMap(partsOf)];
    const shown = open
      ? all.filter((child) => must.has(child.path) || isShown(child, { parent: node, kind, options }))
      : all.filter(({ path }) => must.has(path));
    const hidden = all.filter((child) => !shown.includes(child));
    const below = grouped(open && hidden.length > 0 ? withLastingOf(hidden, shown) : shown);
    const telling = hidden.filter((child) => kindOf(child) !== 'instant' || options.instants);
    const state = telling.length > 0 ? 'closed' : below.length > 0 ? 'open' : 'leaf';
    rows.push({ ...nodeRow(node, later), depth, open: state, hidden });
    for (const one of below) {
      if ('runs' in one) addGroup(one.key, one.runs, depth + 1);
      else add(one, depth + 1, isOpen(one.path));
    }
  };
  const addGroup = (key: string, runs: readonly OpNode[], depth: number): void => {
    const open = options.byHand.get(key) === true;
    const shown = open ? runs : runs.filter((run) => needsAttention(run) || must.has(run.path));
    rows.push(groupRow(key, runs, { depth, open }));
    for (const run of shown) add(run, depth + 1, isOpen(run.path));
  };
  const isOpen = (key: string): boolean => options.byHand.get(key) !== false;
  add(tree, 0, isOpen(tree.path));
  return rows;
}

/** `later`: the calls that spoke to the same session again. */
function nodeRow(node: OpNode, later: readonly OpNode[]): Omit<Row, 'depth' | 'open' | 'hidden'> {
  const kind = kindOf(node);
  const last = later.reduce<OpNode>((latest, one) => (isLater(one, latest) ? one : latest), node);
  return {
    key: node.path,
    kind,
    node,
    startedAt: node.startedAt,
    endedAt: last.endedAt,
    totals: totalsOf(node, kind, later),
  };
}

function groupRow(
  key: string,
  runs: readonly OpNode[],
  { depth, open }: { readonly depth: number; readonly open: boolean },
): Row {
  const [first] = runs as readonly [OpNode, ...OpNode[]];
  return {
    key,
    kind: 'group',
    node: first,
    depth,
    open: open ? 'open' : 'closed',
    hidden: runs,
    startedAt: Math.min(...runs.map(({ startedAt }) => startedAt)),
    endedAt: runs.some(({ endedAt }) => endedAt === undefined)
      ? undefined
      : Math.max(...runs.map(({ endedAt = 0 }) => endedAt)),
    totals: addTotals(runs.map(({ inclusive }) => inclusive)),
    group: runs,
  };
}

interface RowPosition {
  readonly parent: OpNode;
  /** The kind of the row of its parent. */
  readonly kind: RowKind;
  readonly options: RowOptions;
}

/** ROW-3, ROW-4 */
function isShown(child: OpNode, { parent, kind, options }: RowPosition): boolean {
  if (isRefusedCall(child)) return true;
  const opened = options.byHand.get(parent.path) === true;
  switch (kindOf(child)) {
    case 'agent':
    case 'group':
      return true;
    case 'say':
      return options.level !== 'agents' || opened;
    case 'turn':
      return options.level !== 'agents' || opened;
    case 'op':
      return options.level === 'ops' || (opened && kind === 'turn');
    case 'instant':
      return options.instants && (options.level === 'ops' || opened);
  }
}

/** ROW-7: the rows, with those of before in the place of their equals. */
export function keptRows(rows: readonly Row[], before: readonly Row[]): readonly Row[] {
  const known = new Map(before.map((row) => [row.key, row]));
  return rows.map((row) => {
    const old = known.get(row.key);
    return old !== undefined && isSameRow(row, old) ? old : row;
  });
}

const isSameRow = (row: Row, old: Row): boolean =>
  row.node === old.node &&
  row.depth === old.depth &&
  row.open === old.open &&
  row.endedAt === old.endedAt &&
  row.startedAt === old.startedAt &&
  isSame(row.hidden, old.hidden) &&
  isSame(row.totals, old.totals);

export function kindOf({ kind }: OpNode): RowKind {
  if (kind === 'run') return 'agent';
  if (kind === 'say' || kind === 'turn') return kind;
  return LASTING.has(kind) ? 'op' : 'instant';
}

/** The shown turns, and of hidden ones those that have a row at any level: the runs that they began, and ROW-8. */
function withLastingOf(hidden: readonly OpNode[], shown: readonly OpNode[]): readonly OpNode[] {
  const lasting = hidden.flatMap(lastingIn);
  return lasting.length === 0
    ? shown
    : [...shown, ...lasting].sort(
        (left, right) => beginOf(left) - beginOf(right) || comparePaths(left.path, right.path),
      );
}

const lastingIn = (node: OpNode): readonly OpNode[] =>
  partsOf(node).flatMap((child) => (kindOf(child) === 'agent' || isRefusedCall(child) ? [child] : lastingIn(child)));

export const isRefusedCall = ({ kind, state }: OpNode): boolean =>
  state === 'refused' && kind !== 'turn' && kind !== 'session' && kind !== 'compact';

/** The children of a row, sessions opened (ROW-1), spawned runs brought up (ROW-2), a turn without its own model call. */
const parts = new WeakMap<OpNode, readonly OpNode[]>();

export function partsOf(node: OpNode): readonly OpNode[] {
  const known = parts.get(node);
  if (known !== undefined) return known;
  const found: OpNode[] = [];
  const isRun = node.kind === 'run' || node.kind === 'say';
  const collect = (from: OpNode, inTurn: boolean): void => {
    for (const child of from.children) {
      const spawned = child.trigger === 'spawn' && child.kind === 'run';
      if (child.kind === 'session') collect(child, inTurn);
      else if (child.kind === 'model' && from.kind === 'turn') continue;
      else if (spawned && !isRun) continue;
      else if (spawned || !inTurn) {
        found.push(child);
        if (isRun && !spawned && child.kind !== 'run') collect(child, true);
      } else if (child.children.length > 0 && child.kind !== 'run' && child.kind !== 'say') collect(child, true);
    }
  };
  collect(node, false);
  found.sort((left, right) => beginOf(left) - beginOf(right) || comparePaths(left.path, right.path));
  parts.set(node, found);
  return found;
}

const beginOf = ({ spawnedAt, startedAt }: OpNode): number => spawnedAt ?? startedAt;

const isLater = (one: OpNode, other: OpNode): boolean =>
  other.endedAt !== undefined && (one.endedAt === undefined || one.endedAt > other.endedAt);

/** ROW-6 */
function totalsOf(node: OpNode, kind: RowKind, later: readonly OpNode[]): Totals | undefined {
  if (kind === 'agent' || kind === 'say') return addTotals([node, ...later].map(({ inclusive }) => inclusive));
  if (node.kind === 'compact') return node.own;
  if (kind === 'turn') return node.children.find((child) => child.kind === 'model')?.own;
  return undefined;
}

interface Group {
  readonly key: string;
  readonly runs: readonly OpNode[];
}

/** ROW-5: runs of one agent that one turn began. Those of a turn were spawned or called while it was the last one. */
function grouped(nodes: readonly OpNode[]): readonly (OpNode | Group)[] {
  if (nodes.length <= MANY) return nodes;
  const batches = new Map<string, OpNode[]>();
  let turn = '';
  for (const node of nodes) {
    if (kindOf(node) === 'turn') turn = node.path;
    if (kindOf(node) !== 'agent') continue;
    const key = `${turn} ${node.agent} ${node.trigger}`;
    batches.set(key, [...(batches.get(key) ?? []), node]);
  }
  const inBatch = new Map<OpNode, string>();
  for (const [key, runs] of batches) if (runs.length > MANY) for (const run of runs) inBatch.set(run, key);
  const seen = new Set<string>();
  return nodes.flatMap((node): readonly (OpNode | Group)[] => {
    const key = inBatch.get(node);
    if (key === undefined) return [node];
    if (seen.has(key)) return [];
    seen.add(key);
    // Named for its first run: whatever comes later, that one stays the first.
    return [{ key: `group ${node.path}`, runs: batches.get(key) ?? [] }];
  });
}

const BAD: ReadonlySet<string> = new Set(['failed', 'timed-out', 'exhausted', 'over-budget', 'in-doubt']);

export const isBad = (node: OpNode): boolean => BAD.has(node.state) || isRefusedCall(node);

const needsAttention = (run: OpNode): boolean => isBad(run) || waitsForPerson(run);

export function waitsForPerson(node: OpNode): boolean {
  if (node.state !== 'running') return false;
  return node.kind === 'approval' || node.children.some(waitsForPerson);
}

/** The further messages to each session, by the session's path. */
function saysBySession(tree: OpNode): ReadonlyMap<OpPath, readonly OpNode[]> {
  const says = new Map<OpPath, OpNode[]>();
  const visit = (node: OpNode): void => {
    if (node.kind === 'say' && node.session !== undefined)
      says.set(node.session, [...(says.get(node.session) ?? []), node]);
    for (const child of node.children) visit(child);
  };
  visit(tree);
  return says;
}

/** The rows from the root to an op. A turn is reached by the path of its model call. */
export function wayTo(tree: OpNode, path: OpPath): readonly OpNode[] {
  const way: OpNode[] = [];
  const visit = (node: OpNode): boolean => {
    way.push(node);
    if (node.path === path || partsOf(node).some(visit)) return true;
    way.pop();
    return false;
  };
  return visit(tree) ? way : [];
}
