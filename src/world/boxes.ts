// Inboxes and channels of a run: who may read what was said, each message once. In memory; what was posted and
// taken is in the record, and is put back from there when a run is taken up again.

import type { RunEvent } from '../journal/event.ts';
import { type Broker, openBroker } from '../kernel/broker.ts';
import type { BoxRef, Broadcast, Effect, Mail, Saying, SessionRef } from '../kernel/effect.ts';
import { type UserMessage, user } from '../kernel/message.ts';
import type { Sent } from '../kernel/spawned.ts';

export interface Boxes {
  take(box: BoxRef): Mail;
  /** Appends to a channel's transcript. */
  post(channel: SessionRef, saying: Saying): Broadcast;
  /** A message into one session's inbox. */
  send(session: SessionRef, text: string): void;
  /** Asks every session for its final answer at its next turn. */
  stop(reason: string): void;
}

const NOTHING: Mail = { messages: [] };

export function openBoxes(recorded: readonly RunEvent[], now: () => number): Boxes {
  const inboxes = new Map<SessionRef, UserMessage[]>();
  const channels = new Map<SessionRef, Broker>();
  let stopped: string | undefined;
  const channel = (ref: SessionRef): Broker => {
    const known = channels.get(ref) ?? openBroker();
    channels.set(ref, known);
    return known;
  };
  const send = (session: SessionRef, text: string): void => {
    const inbox = inboxes.get(session);
    if (inbox === undefined) inboxes.set(session, [user(text)]);
    else inbox.push(user(text));
  };
  restore(recorded, channel);
  refill(recorded, send, (session) => inboxes.delete(session));
  return {
    take({ session, channel: ref, as }) {
      if (inboxes.size === 0 && ref === undefined && stopped === undefined) return NOTHING;
      const messages = inboxes.get(session) ?? [];
      inboxes.delete(session);
      return {
        messages,
        ...(ref !== undefined && as !== undefined && heard(channel(ref), as)),
        ...(stopped !== undefined && { stop: stopped }),
      };
    },
    post: (ref, saying) => channel(ref).publish(saying, now()),
    send,
    stop(reason) {
      stopped = reason;
    },
  };
}

function heard(broker: Broker, participant: string): Partial<Mail> {
  const { broadcasts, upTo } = broker.consume(participant);
  return broadcasts.length === 0 ? {} : { broadcasts, upTo };
}

function restore(recorded: readonly RunEvent[], channel: (ref: SessionRef) => Broker): void {
  for (const event of recorded) {
    if (event.type !== 'op') continue;
    if (event.kind === 'post') {
      const { channel: ref } = event.detail as { readonly channel: SessionRef };
      channel(ref).restore(event.value as Broadcast);
    } else if (event.kind === 'take') {
      const { box } = event.detail as { readonly box: BoxRef };
      const { upTo } = event.value as Mail;
      if (box.channel !== undefined && box.as !== undefined && upTo !== undefined)
        channel(box.channel).advance(box.as, upTo);
    }
  }
}

/** What was announced or sent to a session, and not taken. A take empties an inbox. */
function refill(
  recorded: readonly RunEvent[],
  send: (session: SessionRef, text: string) => void,
  empty: (session: SessionRef) => void,
): void {
  for (const event of recorded) {
    if (event.type !== 'op') continue;
    if (event.kind === 'announce') {
      const { to, text } = event.detail as Extract<Effect, { kind: 'announce' }>;
      send(to, text);
    } else if (event.kind === 'send') {
      const { to } = event.value as Sent;
      if (to !== null) send(to, (event.detail as Extract<Effect, { kind: 'send' }>).text);
    } else if (event.kind === 'take') {
      empty((event.detail as { readonly box: BoxRef }).box.session);
    }
  }
}
