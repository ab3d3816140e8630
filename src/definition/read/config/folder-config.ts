// The cadre.yaml of a folder, for code that needs no agents: where runs are kept, how a server listens.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readRegularText } from '../../../base/disk/regular.ts';
import type { CadreConfig } from '../../definition.ts';
import { CONFIG_FILE } from '../../definition.ts';
import { MAX_FILE_BYTES } from '../folder.ts';
import { readConfig, withoutConfig } from './config.ts';

/** Findings about it are the business of the check. */
export function folderConfig(folder: string): CadreConfig {
  const root = resolve(folder);
  const file = join(root, CONFIG_FILE);
  if (!existsSync(file)) return withoutConfig.config;
  const text = readRegularText(file, { maxBytes: MAX_FILE_BYTES });
  return readConfig({ file: CONFIG_FILE, text }, root, () => {}).config;
}
