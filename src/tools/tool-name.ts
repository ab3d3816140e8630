// The names that every model provider accepts for a tool.

import { createHash } from 'node:crypto';

const maxLength = 64;

export const isToolName = (name: string): boolean => /^[a-zA-Z0-9_-]{1,64}$/.test(name);

/** The name itself where it is usable, else the nearest usable one; always the same for the same name. */
export function fitName(name: string): string {
  const letters = name.replace(/[^a-zA-Z0-9_-]/g, '_') || '_';
  return letters.length <= maxLength ? letters : markedName(name);
}

/** A usable name that no other name leads to, for when two names lead to the same one. */
export function markedName(name: string): string {
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, maxLength - mark.length - 1)}_${mark}`;
}
