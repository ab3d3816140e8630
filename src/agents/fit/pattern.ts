// Whether a text matches a schema's pattern, in bounded time. Undefined means not decided.
import { type LinearPattern, linearPattern, StepsSpent } from '../../schema/linear-pattern.ts';
import { spend, type Budget } from './budget.ts';

const mostSteps = 200_000;
const maximumSlowPatterns = 5;

export function matches(pattern: string, text: string, budget: Budget): boolean | undefined {
  if (!spend(budget)) return undefined;
  if (budget.slowPatterns.has(pattern) || budget.slowPatterns.size >= maximumSlowPatterns) return undefined;
  try {
    return compiled(pattern).test(text, { left: mostSteps });
  } catch (thrown) {
    if (thrown instanceof StepsSpent) budget.slowPatterns.add(pattern);
    return undefined; // no pattern, or one that cannot be matched in one pass
  }
}

const known = new Map<string, LinearPattern>();
const KNOWN_AT_MOST = 200;

function compiled(source: string): LinearPattern {
  const made = known.get(source) ?? linearPattern(source, 'u');
  if (known.size >= KNOWN_AT_MOST) known.clear();
  known.set(source, made);
  return made;
}
