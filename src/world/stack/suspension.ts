// Lets go of a run between two calls, so that another process can go on with it: calls that are under way end and are
// recorded, and nothing new begins.
// SUSPEND-1. It stands outside the journal: what it holds back was never asked for, as far as the record knows, and a call
//          that has ended for it is recorded.

import type { SettledResult } from '../../kernel/effect.ts';
import { type OpPath, parentPath } from '../../kernel/path.ts';
import type { World, WorldRequest } from '../world.ts';

/**
 * These end by themselves. Everything else waits for a person, a message, another run, or for something that is held
 * back.
 */
const isCall = ({ kind }: WorldRequest): boolean => kind === 'model' || kind === 'tool';

const NEVER = new Promise<never>(() => {});

export class Suspension {
  #isSuspended = false;
  #underWay = 0;
  /** The calls under way, by path. */
  readonly #calls = new Set<OpPath>();
  readonly #rested: (() => void)[] = [];

  /** Holds back every request from now on. Settles when no call is under way. */
  rest(): Promise<void> {
    this.#isSuspended = true;
    return this.#underWay === 0 ? Promise.resolve() : new Promise((resolve) => void this.#rested.push(resolve));
  }

  /** The world that routines ask (SUSPEND-1). */
  around(world: World): World {
    return {
      perform: (effect, op) => {
        if (this.#isSuspended) return NEVER;
        const settled = world.perform(effect, op);
        if (!(settled instanceof Promise)) return settled;
        if (isCall(effect)) return this.#counted(settled, op.path);
        return effect.kind === 'approval' && this.#calls.has(parentPath(op.path) ?? '')
          ? this.#asking(settled)
          : settled;
      },
    };
  }

  #counted(call: Promise<SettledResult>, path: OpPath): Promise<SettledResult> {
    this.#underWay++;
    this.#calls.add(path);
    const ended = (): void => {
      this.#calls.delete(path);
      this.#leave();
    };
    call.then(ended, ended); // the routine gets the failure
    return call;
  }

  /** A call that asks a person does not end by itself. */
  #asking(question: Promise<SettledResult>): Promise<SettledResult> {
    this.#leave();
    const answered = (): void => void this.#underWay++;
    question.then(answered, answered);
    return question;
  }

  #leave(): void {
    if (--this.#underWay === 0) for (const rested of this.#rested.splice(0)) rested();
  }
}
