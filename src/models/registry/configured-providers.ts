// The facts of each provider before it is made: from cadre.yaml, from the program that hands some in, and built in. It
// makes no provider and needs no key.

import { didYouMean } from '../../base/text/nearest.ts';
import { type Fault, fail, fault } from '../../kernel/fault.ts';
import { BUILT_IN_KINDS, type ProviderSettings } from '../../kernel/provider-settings.ts';
import { vendorOf } from '../ai-sdk/any-provider.ts';
import { presetOf } from '../presets.ts';
import type { PriceListing } from '../pricing.ts';
import type { ProviderLimit } from '../provider.ts';
import type { AiSdkProvider } from '../provider-instance.ts';
import type { ModelEnvironment, ModelSources } from '../settings.ts';

export class ConfiguredProviders<Value> {
  readonly ids: readonly string[];
  readonly #written: ModelSources<Value>['providers'];
  readonly #given: ReadonlyMap<string, AiSdkProvider>;
  readonly #environment: ModelEnvironment<Value>;

  constructor(written: ModelSources<Value>['providers'], environment: ModelEnvironment<Value>) {
    this.#written = written;
    this.#given = new Map(Object.entries(environment.given ?? {}));
    this.#environment = environment;
    this.ids = [...new Set([...this.#given.keys(), ...Object.keys(written), ...BUILT_IN_KINDS])];
  }

  settingsOf(id: string): ProviderSettings<Value> | undefined {
    const written = Object.hasOwn(this.#written, id) ? this.#written[id] : undefined;
    if (this.#given.has(id)) return { kind: 'ai-sdk', headers: {}, ...sharedSettings(written) };
    if (written !== undefined) return written;
    const kind = BUILT_IN_KINDS.find((name) => name === id);
    return kind && { kind, headers: {} };
  }

  /** The instance that the program hands in. */
  givenAs(id: string): AiSdkProvider | undefined {
    return this.#given.get(id);
  }

  unknown(id: string): Fault {
    const known = `Known: ${this.ids.join(', ')}.`;
    return fault('model/unknown', `there is no provider "${id}".${didYouMean(id, this.ids)} ${known}`);
  }

  /** The provider that a recording records. */
  recordedBy(id: string, { wraps = '' }: ProviderSettings<Value>): string {
    if (this.settingsOf(wraps)?.kind !== 'recorded') return wraps;
    return fail('config/invalid', `provider "${id}" wraps "${wraps}", which is a recording itself.`);
  }

  /** The settings of the provider that is called: of the provider itself, or of the one that it records. */
  calledSettings(id: string): ProviderSettings<Value> | undefined {
    const settings = this.settingsOf(id);
    return settings?.kind === 'recorded' ? this.calledSettings(this.recordedBy(id, settings)) : settings;
  }

  /** The kind of the provider that is called. Undefined where that is not known. */
  calledKind(id: string): ProviderSettings<Value>['kind'] | undefined {
    const settings = this.settingsOf(id);
    return settings?.kind === 'recorded' ? this.settingsOf(settings.wraps ?? '')?.kind : settings?.kind;
  }

  /** The limits on its calls under way. A recording keeps its own limit and that of the provider that it records. */
  limitsOf(id: string): readonly ProviderLimit[] {
    const settings = this.settingsOf(id);
    if (settings === undefined) return [];
    const { kind, concurrency, baseUrl, script, recording, package: name } = settings;
    const address = baseUrl === undefined ? (script ?? recording ?? name ?? '') : this.#environment.fill(baseUrl);
    const own = concurrency === undefined ? [] : [{ key: JSON.stringify([id, kind, address]), count: concurrency }];
    return kind === 'recorded' ? [...own, ...this.limitsOf(this.recordedBy(id, settings))] : own;
  }

  /** The place of a model in the price table: under the provider itself, or under the one that is recorded. */
  listingOf(id: string, model: string): PriceListing | undefined {
    const settings = this.settingsOf(id);
    if (settings === undefined || settings.kind === 'scripted') return undefined;
    if (settings.kind === 'recorded') return this.listingOf(this.recordedBy(id, settings), model);
    const preset = presetOf(settings.kind);
    if (preset !== undefined)
      return preset.prices === undefined ? undefined : { model, at: { provider: preset.prices } };
    if (settings.baseUrl !== undefined) return { model, at: { url: this.#environment.fill(settings.baseUrl) } };
    if (settings.kind === 'ai-sdk') return this.#aiSdkListing(id, model, settings);
    return { model, at: { provider: settings.kind } };
  }

  #aiSdkListing(
    id: string,
    model: string,
    { package: name, options = {} }: ProviderSettings<Value>,
  ): PriceListing | undefined {
    const instance = this.#given.get(id)?.languageModel(model);
    if (instance !== undefined) return { model, at: { provider: vendorOf(instance) } };
    if (name === undefined) return undefined;
    const { baseURL } = (this.#environment.fillOptions?.(options) ?? {}) as { readonly baseURL?: unknown };
    if (typeof baseURL === 'string') return { model, at: { url: baseURL } };
    return { model, at: { provider: name.slice(name.lastIndexOf('/') + 1) } };
  }
}

/** Settings of a provider in cadre.yaml apply to one of the same name that the program hands in. */
const sharedSettings = <Value>(written: ProviderSettings<Value> | undefined): Partial<ProviderSettings<Value>> => ({
  ...(written?.concurrency !== undefined && { concurrency: written.concurrency }),
  ...(written?.trustUsage !== undefined && { trustUsage: written.trustUsage }),
});
