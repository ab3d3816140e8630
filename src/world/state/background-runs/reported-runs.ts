// Reports on runs: those that were spawned here, and those of the same store that this run waits for.

import type { SpawnId, SpawnReport } from '../../../kernel/spawned.ts';
import type { SpawnRegistry } from './spawn-registry.ts';

export class ReportedRuns {
  readonly #registry: SpawnRegistry;
  /** Runs outside this one that are over. */
  readonly #outside = new Map<SpawnId, SpawnReport>();

  constructor(registry: SpawnRegistry) {
    this.#registry = registry;
  }

  isKnown(run: SpawnId): boolean {
    return this.#registry.runs.has(run) || this.#outside.has(run);
  }

  isOver(run: SpawnId): boolean {
    const spawned = this.#registry.runs.get(run);
    return spawned === undefined ? this.#outside.has(run) : spawned.outcome !== undefined;
  }

  addOutside(report: SpawnReport): void {
    this.#outside.set(report.run, report);
  }

  /** The reports stand in the order of the request; runs that are not known are left out. */
  reports(runs: readonly SpawnId[], withResults = false): readonly SpawnReport[] {
    return runs.map((run) => this.#report(run, withResults)).filter((report) => report !== undefined);
  }

  #report(run: SpawnId, withResults: boolean): SpawnReport | undefined {
    const spawned = this.#registry.runs.get(run);
    return spawned === undefined ? this.#outside.get(run) : this.#registry.report(spawned, withResults);
  }
}
