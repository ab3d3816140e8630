// From the name of a model to the provider that answers for it. Providers are made on first use and kept until
// `close`; nothing is loaded, read or opened before a name is resolved.

import type { Settled } from '../kernel/effect.ts';
import { type Fault, FaultError, fail, fault, faultOf } from '../kernel/fault.ts';
import { vendorOf } from './ai-sdk/any-provider.ts';
import type { AiSdkModel } from './ai-sdk/provider-instance.ts';
import { makeGiven, makePackaged, makeRecorded, makeRemote, makeScripted } from './make-provider.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { costAt, type Listing, listedCost, listedWindow } from './pricing.ts';
import type { ModelProvider, ProviderLimit, ResolvedModel } from './provider.ts';
import type { ScriptedProvider } from './scripted/scripted.ts';
import type { ScriptStep } from './scripted/script.ts';
import {
  type AliasSettings,
  BUILT_IN,
  isRemote,
  type ModelSources,
  type ProviderKind,
  type ProviderSettings,
  type Surroundings,
} from './settings.ts';

/** A name that is known, before its provider is made. */
export interface ModelEntry {
  /** `provider/model`. */
  readonly name: string;
  readonly providerId: string;
  readonly kind: ProviderKind;
  readonly model: string;
}

export interface Registry {
  readonly providers: readonly string[];
  readonly aliases: readonly string[];
  /** What a name stands for. Makes nothing and needs no key; the fault is `model/unknown`. */
  find(name: string): Settled<ModelEntry>;
  /** Ready to be called: key found, script read. Never throws. A success is kept, a failure is tried again. */
  resolve(name: string): Settled<ResolvedModel> | Promise<Settled<ResolvedModel>>;
  /** Steps of the scripts in use that answered nothing in this process. */
  unusedSteps(): readonly ScriptStep[];
  close(): Promise<void>;
}

