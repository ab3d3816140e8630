// Leads from the name of a model to the provider that answers for it. Nothing is loaded, read or opened before a name
// is resolved.

import { didYouMean } from '../../base/text/nearest.ts';
import type { SettledResult } from '../../kernel/effect.ts';
import { type Fault, FaultError, fault, faultOf } from '../../kernel/fault.ts';
import { type ModelSight, sightOf } from '../../kernel/model-sight.ts';
import type { ModelAlias, Price, ProviderKind } from '../../kernel/provider-settings.ts';
import { costAt, type ListedModel, listedModel, listedPrice } from '../pricing.ts';
import type { ModelProvider, ResolvedModel } from '../provider.ts';
import type { ScriptStep } from '../scripted/script.ts';
import { isRemote, type ModelEnvironment, type ModelSources, protocolOf } from '../settings.ts';
import { ConfiguredProviders } from './configured-providers.ts';
import { MadeProviders } from './made-providers.ts';

/** A name that is known, before its provider is made. */
interface ModelEntry {
  /** `provider/model`. */
  readonly name: string;
  readonly providerId: string;
  readonly kind: ProviderKind;
  readonly model: string;
}

export interface ModelRegistry {
  readonly providers: readonly string[];
  readonly aliases: readonly string[];
  /** The model that a name stands for. Makes nothing and needs no key; the fault is `model/unknown`. */
  find(name: string): SettledResult<ModelEntry>;
  /** Ready to be called: key found, script read. Never throws. A success is kept, a failure is tried again. */
  resolve(name: string): SettledResult<ResolvedModel> | Promise<SettledResult<ResolvedModel>>;
  /** The price of a million tokens of it. Makes nothing and needs no key. Undefined if no price is known. */
  price(name: string): Promise<Price | undefined>;
  /** The files that it sees. Makes nothing and needs no key. Undefined if it sees none. */
  sight(name: string): ModelSight | undefined;
  /** Steps of the scripts in use that answered nothing in this process. */
  unusedSteps(): readonly ScriptStep[];
  close(): Promise<void>;
}

export const openModelRegistry = <Value>(
  sources: ModelSources<Value>,
  environment: ModelEnvironment<Value>,
): ModelRegistry => new OpenModelRegistry(sources, environment);

class OpenModelRegistry<Value> implements ModelRegistry {
  readonly providers: readonly string[];
  readonly aliases: readonly string[];
  readonly #models: ModelSources<Value>['models'];
  readonly #configured: ConfiguredProviders<Value>;
  readonly #made: MadeProviders<Value>;
  readonly #resolved = new Map<string, SettledResult<ResolvedModel> | Promise<SettledResult<ResolvedModel>>>();

  constructor({ providers, models }: ModelSources<Value>, environment: ModelEnvironment<Value>) {
    this.#models = models;
    this.#configured = new ConfiguredProviders(providers, environment);
    this.#made = new MadeProviders(this.#configured, environment);
    this.providers = this.#configured.ids;
    this.aliases = Object.keys(models);
  }

  find(name: string): SettledResult<ModelEntry> {
    const use = this.#aliasOf(name)?.use ?? name;
    const slash = use.indexOf('/');
    const providerId = use.slice(0, Math.max(0, slash));
    const model = use.slice(slash + 1);
    const settings = model === '' ? undefined : this.#configured.settingsOf(providerId);
    if (settings === undefined) return { ok: false, fault: this.#unknown(name, use) };
    return { ok: true, value: { name: use, providerId, kind: settings.kind, model } };
  }

  resolve(name: string): SettledResult<ResolvedModel> | Promise<SettledResult<ResolvedModel>> {
    const known = this.#resolved.get(name);
    if (known !== undefined) return known;
    const looking = this.#lookUp(name).then((settled) => {
      if (this.#resolved.get(name) !== looking) return settled; // it was closed meanwhile
      if (settled.ok) this.#resolved.set(name, settled);
      else this.#resolved.delete(name);
      return settled;
    });
    this.#resolved.set(name, looking);
    return looking;
  }

