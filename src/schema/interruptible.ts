// Runs a synchronous task that is ended from outside when it takes too long: compiling a schema that somebody else wrote, or
// checking a value against it. The thread waits meanwhile, so the time given is short. It ends code, but not every regular
// expression: the engine can be deaf in the middle of one. Those of others are matched by `linearPattern`.

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
