// Reserves the cost of a model call, in its turn: the one place where a call waits for money.

import type { Fault } from '../../kernel/fault.ts';
import type { StopSignal } from '../../kernel/stop-signal.ts';
import type { Quote, Reservation, RunBudget } from '../run-budget.ts';
import { WaitingCall } from './budget-line.ts';

/** The amount that a call would like to reserve, and the least with which it can still be made. */
export interface Wish {
  /** The call waits while calls under way hold what is missing to this amount. */
  readonly enough: Quote;
  readonly least: Quote;
  /** The largest quote that is worth having and no more than what is left. */
  within(left: { readonly usd?: number; readonly tokens?: number }): Quote;
}

/**
 * Reserves in all budgets above at once. If calls under way hold what this call lacks, it waits until they settle.
 * Throws the abort's fault.
 */
export async function reserveInTurn(
  runBudget: RunBudget,
  wish: Wish,
  signal: StopSignal,
): Promise<(Reservation & { readonly quote: Quote }) | Fault> {
  const chain = chainOf(runBudget);
  const waiting = new WaitingCall();
  try {
    for (;;) {
      const hopeless = firstOf(chain, (one) => one.cannotPay(wish.least));
      if (hopeless !== undefined) return hopeless;
      const before = chain.filter((one) => one.line.hasBefore(waiting) || one.isHeldBack(wish.enough));
      if (before.length === 0) return hold(runBudget, wish.within(runBudget.left()));
      await waiting.wait(
        before.map(({ line }) => line),
        signal,
      );
    }
  } finally {
    waiting.leave();
  }
}

function hold(runBudget: RunBudget, quote: Quote): (Reservation & { readonly quote: Quote }) | Fault {
  const reserved = runBudget.reserve(quote);
  return 'code' in reserved ? reserved : { quote, settle: (spent) => reserved.settle(spent) };
}

function chainOf(nearest: RunBudget): readonly RunBudget[] {
  const chain: RunBudget[] = [];
  for (let runBudget: RunBudget | undefined = nearest; runBudget !== undefined; runBudget = runBudget.parent)
    chain.push(runBudget);
  return chain;
}

function firstOf<From, To>(list: readonly From[], find: (one: From) => To | undefined): To | undefined {
  for (const one of list) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}
