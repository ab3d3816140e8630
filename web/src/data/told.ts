// Messages that were sent to runs at work from this page. A run reads them before a turn; what it has read by its end is in
// its journal, and the rest was read by nobody.

import { signal } from '@preact/signals';
import type { RunEvent } from '../../../src/journal/event.ts';
import type { ControlAccepted, SendToRun } from '../../../src/server/protocol.ts';
import { postJson } from './api.ts';

export const told = signal<ReadonlyMap<string, readonly string[]>>(new Map());

export async function tellRun(run: string, text: string): Promise<void> {
  await postJson<ControlAccepted>(`/api/runs/${encodeURIComponent(run)}/messages`, { text } satisfies SendToRun);
  told.value = new Map(told.value).set(run, [...(told.value.get(run) ?? []), text]);
}

export function forget(run: string, text: string): void {
  const left = (told.value.get(run) ?? []).filter((one) => one !== text);
  told.value = new Map(told.value).set(run, left);
}

/** The messages that sessions took, and who took each. */
export function messagesRead(events: readonly RunEvent[], count: number): readonly string[] {
  return events.slice(0, count).flatMap((event) => {
    if (event.type !== 'op' || event.kind !== 'take') return [];
    const { messages = [] } = (event.value ?? {}) as { readonly messages?: readonly { readonly text: string }[] };
    return messages.map(({ text }) => text);
  });
}
