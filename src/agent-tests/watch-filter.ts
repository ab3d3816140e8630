// The changed files that make `cadre test --watch` run again. A file that a round itself writes, or that its output may
// be sent to, does not count: it would run for ever.

import { resolve } from 'node:path';

const KEPT_BY_CADRE = /(?:^|[\\/])(?:\.cadre|node_modules|\.git)(?:[\\/]|$)|\.snapshots\.json/;
const WRITTEN_BY_PROGRAMS = /\.log$|~$|\.sw[a-z]$|\.tmp$/;

/** `name` is relative to `folder`. `report` is the file that a round writes its results to, if there is one. */
export function isWatched(name: string, folder: string, report?: string): boolean {
  if (KEPT_BY_CADRE.test(name) || WRITTEN_BY_PROGRAMS.test(name)) return false;
  return report === undefined || resolve(folder, name) !== resolve(report);
}
