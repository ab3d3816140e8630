// Runs a synchronous task that is ended from outside when it takes too long: a regular expression that somebody else
// wrote can backtrack for hours, and nothing in JavaScript itself can stop it. The thread waits meanwhile, so the
// time given is short.

import { createContext, Script, type Context } from 'node:vm';

const script = new Script('task()');
let realm: Context | undefined;
let current: (() => void) | undefined;

export type Interrupted<T> = { readonly done: true; readonly value: T } | { readonly done: false };

/** Not reentrant: the task must not call `interruptible` itself. What the task throws is thrown on. */
export function interruptible<T>(milliseconds: number, task: () => T): Interrupted<T> {
  realm ??= createContext({ task: () => current?.() });
  let outcome: Interrupted<T> = { done: false };
  current = () => {
    outcome = { done: true, value: task() };
  };
  try {
    script.runInContext(realm, { timeout: milliseconds });
  } catch (thrown) {
    if (!ranOutOfTime(thrown)) throw thrown;
  } finally {
    current = undefined;
  }
  return outcome;
}

const ranOutOfTime = (thrown: unknown): boolean =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
