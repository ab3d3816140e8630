// The time that a tool says it took. A result that differs from another one in nothing else is the same result.
// Only words that speak of time spent are meant: a wait that is still to come ("in 30 s") is news.

const UNIT = '(?:ms|µs|us|ns|s|secs?|seconds?|mins?|minutes?)';
const SPAN = `\\d{1,15}(?:[.,]\\d{1,9})?\\s?${UNIT}\\b`;

const TOLD = new RegExp(
  [
    // "duration_ms":12 · durationMs=12
    `\\b(?:duration|elapsed|took|runtime)_?(?:ms|s|seconds)"?\\s?[:=]\\s?\\d{1,15}(?:\\.\\d{1,9})?`,
    // took 12 ms · Duration  1.2s · Time: 0.5 s · stopped after 2 s · finished in 3.1s
    `\\b(?:duration|elapsed|took|time|real|user|sys|after|(?:done|finished|completed|passed|failed|ran|built|compiled|tests?) in)[:\\s]{1,12}${SPAN}`,
    // exit code 1, 12 ms
    `\\bexit code -?\\d{1,6}, ${SPAN}`,
    // (12 ms) · [1.2s]
    `[([]${SPAN}[)\\]]`,
  ].join('|'),
  'gi',
);

/** The figure goes, and the words around it stay. */
export const withoutDurations = (text: string): string =>
  text.replace(TOLD, (told) => told.replace(/\d+(?:[.,]\d+)?\s?[a-zµ]*([\])]?)$/i, '…$1'));
