// The words of a run's head and banners, computed from its views. Pure.

import type { RunEvent, RunStart } from '../../../../src/journal/event.ts';
import { FAULTS, type FaultCode } from '../../../../src/kernel/fault.ts';
import type { Outcome } from '../../../../src/kernel/outcome.ts';
import { cost } from '../../../../src/views/amounts.ts';
import type { LedgerLine } from '../../../../src/views/costs/ledger.ts';
import { sum, type Totals } from '../../../../src/views/costs/totals.ts';
import type { OpNode } from '../../../../src/views/tree/op-tree.ts';

export interface Ending {
  readonly outcome: Outcome;
  readonly at: number;
  /** The sequence number of the event that says so. */
  readonly seq: number;
}

export function endingOf(events: readonly RunEvent[], count: number): Ending | undefined {
  // Only an undo comes after the end.
  for (let index = count - 1; index >= 0; index--) {
    const event = events[index];
    if (event?.type === 'run-end') return { outcome: event.outcome, at: event.at, seq: event.seq };
    if (event?.type !== 'undo') return undefined;
  }
  return undefined;
}

/** The deepest op that has the run's fault, the last of them: where it failed. */
export function failingOp(tree: OpNode): OpNode | undefined {
  const code = tree.fault?.code;
  if (code === undefined) return undefined;
  let found: OpNode | undefined;
  const visit = (node: OpNode): void => {
    for (const child of node.children) visit(child);
    if (found === undefined || node.startedAt >= found.startedAt) {
      const isLeaf = !node.children.some((child) => isFailing(child, code));
      if (isFailing(node, code) && isLeaf && node.kind !== 'session') found = node;
    }
  };
  visit(tree);
  if (found === undefined || found === tree) return lastFailed(tree);
  return found;
}

const isFailing = ({ fault, state, children }: OpNode, code: FaultCode): boolean =>
  fault?.code === code ||
  (fault === undefined && state === FAULTS[code].outcome && children.some((one) => isFailing(one, code)));

/** A limit ends a run between two ops: then it is the last turn. */
function lastFailed(tree: OpNode): OpNode | undefined {
  let last: OpNode | undefined;
  const visit = (node: OpNode): void => {
    if (node.kind === 'turn' && (last === undefined || node.startedAt >= last.startedAt)) last = node;
    for (const child of node.children) visit(child);
  };
  visit(tree);
  return last;
}

const BELOW: ReadonlySet<string> = new Set(['tool', 'run', 'say']);
const BAD: ReadonlySet<string> = new Set(['failed', 'timed-out', 'exhausted', 'over-budget']);

/** The number of ops below the run that failed: an answered run says so. */
export function failedBelow(tree: OpNode): number {
  const visit = (node: OpNode): number =>
    (BELOW.has(node.kind) && BAD.has(node.state) ? 1 : 0) +
    node.children.reduce((count, child) => count + visit(child), 0);
  return tree.children.reduce((count, child) => count + visit(child), 0);
}

export interface ForkCost {
  readonly takenOver: Totals;
  readonly here: Totals;
}

/**
 * The cost of the part that a fork took over, and of its own part: a call belongs to the first if its event is among
 * those that were copied.
 */
export function forkCost(
  start: RunStart | undefined,
  lines: readonly LedgerLine[],
  events: readonly RunEvent[],
): ForkCost | undefined {
  const copied = start?.forkedFrom?.events;
  if (copied === undefined) return undefined;
  const ended = new Set(
    events
      .slice(0, copied)
      .flatMap((event) => (event.type === 'op-end' || event.type === 'attempt' ? [event.path] : [])),
  );
  return {
    takenOver: sum(lines.filter(({ path }) => ended.has(path))),
    here: sum(lines.filter(({ path }) => !ended.has(path))),
  };
}

export const costText = (totals: Totals): string =>
  totals.calls === 0 ? '$0' : totals.usd === undefined ? '$?' : cost(totals.usd, totals.unpriced);

/** Calls that had begun when the process died. */
export function inDoubt(tree: OpNode): readonly OpNode[] {
  const visit = (node: OpNode): readonly OpNode[] => [
    ...((node.kind === 'model' || node.kind === 'tool') && node.state === 'in-doubt' ? [node] : []),
    ...node.children.flatMap(visit),
  ];
  return visit(tree);
}

export interface Counted {
  readonly model: number;
  readonly tool: number;
}

/** Calls that are finished: a resume makes none of them again. */
export function finishedCalls(tree: OpNode): Counted {
  const count = { model: 0, tool: 0 };
  const visit = (node: OpNode): void => {
    if ((node.kind === 'model' || node.kind === 'tool') && node.endedAt !== undefined) count[node.kind]++;
    for (const child of node.children) visit(child);
  };
  visit(tree);
  return count;
}

/** The shortest name of a run that a command takes: its date and time. */
export const shortId = (run: string): string => /^\d{8}-\d{6}/.exec(run)?.[0] ?? run;
