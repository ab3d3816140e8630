// Questions to a person that an op asks while it is under way itself: a call of a tool that needs an answer, or a run of an
// agent whose tools cannot be opened yet. Each is an op of its own below it, so it has an address, and any process answers it.
// BELOW-1. The questions of a call are its first, second, third child. Those of a run stand before its first op, at -1, -2 …,
//          because its routine numbers its own from 0.
// BELOW-2. If the op is begun again after a crash, the same question has the same path, and its recorded answer. Another
//          question never takes the path of one that was asked.

import type { Journal } from '../journal/journal.ts';
import type { Verdict } from '../kernel/effect.ts';
import { FaultError } from '../kernel/fault.ts';
import { childPath, type OpPath } from '../kernel/path.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import { anyStop } from '../world/abort.ts';
import { openOp } from '../world/drive.ts';
import type { Op } from '../world/world.ts';

interface PersonAsked {
  readonly prompt: string;
  readonly about: unknown;
}

/** Rejects when the call or the run is stopped, and with `until`. When it returns, the answer is recorded. */
export type AskBelow = (asked: PersonAsked, until?: AbortSignal) => Promise<Verdict>;

type Where = 'in a call' | 'before a run';

/** Asks below this op. */
export function questionsBelow(
  op: Pick<Op, 'path' | 'scope' | 'world' | 'show'>,
  { records, flush }: Pick<Journal, 'records' | 'flush'>,
  { where, signal }: { readonly where: Where; readonly signal: StopSignal },
): AskBelow {
  const recorded = recordedBelow(op.path, records, where);
  const used = new Set<OpPath>();
  /** BELOW-2 */
  const pathOf = ({ prompt, about }: PersonAsked): OpPath => {
    const text = JSON.stringify([prompt, about]);
    const same = recorded.find((one) => !used.has(one.path) && JSON.stringify([one.prompt, one.about]) === text);
    if (same !== undefined) return same.path;
    const taken = new Set([...recorded.map(({ path }) => path), ...used]);
    return questionPath(op.path, taken.size, where);
  };
  return async (asked, until) => {
    const path = pathOf(asked);
    used.add(path);
    const stop = until === undefined ? signal : anyStop(signal, until);
    const place = { path, scope: op.scope, signal: stop, show: op.show };
    const settled = await op.world.perform({ kind: 'approval', ...asked }, openOp(path, place, op.world));
    await flush(); // what is sent because of the answer comes after it
    if (!settled.ok) throw new FaultError(settled.fault);
    return settled.value as Verdict;
  };
}

/** A question that the record has. */
interface RecordedQuestion {
  readonly path: OpPath;
  readonly prompt: string;
  readonly about: unknown;
  readonly isAnswered: boolean;
}

/** Those that were asked below an op before this process, in the order in which they were asked. */
export function recordedBelow(parent: OpPath, records: Journal['records'], where: Where): readonly RecordedQuestion[] {
  const found: RecordedQuestion[] = [];
  for (let index = 0; ; index++) {
    const path = questionPath(parent, index, where);
    const { start, end } = records.get(path) ?? {};
    if (start?.op.kind !== 'approval') return found;
    const { prompt, about } = start.op;
    found.push({ path, prompt, about, isAnswered: end !== undefined });
  }
}

/** BELOW-1 */
const questionPath = (parent: OpPath, index: number, where: Where): OpPath =>
  childPath(parent, where === 'in a call' ? index : -1 - index);