  async price(name: string): Promise<Price | undefined> {
    const own = this.#described(name)?.price;
    const found = this.find(name);
    if (own !== undefined || !found.ok) return own;
    try {
      const listing = this.#configured.listingOf(found.value.providerId, found.value.model);
      return listing && (await listedPrice(listing));
    } catch (thrown) {
      if (thrown instanceof FaultError) return undefined; // a variable of its address is not set
      throw thrown;
    }
  }

  sight(name: string): ModelSight | undefined {
    const found = this.find(name);
    if (!found.ok) return undefined;
    const { providerId, model } = found.value;
    return sightOf(this.#configured.calledKind(providerId), model, this.#described(name)?.sees);
  }

  unusedSteps(): readonly ScriptStep[] {
    return this.#made.unusedSteps();
  }

  async close(): Promise<void> {
    const made = await this.#made.takeAll();
    this.#resolved.clear();
    for (const provider of made) await provider.close?.();
  }

  async #lookUp(name: string): Promise<SettledResult<ResolvedModel>> {
    const found = this.find(name);
    if (!found.ok) return found;
    try {
      const provider = await this.#made.get(found.value.providerId);
      return { ok: true, value: await this.#describe(name, found.value, provider) };
    } catch (error) {
      return { ok: false, fault: faultOf(error) };
    }
  }

  async #describe(asked: string, { name, providerId, model }: ModelEntry, provider: ModelProvider) {
    const configured = this.#configured;
    const listing = configured.listingOf(providerId, model);
    const alias = this.#described(asked);
    const isKnown = listing === undefined || (alias?.contextWindow !== undefined && alias.price !== undefined);
    const listed = isKnown ? undefined : await listedModel(listing);
    const contextWindow = alias?.contextWindow ?? listed?.window;
    const limits = configured.limitsOf(providerId);
    const called = configured.calledSettings(providerId);
    const sight = this.sight(asked);
    const trustUsage = configured.settingsOf(providerId)?.trustUsage ?? called?.trustUsage;
    const described: ResolvedModel = {
      name,
      provider,
      model,
      ...(contextWindow !== undefined && { contextWindow }),
      ...(alias?.maxOutputTokens !== undefined && { maxOutputTokens: alias.maxOutputTokens }),
      ...(called !== undefined && isRemote(called.kind) && { kind: protocolOf(called.kind) }),
      ...(limits.length > 0 && { limits }),
      ...(trustUsage === true && { trustUsage }),
      ...(sight && { sight }),
      ...costOf(alias, listed),
    };
    return described;
  }

  /** The alias of that name, or one that stands for the model of that name. */
  #described(name: string): ModelAlias | undefined {
    return this.#aliasOf(name) ?? Object.values(this.#models).find(({ use }) => use === name);
  }

  #aliasOf(name: string): ModelAlias | undefined {
    return Object.hasOwn(this.#models, name) ? this.#models[name] : undefined;
  }

  #unknown(name: string, use: string): Fault {
    const { aliases } = this;
    const via = use === name ? '' : `, which stands for "${use}",`;
    const slash = use.indexOf('/');
    if (slash > 0 && slash < use.length - 1) {
      const { message } = this.#configured.unknown(use.slice(0, slash));
      return fault('model/unknown', `model "${name}"${via} is not available: ${message}`);
    }
    const known = aliases.length > 0 ? ` Aliases in cadre.yaml: ${aliases.join(', ')}.` : '';
    const missing = `model "${name}"${via} is neither an alias nor "provider/model".`;
    return fault('model/unknown', `${missing}${didYouMean(use, aliases)}${known}`);
  }
}

/** The price that cadre.yaml gives to an alias wins over the price table. */
function costOf(alias: ModelAlias | undefined, listed: ListedModel | undefined): Pick<ResolvedModel, 'cost'> {
  const price = alias?.price;
  if (price !== undefined) return { cost: (usage) => costAt(price, usage) };
  return listed === undefined ? {} : { cost: listed.costOf };
}
