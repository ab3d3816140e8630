// A budget for everything below one agent. Each attempt at a model reserves the most that it can cost before it
// starts, and settles what it did cost afterwards. A budget inside another draws on both.
// BUDGET-1. Reserving is one synchronous step through the whole chain of budgets: no two calls can take the same cent.
// BUDGET-2. Spent plus reserved never passes the limit, so neither does spent, as long as a call keeps to its quote.
// BUDGET-3. A call that holds a reservation waits for no other one, so every reservation is settled in the end.

import { type Fault, fault } from '../../kernel/fault.ts';
import { type OpPath, ROOT } from '../../kernel/path.ts';
import type { BudgetLimits, Quote, RecordedSpending, RunBudget } from '../run-budget.ts';
import { openLine } from './budget-line.ts';

interface RunBudgetOptions {
  readonly agent: string;
  /** The run that the budget begins with. Default: the whole run. */
  readonly at?: OpPath;
  readonly budgetLimits: BudgetLimits;
  readonly depth: number;
  readonly parent?: RunBudget;
  /** The spending below this agent that is recorded already. */
  readonly spent: RecordedSpending;
  readonly allowUnpriced: boolean;
}

const SLACK = 1e-9; // the largest rounding error of adding up fractions of a cent
const NOTHING_HELD = { usd: 0, tokens: 0 };

export function openRunBudget(options: RunBudgetOptions): RunBudget {
  const { agent, at = ROOT, budgetLimits, depth, parent, allowUnpriced } = options;
  let usd = options.spent.usd ?? 0;
  let tokens = options.spent.tokens;
  let held = NOTHING_HELD;
  let sessions = options.spent.sessions ?? 0;
  let told = options.spent.reminded === true;
  let latest: Quote = { tokens: 0 };

  let open = 0;
  const line = openLine();
  const over = (unit: 'usd' | 'tokens', quote: Quote, others: number): boolean => {
    const limit = budgetLimits[unit];
    return limit !== undefined && (unit === 'usd' ? usd : tokens) + others + (quote[unit] ?? 0) > limit + SLACK;
  };
  const shortOf = (quote: Quote, holds: { readonly usd: number; readonly tokens: number }): Fault | undefined => {
    if (budgetLimits.usd !== undefined && quote.usd === undefined && !allowUnpriced) return unpriced(agent);
    const unit = over('usd', quote, holds.usd) ? 'usd' : over('tokens', quote, holds.tokens) ? 'tokens' : undefined;
    if (unit === undefined) return undefined;
    const spent = unit === 'usd' ? usd : tokens;
    return reached({ agent, unit, limit: budgetLimits[unit] ?? 0, spent, held: held[unit], needed: quote[unit] ?? 0 });
  };
  const runBudget: RunBudget = {
    agent,
    budgetLimits,
    depth,
    parent,
    line,
    cannotPay: (quote) => shortOf(quote, NOTHING_HELD),
    isHeldBack: (quote) => open > 0 && (over('usd', quote, held.usd) || over('tokens', quote, held.tokens)),
    reserve(quote) {
      const short = shortOf(quote, held);
      if (short !== undefined) return short;
      const above = parent?.reserve(quote); // BUDGET-1
      if (above !== undefined && 'code' in above) return above;
      held = { usd: held.usd + (quote.usd ?? 0), tokens: held.tokens + quote.tokens };
      open += 1;
      latest = quote;
      return {
        settle(spent) {
          open -= 1;
          // Keeps the rounding errors of adding and subtracting fractions of a cent from piling up.
          held = open === 0 ? NOTHING_HELD : { usd: held.usd - (quote.usd ?? 0), tokens: held.tokens - quote.tokens };
          usd += spent.usd ?? 0;
          tokens += spent.tokens;
          above?.settle(spent);
          line.wake();
        },
      };
    },
    admit(level) {
      if (budgetLimits.depth !== undefined && level - depth > budgetLimits.depth) {
        return reached({
          agent,
          unit: 'depth',
          limit: budgetLimits.depth,
          spent: level - depth - 1,
          held: 0,
          needed: 1,
        });
      }
      if (budgetLimits.sessions !== undefined && sessions + 1 > budgetLimits.sessions) {
        return reached({ agent, unit: 'sessions', limit: budgetLimits.sessions, spent: sessions, held: 0, needed: 1 });
      }
      const above = parent?.admit(level);
      if (above !== undefined) return above;
      sessions += 1;
      return undefined;
    },
    left() {
      const above = parent?.left() ?? {};
      return {
        ...least('usd', above.usd, budgetLimits.usd === undefined ? undefined : budgetLimits.usd - usd - held.usd),
        ...least(
          'tokens',
          above.tokens,
          budgetLimits.tokens === undefined ? undefined : budgetLimits.tokens - tokens - held.tokens,
        ),
      };
    },
    nearEnd(share) {
      const above = parent?.nearEnd(share);
      if (told) return above;
      // The amount that a further call like the last one would reserve counts as spent: without it that call would be refused.
      const money = budgetLimits.usd === undefined ? 0 : (usd + (latest.usd ?? 0)) / budgetLimits.usd;
      const words = budgetLimits.tokens === undefined ? 0 : (tokens + latest.tokens) / budgetLimits.tokens;
      if (Math.max(money, words) < share) return above;
      told = true;
      const text =
        money >= words
          ? `The budget of ${agent} is nearly spent: $${usd.toFixed(4)} of $${budgetLimits.usd}. Finish soon.`
          : `The budget of ${agent} is nearly spent: ${tokens} of ${budgetLimits.tokens} tokens. Finish soon.`;
      return above === undefined ? { text, of: [at] } : { text: `${above.text}\n${text}`, of: [...above.of, at] };
    },
  };
  return runBudget;
}

function least<Key extends 'usd' | 'tokens'>(
  key: Key,
  one: number | undefined,
  other: number | undefined,
): { [key in Key]?: number } {
  const smaller = one === undefined ? other : other === undefined ? one : Math.min(one, other);
  return smaller === undefined ? {} : ({ [key]: Math.max(0, smaller) } as { [key in Key]?: number });
}

function reached(shortage: {
  readonly agent: string;
  readonly unit: string;
  readonly limit: number;
  readonly spent: number;
  /** Reserved by calls under way. */
  readonly held: number;
  readonly needed: number;
}): Fault {
  const { agent, unit, limit, spent, held, needed } = shortage;
  const others = held === 0 ? '' : ` and up to ${round(held)} held by calls under way`;
  const message = `The budget of ${agent} is reached: ${limit} ${unit}, of which ${round(spent)} are spent${others}; this would need ${round(needed)} more.`;
  return fault('budget/exceeded', message, { ...shortage, begun: false });
}

const unpriced = (agent: string): Fault =>
  fault(
    'budget/exceeded',
    `The budget of ${agent} is in usd, and this model has no known price. Give it one under \`models:\` in cadre.yaml, or say \`allowUnpriced: true\` in the budget.`,
    { agent, unit: 'usd', begun: false },
  );

const round = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(6));
