// A value inside a JSON answer by its path: `$.orders[0].total`, `$['a key']`. Pure.

import { fail } from '../kernel/fault.ts';

const STEP = /\.([A-Za-z_$][\w$-]*)|\[(\d{1,9})\]|\['([^']*)'\]|\["([^"]*)"\]/y;

/** Undefined where nothing stands there. Throws `config/invalid` for what is not a path. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const step of stepsOf(path)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[step];
  }
  return at;
}

function stepsOf(path: string): readonly string[] {
  const steps: string[] = [];
  STEP.lastIndex = 1;
  while (path.startsWith('$') && STEP.lastIndex < path.length) {
    const found = STEP.exec(path);
    if (found === null) return notAPath(path);
    steps.push(found[1] ?? found[2] ?? found[3] ?? found[4] ?? '');
  }
  return path.startsWith('$') ? steps : notAPath(path);
}

const notAPath = (path: string): never =>
  fail('config/invalid', `"${path}" is not a JSON path. Write it as $.order.total or $.orders[0].`);
