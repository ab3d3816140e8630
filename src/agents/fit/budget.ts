// What one comparison may spend. Nothing here throws: a spent budget makes every further answer "unknown", which is always sound.

export interface Budget {
  steps: number;
  /** Set once an answer was cut short, so that the outcome can say so. */
  exhausted: boolean;
  /** Patterns that ran out of time once, and are not tried again. */
  readonly slowPatterns: Set<string>;
}

export function newBudget(steps = 20_000): Budget {
  return { steps, exhausted: false, slowPatterns: new Set() };
}

/** Takes one step; false when none is left. */
export function spend(budget: Budget): boolean {
  if (budget.steps > 0) {
    budget.steps -= 1;
    return true;
  }
  budget.exhausted = true;
  return false;
}
