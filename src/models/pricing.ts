// The cost of a usage. A price of cadre.yaml wins over the table of the price package, which is loaded on first use and
// never updated over the network. An unknown price is undefined, never 0.

import type { Price } from '../kernel/provider-settings.ts';
import type { Usage } from '../kernel/usage.ts';

/** The place of a model in the table. */
export interface PriceListing {
  readonly model: string;
  /** The provider's name in the table, or the address of its server. */
  readonly at: { readonly provider: string } | { readonly url: string };
}

const MILLION = 1_000_000;

export function costAt(price: Price, usage: Usage): number {
  const { read, write, plain } = partsOf(usage);
  const input =
    plain * price.input + read * (price.cacheRead ?? price.input) + write * (price.cacheWrite ?? price.input);
  return (input + usage.output * price.output) / MILLION;
}

/** The entry of one model in the table. */
export interface ListedModel {
  /** Its context window, in tokens. */
  readonly window?: number;
  costOf(usage: Usage): number | undefined;
}

/**
 * Looks a model up. This loads the table and searches it, so it is done before a call: what is done once the reply is
 * there keeps it from its record. Undefined if the table does not have the model.
 */
export async function listedModel(listing: PriceListing): Promise<ListedModel | undefined> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  const found = calcPrice({ input_tokens: 0, output_tokens: 0 }, listing.model, optionsOf(listing));
  if (found === null) return undefined;
  const window = found.model.context_window;
  return {
    ...(window !== undefined && { window }),
    costOf: (usage) => calcPrice(countedOf(usage), listing.model, optionsOf(listing))?.total_price,
  };
}

function countedOf(usage: Usage) {
  const { read, write } = partsOf(usage);
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: read,
    cache_write_tokens: write,
    output_reasoning_tokens: Math.min(usage.reasoning ?? 0, usage.output),
  };
}

/** A call of ordinary size: some models cost more per token in a very long one. */
const SAMPLE = 1000;

/** The price of a million tokens of a listed model. */
export async function listedPrice(listing: PriceListing): Promise<Price | undefined> {
  const { costOf } = (await listedModel(listing)) ?? {};
  const call = costOf?.({ input: 0, output: 0 }); // some models cost something for each request
  if (call === undefined) return undefined;
  const perMillion = (usage: Usage): number => {
    const usd = (costOf?.(usage) ?? call) - call;
    return Number((usd * (MILLION / SAMPLE)).toPrecision(6)); // without the noise of the division
  };
  const input = perMillion({ input: SAMPLE, output: 0 });
  const output = perMillion({ input: 0, output: SAMPLE });
  const cacheRead = perMillion({ input: SAMPLE, output: 0, cacheRead: SAMPLE });
  return { input, output, ...(cacheRead !== input && { cacheRead }) };
}

const optionsOf = ({ at }: PriceListing) => ('url' in at ? { providerApiUrl: at.url } : { providerId: at.provider });

/** Cached tokens are part of the input; a provider that counts them separately cannot make the rest negative. */
function partsOf(usage: Usage): { readonly read: number; readonly write: number; readonly plain: number } {
  const read = Math.min(usage.cacheRead ?? 0, usage.input);
  const write = Math.min(usage.cacheWrite ?? 0, usage.input - read);
  return { read, write, plain: usage.input - read - write };
}
