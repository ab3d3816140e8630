// Files that stand in a client's message, in the forms of several protocols. Addresses and ids of files that lie at a provider
// are refused by their names: nothing is fetched.

import type { InputFile } from '../../engine/files/take-files.ts';
import { invalid } from './fields.ts';

const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'application/pdf': '.pdf',
  'text/plain': '.txt',
};

/** A name for a file that has none. Its type is only what the client says. */
export const unnamedFile = (type: string, index: number): string => `file-${index + 1}${ENDINGS[type] ?? ''}`;

/** `data:image/png;base64,…`. Any other address is refused. */
export function fileOfDataUrl(url: string, at: string, index: number, name?: string): InputFile {
  const [, type = '', data] = /^data:([^;,]{0,100})(?:;[^;,]{0,100})*;base64,(.*)$/s.exec(url) ?? [];
  if (data === undefined)
    return invalid(at, 'is an address, and nothing is fetched. Send the file itself: data:image/png;base64,…');
  return { name: name ?? unnamedFile(type, index), data: data.replaceAll(/\s/g, '') };
}

/** Refuses the field of an id or an address by its name. */
export function refuseNamedFile(part: Readonly<Record<string, unknown>>, keys: readonly string[], at: string): void {
  for (const key of keys) {
    if (part[key] === undefined || part[key] === null) continue;
    invalid(
      `${at}.${key}`,
      'names a file that lies elsewhere, and nothing is fetched. Send the file itself as base64.',
    );
  }
}
