// The state of the background runs of one run. The answers to their effects are computed from it.

import type { RunId } from '../../../journal/event.ts';
import type { EffectOf } from '../../../kernel/effect.ts';
import type { OutsideRuns } from './outside-runs.ts';
import { ReportedRuns } from './reported-runs.ts';
import { openSpawnRegistry, type SpawnRegistry } from './spawn-registry.ts';
import { openSpawnSlots, type SpawnSlots } from './spawn-slots.ts';
import { SpawnStops } from './spawn-stops.ts';
import { openWaits, type Waits } from './waits.ts';

export type BackgroundEffect = EffectOf<
  'spawn' | 'await-runs' | 'begin' | 'announce' | 'runs' | 'cancel-runs' | 'send'
>;

export interface BackgroundRunsParts {
  readonly run: RunId;
  /** The time at which the run began, by the record, if that was before this process started. */
  readonly since?: number | undefined;
  readonly outside: OutsideRuns;
  now(): number;
}

export interface BackgroundState extends BackgroundRunsParts {
  readonly registry: SpawnRegistry;
  readonly reported: ReportedRuns;
  readonly slots: SpawnSlots;
  readonly stops: SpawnStops;
  readonly waits: Waits;
}

export function openBackgroundState(parts: BackgroundRunsParts): BackgroundState {
  const registry = openSpawnRegistry();
  return {
    ...parts,
    registry,
    reported: new ReportedRuns(registry),
    slots: openSpawnSlots(),
    stops: new SpawnStops(registry),
    waits: openWaits(),
  };
}
