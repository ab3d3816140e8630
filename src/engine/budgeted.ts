// A model under a budget: each attempt reserves the most that it can cost, is held to what is left, and settles.

import type { ProviderRequest, ModelEvent, ModelProvider, ResolvedModel } from '../models/provider.ts';
import type { Purse, Quote } from '../world/purse.ts';
import { type Fault, fault, isRetriable } from '../kernel/fault.ts';
import type { Message } from '../kernel/message.ts';
import type { Usage } from '../kernel/usage.ts';

/** What a reply may have where nobody says. */
const USUAL_OUTPUT = 4096;
/** Less than this is not worth asking for. */
const LEAST_OUTPUT = 16;

export function budgeted(resolved: ResolvedModel, purse: Purse, onSettled: () => void): ResolvedModel {
  const provider: ModelProvider = {
    id: resolved.provider.id,
    async *stream(request, options) {
      const terms = await termsFor(request, resolved, purse);
      if ('code' in terms) return yield { type: 'reply-fault', fault: terms };
      const reservation = purse.reserve(terms.quote);
      if ('code' in reservation) return yield { type: 'reply-fault', fault: reservation };
      let spent: Quote = terms.quote; // until the provider says what it was
      try {
        const settings = { ...request.settings, maxOutputTokens: terms.output };
        for await (const event of resolved.provider.stream({ ...request, settings }, options)) {
          spent = (await costOf(event, resolved, terms.quote)) ?? spent;
          yield event;
        }
      } finally {
        reservation.settle(spent);
        onSettled();
      }
    },
  };
  return { ...resolved, provider };
}

interface Terms {
  readonly quote: Quote;
  readonly output: number;
}

async function termsFor(request: ProviderRequest, resolved: ResolvedModel, purse: Purse): Promise<Terms | Fault> {
  const input = mostInput(request);
  const wanted = request.settings.maxOutputTokens ?? resolved.maxOutputTokens ?? USUAL_OUTPUT;
  const left = purse.left();
  const fixed = await resolved.cost?.({ input, output: 0 });
  const perMillion = await resolved.cost?.({ input: 0, output: 1_000_000 });
  const byMoney =
    left.usd === undefined || fixed === undefined || perMillion === undefined || perMillion === 0
      ? wanted
      : Math.floor(((left.usd - fixed) / perMillion) * 1_000_000);
  const byTokens = left.tokens === undefined ? wanted : left.tokens - input;
  const output = Math.min(wanted, byMoney, byTokens);
  if (output < Math.min(wanted, LEAST_OUTPUT)) return tooLittle(purse, input, left);
  const usd = await resolved.cost?.({ input, output });
  return { output, quote: { tokens: input + output, ...(usd !== undefined && { usd }) } };
}

/** An upper bound on tokens from what is sent: tokenizers take two bytes or more, but for rare text. */
function mostInput(request: ProviderRequest): number {
  const bytes = Buffer.byteLength(request.system) + Buffer.byteLength(JSON.stringify(request.tools));
  return Math.ceil((bytes + request.messages.reduce((sum, message) => sum + sizeOf(message), 0)) / 2);
}

const sizes = new WeakMap<Message, number>();

function sizeOf(message: Message): number {
  const known = sizes.get(message) ?? Buffer.byteLength(JSON.stringify(message));
  sizes.set(message, known);
  return known;
}

/** What the last event of a reply says it cost; a refusal costs nothing, a reply that broke off all it could. */
async function costOf(event: ModelEvent, resolved: ResolvedModel, quote: Quote): Promise<Quote | undefined> {
  if (event.type !== 'reply-end' && event.type !== 'reply-fault') return undefined;
  const { usage } = event;
  if (usage !== undefined) return counted(usage, 'usd' in event ? event.usd : undefined, resolved);
  if (event.type === 'reply-end') return quote;
  const broke =
    isRetriable(event.fault) && event.fault.code !== 'model/rate-limit' && event.fault.code !== 'model/server';
  return broke || event.fault.code === 'cancelled' ? quote : { tokens: 0, usd: 0 };
}

async function counted(usage: Usage, reported: number | undefined, resolved: ResolvedModel): Promise<Quote> {
  const usd = reported ?? (await resolved.cost?.(usage));
  return { tokens: usage.input + usage.output, ...(usd !== undefined && { usd }) };
}

function tooLittle(purse: Purse, input: number, left: { readonly usd?: number; readonly tokens?: number }): Fault {
  const rest = left.usd === undefined ? `${left.tokens ?? 0} tokens` : `$${left.usd.toFixed(6)}`;
  const why = `The budget of ${purse.agent} is reached: ${rest} left, too little for a call of up to ${input} tokens of input.`;
  return fault('budget/exceeded', why, { agent: purse.agent, left, begun: false });
}
