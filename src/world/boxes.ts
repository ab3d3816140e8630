// Inboxes and channels of a run: who may read what was said, each message once. In memory; what was posted and
// taken is in the record, and is put back from there when a run is taken up again.

import type { Mail, SessionRef } from '../kernel/effect.ts';
import { type UserMessage, user } from '../kernel/message.ts';

export interface Boxes {
  take(box: SessionRef): Mail;
  /** Appends to a channel's transcript, and gives the number it has there. */
  post(channel: SessionRef, from: string, message: unknown): number;
  /** A message into one session's inbox. */
  send(box: SessionRef, text: string): void;
  /** Asks every session for its final answer at its next turn. */
  stop(reason: string): void;
}

export function openBoxes(): Boxes {
  const inboxes = new Map<SessionRef, UserMessage[]>();
  const transcripts = new Map<SessionRef, { readonly from: string; readonly message: unknown }[]>();
  let stopped: string | undefined;
  return {
    take(box) {
      const messages = inboxes.get(box) ?? [];
      inboxes.delete(box);
      return stopped === undefined ? { messages } : { messages, stop: stopped };
    },
    post(channel, from, message) {
      const transcript = transcripts.get(channel) ?? [];
      transcripts.set(channel, transcript);
      return transcript.push({ from, message });
    },
    send(box, text) {
      const inbox = inboxes.get(box);
      if (inbox === undefined) inboxes.set(box, [user(text)]);
      else inbox.push(user(text));
    },
    stop(reason) {
      stopped = reason;
    },
  };
}
