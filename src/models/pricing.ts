// What a usage costs. A price of cadre.yaml wins over the table of the price package, which is loaded on first use
// and never updated over the network. An unknown price is undefined, never 0.

import type { Usage } from '../kernel/usage.ts';

/** USD per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** If absent, cached tokens cost what others cost. */
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** Where to look in the table. */
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

/** Models that the table does not have: it is searched to its end to find that out, so once is enough. */
const unlisted = new WeakSet<PriceListing>();

export async function listedCost(listing: PriceListing, usage: Usage): Promise<number | undefined> {
  if (unlisted.has(listing)) return undefined;
  const { calcPrice } = await import('@pydantic/genai-prices');
  const { read, write } = partsOf(usage);
  const counted = {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: read,
    cache_write_tokens: write,
    output_reasoning_tokens: Math.min(usage.reasoning ?? 0, usage.output),
  };
  const found = calcPrice(counted, listing.model, optionsOf(listing));
  if (found === null) unlisted.add(listing);
  return found?.total_price;
}

/** Of a call of ordinary size: some models cost more per token in a very long one. */
const SAMPLE = 1000;

/** What a million tokens of a listed model cost. */
export async function listedPrice(listing: PriceListing): Promise<Price | undefined> {
  const call = await listedCost(listing, { input: 0, output: 0 }); // some models cost something for each request
  if (call === undefined) return undefined;
  const perMillion = async (usage: Usage): Promise<number> => {
    const usd = ((await listedCost(listing, usage)) ?? call) - call;
    return Number((usd * (MILLION / SAMPLE)).toPrecision(6)); // without the noise of the division
  };
  const input = await perMillion({ input: SAMPLE, output: 0 });
  const output = await perMillion({ input: 0, output: SAMPLE });
  const cacheRead = await perMillion({ input: SAMPLE, output: 0, cacheRead: SAMPLE });
  return { input, output, ...(cacheRead !== input && { cacheRead }) };
}

/** The context window of a listed model, in tokens. */
export async function listedWindow(listing: PriceListing): Promise<number | undefined> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  return calcPrice({ input_tokens: 0, output_tokens: 0 }, listing.model, optionsOf(listing))?.model.context_window;
}

const optionsOf = ({ at }: PriceListing) => ('url' in at ? { providerApiUrl: at.url } : { providerId: at.provider });

/** Cached tokens are part of the input; a provider that counts them separately cannot make the rest negative. */
function partsOf(usage: Usage): { readonly read: number; readonly write: number; readonly plain: number } {
  const read = Math.min(usage.cacheRead ?? 0, usage.input);
  const write = Math.min(usage.cacheWrite ?? 0, usage.input - read);
  return { read, write, plain: usage.input - read - write };
}
