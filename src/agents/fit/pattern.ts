// Whether a text matches a schema's pattern, in bounded time. Plainly cheap patterns run directly; any other runs under a clock,
// since a pattern with nested repetition can take for ever. Undefined means not decided.
import { createContext, Script, type Context } from 'node:vm';
import { spend, type Budget } from './budget.ts';

const patience = { timeout: 50 };
const maximumSlowPatterns = 5;
const attempt = new Script('new RegExp(pattern, "u").test(text)');
let clocked: (Context & { pattern?: string; text?: string }) | undefined;

export function matches(pattern: string, text: string, budget: Budget): boolean | undefined {
  if (!spend(budget)) return undefined;
  if (isCheap(pattern) && text.length <= 1_000) return matchesDirectly(pattern, text);
  if (budget.slowPatterns.has(pattern) || budget.slowPatterns.size >= maximumSlowPatterns) return undefined;
  const answer = matchesUnderClock(pattern, text);
  if (answer === undefined) budget.slowPatterns.add(pattern);
  return answer;
}

/** No group, and at most one repetition: quadratic at worst. */
function isCheap(pattern: string): boolean {
  return !pattern.includes('(') && (pattern.match(/[*+{]/g)?.length ?? 0) <= 1;
}

function matchesDirectly(pattern: string, text: string): boolean | undefined {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return undefined;
  }
}

function matchesUnderClock(pattern: string, text: string): boolean | undefined {
  clocked ??= createContext({});
  clocked.pattern = pattern;
  clocked.text = text;
  try {
    return attempt.runInContext(clocked, patience) === true;
  } catch {
    return undefined;
  }
}
