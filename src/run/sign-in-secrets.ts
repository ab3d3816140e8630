// The tokens of all sign-ins of a store, as secrets of every run that this process works on: also of runs that use none of
// the servers, because their tools may come upon them.
// KNOWN-1. Those that are there when a run begins are known before its first event, and new ones as soon as the store tells.
//     Runs that begin in one turn of the event loop look once.
// KNOWN-2. Nothing is watched in a store without a sign-in, unless a run may bring one.

import type { KeptSignIn, SignIns } from '../journal/store.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { secretsOfSignIn } from '../tools/mcp/sign-in/record.ts';

export class SignInSecrets {
  readonly #signIns: SignIns | undefined;
  readonly #warn: (text: string) => void;
  /** Those of runs at work, each as often as it has runs. */
  readonly #users = new Map<Secrets, number>();
  #unwatch: (() => void) | undefined;
  /** Those of this turn, or the look for them. */
  #latest: readonly KeptSignIn[] | Promise<readonly KeptSignIn[]> | undefined;

  constructor(signIns: SignIns | undefined, warn: (text: string) => void) {
    this.#signIns = signIns;
    this.#warn = warn;
  }

  /** Until the function that it returns is called. `mayBring`: the run may use a server that people sign in to. */
  join(secrets: Secrets | undefined, mayBring: boolean): (() => void) | Promise<() => void> {
    const signIns = this.#signIns;
    if (signIns === undefined || secrets === undefined) return () => {};
    this.#users.set(secrets, (this.#users.get(secrets) ?? 0) + 1);
    if (mayBring) this.#watch(signIns); // first: one that is put after the look is told
    const all = mayBring ? signIns.list() : (this.#latest ?? this.#look(signIns));
    return all instanceof Promise ? all.then((found) => this.#joined(secrets, found)) : this.#joined(secrets, all);
  }

  #joined(secrets: Secrets, all: readonly KeptSignIn[]): () => void {
    note(all, secrets);
    if (all.length > 0 && this.#signIns !== undefined) this.#watch(this.#signIns);
    return () => this.#leave(secrets);
  }

  /** KNOWN-1. */
  #look(signIns: SignIns): Promise<readonly KeptSignIn[]> {
    const looking = signIns.list();
    this.#latest = looking;
    looking.then(
      (found) => {
        if (this.#latest === looking) this.#latest = found;
      },
      () => {}, // who waits for it gets the failure
    );
    setImmediate(() => (this.#latest = undefined));
    return looking;
  }

  #leave(secrets: Secrets): void {
    const left = (this.#users.get(secrets) ?? 1) - 1;
    if (left > 0) return void this.#users.set(secrets, left);
    this.#users.delete(secrets);
    if (this.#users.size > 0) return;
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  #watch(signIns: SignIns): void {
    this.#unwatch ??= signIns.watch(() => {
      signIns.list().then(
        (all) => {
          for (const secrets of this.#users.keys()) note(all, secrets);
        },
        (thrown: unknown) => this.#warn(`The sign-ins of the store cannot be read: ${String(thrown)}`),
      );
    });
  }
}

function note(all: readonly KeptSignIn[], secrets: Secrets): void {
  for (const { head, body } of all) for (const [name, value] of secretsOfSignIn(head, body)) secrets.add(name, value);
}
