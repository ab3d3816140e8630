// A cadre with its models and tools, as runs of this process share it. A folder that is read again is another one: runs
// at work keep the reading that they began with.
// HOST-1. What was opened for it is closed once it is retired and its last user has left, and not before.

import type { CadreDefinition } from '../definition/definition.ts';
import type { Digest } from '../journal/event.ts';
import type { RunStore } from '../journal/store.ts';
import { redactedCadre } from '../secrets/redacted-cadre.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { RunEnvironment, RunObserver } from './environment.ts';
import { pinTexts } from './pin-texts.ts';
import type { CadreResources } from './resources.ts';

/** Shorter than what a prune leaves alone because it is new. */
const PINNED_MS = 600_000;

/** A watcher of the runs of one cadre. It is closed with the cadre. */
interface CadreTelemetry {
  readonly watch: RunObserver;
  /** Sends the telemetry of ended runs, for a moment at the most. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export class LoadedCadre {
  /** The definition as its files say. */
  readonly definition: CadreDefinition;
  readonly resources: CadreResources;
  readonly telemetry: CadreTelemetry | undefined;
  /** They watch each of its runs. */
  readonly observe: readonly RunObserver[];
  readonly #store: RunStore;
  readonly #idleMs: number;
  readonly #onClosing: () => void;
  #recordable: CadreDefinition | undefined;
  #pinned: { readonly at: number; readonly digests: Readonly<Record<string, Digest>> } | undefined;
  #users = 0;
  #idle: NodeJS.Timeout | undefined;
  #isRetired = false;
  #closing: Promise<void> | undefined;
  #settle = (): void => {};
  readonly #settled: Promise<void>;

  constructor(
    definition: CadreDefinition,
    environment: RunEnvironment,
    options: {
      /** The root of the tools, if a run recorded it. */
      readonly workspace?: string | undefined;
      readonly telemetry?: CadreTelemetry | undefined;
      /** The time for which it stays open after its last use: the next run may come soon. */
      readonly idleMs?: number;
      /** Called when it closes. */
      closing?(): void;
    } = {},
  ) {
    const { telemetry, idleMs = 0, workspace } = options;
    this.definition = definition;
    this.resources = environment.openResources(definition, workspace);
    this.telemetry = telemetry;
    this.observe = telemetry === undefined ? environment.observe : [...environment.observe, telemetry.watch];
    this.#store = environment.store;
    this.#idleMs = idleMs;
    this.#onClosing = () => options.closing?.();
    this.#settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** The secrets that must not be recorded; undefined if there are none. */
  get secrets(): Secrets | undefined {
    return this.resources.secrets;
  }

  /** The definition as it may be recorded, which is how runs see it. It is made when it is first asked for. */
  get recordable(): CadreDefinition {
    this.#recordable ??= this.secrets === undefined ? this.definition : redactedCadre(this.definition, this.secrets);
    return this.#recordable;
  }

  get isRetired(): boolean {
    return this.#isRetired;
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /** Its texts as the store has them. They are put again now and then: a prune removes what no run has named for long. */
  async pinnedTexts(): Promise<Readonly<Record<string, Digest>>> {
    if (this.#pinned === undefined || Date.now() - this.#pinned.at >= PINNED_MS)
      this.#pinned = { at: Date.now(), digests: await pinTexts(this.recordable, this.#store) };
    return this.#pinned.digests;
  }

  /** Keeps it open until the returned function is called. */
  use(): () => void {
    this.#users++;
    clearTimeout(this.#idle);
    return () => {
      this.#users--;
      this.#closeUnused(); // HOST-1
    };
  }

  /** It starts nothing any more. Settles when its last user has left and what it had opened is closed. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    this.#closeUnused();
    await this.#settled;
  }

  /** Closes it now. */
  close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#closing ??= this.#closeAll().finally(this.#settle);
    this.#onClosing();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    await this.resources.close();
    await this.telemetry?.close();
  }

  #closeUnused(): void {
    if (!this.#isRetired || this.#users > 0 || this.#closing !== undefined) return;
    const end = (): void => void this.close().catch(() => {}); // whoever closes the engine gets the failure
    if (this.#idleMs === 0) end();
    else this.#idle = setTimeout(end, this.#idleMs).unref();
  }
}
