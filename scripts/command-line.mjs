// The command line of a script. The comment that opens the script is its help. An argument that the script does not know ends
// it before it has done anything: no script takes `--help` for the name of a folder.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** Values and positionals of the command line of `script`, the address of its module. It takes at most `most` positionals. */
export function commandLine(script, { options = {}, most = 0, help = openingComment(script) } = {}) {
  const { values, positionals } = parsed(script, options);
  if (values.help) {
    process.stdout.write(help);
    process.exit(0);
  }
  if (positionals.length > most) refuse(script, `Unexpected argument '${positionals[most]}'.`);
  return { values, positionals };
}

function parsed(script, options) {
  try {
    return parseArgs({ allowPositionals: true, options: { ...options, help: { type: 'boolean', default: false } } });
  } catch (error) {
    return refuse(script, error.message);
  }
}

export function refuse(script, why) {
  process.stderr.write(`${basename(fileURLToPath(script))}: ${why} --help says what it takes.\n`);
  process.exit(2);
}

/** The lines at the top of a file that begin with `//`, without these marks. */
function openingComment(script) {
  const lines = readFileSync(fileURLToPath(script), 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines
    .slice(0, end)
    .map((line) => `${line.replace(/^\/\/ ?/, '')}\n`)
    .join('');
}
