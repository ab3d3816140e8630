// The cadres that an engine has loaded, until they are closed: its own, further ones, and those of resumed runs by the
// texts that these pinned.

import type { CadreDefinition } from '../definition/definition.ts';
import type { RunStart } from '../journal/event.ts';
import type { RunEnvironment, RunObserver } from '../run/environment.ts';
import { LoadedCadre } from '../run/loaded-cadre.ts';
import { telemetryFor } from '../telemetry/for-cadre.ts';

export class LoadedCadres {
  readonly #environment: RunEnvironment;
  readonly #open = new Set<LoadedCadre>();
  readonly #pinned = new Map<string, Promise<LoadedCadre>>();
  /** The observers of the runs of each folder's latest reading. */
  readonly #observers = new Map<string, readonly RunObserver[]>();
  #latest: LoadedCadre | undefined;

  constructor(environment: RunEnvironment) {
    this.#environment = environment;
  }

  add(cadre: LoadedCadre): void {
    this.#open.add(cadre);
    this.#latest = cadre;
    this.#observers.set(cadre.definition.folder, cadre.observe);
  }

  async load(definition: CadreDefinition): Promise<LoadedCadre> {
    const cadre: LoadedCadre = await withTelemetry(definition, this.#environment, () => this.#open.delete(cadre));
    this.add(cadre);
    return cadre;
  }

  /**
   * The cadre of a run that goes on, and a function to call when it is not needed any more. Runs that began with the same
   * texts share their models and tools while one of them is at work.
   */
  async use(start: RunStart): Promise<{ readonly cadre: LoadedCadre; leave(): void }> {
    let cadre = await this.#pinnedBy(start);
    while (cadre.isClosed) cadre = await this.#pinnedBy(start); // its last run ended at this moment
    const leave = cadre.use();
    void cadre.retire();
    return { cadre, leave };
  }

  /** The observers of a run of this folder that goes on. Undefined for a folder that was not loaded here. */
  observersOf(folder: string): readonly RunObserver[] | undefined {
    return this.#observers.get(folder);
  }

  /** Script steps that no call used, of the one that was loaded last. */
  unusedSteps(): readonly string[] {
    return this.#latest?.resources.unusedSteps() ?? [];
  }

  async flush(): Promise<void> {
    await Promise.all([...this.#open].map(async ({ telemetry }) => telemetry?.flush()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((cadre) => cadre.close()));
  }

  #pinnedBy(start: RunStart): Promise<LoadedCadre> {
    const { folder, texts, workspace } = start;
    const key = JSON.stringify([folder, texts, workspace]);
    const known = this.#pinned.get(key);
    if (known !== undefined) return known;
    const forget = (): void => void this.#pinned.delete(key);
    const made = this.#loadPinned(start, forget);
    this.#pinned.set(key, made);
    made.catch(forget); // the caller gets the failure
    return made;
  }

  async #loadPinned(start: RunStart, forget: () => void): Promise<LoadedCadre> {
    const { pinned, idleMs } = this.#environment;
    const definition = await pinned(start);
    const closing = (): void => {
      forget();
      this.#open.delete(cadre);
    };
    const cadre = new LoadedCadre(definition, this.#environment, { workspace: start.workspace, idleMs, closing });
    this.#open.add(cadre);
    this.#latest = cadre;
    return cadre;
  }
}

/** A cadre with its own telemetry around it. */
export async function withTelemetry(
  definition: CadreDefinition,
  environment: RunEnvironment,
  closing?: () => void,
): Promise<LoadedCadre> {
  const telemetry = await telemetryFor(definition, environment.warn);
  return new LoadedCadre(definition, environment, { telemetry, ...(closing && { closing }) });
}
