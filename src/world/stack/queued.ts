// A decorator that queues the messages to one session: they are taken one after the other, in the order of sending.
// QUEUE-1. It stands outside the journal, so that a message is recorded when it is taken. Branches that are driven
//          again send in the same order, so a replay takes them in the same order.

import type { SessionRef, SettledResult } from '../../kernel/effect.ts';
import type { World } from '../world.ts';

export function queuedWorld(world: World): World {
  /** The last message to each session, as a promise that settles when it is done. */
  const latest = new Map<SessionRef, Promise<unknown>>();

  const enqueue = (
    session: SessionRef,
    send: () => SettledResult | Promise<SettledResult>,
  ): SettledResult | Promise<SettledResult> => {
    const before = latest.get(session);
    const answer = before === undefined ? send() : before.then(send);
    if (!(answer instanceof Promise)) return answer;
    const done: Promise<void> = answer.then(
      () => leave(session, done),
      () => leave(session, done), // the sender gets the failure
    );
    latest.set(session, done);
    return answer;
  };
  const leave = (session: SessionRef, done: Promise<unknown>): void => {
    if (latest.get(session) === done) latest.delete(session);
  };
  return {
    perform(effect, op) {
      if (effect.kind !== 'say' && effect.kind !== 'close') return world.perform(effect, op);
      return enqueue(effect.session, () => world.perform(effect, op));
    },
  };
}
