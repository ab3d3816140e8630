// The worker of `runner: subprocess`, bundled from the source as the command line is, so that these tests need no build.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { Command } from '../../src/engine/own-command.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

let built: Promise<Command> | undefined;

/** Once a test process. Lies under node_modules, where its packages are found. */
export function builtWorker(): Promise<Command> {
  built ??= build();
  return built;
}

async function build(): Promise<Command> {
  const folder = join(root, 'node_modules/.cache/cadre-test-worker', String(process.pid));
  mkdirSync(folder, { recursive: true });
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
