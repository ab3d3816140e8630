// Texts that the stream cut, whole: asked for when a person wants to read all of it.

import type { JournalLine } from '../../../src/server/protocol.ts';
import { getJson, getText } from './api.ts';
import type { RunData } from './run-data.ts';

export interface WholeText {
  readonly bytes: number;
  readonly get: () => Promise<string>;
}

/** A cut text of an event at a JSON pointer: its size, and the way to get it. Undefined: it is whole already. */
export function wholeText(data: RunData, seq: number, pointer: string): WholeText | undefined {
  const cut = data.cuts.get(seq)?.find(([at]) => at === pointer);
  if (cut === undefined) return undefined;
  return {
    bytes: cut[1],
    get: async () => {
      const { event } = await getJson<JournalLine>(`/api/runs/${encodeURIComponent(data.run)}/events/${seq}`);
      return String(pointedAt(event, pointer));
    },
  };
}

/** A result of which the model saw a part: the whole is kept beside the journal, under its handle. */
export const keptText = (data: RunData, handle: string, bytes: number): WholeText => ({
  bytes,
  get: () => getText(`/api/blobs/${encodeURIComponent(handle)}?run=${encodeURIComponent(data.run)}`),
});

export function pointedAt(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, key) => (at as Readonly<Record<string, unknown>> | undefined)?.[key], value);
}
