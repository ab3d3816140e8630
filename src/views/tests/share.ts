// Shares of tries that passed: how sure they are, and whether two of them can be told apart.

/**
 * The chance that two shares of one truth differ at least so much: Fisher's exact test, two-sided as in R's `fisher.test`
 * (the sum over all tables that are no more likely than this one).
 */
export function sameShareChance(one: Share, other: Share): number {
  const passed = one.passed + other.passed;
  const all = one.of + other.of;
  const chanceOf = (own: number): number =>
    Math.exp(logChoose(one.of, own) + logChoose(other.of, passed - own) - logChoose(all, passed));
  const found = chanceOf(one.passed);
  let sum = 0;
  for (let own = Math.max(0, passed - other.of); own <= Math.min(one.of, passed); own++) {
    const chance = chanceOf(own);
    if (chance <= found * (1 + 1e-7)) sum += chance;
  }
  return Math.min(1, sum);
}

export interface Share {
  readonly passed: number;
  readonly of: number;
}

/** Beyond this many standard deviations lie 5 % of a normal distribution. */
const Z = 1.959964;

/** The range in which the true share lies with 95 %: Wilson's interval, which also holds for few tries and for all or none. */
export function shareRange({ passed, of }: Share): readonly [number, number] {
  if (of === 0) return [0, 1];
  const share = passed / of;
  const middle = share + (Z * Z) / (2 * of);
  const spread = Z * Math.sqrt((share * (1 - share)) / of + (Z * Z) / (4 * of * of));
  const scale = 1 + (Z * Z) / of;
  return [Math.max(0, (middle - spread) / scale), Math.min(1, (middle + spread) / scale)];
}

function logChoose(of: number, some: number): number {
  return logFactorial(of) - logFactorial(some) - logFactorial(of - some);
}

const factorials = [0];
function logFactorial(of: number): number {
  for (let n = factorials.length; n <= of; n++) factorials[n] = (factorials[n - 1] as number) + Math.log(n);
  return factorials[of] as number;
}
