// The mistakes that the compiler lets through: one that it refuses needs no test. A copy of the source gets a file for each
// mistake beside the one that it is in, and is compiled once. A copy without a mistake stands there too, because a class in a
// copy is not the class that other files import: what the compiler says of that copy is no finding.

import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isTest, root, textOf } from '../house/files.mjs';

export async function compiling(mistakes) {
  if (mistakes.length === 0) return [];
  const folder = mkdtempSync(join(tmpdir(), 'mutation-types-'));
  try {
    const isCopied = (path) => !isTest(path.slice(root.length + 1));
    cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true, filter: isCopied });
    for (const file of ['node_modules', 'package.json', 'tsconfig.json'])
      symlinkSync(join(root, file), join(folder, file));
    const config = { extends: './tsconfig.json', include: ['src/**/*.ts'], exclude: ['node_modules'] };
    writeFileSync(join(folder, 'tsconfig.mutations.json'), JSON.stringify(config));
    const put = (file, mark, text) => writeFileSync(join(folder, file.replace(/\.ts$/, `.mutation-${mark}.ts`)), text);
    for (const file of new Set(mistakes.map((one) => one.file))) put(file, 'none', textOf(file));
    for (const [index, { file, start, end, text }] of mistakes.entries()) {
      const source = textOf(file);
      put(file, index, source.slice(0, start) + text + source.slice(end));
    }
    const errors = await errorsIn(folder);
    const isNew = ({ file }, index) => {
      const before = new Set(errors.get(file.replace(/\.ts$/, '.mutation-none.ts')));
      return (errors.get(file.replace(/\.ts$/, `.mutation-${index}.ts`)) ?? []).some((one) => !before.has(one));
    };
    return mistakes.filter((mistake, index) => !isNew(mistake, index));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The errors of each file, without their lines. */
async function errorsIn(folder) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const output = await new Promise((resolve) => {
    const args = [compiler, '-p', 'tsconfig.mutations.json', '--noEmit', '--pretty', 'false'];
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 1e9 }, (_, text) => resolve(text));
  });
  const errors = new Map();
  for (const [, file, said] of output.matchAll(/^(\S[^(]*)\(\d+,\d+\): error (.*)$/gm))
    errors.set(file, [...(errors.get(file) ?? []), said.replace(/\.mutation-\w+/g, '')]);
  return errors;
}
