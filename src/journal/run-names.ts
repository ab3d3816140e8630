// The names of runs: which ones are safe as a folder name, and which run a person means by a part of one.

import { distanceWithin } from '../base/text/nearest.ts';
import { fail } from '../kernel/fault.ts';
import type { RunId } from './event.ts';

const RUN_ID = /^[A-Za-z0-9][\w~.-]*$/;
const LONGEST = 128;

/** Nothing that passes can lead out of the folder it is joined to. */
export const isRunId = (name: string): boolean => name.length <= LONGEST && RUN_ID.test(name) && !name.includes('..');

export function checkRunId(name: string): RunId {
  if (isRunId(name)) return name;
  fail(
    'usage',
    `${JSON.stringify(name.slice(0, 140))} cannot be a run id. A run id has 1 to 128 letters, digits, "~", ".", "_" or "-", begins with a letter or digit, and has no "..".`,
  );
}

/** The one id that `name` stands for. Throws `run/unknown`, naming what it could have been. */
export function matchRun(name: string, ids: readonly RunId[]): RunId {
  if (ids.includes(name)) return name;
  const matches = name === '' ? [] : ids.filter((id) => id.startsWith(name));
  if (matches.length === 1) return matches[0] as RunId;
  if (matches.length > 1) {
    const asked = JSON.stringify(name);
    const shown = matches.slice(0, 5).join(', ');
    const more = matches.length > 5 ? ` and ${matches.length - 5} more` : '';
    fail('run/unknown', `${asked} stands for ${matches.length} runs: ${shown}${more}. Give more of the id.`);
  }
  unknownRun(name, ids);
}

export function unknownRun(name: string, ids: readonly RunId[]): never {
  const asked = JSON.stringify(name.slice(0, 140));
  if (ids.length === 0) fail('run/unknown', `There is no run ${asked}: nothing has been run here yet.`);
  fail('run/unknown', `There is no run ${asked}. Did you mean ${nearest(name, ids)}? \`cadre runs\` lists them all.`);
}

function nearest(name: string, ids: readonly RunId[]): RunId {
  const asked = name.slice(0, 128);
  let best = ids[0] as RunId;
  let least = Number.POSITIVE_INFINITY;
  for (const id of ids) {
    const edits = distanceWithin(asked, id, least - 1);
    if (edits !== undefined) [best, least] = [id, edits];
  }
  return best;
}
