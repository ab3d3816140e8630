// Two pages with results: bench/results.md has all of them, docs/benchmarks.md medians. A run replaces
// its own section between two markers and leaves the rest of the page as it is.

import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

export const RESULTS = path('results.md');
export const SUMMARY = path('../docs/benchmarks.md');

export function write(file, section, text) {
  const whole = readFileSync(file, 'utf8');
  const [begin, end] = [`<!-- ${section} -->`, `<!-- /${section} -->`];
  const [from, to] = [whole.indexOf(begin), whole.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no place for ${section}: it needs ${begin} and ${end}.`);
  writeFileSync(file, `${whole.slice(0, from + begin.length)}\n${text}\n${whole.slice(to)}`);
}

/** Where and when. The load tells how far the figures can be trusted. */
export function machine(loadBefore) {
  const load = [loadBefore, loadavg()[0]].map((one) => one.toFixed(1)).join(' before and ');
  const processors = cpus();
  const date = new Date().toISOString().slice(0, 16).replace('T', ' ');
  return `${date} UTC · ${processors.length} cores (${processors[0]?.model.trim()}) · Node ${process.version} · load ${load} after`;
}
