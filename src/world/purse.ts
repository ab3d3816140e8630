// A budget for everything below one agent. Each attempt at a model reserves the most that it can cost before it
// starts and settles what it did cost after; a purse inside another draws on both.
// P1. Reserving is one synchronous step through the whole chain of purses: no two calls can take the same cent.
// P2. Spent plus reserved never passes the limit, so neither does spent, as long as a call keeps to its quote.

import { type Fault, fault } from '../kernel/fault.ts';

export interface Allowance {
  readonly usd?: number;
  readonly tokens?: number;
  readonly sessions?: number;
  readonly depth?: number;
}

/** What a model call can cost at most. */
export interface Quote {
  readonly tokens: number;
  /** Absent where the model has no price. */
  readonly usd?: number;
}

export interface Reservation {
  settle(spent: Quote): void;
}

export interface Purse {
  readonly agent: string;
  readonly allowance: Allowance;
  readonly depth: number;
  readonly parent: Purse | undefined;
  /** A fault that says which budget is reached, whose, and how much of it is left. */
  reserve(quote: Quote): Reservation | Fault;
  /** Counts one more session; a fault where there may be no more. */
  admit(depth: number): Fault | undefined;
  /** What may still be reserved, by the tightest purse of the chain. */
  left(): { readonly usd?: number; readonly tokens?: number };
  /** The share of the limit that is spent, once when it passes `share`. */
  nearEnd(share: number): string | undefined;
}

export interface PurseOptions {
  readonly agent: string;
  readonly allowance: Allowance;
  readonly depth: number;
  readonly parent?: Purse;
  /** What the record says was spent below this agent already. */
  readonly spent: Quote;
  readonly allowUnpriced: boolean;
}

const SLACK = 1e-9; // what adding up fractions of a cent may be off by

export function openPurse(options: PurseOptions): Purse {
  const { agent, allowance, depth, parent, allowUnpriced } = options;
  let usd = options.spent.usd ?? 0;
  let tokens = options.spent.tokens;
  let held: { usd: number; tokens: number } = { usd: 0, tokens: 0 };
  let sessions = 0;
  let told = false;
  let latest: Quote = { tokens: 0 };

  const shortOf = (quote: Quote): Fault | undefined => {
    if (allowance.usd !== undefined) {
      if (quote.usd === undefined && !allowUnpriced) return unpriced(agent);
      const needed = usd + held.usd + (quote.usd ?? 0);
      if (needed > allowance.usd + SLACK) return reached(agent, 'usd', allowance.usd, usd, quote.usd ?? 0);
    }
    if (allowance.tokens !== undefined && tokens + held.tokens + quote.tokens > allowance.tokens) {
      return reached(agent, 'tokens', allowance.tokens, tokens, quote.tokens);
    }
    return undefined;
  };
  const purse: Purse = {
    agent,
    allowance,
    depth,
    parent,
    reserve(quote) {
      const short = shortOf(quote);
      if (short !== undefined) return short;
      const above = parent?.reserve(quote); // P1
      if (above !== undefined && 'code' in above) return above;
      held = { usd: held.usd + (quote.usd ?? 0), tokens: held.tokens + quote.tokens };
      latest = quote;
      return {
        settle(spent) {
          held = { usd: held.usd - (quote.usd ?? 0), tokens: held.tokens - quote.tokens };
          usd += spent.usd ?? 0;
          tokens += spent.tokens;
          above?.settle(spent);
        },
      };
    },
    admit(at) {
      if (allowance.depth !== undefined && at - depth > allowance.depth) {
        return reached(agent, 'depth', allowance.depth, at - depth - 1, 1);
      }
      if (allowance.sessions !== undefined && sessions + 1 > allowance.sessions) {
        return reached(agent, 'sessions', allowance.sessions, sessions, 1);
      }
      const above = parent?.admit(at);
      if (above !== undefined) return above;
      sessions += 1;
      return undefined;
    },
    left() {
      const above = parent?.left() ?? {};
      return {
        ...least('usd', above.usd, allowance.usd === undefined ? undefined : allowance.usd - usd - held.usd),
        ...least(
          'tokens',
          above.tokens,
          allowance.tokens === undefined ? undefined : allowance.tokens - tokens - held.tokens,
        ),
      };
    },
    nearEnd(share) {
      const above = parent?.nearEnd(share);
      if (told) return above;
      // What a further call like the last one would reserve counts as gone: that is what it would be refused for.
      const money = allowance.usd === undefined ? 0 : (usd + (latest.usd ?? 0)) / allowance.usd;
      const words = allowance.tokens === undefined ? 0 : (tokens + latest.tokens) / allowance.tokens;
      if (Math.max(money, words) < share) return above;
      told = true;
      return money >= words
        ? `The budget of ${agent} is nearly spent: $${usd.toFixed(4)} of $${allowance.usd}. Finish soon.`
        : `The budget of ${agent} is nearly spent: ${tokens} of ${allowance.tokens} tokens. Finish soon.`;
    },
  };
  return purse;
}

function least<Key extends 'usd' | 'tokens'>(
  key: Key,
  one: number | undefined,
  other: number | undefined,
): { [key in Key]?: number } {
  const smaller = one === undefined ? other : other === undefined ? one : Math.min(one, other);
  return smaller === undefined ? {} : ({ [key]: Math.max(0, smaller) } as { [key in Key]?: number });
}

const reached = (agent: string, unit: string, limit: number, spent: number, needed: number): Fault =>
  fault(
    'budget/exceeded',
    `The budget of ${agent} is reached: ${limit} ${unit}, of which ${round(spent)} are spent; this would need up to ${round(needed)} more.`,
    { agent, unit, limit, spent, needed, begun: false },
  );

const unpriced = (agent: string): Fault =>
  fault(
    'budget/exceeded',
    `The budget of ${agent} is in usd, and this model has no known price. Give it one under \`models:\` in cadre.yaml, or say \`allowUnpriced: true\` in the budget.`,
    { agent, unit: 'usd', begun: false },
  );

const round = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(6));
