// Replays a run of a store: decides with which texts, and says which of them have changed since.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { CadreDefinition } from '../../definition/definition.ts';
import { cadreFromTexts, loadCadre } from '../../definition/load.ts';
import type { RunEvent, RunId, RunStart } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import { FaultError, fail } from '../../kernel/fault.ts';
import type { Pattern } from '../../patterns/record.ts';
import type { TeamStrategy } from '../../patterns/team-strategy.ts';
import { services } from '../../run/services.ts';
import { secretsOf } from '../../secrets/configured.ts';
import { redactedCadre } from '../../secrets/redacted-cadre.ts';
import { pinnedCadre, readAll, startOf } from '../pinned.ts';
import { refuseFaulty } from '../request.ts';
import { type Replay, replay } from './replay.ts';

export interface ReplayOptions {
  /** Uses the texts that the run began with, whatever the files say today. */
  readonly pinned?: boolean;
}

export interface ReplayedRun {
  readonly result: Replay;
  readonly events: readonly RunEvent[];
  /** Files that have changed since the run began. */
  readonly changed: readonly string[];
  /** The texts that were used: today's files, or those that the run began with. */
  readonly texts: 'today' | 'pinned';
}

/** Calls no model and no tool. Throws if today's files cannot be used. */
export async function replayRun(
  run: RunId,
  store: RunStore,
  options: ReplayOptions = {},
  {
    patterns = [],
    strategy,
    knownTools = [],
  }: {
    readonly patterns?: readonly Pattern[] | undefined;
    readonly strategy?: TeamStrategy | undefined;
    /** The names of its tools. */
    readonly knownTools?: readonly string[] | undefined;
  } = {},
): Promise<ReplayedRun> {
  const events = await readAll(run, store);
  const start = startOf(events);
  const usePinned = options.pinned === true || !existsSync(start.folder);
  // Tools and providers that a program passed in are known here only by name, and none of them is called.
  const known = {
    knownTools: [...recordedTools(events), ...knownTools],
    knownProviders: 'any',
    patterns,
    workspace: 'unread',
  } as const;
  const found = usePinned ? await pinnedCadre(start, store, known) : await todaysCadre(start, store, known);
  const cadre = redactedCadre(found, secretsOf(found)); // as the run saw it
  const result = await replay(events, cadre, services, { strategy, store });
  return { result, events, changed: changedFiles(start, cadre), texts: usePinned ? 'pinned' : 'today' };
}

/** The purpose of a replay with today's files is to show what an edited agent changes. */
async function todaysCadre(
  start: RunStart,
  store: RunStore,
  known: Parameters<typeof loadCadre>[1],
): Promise<CadreDefinition> {
  try {
    const cadre = await withOwnTexts(await loadCadre(start.folder, known), start, store, known);
    if (cadre.agents.has(start.agent)) return cadre;
    refuseFaulty(cadre, start.agent);
  } catch (thrown) {
    if (!(thrown instanceof FaultError)) throw thrown;
    fail(thrown.fault.code, `Today's files of the run cannot be used (${PINNED}):\n${thrown.fault.message}`);
  }
  return fail('agent/unknown', `${start.folder} has no agent "${start.agent}" any more (${PINNED}).`);
}

/** No file ever held the texts that were changed for a fork alone: these are the ones that it began with. */
async function withOwnTexts(
  cadre: CadreDefinition,
  start: RunStart,
  store: RunStore,
  known: Parameters<typeof loadCadre>[1],
): Promise<CadreDefinition> {
  const edited = start.forkedFrom?.edited ?? [];
  if (edited.length === 0) return cadre;
  const { texts } = await pinnedCadre(start, store, known);
  const own = edited.flatMap((file) => (texts.has(file) ? [[file, texts.get(file) as string] as const] : []));
  return cadreFromTexts(cadre.folder, new Map([...cadre.texts, ...own]), known);
}

const PINNED = '--pinned, or pinned: true in a program, replays with the texts that the run began with';

export function recordedTools(events: readonly RunEvent[]): readonly string[] {
  const names = new Set<string>();
  for (const event of events) {
    if (event.type !== 'fact') continue;
    const { tools } = event.value as { readonly tools?: readonly { readonly name: string }[] };
    for (const { name } of tools ?? []) names.add(name);
  }
  return [...names];
}

function changedFiles(start: RunStart, cadre: CadreDefinition): readonly string[] {
  const files = new Set([...Object.keys(start.texts), ...cadre.texts.keys()]);
  return [...files].filter((file) => {
    const text = cadre.texts.get(file);
    const digest = text === undefined ? undefined : createHash('sha256').update(text).digest('hex');
    return digest !== (Object.hasOwn(start.texts, file) ? start.texts[file] : undefined);
  });
}
