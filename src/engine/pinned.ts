// The texts that a run pinned when it began: its agents and its configuration. It goes on from them, is replayed with
// them and is redacted by them.

import type { CadreConfig, CadreDefinition } from '../definition/definition.ts';
import { CONFIG_FILE } from '../definition/definition.ts';
import type { AssemblyOptions } from '../definition/link/assemble.ts';
import { cadreFromTexts } from '../definition/load.ts';
import { readConfig, withoutConfig } from '../definition/read/config/config.ts';
import type { Digest, RunEvent, RunId, RunStart } from '../journal/event.ts';
import type { RunStore } from '../journal/store.ts';
import { fail } from '../kernel/fault.ts';
import { secretsOf } from '../secrets/configured.ts';
import { withSecretsOfToday } from '../secrets/redacted-cadre.ts';
import type { Secrets } from '../secrets/secrets.ts';

export async function readAll(run: RunId, store: RunStore): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of store.read(run)) events.push(event);
  return events;
}

/** Throws `journal/corrupt`. */
export const startOf = (events: readonly RunEvent[]): RunStart => {
  const first = events[0];
  return first?.type === 'run-start' ? first : fail('journal/corrupt', 'The journal does not begin with run-start.');
};

/** The first event of a run. Throws `run/unknown` and `journal/corrupt`. */
export async function startOfRun(run: RunId, store: Pick<RunStore, 'read'>): Promise<RunStart> {
  for await (const event of store.read(run)) return startOf([event]);
  return startOf([]);
}

/** The cadre as it was when the run began, from the texts that the run pinned. */
export async function pinnedCadre(
  start: RunStart,
  store: RunStore,
  options: AssemblyOptions = {},
): Promise<CadreDefinition> {
  const texts = new Map<string, string>();
  for (const [file, digest] of Object.entries(start.texts)) {
    texts.set(file, await pinnedText(file, digest, start, store));
  }
  return cadreFromTexts(start.folder, texts, options);
}

async function pinnedText(file: string, digest: Digest, start: RunStart, store: RunStore): Promise<string> {
  const bytes = await store.blobs.get(digest);
  if (bytes === undefined)
    fail('journal/corrupt', `The text of ${file} (${digest}) that run ${start.run} used is gone.`);
  const text = new TextDecoder().decode(bytes);
  return file === CONFIG_FILE ? withSecretsOfToday(text, start.folder, file) : text;
}

/** The configuration that a run pinned. Its agents are not needed for that, so they may have errors. */
export async function pinnedConfig(start: RunStart, store: RunStore): Promise<CadreConfig> {
  const digest = start.texts[CONFIG_FILE];
  if (digest === undefined) return withoutConfig.config;
  const text = await pinnedText(CONFIG_FILE, digest, start, store);
  return readConfig({ file: CONFIG_FILE, text }, start.folder, () => {}).config;
}

/** The secrets of a run, by its configuration. */
export const secretsOfRun = async (start: RunStart, store: RunStore): Promise<Secrets> =>
  secretsOf({ config: await pinnedConfig(start, store), folder: start.folder });
