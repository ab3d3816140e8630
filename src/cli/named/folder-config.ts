// The cadre.yaml of a folder, for a command that needs no more of it than where runs are kept.

import { join, resolve } from 'node:path';
import type { CadreConfig } from '../../agents/definition.ts';
import { CONFIG_FILE, readConfig, withoutConfig } from '../../agents/read/config.ts';
import { MAX_FILE_BYTES } from '../../agents/read/folder.ts';
import { readRegularText } from '../../disk/regular.ts';
import { isFile } from './stats.ts';

/** Findings about it are the business of the check. */
export async function readConfigOf(folder: string): Promise<CadreConfig> {
  const root = resolve(folder);
  const file = join(root, CONFIG_FILE);
  if (!isFile(file)) return withoutConfig.config;
  const text = readRegularText(file, { maxBytes: MAX_FILE_BYTES });
  return readConfig({ file: CONFIG_FILE, text }, root, () => {}).config;
}
