// Writes docs/benchmarks.md: the sections that a run measured are replaced, the others stay.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';

const FILE = new URL('../docs/benchmarks.md', import.meta.url);
const NOTES = new URL('notes.md', import.meta.url);

const FRAME = `# Benchmarks

Written by \`npm run bench -- --write\` and \`npm run bench -- --extra --write\`; the notes come from \`bench/notes.md\`.

## Beside the peers

<!-- peers -->
<!-- /peers -->

## Beside the release before

\`npm run bench -- --against <its dist> --write\`: both builds in one process, in batches of two milliseconds in turn.

<!-- against -->
<!-- /against -->

## What only Cadre does

<!-- extra -->
<!-- /extra -->

<!-- notes -->
<!-- /notes -->
`;

export function write(section, text) {
  const before = existsSync(FILE) ? readFileSync(FILE, 'utf8') : FRAME;
  const noted = replaced(before, 'notes', readFileSync(NOTES, 'utf8').trimEnd());
  writeFileSync(FILE, replaced(noted, section, text));
}

function replaced(whole, section, text) {
  const [begin, end] = [`<!-- ${section} -->`, `<!-- /${section} -->`];
  const [from, to] = [whole.indexOf(begin) + begin.length, whole.indexOf(end)];
  if (to < from) throw new Error(`docs/benchmarks.md has no place for ${section}: it needs ${begin} and ${end}.`);
  return `${whole.slice(0, from)}\n${text}\n${whole.slice(to)}`;
}

/** Where and when. The load tells how far the figures can be trusted. */
export function machine(loadBefore) {
  const load = [loadBefore, loadavg()[0]].map((one) => one.toFixed(1)).join(' before and ');
  const processors = cpus();
  const date = new Date().toISOString().slice(0, 16).replace('T', ' ');
  return `${date} UTC · ${processors.length} cores (${processors[0]?.model.trim()}) · Node ${process.version} · load ${load} after`;
}
