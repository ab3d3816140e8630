// `functions` of cadre.yaml: one file, or a list of them, in the folder of the cadre.

import { posix } from 'node:path';
import type { YamlNode } from '../../../base/yaml/node.ts';
import { byForm, list, type ReadContext, type Shape } from '../shape.ts';
import { refineShape } from '../shape-object.ts';
import { literal } from '../variables.ts';

const MODULE = /\.[cm]?[jt]s$/;

/** Relative to the folder, with forward slashes. Whether the file exists is checked where the folder is read. */
const functionsFile: Shape<string> = {
  ...refineShape(literal, inFolder),
  says: 'the path of a JavaScript file, as in ./tools.mjs',
};

function inFolder(written: string, node: YamlNode, path: string, reading: ReadContext): string | undefined {
  const file = posix.normalize(written.replaceAll('\\', '/')).replace(/^\.\//, '');
  const isOutside = posix.isAbsolute(file) || /^[A-Za-z]:/.test(file) || file === '..' || file.startsWith('../');
  if (!isOutside && MODULE.test(file)) return file;
  reading.report({
    code: 'functions/file',
    source: reading.source,
    at: node,
    message: isOutside
      ? `\`${path}\` is "${written}", which is not in the folder of cadre.yaml`
      : `\`${path}\` is "${written}", which is not a JavaScript file`,
    help: isOutside
      ? 'Put the file into the folder. It may import others from anywhere.'
      : 'Name a file that ends in .mjs, .js, .cjs, .mts, .ts or .cts.',
  });
  return undefined;
}

export const functionsShape: Shape<readonly string[]> = byForm({
  scalar: refineShape(functionsFile, (file) => [file] as readonly string[]),
  list: list(functionsFile, { min: 1 }),
});
