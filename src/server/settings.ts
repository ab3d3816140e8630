// `server` of the cadre.yaml in the folder that is served. It is read again when the file changes; one with errors
// changes nothing.

import { join } from 'node:path';
import { readRegularText } from '../base/disk/regular.ts';
import type { ServerConfig } from '../definition/definition.ts';
import { CONFIG_FILE } from '../definition/definition.ts';
import { type Diagnostic, diagnosticOf, isError, renderText } from '../definition/diagnostic.ts';
import { readConfig } from '../definition/read/config/config.ts';
import { SERVER_DEFAULTS } from '../definition/read/config/config-server.ts';
import { MAX_FILE_BYTES } from '../definition/read/folder.ts';
import { fail } from '../kernel/fault.ts';

/** Throws `config/invalid` with every finding about `server`. */
export function settingsOf(folder: string) {
  const first = read(folder);
  if ('findings' in first) {
    const { findings, text } = first;
    return fail('config/invalid', renderText(findings, { texts: new Map([[CONFIG_FILE, text]]) }));
  }
  let current = first.server;
  return {
    now: (): ServerConfig => current,
    /** Reads the file again. True if something has changed. */
    reload(): boolean {
      const next = read(folder);
      if ('findings' in next || JSON.stringify(next.server) === JSON.stringify(current)) return false;
      current = next.server;
      return true;
    },
  };
}

function read(
  folder: string,
): { readonly server: ServerConfig } | { readonly findings: readonly Diagnostic[]; readonly text: string } {
  let text: string;
  try {
    text = readRegularText(join(folder, CONFIG_FILE), { maxBytes: MAX_FILE_BYTES });
  } catch {
    return { server: SERVER_DEFAULTS }; // no file, or one that the check reports
  }
  const findings: Diagnostic[] = [];
  const { config } = readConfig({ file: CONFIG_FILE, text }, folder, (one) => findings.push(diagnosticOf(one)));
  const about = findings.filter((one) => isError(one) && /`server/.test(one.message));
  return about.length > 0 ? { findings: about, text } : { server: config.server ?? SERVER_DEFAULTS };
}
