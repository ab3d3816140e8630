// A model under a budget: each attempt reserves the most that it can cost, is held to that, and settles.
// U1. What is reserved is what is sent: the largest reply that the request allows, reasoning included.
// U2. A token is at least a byte of what is sent, so a request has no more tokens than bytes.
// U3. A budget counts at least half of what the text that went out and came in is estimated at, whatever the provider
//     reports, unless that provider's reports are trusted.

import { estimateTokenCount } from 'tokenx';
import { type Fault, type FaultCode, faultOf } from '../kernel/fault.ts';
import type { Message } from '../kernel/message.ts';
import { writtenIn } from '../kernel/outcome.ts';
import type { Count, Usage } from '../kernel/usage.ts';
import type { AttemptResult } from '../models/attempt.ts';
import type { Gate } from '../models/gate.ts';
import type { ProviderRequest, ResolvedModel } from '../models/provider.ts';
import { mostOutput, settingsWithin } from '../models/reasoning.ts';
import type { Purse, Quote } from '../world/purse.ts';
import { reserveInTurn, type Wish } from '../world/reserve-in-turn.ts';

/** Less than this is not worth asking for. */
const LEAST_OUTPUT = 16;

export const budgetGate = (resolved: ResolvedModel, purse: Purse, onSettled: () => void): Gate => ({
  async enter(request, signal) {
    try {
      const terms = await termsFor(request, resolved);
      const held = await reserveInTurn(purse, terms, signal);
      if ('code' in held) return held;
      const settings = settingsWithin(request.settings, held.quote.tokens - terms.input, resolved.kind); // U1
      return {
        request: { ...request, settings },
        async leave(result) {
          let count: Count = held.quote;
          try {
            count = await countedFor(result, request, resolved, held.quote);
          } finally {
            held.settle(count);
            onSettled();
          }
          return count;
        },
      };
    } catch (thrown) {
      return unsent(faultOf(thrown));
    }
  },
});

const unsent = (why: Fault): Fault => ({ ...why, details: { ...why.details, begun: false } });

interface Terms extends Wish {
  readonly input: number;
}

async function termsFor(request: ProviderRequest, resolved: ResolvedModel): Promise<Terms> {
  const input = mostInput(request);
  const most = mostOutput(request.settings, resolved.kind, resolved.maxOutputTokens);
  const fixed = await resolved.cost?.({ input, output: 0 });
  const full = await resolved.cost?.({ input, output: most });
  const perToken = fixed === undefined || full === undefined ? undefined : (full - fixed) / most;
  const quote = (output: number): Quote => ({
    tokens: input + output,
    ...(fixed !== undefined && perToken !== undefined && { usd: fixed + output * perToken }),
  });
  return {
    input,
    least: quote(Math.min(most, LEAST_OUTPUT)),
    enough: quote(Math.ceil(most / 2)),
    within(left) {
      const byMoney =
        left.usd === undefined || fixed === undefined || !perToken ? most : Math.floor((left.usd - fixed) / perToken);
      const byTokens = left.tokens === undefined ? most : left.tokens - input;
      return quote(Math.max(Math.min(most, LEAST_OUTPUT), Math.min(most, byMoney, byTokens)));
    },
  };
}

/** U2. What stands around a message on the wire is less than its JSON has. */
function mostInput(request: ProviderRequest): number {
  const fixed = Buffer.byteLength(request.system) + Buffer.byteLength(JSON.stringify(request.tools));
  return request.messages.reduce((sum, message) => sum + measured(message).bytes, fixed);
}

/** What a usage must come to at least. U3. */
function estimated(request: ProviderRequest): number {
  const fixed = estimateTokenCount(request.system) + estimateTokenCount(JSON.stringify(request.tools));
  return request.messages.reduce((sum, message) => sum + measured(message).tokens, fixed);
}

interface Size {
  /** Of all that may be sent of it. */
  readonly bytes: number;
  /** Estimated, of its text. */
  readonly tokens: number;
}

/** A message stays what it is, and is sent again with every turn: it is measured once. */
const sizes = new WeakMap<Message, Size>();

function measured(message: Message): Size {
  const known = sizes.get(message);
  if (known !== undefined) return known;
  const size = { bytes: Buffer.byteLength(JSON.stringify(message)), tokens: estimateTokenCount(textOf(message)) };
  sizes.set(message, size);
  return size;
}

function textOf(message: Message): string {
  if (message.role === 'user') return message.text;
  if (message.role === 'tool') return message.result.text;
  const calls = message.calls.map(({ name, arguments: given }) => `${name} ${JSON.stringify(given ?? {})}`);
  return [message.text, ...calls].join('\n');
}

const NOTHING: Count = { tokens: 0, usd: 0 };

async function countedFor(
  result: AttemptResult,
  request: ProviderRequest,
  resolved: ResolvedModel,
  quote: Quote,
): Promise<Count> {
  const { usage } = result;
  if (usage === undefined) return isFree(result) ? NOTHING : quote;
  const usd = result.usd ?? (await resolved.cost?.(usage));
  const reported = { tokens: usage.input + usage.output, ...(usd !== undefined && { usd }) };
  if (resolved.trustUsage === true) return reported;
  return atLeast(reported, await leastFor(usage, result, request, resolved));
}

/** What must have been used at the very least, at the rates of what was reported. U3. */
async function leastFor(
  usage: Usage,
  result: AttemptResult,
  request: ProviderRequest,
  { cost }: ResolvedModel,
): Promise<Count> {
  const received = result.ok ? textOf(result.message) : (writtenIn(result.fault) ?? '');
  const input = Math.floor(estimated(request) / 2);
  const output = Math.floor(estimateTokenCount(received) / 2);
  const cached = { cacheRead: usage.cacheRead ?? 0, cacheWrite: usage.cacheWrite ?? 0 };
  const tokens = Math.max(input, usage.input) + Math.max(output, usage.output);
  const usd = await cost?.({ ...cached, input, output });
  return { tokens, ...(usd !== undefined && { usd }) };
}

const atLeast = (reported: Count, least: Count): Count => ({
  tokens: Math.max(reported.tokens, least.tokens),
  ...((reported.usd ?? least.usd) !== undefined && { usd: Math.max(reported.usd ?? 0, least.usd ?? 0) }),
});

/** Faults by which a provider says that it did nothing for the call, or that nobody was asked. */
const REFUSALS: ReadonlySet<FaultCode> = new Set([
  'model/rate-limit',
  'model/server',
  'model/refused-key',
  'model/bad-request',
  'model/unscripted',
  'model/recording',
]);

/** What was refused, or never got there, costs nothing. What broke off may have cost all it could. */
function isFree(result: AttemptResult): boolean {
  if (result.ok) return false;
  const { code, details } = result.fault;
  if (writtenIn(result.fault) !== undefined) return false;
  return details?.['unbilled'] === true || details?.['begun'] === false || REFUSALS.has(code);
}
