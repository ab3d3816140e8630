// Providers that are ready to be called. Each is made on first use and kept until `takeAll`.

import { FaultError } from '../../kernel/fault.ts';
import type { ModelProvider } from '../provider.ts';
import type { ScriptStep } from '../scripted/script.ts';
import type { ScriptedProvider } from '../scripted/scripted.ts';
import { isRemote, type ModelEnvironment } from '../settings.ts';
import type { ConfiguredProviders } from './configured-providers.ts';
import { makeBedrock, makeGiven, makePackaged, makeRecorded, makeRemote, makeScripted } from './make-provider.ts';

export class MadeProviders<Value> {
  readonly #configured: ConfiguredProviders<Value>;
  readonly #environment: ModelEnvironment<Value>;
  readonly #made = new Map<string, Promise<ModelProvider>>();
  readonly #scripts: ScriptedProvider[] = [];

  constructor(configured: ConfiguredProviders<Value>, environment: ModelEnvironment<Value>) {
    this.#configured = configured;
    this.#environment = environment;
  }

  get(id: string): Promise<ModelProvider> {
    const known = this.#made.get(id);
    if (known !== undefined) return known;
    const made = this.#make(id);
    this.#made.set(id, made);
    made.catch(() => this.#made.delete(id)); // the caller sees the fault, and the next one tries again
    return made;
  }

  /** Steps of the scripts in use that answered nothing in this process. */
  unusedSteps(): readonly ScriptStep[] {
    return this.#scripts.flatMap((script) => script.unused());
  }

  /** Hands over the providers that were made, for the caller to close. One that is asked for later is made again. */
  async takeAll(): Promise<readonly ModelProvider[]> {
    const made = await Promise.allSettled(this.#made.values());
    this.#made.clear();
    return made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  }

  async #make(id: string): Promise<ModelProvider> {
    const configured = this.#configured;
    const settings = configured.settingsOf(id);
    if (settings === undefined) throw new FaultError(configured.unknown(id));
    const given = configured.givenAs(id);
    if (given !== undefined) return makeGiven(id, given);
    if (settings.kind === 'ai-sdk') return makePackaged(id, settings, this.#environment);
    if (settings.kind === 'bedrock') return makeBedrock(id, settings, this.#environment);
    if (isRemote(settings.kind)) return makeRemote(id, settings.kind, settings, this.#environment);
    if (settings.kind === 'recorded')
      return makeRecorded(id, settings, () => this.get(configured.recordedBy(id, settings)));
    const scripted = await makeScripted(id, settings, this.#environment);
    this.#scripts.push(scripted);
    return scripted;
  }
}
