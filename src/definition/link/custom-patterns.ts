// Checks the patterns that a program brings, before a file is read with them.

import { fail } from '../../kernel/fault.ts';
import { CATALOG } from '../../patterns/catalog.ts';
import type { Pattern } from '../../patterns/record.ts';
import { ALL_KEYS } from '../read/keys.ts';

/** Throws `config/invalid` for one whose key or trigger is taken, or whose key could not be read. */
export function checkPatterns(patterns: readonly Pattern[]): void {
  const keys = new Set(Object.keys(ALL_KEYS));
  const triggers = new Set(['start', ...CATALOG.flatMap((pattern) => Object.keys(pattern.triggers))]);
  for (const { key, keySpec, triggers: own } of patterns) {
    const refuse = (why: string): never => fail('config/invalid', `The pattern "${key}" cannot be used: ${why}`);
    if (!/^[a-z][A-Za-z0-9]{0,63}$/.test(key)) {
      refuse('a key is a lower-case letter, then up to 63 letters and digits.');
    }
    if (keys.has(key)) refuse('agent files already have this key. Give it another one.');
    // A program in JavaScript may leave it out.
    if ((keySpec as unknown) === undefined) refuse('it does not say how its key is written. Give it `keySpec`.');
    keys.add(key);
    for (const kind of Object.keys(own)) {
      if (triggers.has(kind)) refuse(`the trigger "${kind}" already exists. Give it another name.`);
      triggers.add(kind);
    }
  }
}
