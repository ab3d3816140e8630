#!/usr/bin/env node
// The start of the command: sets up the process, runs the command line and turns what comes back into an exit code.

import { readFileSync } from 'node:fs';
import { EXIT } from '../kernel/fault.ts';
import { program } from './arguments/program.ts';
import { reportError } from './report-error.ts';
import { needsReader } from './screen/lost-lines.ts';
import { notify } from './screen/output.ts';

/** A reader that has seen enough (`| head`) is not an error; a full disk is. */
function leave(stream: string, error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? EXIT.answered);
  if (stream === 'stdout') notify(`error: stdout cannot be written: ${error.message}`);
  process.exit(EXIT.failed);
}

for (const stream of ['stdout', 'stderr'] as const)
  process[stream].on('error', (error) => {
    if (needsReader()) leave(stream, error);
  });
process.on('uncaughtException', (thrown) => void reportError(thrown).then((exit) => process.exit(exit)));

if (process.env['CADRE_DEBUG']) process.setSourceMapsEnabled(true);

/** After the command is done, whatever still keeps the process alive gets this long. */
const LINGER_MS = 2000;

/** Read only when asked for. The same way up from the source and from the built file. */
function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

try {
  process.exitCode = await program(version).run(process.argv.slice(2));
} catch (thrown) {
  process.exitCode = await reportError(thrown);
}
setTimeout(() => process.exit(), LINGER_MS).unref();
