// Journals of earlier releases, read as if written today. The version stands in run-start, and in each run-resume of
// a release that writes another one; an event is lifted step by step from its own version to today's.
// UPCAST-1. One event in, one event out, with the same seq.
// UPCAST-2. A step that moves a field moves its pointers in `repeats` too: texts are put in after it.
// UPCAST-3. An entry of the table is never changed once a release has shipped with it (test/replay holds its journals).

import { fail } from '../kernel/fault.ts';
import { EVENT_VERSION, type RunEvent } from './event.ts';
import { fromSecondVersion } from './second-version.ts';

const UPCASTERS: Readonly<Record<number, (event: unknown) => unknown>> = { 2: fromSecondVersion };

/** Lifts the events of one journal, in order. `other` gets those that cannot be lifted: without it, it throws `journal/version`. */
export function upcaster(
  steps: Readonly<Record<number, (event: unknown) => unknown>> = UPCASTERS,
  current: number = EVENT_VERSION,
  other: (event: RunEvent, version: number, current: number) => RunEvent = refuse,
): (event: RunEvent) => RunEvent {
  let version = current;
  return (event) => {
    version = versionFrom(event) ?? version;
    if (version > current) return other(event, version, current);
    let lifted: unknown = event;
    for (let from = version; from < current; from++) {
      const step = steps[from];
      if (step === undefined) return other(event, version, current);
      lifted = step(lifted);
    }
    return lifted as RunEvent;
  };
}

function versionFrom(event: RunEvent): number | undefined {
  if (event.type !== 'run-start' && event.type !== 'run-resume') return undefined;
  if (event.version === undefined) return undefined;
  if (Number.isInteger(event.version) && event.version > 0) return event.version;
  return fail('journal/corrupt', `${JSON.stringify(event.version)} is not an event version.`);
}

function refuse(_: RunEvent, version: number, current: number): never {
  if (version < current)
    fail(
      'journal/version',
      'Cadre 0.1.0 wrote this journal, and this release reads those of 0.2.0 and later. Use Cadre 0.2.0, or start the run again.',
      { version, current },
    );
  fail(
    'journal/version',
    `This journal has event version ${version}, and this release of Cadre reads up to version ${current}. Use the release that wrote it, or a newer one.`,
    { version, current },
  );
}

/** Lifts events for sums over many runs, which count the known part of a run that cannot be lifted. */
export const lenientUpcaster = (): ((event: RunEvent) => RunEvent) =>
  upcaster(UPCASTERS, EVENT_VERSION, (event) => event);
