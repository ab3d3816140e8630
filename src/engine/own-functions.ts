// The functions that `functions` in cadre.yaml names, loaded when an agent first needs one. Only files in the cadre's
// own folder, which belong to whom the folder belongs to, are run; what is recorded of them is their text.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CadreDefinition } from '../agents/definition.ts';
import { readRegular, UnusableFile } from '../disk/regular.ts';
import { fail } from '../kernel/fault.ts';
import { loadFunctions } from '../tools/functions-file.ts';
import type { Tool } from '../tools/tool.ts';

/** Undefined where cadre.yaml names no file. A success is kept, a failure is tried again. */
export function ownFunctions({ folder, config }: CadreDefinition): (() => Promise<readonly Tool[]>) | undefined {
  const { functions: files = [] } = config;
  if (files.length === 0) return undefined;
  let loading: Promise<readonly Tool[]> | undefined;
  return () => {
    loading ??= loadFunctions(files.map((file) => ({ file, load: () => importFrom(folder, file) })));
    loading.catch(() => (loading = undefined));
    return loading;
  };
}

async function importFrom(folder: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  const path = join(folder, file);
  try {
    readRegular(path, { maxBytes: 1, head: 1, within: folder, ownedLike: folder });
  } catch (thrown) {
    if (thrown instanceof UnusableFile) return fail('tool/source', thrown.message);
    throw thrown;
  }
  return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
}
