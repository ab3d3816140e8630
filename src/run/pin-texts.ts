// Stores the texts of a cadre, so that a run of it can go on from them whatever its files say then.

import type { CadreDefinition } from '../definition/definition.ts';
import type { Digest } from '../journal/event.ts';
import type { RunStore } from '../journal/store.ts';

export async function pinTexts(cadre: CadreDefinition, store: RunStore): Promise<Readonly<Record<string, Digest>>> {
  const encoder = new TextEncoder();
  const pins = [...cadre.texts].map(
    async ([file, text]) => [file, await store.blobs.put(encoder.encode(text))] as const,
  );
  return Object.fromEntries(await Promise.all(pins));
}
