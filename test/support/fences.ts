// The code in the documentation. A fence is named by what stands after its language: ```yaml desk/cadre.yaml is that file
// of the page's folder, and fences of one name on one page are one file.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Fence {
  readonly language: string;
  /** Empty where it has none. */
  readonly name: string;
  readonly line: number;
  readonly code: string;
}

export function fencesIn(text: string): readonly Fence[] {
  const found = text.matchAll(/^```(\w*)(?: (\S+))?\n(.*?)^```$/gms);
  return [...found].map((fence) => ({
    language: fence[1] ?? '',
    name: fence[2] ?? '',
    line: text.slice(0, fence.index).split('\n').length,
    code: fence[3] ?? '',
  }));
}

export const pageText = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** The files that a page shows, by name. */
export function filesOf(page: string): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const { name, code } of fencesIn(pageText(page))) if (name !== '') files[name] = (files[name] ?? '') + code;
  return files;
}
