// The part of a budget that a helper's process may spend. It is reserved as a whole before the process starts, and
// settled with what the process says it spent.
// S1. It gets half of what is left: the helper cannot pass the budget, and other work is not starved.
// S2. What a call in doubt may have cost is unknown, so then all that was set aside counts as spent.

import type { CadreDefinition } from '../../agents/definition.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { SubagentCall } from '../../kernel/subagent.ts';
import { countOf } from '../../kernel/usage.ts';
import type { Quote, RunBudget } from '../../world/state/budgets.ts';
import type { SubagentJob } from './job.ts';

interface SetAside {
  readonly budgetLimits?: NonNullable<SubagentJob['budgetLimits']>;
  settle(calls: readonly SubagentCall[]): void;
}

const NO_BUDGET: SetAside = { settle() {} };

export function setAside(runBudget: RunBudget | undefined, cadre: CadreDefinition): SetAside | Fault {
  const left = runBudget?.left();
  if (runBudget === undefined || left === undefined || (left.usd === undefined && left.tokens === undefined)) {
    return NO_BUDGET;
  }
  const share: Quote = {
    tokens: Math.floor((left.tokens ?? 0) / 2), // S1
    ...(left.usd !== undefined && { usd: left.usd / 2 }),
  };
  const reservation = runBudget.reserve(share);
  if ('code' in reservation) return reservation;
  return {
    budgetLimits: {
      ...(left.usd !== undefined && { usd: left.usd / 2 }),
      ...(left.tokens !== undefined && { tokens: share.tokens }),
      allowUnpriced: allowsUnpriced(runBudget, cadre),
    },
    settle: (calls) => reservation.settle(calls.some(({ status }) => status === 'in-doubt') ? share : spentOn(calls)), // S2
  };
}

/** Whether a budget above says how many sessions there may be, or how deep. */
export function isCounted(nearest: RunBudget | undefined): boolean {
  for (let runBudget = nearest; runBudget !== undefined; runBudget = runBudget.parent) {
    if (runBudget.budgetLimits.sessions !== undefined || runBudget.budgetLimits.depth !== undefined) return true;
  }
  return false;
}

function spentOn(calls: readonly SubagentCall[]): Quote {
  const counts = calls.map(countOf);
  return {
    tokens: counts.reduce((sum, { tokens }) => sum + tokens, 0),
    usd: counts.reduce((sum, { usd = 0 }) => sum + usd, 0),
  };
}

function allowsUnpriced(nearest: RunBudget, cadre: CadreDefinition): boolean {
  for (let runBudget: RunBudget | undefined = nearest; runBudget !== undefined; runBudget = runBudget.parent) {
    if (runBudget.budgetLimits.usd !== undefined && cadre.agents.get(runBudget.agent)?.budget?.allowUnpriced !== true)
      return false;
  }
  return true;
}
