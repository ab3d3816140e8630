// Findings of a deep check: what it says of a place in a file of the cadre that was read without a tree.

import { relative, sep } from 'node:path';
import type { CadreDefinition } from '../../definition/definition.ts';
import { CONFIG_FILE } from '../../definition/definition.ts';
import type { Diagnostic } from '../../definition/diagnostic.ts';

/** A finding at the line of a file, or at its first line where a key begins. */
export function findingAt(
  file: string,
  line: number,
  finding: Omit<Diagnostic, 'file' | 'line' | 'column'>,
): Diagnostic {
  const { code, severity, message, help } = finding;
  return { code, severity, file, line, column: 1, message, help };
}

/** The line on which a key begins, at any depth: `budget:`, `shop:`. The first line where there is none. */
export function lineOfKey(text: string | undefined, key: string): number {
  const lines = (text ?? '').split('\n');
  const found = lines.findIndex((line) => {
    const start = line.trimStart();
    return start.startsWith(`${key}:`) || start.startsWith(`"${key}":`) || start.startsWith(`'${key}':`);
  });
  return found < 0 ? 1 : found + 1;
}

export const configFinding = (
  { texts }: CadreDefinition,
  key: string,
  finding: Parameters<typeof findingAt>[2],
): Diagnostic => findingAt(CONFIG_FILE, lineOfKey(texts.get(CONFIG_FILE), key), finding);

/** The path of a file as findings name it. */
export const shownPath = ({ folder }: CadreDefinition, path: string): string =>
  relative(folder, path).split(sep).join('/');
