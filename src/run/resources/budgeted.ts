// A model under a budget: each attempt reserves the most that it can cost, is held to that, and settles.
// TERMS-1. What is reserved is what is sent: the largest reply that the request allows, reasoning included.
// TERMS-2. Input is reserved by its upper bound, not by an estimate.
// TERMS-3. A budget counts at least half of the estimate for the text that went out and came in, whatever the provider
//          reports, unless that provider's reports are trusted.

import { type Fault, type FaultCode, faultOf } from '../../kernel/fault.ts';
import { writtenIn } from '../../kernel/outcome.ts';
import type { Count } from '../../kernel/usage.ts';
import type { AttemptResult } from '../../models/attempt.ts';
import type { Gate } from '../../models/gate.ts';
import type { ProviderRequest, ResolvedModel } from '../../models/provider.ts';
import { mostOutput, settingsWithin } from '../../models/reasoning.ts';
import { tokensOfFiles } from '../../models/shown-files.ts';
import type { Quote, RunBudget } from '../../world/run-budget.ts';
import { reserveInTurn, type Wish } from '../../world/state/reserve-in-turn.ts';
import { estimatedInput, estimatedText, mostInput, noteInput } from './input-size.ts';

/** Less than this is not worth asking for. */
const LEAST_OUTPUT = 16;

export const budgetGate = (resolved: ResolvedModel, runBudget: RunBudget): Gate => ({
  async enter(request, signal) {
    try {
      const terms = termsFor(request, resolved);
      const held = await reserveInTurn(runBudget, terms, signal);
      if ('code' in held) return held;
      const settings = settingsWithin(request.settings, held.quote.tokens - terms.input, resolved.kind); // TERMS-1
      return {
        request: { ...request, settings },
        async leave(result) {
          let count: Count = held.quote;
          try {
            count = countedFor(result, request, resolved, held.quote);
          } finally {
            held.settle(count);
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

function termsFor(request: ProviderRequest, resolved: ResolvedModel): Wish & { readonly input: number } {
  const input = mostInput(resolved.name, request, (messages) => tokensOfFiles(messages, resolved)); // TERMS-2
  const most = mostOutput(request.settings, resolved.kind, resolved.maxOutputTokens);
  const plain = resolved.cost?.({ input, output: 0 });
  // Writing input to a provider's cache may cost more than plain input.
  const cached = resolved.cost?.({ input, output: 0, cacheWrite: input });
  const full = resolved.cost?.({ input, output: most });
  const fixed = plain === undefined ? undefined : Math.max(plain, cached ?? 0);
  const perToken = plain === undefined || full === undefined ? undefined : (full - plain) / most;
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

const NOTHING: Count = { tokens: 0, usd: 0 };

function countedFor(result: AttemptResult, request: ProviderRequest, resolved: ResolvedModel, quote: Quote): Count {
  const { usage } = result;
  if (usage === undefined) return isFree(result) ? NOTHING : quote;
  const usd = result.usd ?? resolved.cost?.(usage);
  const reported = { tokens: usage.input + usage.output, ...(usd !== undefined && { usd }) };
  const least = resolved.trustUsage === true ? { input: 0, output: 0 } : leastFor(result, request);
  noteInput(resolved.name, request, Math.max(usage.input, least.input));
  const cached = { cacheRead: usage.cacheRead ?? 0, cacheWrite: usage.cacheWrite ?? 0 };
  const leastUsd = resolved.trustUsage === true ? undefined : resolved.cost?.({ ...least, ...cached });
  return atLeast(reported, {
    tokens: Math.max(least.input, usage.input) + Math.max(least.output, usage.output),
    ...(leastUsd !== undefined && { usd: leastUsd }),
  });
}

/** Half of the estimate for what went out and came in (TERMS-3). */
function leastFor(
  result: AttemptResult,
  request: ProviderRequest,
): { readonly input: number; readonly output: number } {
  const received = result.ok
    ? estimatedText(result.message)
    : estimatedText({ role: 'user', text: writtenIn(result.fault) ?? '' });
  return { input: Math.floor(estimatedInput(request) / 2), output: Math.floor(received / 2) };
}

const atLeast = (reported: Count, least: Count): Count => ({
  tokens: Math.max(reported.tokens, least.tokens),
  ...((reported.usd ?? least.usd) !== undefined && { usd: Math.max(reported.usd ?? 0, least.usd ?? 0) }),
});

/** Faults which say that the provider did nothing for the call, or was not asked. */
const REFUSALS: ReadonlySet<FaultCode> = new Set([
  'model/rate-limit',
  'model/server',
  'model/refused-key',
  'model/bad-request',
  'model/unscripted',
  'model/recording',
]);

/** A call that was refused or never reached the provider costs nothing. One that broke off may have cost the most. */
function isFree(result: AttemptResult): boolean {
  if (result.ok) return false;
  const { code, details } = result.fault;
  if (writtenIn(result.fault) !== undefined) return false;
  return details?.['unbilled'] === true || details?.['begun'] === false || REFUSALS.has(code);
}
