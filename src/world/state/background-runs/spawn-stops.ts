// The stop signals of spawned runs: one for each run that is cancelled or asked about, and one for all that have not
// begun.

import { setMaxListeners } from 'node:events';
import type { SpawnId } from '../../../kernel/spawned.ts';
import type { StopSignal } from '../../../kernel/stop-signal.ts';
import { cancelledBy, nativeSignal, Stop } from '../../abort.ts';
import type { SpawnRegistry } from './spawn-registry.ts';

export class SpawnStops {
  readonly #registry: SpawnRegistry;
  readonly #stops = new Map<SpawnId, Stop>();
  /** Aborted by a graceful stop (BACKGROUND-5). */
  readonly #noneBegins = new Stop();

  constructor(registry: SpawnRegistry) {
    this.#registry = registry;
  }

  /** The signal of a run at work. */
  signalOf(run: SpawnId, above: StopSignal): StopSignal {
    return anyOf(nativeSignal(above), this.#stopOf(run).native);
  }

  /** The signal of a run that has not begun. */
  signalBefore(run: SpawnId, above: StopSignal): StopSignal {
    return anyOf(nativeSignal(above), this.#stopOf(run).native, this.#noneBegins.native);
  }

  /** The first reason counts. Does nothing for a run that was not spawned here, or is over. */
  cancel(run: SpawnId, reason: string): void {
    const spawned = this.#registry.runs.get(run);
    if (spawned === undefined || spawned.outcome !== undefined) return;
    if (!this.#registry.cancelled.has(run)) this.#registry.cancelled.set(run, reason);
    this.#stopOf(run).abort(cancelledBy(reason));
  }

  stopGracefully(reason: string): void {
    this.#noneBegins.abort(cancelledBy(reason));
  }

  /** Aborted from the start if the record says that the run was cancelled. */
  #stopOf(run: SpawnId): Stop {
    const known = this.#stops.get(run);
    if (known !== undefined) return known;
    const made = new Stop();
    const reason = this.#registry.cancelled.get(run);
    if (reason !== undefined) made.abort(cancelledBy(reason));
    this.#stops.set(run, made);
    return made;
  }
}

function anyOf(...signals: readonly AbortSignal[]): StopSignal {
  const any = AbortSignal.any([...signals]);
  setMaxListeners(0, any);
  return any;
}
