// Answers that took long to find, a line of coverage/mutations/<kind>.jsonl for each. An answer counts as long as all that it
// was found on reads as it did.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../house/files.mjs';

const FOLDER = join(root, 'coverage/mutations');

export function keptAnswers(kind) {
  const file = join(FOLDER, `${kind}.jsonl`);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const kept = new Map(lines.map((line) => JSON.parse(line)).map((one) => [one.name, one]));
  mkdirSync(FOLDER, { recursive: true });
  return {
    /** Undefined if it is not known, or was found on something else. */
    of(name, basis) {
      const answer = kept.get(name);
      return answer?.basis === basis ? answer : undefined;
    },
    keep(name, basis, answer) {
      const line = { name, basis, ...answer };
      kept.set(name, line);
      appendFileSync(file, `${JSON.stringify(line)}\n`);
      return line;
    },
  };
}
