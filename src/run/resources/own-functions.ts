// The functions that `functions` in cadre.yaml names, loaded when an agent first needs one. Only files in the cadre's
// own folder, which have the same owner as the folder, are run. Their text is recorded.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readRegular, readRegularText, UnusableFile } from '../../base/disk/regular.ts';
import type { CadreDefinition } from '../../definition/definition.ts';
import { fail } from '../../kernel/fault.ts';
import type { Tool } from '../../tools/tool.ts';
import type { LoadedCadre } from '../loaded-cadre.ts';

/** Undefined if cadre.yaml names no file. A success is kept, and a failure is tried again. */
export function ownFunctions({ folder, config }: CadreDefinition): (() => Promise<readonly Tool[]>) | undefined {
  const { functions: files = [] } = config;
  if (files.length === 0) return undefined;
  let loading: Promise<readonly Tool[]> | undefined;
  return () => {
    loading ??= load(files, folder);
    loading.catch(() => (loading = undefined));
    return loading;
  };
}

async function load(files: readonly string[], folder: string): Promise<readonly Tool[]> {
  const { loadFunctions } = await import('../../tools/functions-file.ts'); // most cadres name none
  return loadFunctions(files.map((file) => ({ file, load: () => importFrom(folder, file) })));
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

/**
 * A resumed run uses the current functions: a text from a store is never run. Says which of them have changed since the
 * run began.
 */
export function changedFunctions({ recordable, secrets }: LoadedCadre): readonly string[] {
  const { folder, config, texts } = recordable;
  return (config.functions ?? []).filter((file) => {
    const pinned = texts.get(file);
    return pinned !== undefined && pinned !== redactedToday(folder, file, secrets);
  });
}

const MAX_FUNCTIONS_BYTES = 1_048_576;

function redactedToday(folder: string, file: string, secrets: LoadedCadre['secrets']): string | undefined {
  try {
    const text = readRegularText(join(folder, file), { maxBytes: MAX_FUNCTIONS_BYTES, within: folder });
    return secrets?.redact(text) ?? text;
  } catch {
    return undefined; // loading it says why it cannot be used
  }
}
