// The reason why a request has no answer in a recording: the first difference from the recorded request, in words.
// Pure.

import type { Message } from '../../kernel/message.ts';
import type { ProviderRequest } from '../provider.ts';
import { type Print, partsOf } from './print.ts';
import type { Take, Tape } from './tape.ts';

export function requestDifference(tape: Tape, request: ProviderRequest, print: Print): string {
  const then = nearestTake(tape.takes, request);
  if (then === undefined) {
    const agents = [...new Set(tape.takes.map(({ agent }) => agent))];
    const known = agents.length > 0 ? `only for ${agents.join(', ')}` : 'for no agent at all';
    return `nothing was recorded for agent "${request.agent}", turn ${request.turn}, ${known}`;
  }
  for (const [name, value] of Object.entries(partsOf(request))) {
    const recorded = then.print.parts[name];
    if (recorded !== print.parts[name]) return `the ${name}: ${compare(tape.part(recorded ?? ''), value)}`;
  }
  const count = Math.max(print.messages.length, then.print.messages.length);
  for (let index = 0; index < count; index++) {
    const recorded = then.print.messages[index];
    if (recorded === print.messages[index]) continue;
    const now = request.messages[index];
    if (recorded === undefined) return `message ${index + 1} is new: ${nameOf(now)}`;
    const before = tape.part(recorded) as Message | undefined;
    if (now === undefined) return `message ${index + 1} is missing: ${nameOf(before)}`;
    return `message ${index + 1}, ${nameOf(now)}: ${compare(before, now)}`;
  }
  return `it was asked by an agent other than "${request.agent}"`;
}

/** The recorded call that was most likely meant: the same place if possible, else the same turn of the agent. */
function nearestTake(takes: readonly Take[], { agent, session, turn }: ProviderRequest): Take | undefined {
  const own = takes.filter((take) => take.agent === agent && take.turn === turn);
  return own.find((take) => take.session === session) ?? own[0];
}

function nameOf(message: Message | undefined): string {
  if (message === undefined) return 'nothing';
  if (message.role === 'tool') return `the result of ${message.name}`;
  return message.role === 'user' ? 'from the user' : 'the reply of the agent';
}

function compare(before: unknown, now: unknown): string {
  const left = textOf(before);
  const right = textOf(now);
  let at = 0;
  while (at < left.length && left[at] === right[at]) at++;
  return `recorded ${excerpt(left, at)}, now ${excerpt(right, at)}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
}

function excerpt(text: string, at: number): string {
  const from = Math.max(0, at - 20);
  const piece = text.slice(from, at + 60);
  return JSON.stringify(`${from > 0 ? '…' : ''}${piece}${at + 60 < text.length ? '…' : ''}`);
}
