// The part of a budget that a helper's process may spend. It is reserved as a whole before the process starts, and
// settled with what the process says it spent.
// S1. It gets half of what is left: the helper cannot pass the budget, and other work is not starved.
// S2. What a call in doubt may have cost is unknown, so then all that was set aside counts as spent.

import type { CadreDefinition } from '../../agents/definition.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { SubagentCall } from '../../kernel/subagent.ts';
import { countOf } from '../../kernel/usage.ts';
import type { Purse, Quote } from '../../world/state/budgets.ts';
import type { SubagentJob } from './job.ts';

export interface SetAside {
  readonly allowance?: NonNullable<SubagentJob['allowance']>;
  settle(calls: readonly SubagentCall[]): void;
}

const NO_BUDGET: SetAside = { settle() {} };

export function setAside(purse: Purse | undefined, cadre: CadreDefinition): SetAside | Fault {
  const left = purse?.left();
  if (purse === undefined || left === undefined || (left.usd === undefined && left.tokens === undefined)) {
    return NO_BUDGET;
  }
  const share: Quote = {
    tokens: Math.floor((left.tokens ?? 0) / 2), // S1
    ...(left.usd !== undefined && { usd: left.usd / 2 }),
  };
  const reservation = purse.reserve(share);
  if ('code' in reservation) return reservation;
  return {
    allowance: {
      ...(left.usd !== undefined && { usd: left.usd / 2 }),
      ...(left.tokens !== undefined && { tokens: share.tokens }),
      allowUnpriced: allowsUnpriced(purse, cadre),
    },
    settle: (calls) => reservation.settle(calls.some(({ status }) => status === 'in-doubt') ? share : spentOn(calls)), // S2
  };
}

/** Whether a budget above says how many sessions there may be, or how deep. */
export function isCounted(nearest: Purse | undefined): boolean {
  for (let purse = nearest; purse !== undefined; purse = purse.parent) {
    if (purse.allowance.sessions !== undefined || purse.allowance.depth !== undefined) return true;
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

function allowsUnpriced(nearest: Purse, cadre: CadreDefinition): boolean {
  for (let purse: Purse | undefined = nearest; purse !== undefined; purse = purse.parent) {
    if (purse.allowance.usd !== undefined && cadre.agents.get(purse.agent)?.budget?.allowUnpriced !== true)
      return false;
  }
  return true;
}
