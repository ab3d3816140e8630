// A fold of the facts around the fault that ended a run: how often the model call was tried, who cancelled it, and how
// long it had gone on. Calls that went on to another model have several messages, which the fault itself lists.

import { present } from '../base/text/present.ts';
import type { RunEvent } from '../journal/event.ts';
import type { FaultCode } from '../kernel/fault.ts';
import type { OpPath } from '../kernel/path.ts';
import { personWord } from '../kernel/person-words.ts';

interface Tries {
  readonly code: FaultCode;
  /** The message of the last attempt. */
  readonly message: string;
  readonly attempts: number;
}

export interface FaultSetting {
  /** The attempts of the model call that failed. */
  readonly tries?: Tries;
  /** The person who cancelled it, as the reader knows them. */
  readonly by?: string;
  /** The run had gone on for so many milliseconds. */
  readonly ms?: number;
}

export function faultSettingFold() {
  const open = new Map<OpPath, { readonly models: Set<string>; readonly tries: Tries }>();
  let failed: Tries | undefined;
  let cancelled: { readonly by: string | undefined } | undefined;
  let [startedAt, endedAt] = [0, 0];
  return {
    add(event: RunEvent): void {
      endedAt = event.at;
      if (event.type === 'run-start') startedAt = event.at;
      else if (event.type === 'control' && event.message.kind === 'cancel' && event.message.to === undefined)
        cancelled = { by: event.message.by };
      else if (event.type === 'attempt') {
        const models = (open.get(event.path)?.models ?? new Set()).add(event.spent.model);
        const { code, message } = event.fault;
        open.set(event.path, { models, tries: { code, message, attempts: event.number } });
      } else if (event.type === 'op-end') {
        const tried = open.get(event.path);
        if (event.kind === 'model' && !event.result.ok) failed = tried?.models.size === 1 ? tried.tries : undefined;
        open.delete(event.path);
      }
    },
    /** `you`: the names that the reader goes by. */
    setting: (you: readonly string[]): FaultSetting => ({
      ms: endedAt - startedAt,
      ...present({ tries: failed, by: cancelled && personWord(cancelled.by, you) }),
    }),
  };
}

export function faultSettingIn(events: Iterable<RunEvent>, you: readonly string[]): FaultSetting {
  const fold = faultSettingFold();
  for (const event of events) fold.add(event);
  return fold.setting(you);
}
