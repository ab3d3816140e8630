// The files of functions that cadre.yaml names. They are read as texts and never run: a run pins them, and the check
// looks for the names of tools in them.

import { join } from 'node:path';
import { readRegularText, UnusableFile } from '../../../base/disk/regular.ts';
import { nodeAt } from '../../../base/yaml/node.ts';
import type { FindingText, ReportFinding } from '../../diagnostic.ts';
import type { ConfigFile } from './config.ts';

const MAX_FUNCTIONS_BYTES = 1_048_576;

/** The texts by path. A file that cannot be used is reported at the line of cadre.yaml that names it. */
export function readFunctionsFiles(
  folder: string,
  { config, source, tree }: ConfigFile,
  report: ReportFinding,
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const [index, file] of (config.functions ?? []).entries()) {
    const text = textOf(folder, file);
    if ('text' in text) {
      texts.set(file, text.text);
    } else if (source !== undefined && tree !== undefined) {
      const listed = tree.entries.get('functions')?.value.kind === 'list';
      const at = nodeAt(tree, listed ? ['functions', index] : ['functions']);
      report({ code: 'functions/file', source, at, ...text });
    }
  }
  return texts;
}

function textOf(folder: string, file: string): { readonly text: string } | FindingText {
  try {
    const rules = { maxBytes: MAX_FUNCTIONS_BYTES, within: folder, ownedLike: folder };
    return { text: readRegularText(join(folder, file), rules) };
  } catch (thrown) {
    if (thrown instanceof UnusableFile) {
      const help = thrown.trouble === 'outside' ? 'Copy the file into the folder.' : 'Name a file of your own.';
      return { message: thrown.message, help };
    }
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') {
      const help = 'Write it, with a tool in each export, or remove the key.';
      return { message: `there is no file ${file}`, help };
    }
    return { message: `${file} cannot be read: ${message}`, help: 'Make it readable, or remove the key.' };
  }
}
