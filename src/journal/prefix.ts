// The beginning of a journal, for a run that goes on from there in another way.
// PREFIX-1. What was recorded before the op began is kept, in every branch. A call that was under way at that moment is
//           left out whole: half a call would be one in doubt, and here no process died.
// PREFIX-2. Times are moved so that the prefix ends now: deadlines go on where they were, durations stay as they were.
// PREFIX-3. Ids that are made of the run's own (`<run>~<path>`, `<run>:<path>`) are made of the new run's.
// PREFIX-4. A stop or a cancel was meant for the other run, and so was a verdict on a call that is not kept.

import type { RestingWork } from '../base/text/steps.ts';
import type { ControlMessage } from '../kernel/control.ts';
import { fail } from '../kernel/fault.ts';
import { comparePaths, type OpPath, ROOT } from '../kernel/path.ts';
import type { InstantOp, OpStart, RunEvent, RunId, RunStart } from './event.ts';
import { opWords } from './op-words.ts';

/** Everything before the op at `at` began, without the run's start: the new run writes its own. */
export function* eventsBefore(events: readonly RunEvent[], at: OpPath): RestingWork<readonly RunEvent[]> {
  const cut = beginningOf(events, at);
  const before = events.slice(1, cut);
  const ended = new Set<OpPath>();
  const calls = new Set<OpPath>();
  for (const event of before) {
    if (event.type === 'op-end') ended.add(event.path);
    else if (event.type === 'op-start' && isCall(event)) calls.add(event.path);
    yield;
  }
  const kept: RunEvent[] = [];
  for (const event of before) {
    const isKept =
      event.type === 'control'
        ? isForBoth(event.message, ended) // PREFIX-4
        : !('path' in event && calls.has(event.path) && !ended.has(event.path)); // PREFIX-1
    if (isKept) kept.push(event);
    yield;
  }
  return kept;
}

function isForBoth(message: ControlMessage, ended: ReadonlySet<OpPath>): boolean {
  if (message.kind === 'verdict') return ended.has(message.op);
  return message.kind === 'send' || message.kind === 'share-context';
}

const isCall = ({ op }: OpStart): boolean => op.kind === 'model' || op.kind === 'tool' || op.kind === 'approval';

/** Turns the events into the first events of another run. */
export function* asBeginning(
  start: Omit<RunStart, 'seq' | 'at'>,
  from: RunStart,
  events: readonly RunEvent[],
  now: number,
): RestingWork<readonly RunEvent[]> {
  const shift = now - (events.at(-1)?.at ?? from.at); // PREFIX-2
  const rename = renaming(from.run, start.run);
  const beginning: RunEvent[] = [{ seq: 0, at: from.at + shift, ...start }];
  for (const event of events) {
    beginning.push({ ...rename(event), seq: beginning.length, at: event.at + shift });
    yield;
  }
  return beginning;
}

/** PREFIX-3. */
function renaming(from: RunId, to: RunId): (event: RunEvent) => RunEvent {
  return (event) => {
    const text = JSON.stringify(event);
    if (!text.includes(from)) return event;
    return JSON.parse(text.replaceAll(`${from}~`, `${to}~`).replaceAll(`${from}:`, `${to}:`)) as RunEvent;
  };
}

function beginningOf(events: readonly RunEvent[], at: OpPath): number {
  if (at === ROOT) return 1;
  const found = events.findIndex((event) => isBeginning(event) && event.path === at);
  return found >= 0 ? found : unknownOp(events, at);
}

const isBeginning = (event: RunEvent): event is OpStart | InstantOp => event.type === 'op-start' || event.type === 'op';

const SHOWN_EACH_WAY = 4;

function unknownOp(events: readonly RunEvent[], at: OpPath): never {
  const words = new Map<OpPath, string>();
  for (const event of events) {
    if (isBeginning(event) && !words.has(event.path)) words.set(event.path, opWords(event));
  }
  if (words.size === 0) fail('usage', `The run has no op ${at}: it had not done anything yet.`);
  if (!/^0(\.-?\d+)*$/.test(at)) {
    fail(
      'usage',
      `${JSON.stringify(at.slice(0, 80))} is not an op: ops are named by their path, such as ${[...words.keys()][0]}.`,
    );
  }
  const paths = [...words.keys()].sort(comparePaths);
  const place = paths.findIndex((path) => comparePaths(path, at) > 0);
  const middle = place < 0 ? paths.length : place;
  const near = paths.slice(Math.max(0, middle - SHOWN_EACH_WAY), middle + SHOWN_EACH_WAY);
  const list = near.map((path) => `  ${path}  ${words.get(path)}`).join('\n');
  return fail(
    'usage',
    `The run has no op ${at}. Near it are:\n${list}\n\`cadre show --ledger\` lists the model calls.`,
  );
}
