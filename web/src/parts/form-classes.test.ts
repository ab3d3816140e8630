// The forms that parts share as classes: one that base.css does not declare would be lost without a word.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FORMS = ['line', 'stack', 'wraps', 'nowrap', 'breaks', 'ruled', 'paper', 'cut', 'soft', 'faint', 'small-text'];

test.each(FORMS)('the form %s is declared for all parts, and parts take it', (form) => {
  const base = readFileSync(join(ROOT, 'style/base.css'), 'utf8');
  expect(base).toMatch(new RegExp(`^\\.${form} \\{`, 'm'));
  const parts = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'));
  const taken = parts.some((file) =>
    new RegExp(`class="[^"]*\\b${form}\\b`).test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(taken).toBe(true);
});
