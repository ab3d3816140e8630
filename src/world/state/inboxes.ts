// Inboxes and channels of a run: who may read what was said, each message once. They are a fold of the run's events.
// INBOX-1. To take and to post change nothing by themselves. When the event is added, what was taken leaves its inbox,
//     and what was posted stands on its channel. What arrives in between stays for the next take.
// INBOX-2. A take removes exactly what its event holds, by its text. A text that is not there (an earlier release put some
//     into inboxes without an event, and a secret of today is redacted on the way out) counts for the oldest message.
// INBOX-3. A message from outside is delivered as its event has it: it was quoted and redacted before it was recorded.

import type { ControlTaken, InstantOp, OpEnd, RunEvent } from '../../journal/event.ts';
import { type Broker, openBroker } from '../../kernel/broker.ts';
import type { Broadcast, EffectOf, InboxRef, Mail, ModelReply, SessionRef, TeamMessage } from '../../kernel/effect.ts';
import { type UserMessage, user } from '../../kernel/message.ts';
import { ROOT } from '../../kernel/path.ts';
import type { SpawnDelivery, SpawnId } from '../../kernel/spawned.ts';
import type { Fold } from './projection.ts';

interface InboxParts {
  /** The session of a spawned run. Undefined if there is none by this name. */
  sessionOf(run: SpawnId): SessionRef | undefined;
  now(): number;
}

const NOTHING: Mail = { messages: [] };

export const openInboxes = (parts: InboxParts): Inboxes => new Inboxes(parts);

/** Most runs get no mail, and then this is one small object. */
export class Inboxes implements Fold {
  readonly #parts: InboxParts;
  /** The inboxes that are not empty. */
  #inboxes: Map<SessionRef, UserMessage[]> | undefined;
  #channels: Map<SessionRef, Broker> | undefined;
  #stopped: string | undefined;

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  /** Takes the mail that is there for a session now. */
  take({ session, channel, as, only }: InboxRef): Mail {
    if (only === 'stop') return this.#stopped === undefined ? NOTHING : { messages: [], stop: this.#stopped };
    const inbox = this.#inboxes?.get(session);
    if (inbox === undefined && channel === undefined && this.#stopped === undefined) return NOTHING;
    return {
      messages: inbox === undefined ? [] : [...inbox],
      ...(channel !== undefined && as !== undefined && heard(this.#channel(channel), as)),
      ...(this.#stopped !== undefined && { stop: this.#stopped }),
    };
  }

  /** A message as it would stand in the channel's transcript. */
  post(channel: SessionRef, saying: TeamMessage): Broadcast {
    return this.#channel(channel).draft(saying, this.#parts.now());
  }

  /** The broadcasts that stand on a channel. */
  said(channel: SessionRef): readonly Broadcast[] {
    return this.#channel(channel).transcript();
  }

  /** Asks every session for its final answer at its next turn. For a stop in this process only. */
  stop(reason: string): void {
    this.#stopped = reason;
  }

  add(event: RunEvent): void {
    if (event.type === 'op-end') this.#addEnd(event);
    else if (event.type === 'op') this.#addInstant(event);
    else if (event.type === 'control') this.#addControl(event);
  }

  #addEnd({ kind, result }: OpEnd): void {
    if (kind !== 'model' || !result.ok) return;
    const { reminder } = result.value as ModelReply;
    if (reminder !== undefined) this.#deliver(reminder.to, reminder.text);
  }

  #addInstant({ kind, detail, value }: InstantOp): void {
    if (kind === 'take') {
      this.#remove((detail as { readonly inbox: InboxRef }).inbox, value as Mail);
    } else if (kind === 'post') {
      const broadcast = value as Broadcast;
      if (broadcast.refused !== undefined) return; // the team did not hear it
      this.#channel((detail as { readonly channel: SessionRef }).channel).add(broadcast);
    } else if (kind === 'announce') {
      const { to, text } = detail as EffectOf<'announce'>;
      this.#deliver(to, text);
    } else if (kind === 'send') {
      const { to } = value as SpawnDelivery;
      if (to !== null) this.#deliver(to, (detail as EffectOf<'send'>).text);
    }
  }

  #addControl({ message, refused }: ControlTaken): void {
    if (refused !== undefined) return;
    if (message.kind === 'stop') {
      this.#stopped = message.reason;
    } else if (message.kind === 'send') {
      const session = message.to === undefined ? ROOT : this.#parts.sessionOf(message.to);
      if (session !== undefined) this.#deliver(session, message.text);
    }
  }

  #deliver(session: SessionRef, text: string): void {
    const inboxes = (this.#inboxes ??= new Map());
    const inbox = inboxes.get(session);
    if (inbox === undefined) inboxes.set(session, [user(text)]);
    else inbox.push(user(text));
  }

  #remove({ session, channel, as }: InboxRef, { messages, upTo }: Mail): void {
    if (channel !== undefined && as !== undefined && upTo !== undefined) this.#channel(channel).advance(as, upTo);
    const inbox = this.#inboxes?.get(session);
    if (inbox === undefined) return;
    let unknown = 0;
    for (const { text } of messages) {
      const at = inbox.findIndex((one) => one.text === text);
      if (at < 0) unknown += 1;
      else inbox.splice(at, 1);
    }
    inbox.splice(0, unknown); // INBOX-2
    if (inbox.length === 0) this.#inboxes?.delete(session);
  }

  #channel(ref: SessionRef): Broker {
    const channels = (this.#channels ??= new Map());
    const known = channels.get(ref);
    if (known !== undefined) return known;
    const made = openBroker();
    channels.set(ref, made);
    return made;
  }
}

function heard(broker: Broker, participant: string): Partial<Mail> {
  const { broadcasts, upTo } = broker.unread(participant);
  return broadcasts.length === 0 ? {} : { broadcasts, upTo };
}
