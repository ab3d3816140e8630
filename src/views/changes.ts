// The files that a run changed: every change in order, and what came of each file in the end.
// CHANGES-1. A call that says it worked made its change. Of any other, the next change of the same file tells: it began
//     with what this one made, or with what was there before. Without a next one it is in doubt, or was not made.

import type { OpResult, RunEvent } from '../journal/event.ts';
import { type FileChange, type FileState, judgeChange } from '../kernel/change.ts';
import type { AgentName } from '../kernel/effect.ts';
import type { ToolResult } from '../kernel/message.ts';
import type { OpPath } from '../kernel/path.ts';

export type ChangeState = 'made' | 'not-made' | 'in-doubt';

export interface RecordedChange extends FileChange {
  /** The tool call that made it. */
  readonly op: OpPath;
  readonly agent: AgentName;
  /** The time at which it was intended: milliseconds since 1970. */
  readonly at: number;
  readonly state: ChangeState;
  /** A fork took it over: the run that it comes from made it. */
  readonly takenOver?: true;
  /** The time at which it was taken back, or at which that was begun and broken off. */
  readonly undo?: { readonly state: 'begun' | 'done'; readonly at: number };
}

export function changesOf(events: readonly RunEvent[]): readonly RecordedChange[] {
  const first = events[0];
  const copied = first?.type === 'run-start' ? (first.forkedFrom?.events ?? 0) : 0;
  const agents = new Map<OpPath, AgentName>();
  const found = new Map<OpPath, RecordedChange>();
  for (const event of events) {
    switch (event.type) {
      case 'op-start':
        if (event.op.kind === 'tool') agents.set(event.path, event.op.agent);
        break;
      case 'intent':
        found.set(event.path, {
          ...event.change,
          op: event.path,
          agent: agents.get(event.path) ?? '',
          at: event.at,
          state: 'in-doubt',
          ...(event.seq < copied && { takenOver: true }),
        });
        break;
      case 'op-end':
        note(found, event.path, { state: stateAfter(event.result) });
        break;
      case 'undo':
        for (const op of event.ops) note(found, op, { undo: { state: event.state, at: event.at } });
        break;
      default:
    }
  }
  return settled([...found.values()]);
}

function note(found: Map<OpPath, RecordedChange>, op: OpPath, told: Partial<RecordedChange>): void {
  const change = found.get(op);
  if (change !== undefined) found.set(op, { ...change, ...told });
}

const stateAfter = (result: OpResult): ChangeState => {
  if (!result.ok) return 'in-doubt';
  return (result.value as ToolResult).status === 'ok' ? 'made' : 'not-made';
};

/** CHANGES-1. */
function settled(changes: readonly RecordedChange[]): readonly RecordedChange[] {
  /** The next change of each path. */
  const following = new Map<string, { readonly index: number; readonly change: RecordedChange }>();
  const judged: RecordedChange[] = [];
  for (const [index, change] of [...changes.entries()].reverse()) {
    const [one, other] = [following.get(change.path), following.get(placeAfter(change))];
    const next = one !== undefined && (other === undefined || one.index < other.index) ? one : other;
    judged.push(judgedBy(change, next?.change));
    following.set(change.path, { index, change });
  }
  return judged.reverse();
}

function judgedBy(change: RecordedChange, next: RecordedChange | undefined): RecordedChange {
  if (change.state === 'made' || next === undefined) return change;
  const verdict = change.kind === 'move' ? movedBy(change, next) : judgeChange(change, next.before?.digest);
  return verdict === 'unknown' ? change : { ...change, state: verdict };
}

const movedBy = (change: RecordedChange, next: RecordedChange): 'made' | 'not-made' =>
  next.path === change.to && next.before?.digest === change.after?.digest ? 'made' : 'not-made';

/** The path of the file afterwards. */
export const placeAfter = ({ path, to }: Pick<FileChange, 'path' | 'to'>): string => to ?? path;

/** One file, from before its first change to after its last. */
export interface ChangedFile {
  /** The path in the end, or before it was deleted. */
  readonly path: string;
  /** The first path, if it was moved. */
  readonly from?: string;
  readonly before?: FileState;
  readonly after?: FileState;
  readonly ops: readonly OpPath[];
  readonly agents: readonly AgentName[];
}

/**
 * The result for each file that the run changed, in the order of their first changes. Leaves out changes that came to
 * nothing.
 */
export function changedFiles(changes: readonly RecordedChange[]): readonly ChangedFile[] {
  const all: GrowingChange[] = [];
  const at = new Map<string, GrowingChange>();
  for (const change of changes) {
    if (change.state !== 'made') continue;
    const known = at.get(change.path) ?? begun(change, all);
    at.set(change.path, known);
    known.before = withText(known.before, change.before);
    known.ops.push(change.op);
    if (!known.agents.includes(change.agent)) known.agents.push(change.agent);
    if (change.to !== undefined) {
      at.delete(change.path);
      at.set(change.to, known);
      known.path = change.to;
      known.after = { ...change.after, ...known.after } as FileState;
    } else {
      known.after = change.after;
    }
  }
  return all.filter(cameToSomething).map(({ path, from, before, after, ops, agents }) => ({
    path,
    ...(from !== undefined && from !== path && { from }),
    ...(before && { before }),
    ...(after && { after }),
    ops,
    agents,
  }));
}

interface GrowingChange {
  path: string;
  readonly from: string | undefined;
  before: FileState | undefined;
  after: FileState | undefined;
  readonly ops: OpPath[];
  readonly agents: AgentName[];
}

function begun({ path, before }: RecordedChange, all: GrowingChange[]): GrowingChange {
  const from = before === undefined ? undefined : path;
  const file: GrowingChange = { path, from, before, after: before, ops: [], agents: [] };
  all.push(file);
  return file;
}

/** A move keeps no text. A later change that begins with the same text has it. */
function withText(before: FileState | undefined, later: FileState | undefined): FileState | undefined {
  const isSame = before !== undefined && before.kept === undefined && before.digest === later?.digest;
  return isSame && later?.kept !== undefined ? { ...before, kept: later.kept } : before;
}

const cameToSomething = ({ path, from, before, after }: GrowingChange): boolean =>
  before?.digest !== after?.digest || (from !== undefined && from !== path);
