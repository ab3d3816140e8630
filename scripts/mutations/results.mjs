// The results of mistakes, a line of coverage/mutations.jsonl for each. A result counts as long as the file that the mistake is in
// reads as it did, and that of a survivor as long as the tests that did not notice it do.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, textOf } from '../house/files.mjs';
import { digest } from './sample.mjs';

const FILE = join(root, 'coverage/mutations.jsonl');

export function keptResults() {
  const lines = existsSync(FILE) ? readFileSync(FILE, 'utf8').split('\n').filter(Boolean) : [];
  const kept = new Map(lines.map((line) => JSON.parse(line)).map((one) => [one.name, one]));
  mkdirSync(dirname(FILE), { recursive: true });
  return {
    /** True if it was caught, undefined if that is not known. */
    of({ name, file }, tests) {
      const result = kept.get(name);
      if (result === undefined || result.source !== digest(textOf(file))) return undefined;
      return result.caught || result.tests === digestOf(tests) ? result.caught : undefined;
    },
    keep({ name, file }, tests, caught) {
      const result = { name, source: digest(textOf(file)), tests: digestOf(tests), caught };
      kept.set(name, result);
      appendFileSync(FILE, `${JSON.stringify(result)}\n`);
      return caught;
    },
  };
}

const digestOf = (tests) => digest(tests.map((file) => `${file} ${digest(textOf(file))}`).join('\n'));