export function openRegistry<Value>(sources: ModelSources<Value>, around: Surroundings<Value>): Registry {
  const resolved = new Map<string, Settled<ResolvedModel> | Promise<Settled<ResolvedModel>>>();
  const made = new Map<string, Promise<ModelProvider>>();
  const scripts: ScriptedProvider[] = [];
  const aliases = Object.keys(sources.models);
  const given = new Map(Object.entries(around.given ?? {}));
  const providers = [...new Set([...given.keys(), ...Object.keys(sources.providers), ...BUILT_IN])];

  function settingsOf(id: string): ProviderSettings<Value> | undefined {
    const written = Object.hasOwn(sources.providers, id) ? sources.providers[id] : undefined;
    if (given.has(id)) return { kind: 'ai-sdk', headers: {}, ...sharedSettings(written) };
    if (written !== undefined) return written;
    const kind = BUILT_IN.find((name) => name === id);
    return kind && { kind, headers: {} };
  }

  function aliasOf(name: string): AliasSettings | undefined {
    return Object.hasOwn(sources.models, name) ? sources.models[name] : undefined;
  }

  function find(name: string): Settled<ModelEntry> {
    const use = aliasOf(name)?.use ?? name;
    const slash = use.indexOf('/');
    const providerId = use.slice(0, Math.max(0, slash));
    const model = use.slice(slash + 1);
    const settings = model === '' ? undefined : settingsOf(providerId);
    if (settings === undefined) return { ok: false, fault: unknownModel(name, use, providers, aliases) };
    return { ok: true, value: { name: use, providerId, kind: settings.kind, model } };
  }

  function provider(id: string): Promise<ModelProvider> {
    let one = made.get(id);
    if (one === undefined) {
      one = make(id);
      made.set(id, one);
      one.catch(() => made.delete(id)); // whoever waits for it sees the fault; the next one tries again
    }
    return one;
  }

  async function make(id: string): Promise<ModelProvider> {
    const settings = settingsOf(id);
    if (settings === undefined) throw new FaultError(unknownProvider(id, providers));
    const own = given.get(id);
    if (own !== undefined) return makeGiven(id, own);
    if (settings.kind === 'ai-sdk') return makePackaged(id, settings, around);
    if (isRemote(settings.kind)) return makeRemote(id, settings.kind, settings, around);
    if (settings.kind === 'recorded') return makeRecorded(id, settings, () => provider(recordable(id, settings)));
    const scripted = await makeScripted(id, settings, around);
    scripts.push(scripted);
    return scripted;
  }

  function recordable(id: string, { wraps = '' }: ProviderSettings<Value>): string {
    if (settingsOf(wraps)?.kind !== 'recorded') return wraps;
    return fail('config/invalid', `provider "${id}" wraps "${wraps}", which is a recording itself.`);
  }

  /** Where the price table is to look: at the provider itself, or at the one that is recorded. */
  function listingOf(providerId: string, model: string): Listing | undefined {
    const settings = settingsOf(providerId);
    if (settings === undefined || settings.kind === 'scripted') return undefined;
    if (settings.kind === 'recorded') return listingOf(recordable(providerId, settings), model);
    if (settings.baseUrl !== undefined) return { model, at: { url: around.fill(settings.baseUrl) } };
    if (settings.kind === 'ai-sdk') return vendorListing(settings, given.get(providerId)?.languageModel(model), model);
    return { model, at: { provider: settings.kind } };
  }

  /** How many calls may be under way to it; a recording asks the provider that it records, and keeps to both limits. */
  function limitsOf(id: string): readonly ProviderLimit[] {
    const settings = settingsOf(id);
    if (settings === undefined) return [];
    const { kind, concurrency, baseUrl, script, recording, package: name } = settings;
    const place = baseUrl === undefined ? (script ?? recording ?? name ?? '') : around.fill(baseUrl);
    const own = concurrency === undefined ? [] : [{ key: JSON.stringify([id, kind, place]), count: concurrency }];
    return kind === 'recorded' ? [...own, ...limitsOf(recordable(id, settings))] : own;
  }

  /** The provider itself, or the one that is recorded. */
  function speakerOf(id: string): ProviderSettings<Value> | undefined {
    const settings = settingsOf(id);
    return settings?.kind === 'recorded' ? speakerOf(recordable(id, settings)) : settings;
  }

  function vendorListing(
    { package: name, options }: ProviderSettings<Value>,
    instance: AiSdkModel | undefined,
    model: string,
  ): Listing | undefined {
    if (instance !== undefined) return { model, at: { provider: vendorOf(instance) } };
    if (name === undefined) return undefined;
    const { baseURL } = (around.fillOptions?.(options ?? {}) ?? {}) as { readonly baseURL?: unknown };
    if (typeof baseURL === 'string') return { model, at: { url: baseURL } };
    return { model, at: { provider: name.slice(name.lastIndexOf('/') + 1) } };
  }

  async function lookUp(name: string): Promise<Settled<ResolvedModel>> {
    const found = find(name);
    if (!found.ok) return found;
    const { providerId, model } = found.value;
    try {
      const ready = await provider(providerId);
      const listing = listingOf(providerId, model);
      const alias = aliasOf(name) ?? Object.values(sources.models).find(({ use }) => use === name);
      const contextWindow = alias?.contextWindow ?? (listing && (await listedWindow(listing)));
      const limits = limitsOf(providerId);
      const speaker = speakerOf(providerId);
      const trusted = settingsOf(providerId)?.trustUsage ?? speaker?.trustUsage;
      const price = alias?.price;
      const value: ResolvedModel = {
        name: found.value.name,
        provider: ready,
        model,
        ...(contextWindow === undefined ? {} : { contextWindow }),
        ...(alias?.maxOutputTokens === undefined ? {} : { maxOutputTokens: alias.maxOutputTokens }),
        ...(speaker !== undefined && isRemote(speaker.kind) ? { kind: speaker.kind } : {}),
        ...(limits.length === 0 ? {} : { limits }),
        ...(trusted === true ? { trustUsage: true } : {}),
        ...(price !== undefined
          ? { cost: (usage) => costAt(price, usage) }
          : listing !== undefined
            ? { cost: (usage) => listedCost(listing, usage) }
            : {}),
      };
      return { ok: true, value };
    } catch (error) {
      return { ok: false, fault: faultOf(error) };
    }
  }

  return {
    providers,
    aliases,
    find,
    resolve(name) {
      const known = resolved.get(name);
      if (known !== undefined) return known;
      const looking = lookUp(name).then((settled) => {
        if (resolved.get(name) !== looking) return settled; // closed meanwhile
        if (settled.ok) resolved.set(name, settled);
        else resolved.delete(name);
        return settled;
      });
      resolved.set(name, looking);
      return looking;
    },
    unusedSteps: () => scripts.flatMap((script) => script.unused()),
    async close() {
      const open = await Promise.allSettled(made.values());
      made.clear();
      resolved.clear();
      for (const one of open) if (one.status === 'fulfilled') await one.value.close?.();
    },
  };
}

/** What cadre.yaml says of a provider holds for one of the same name that the program hands in. */
const sharedSettings = <Value>(written: ProviderSettings<Value> | undefined): Partial<ProviderSettings<Value>> => ({
  ...(written?.concurrency !== undefined && { concurrency: written.concurrency }),
  ...(written?.trustUsage !== undefined && { trustUsage: written.trustUsage }),
});

function unknownModel(name: string, use: string, providers: readonly string[], aliases: readonly string[]): Fault {
  const via = use === name ? '' : `, which stands for "${use}",`;
  const slash = use.indexOf('/');
  if (slash > 0 && slash < use.length - 1) {
    const own = unknownProvider(use.slice(0, slash), providers);
    return fault('model/unknown', `model "${name}"${via} cannot be had: ${own.message}`);
  }
  const known = aliases.length > 0 ? ` Aliases in cadre.yaml: ${aliases.join(', ')}.` : '';
  return fault(
    'model/unknown',
    `model "${name}"${via} is neither an alias nor "provider/model".${didYouMean(use, aliases)}${known}`,
  );
}

const unknownProvider = (id: string, providers: readonly string[]): Fault =>
  fault('model/unknown', `there is no provider "${id}".${didYouMean(id, providers)} Known: ${providers.join(', ')}.`);
