// The worker of `runner: subprocess`, bundled from the source as the command line is, so that these tests need no build.

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';
import { rolldown } from 'rolldown';
import type { Command } from '../../src/run/own-command.ts';
import { isAlive } from './alive.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

const cache = join(root, 'node_modules/.cache/cadre-test-worker');

let built: Promise<Command> | undefined;

/** Once a test thread. Lies under node_modules, where its packages are found. */
export function builtWorker(): Promise<Command> {
  built ??= build();
  return built;
}

async function build(): Promise<Command> {
  const folder = join(cache, `${process.pid}-${threadId}`);
  mkdirSync(folder, { recursive: true });
  dropOld();
  const entry = join(folder, 'entry.ts');
  const command = join(root, 'src/cli/commands/subagent-worker.ts');
  writeFileSync(entry, `import { subagentWorker } from ${JSON.stringify(command)};\nawait subagentWorker();\n`);
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
  });
  const dir = join(folder, 'built');
  await bundle.write({ dir, format: 'esm', entryFileNames: 'worker.mjs', chunkFileNames: '[name]-[hash].mjs' });
  await bundle.close();
  return { command: process.execPath, args: [join(dir, 'worker.mjs')] };
}

/** A test thread is ended without a word, so that what earlier runs left is removed by later ones. */
function dropOld(): void {
  for (const name of readdirSync(cache)) {
    if (!isAlive(Number.parseInt(name, 10))) rmSync(join(cache, name), { recursive: true, force: true });
  }
}
