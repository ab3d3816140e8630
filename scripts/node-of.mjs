// Programs that need Node 22 run on it, also where this Node is older: npm has it.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The program of a version of Node, fetched from npm once. */
export function nodeOf(version) {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(tmpdir(), `cadre-node-${version}`);
  const program = join(folder, 'node_modules', name, 'bin/node');
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    const install = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, `${name}@${version}`];
    if (spawnSync('npm', install, { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0)
      throw new Error(`npm has no ${name}@${version}.`);
  }
  return program;
}

export const node22 = () => (Number(process.versions.node.split('.')[0]) >= 22 ? process.execPath : nodeOf('22'));
