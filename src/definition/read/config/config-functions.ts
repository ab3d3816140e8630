// `functions` of cadre.yaml: one file, or a list of them, in the folder of the cadre.

import { posix } from 'node:path';
import type { YamlNode } from '../../../base/yaml/node.ts';
import { type ReadContext, reportAt, type Shape } from '../shape.ts';
import { oneOrMore, refineShape } from '../shape-object.ts';
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
  return reportAt(node, reading, {
    code: 'functions/file',
    message: isOutside
      ? `\`${path}\` is "${written}", which is not in the folder of cadre.yaml`
      : `\`${path}\` is "${written}", which is not a JavaScript file`,
    help: isOutside
      ? 'Put the file into the folder. It may import others from anywhere.'
      : 'Name a file that ends in .mjs, .js, .cjs, .mts, .ts or .cts.',
  });
}

export const functionsShape = oneOrMore(functionsFile, { min: 1 });
