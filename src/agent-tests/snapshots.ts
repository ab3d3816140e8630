// Answers kept from an earlier time, beside the test file: <name>.test.snapshots.json, keys in order, so that a change
// shows as a small difference in review. Written only by --update.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readJson } from '../base/text/json.ts';
import { fail } from '../kernel/fault.ts';

export interface Snapshots {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  /** Writes what was set, and drops what no case of `names` has. Does nothing if nothing changed. */
  save(names: ReadonlySet<string>): void;
}

export function openSnapshots(testFile: string): Snapshots {
  const file = testFile.replace(/\.yaml$/, '.snapshots.json');
  const before = read(file);
  const values = new Map(Object.entries(before));
  let changed = false;
  return {
    get: (name) => values.get(name),
    set(name, value) {
      if (JSON.stringify(values.get(name)) === JSON.stringify(value)) return;
      values.set(name, value);
      changed = true;
    },
    save(names) {
      for (const name of values.keys()) if (!names.has(name)) changed = values.delete(name);
      if (!changed) return;
      const sorted = [...values].sort(([left], [right]) => (left < right ? -1 : 1));
      writeFileSync(`${file}.new`, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
      renameSync(`${file}.new`, file);
      changed = false;
    },
  };
}

function read(file: string): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return {};
    return fail('config/invalid', `${file} cannot be read: ${(thrown as Error).message}`);
  }
  const parsed = readJson(text);
  if (parsed.ok && typeof parsed.value === 'object' && parsed.value !== null)
    return parsed.value as Readonly<Record<string, unknown>>;
  return fail('config/invalid', `${file} does not hold snapshots. Delete it, and run: cadre test --update`);
}
