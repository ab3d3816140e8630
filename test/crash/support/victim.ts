// A run that is killed with kill -9 again and again, and resumed each time, until it ends.

import type { RunEvent } from '../../../src/journal/event.ts';
import type { RunStore } from '../../../src/journal/store.ts';
import type { Outcome } from '../../../src/kernel/outcome.ts';
import { comparePaths } from '../../../src/kernel/path.ts';
import { fileStore } from '../../../src/stores/file/file-store.ts';
import { type OpNode, opTree } from '../../../src/views/tree/op-tree.ts';
import { type Done, startCli } from './cli.ts';

/** When to kill: after a time, or as soon as so many new events are seen. */
export type Moment = { readonly ms: number } | { readonly events: number };

export interface Victim {
  readonly kills: number;
  readonly events: readonly RunEvent[];
  readonly last: Done;
}

export async function killedOften(
  start: readonly string[],
  store: string,
  moment: (kill: number) => Moment | undefined,
): Promise<Victim> {
  const runs = openStore(store);
  let kills = 0;
  for (;;) {
    const [summary] = await runs.list({ limit: 1 });
    const args = summary === undefined ? start : ['resume', summary.run, '--json', '--store', store];
    const last = await killedAt(args, summary?.events ?? 0, moment(kills));
    if (last.code === null) kills++;
    const [now] = await runs.list({ limit: 1 });
    if (now?.state === 'ended') return { kills, last, events: await eventsOf(runs, now.run) };
    if (last.code !== null) throw new Error(`the run did not end: ${last.stderr}`);
  }
}

async function killedAt(args: readonly string[], seen: number, moment: Moment | undefined): Promise<Done> {
  const kill = (): void => void running.child.kill('SIGKILL');
  const running = startCli(args, {
    onLine(line) {
      if (moment !== undefined && 'events' in moment && seqOf(line) >= seen + moment.events) kill();
    },
  });
  const timer = moment !== undefined && 'ms' in moment ? setTimeout(kill, moment.ms) : undefined;
  const done = await running.done;
  clearTimeout(timer);
  return done;
}

const seqOf = (line: string): number => Number(/"seq":(\d+)/.exec(line)?.[1] ?? -1);

/** Torn lines are what these tests are about: nobody needs to be warned of them. */
export const openStore = (dir: string): RunStore => fileStore(dir, { warn() {} });

export async function eventsOf(store: RunStore, run: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of store.read(run)) events.push(event);
  return events;
}

export function outcomeOf(events: readonly RunEvent[]): Outcome {
  const last = events.at(-1);
  if (last?.type !== 'run-end') throw new Error('the run has not ended');
  return last.outcome;
}

export interface Calls {
  readonly finished: number;
  /** Begun when the process died, and made again. */
  readonly cutOff: number;
  /** Made again although the record had their result: must be none. */
  readonly repeated: number;
}

export function modelCalls(events: readonly RunEvent[]): Calls {
  const starts = new Map<string, number>();
  const ended = new Set<string>();
  let repeated = 0;
  for (const event of events) {
    if (event.type === 'op-start' && event.op.kind === 'model') {
      if (ended.has(event.path)) repeated++;
      starts.set(event.path, (starts.get(event.path) ?? 0) + 1);
    }
    if (event.type === 'op-end' && event.kind === 'model') {
      if (ended.has(event.path)) repeated++;
      ended.add(event.path);
    }
  }
  const cutOff = [...starts].reduce((sum, [path, count]) => sum + count - (ended.has(path) ? 1 : 0), 0);
  return { finished: ended.size, cutOff, repeated };
}

/**
 * The ops at each place of the tree, without times, costs and attempts, and without mail: the arrival of that is a
 * matter of time, and so is who speaks first.
 */
export const shapeOf = (events: readonly RunEvent[]): readonly string[] =>
  nodesOf(opTree(events))
    .filter(({ kind }) => kind !== 'take' && kind !== 'clock')
    .toSorted((left, right) => comparePaths(left.path, right.path))
    .map(({ path, kind, agent, name, turn, trigger, state }) =>
      [path, kind, agent, name?.replace(/^#\d+ /, ''), turn, trigger, state]
        .filter((word) => word !== undefined)
        .join(' '),
    );

const nodesOf = (node: OpNode): readonly OpNode[] => [node, ...node.children.flatMap(nodesOf)];
