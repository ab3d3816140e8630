// Medians and quartiles.

export function quantile(values, share) {
  const sorted = [...values].sort((left, right) => left - right);
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const low = sorted[below];
  return low + ((sorted[below + 1] ?? low) - low) * (place - below);
}

export const median = (values) => quantile(values, 0.5);

/** Three digits are enough: the noise is larger than the rest. */
export function figure(value) {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
