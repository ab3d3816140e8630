// The events of a run without the places of the machine that it ran on, and without the names of other runs. Only fields
// that Cadre itself wrote are changed: what agents, tools and people said stays as it was recorded, so that a replay
// proves the same.

import { homedir } from 'node:os';
import type { RunEvent, RunStart } from '../../journal/event.ts';

/** A place that a reader may not know. */
const ELSEWHERE = '';
const OTHER_RUN = 'another-run';

export function withoutPlaces(events: readonly RunEvent[]): readonly RunEvent[] {
  const [start, ...others] = events;
  if (start?.type !== 'run-start') return events;
  const rename = renaming(start);
  const clean = cleanFaults(events, placesOf(start));
  return [startWithoutPlaces(start), ...others.map(withoutRoots)].map((event) => rename(clean(event)));
}

/** The longest first: one may lie in another. */
const placesOf = ({ folder, workspace = '' }: RunStart): readonly string[] =>
  [folder, workspace, homedir()]
    .filter((place) => place.length > 1)
    .toSorted((one, other) => other.length - one.length);

/**
 * Faults are worded by Cadre, and may say where a file lies. One that a model was told stays as it was told. A failed
 * attempt is told to none.
 */
function cleanFaults(events: readonly RunEvent[], places: readonly string[]): (event: RunEvent) => RunEvent {
  const isTold = events.some((event) => event.type === 'op-start' && namesPlace(event.op, places));
  return (event) => {
    const isClean = (isTold && event.type !== 'attempt') || !namesPlace(event, places);
    return isClean ? event : (withCleanFaults(event, places) as RunEvent);
  };
}

const namesPlace = (value: unknown, places: readonly string[]): boolean => {
  const text = JSON.stringify(value);
  return places.some((place) => text.includes(place));
};

function withCleanFaults(value: unknown, places: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => withCleanFaults(one, places));
  const fields = Object.entries(value).map(([key, one]) => {
    if (key !== 'fault' || typeof one !== 'object' || one === null) return [key, withCleanFaults(one, places)] as const;
    const { message } = one as { readonly message?: unknown };
    if (typeof message !== 'string') return [key, one] as const;
    const said = places.reduce((text, place) => text.replaceAll(place, '…'), message);
    return [key, { ...one, message: said }] as const;
  });
  return Object.fromEntries(fields);
}

function startWithoutPlaces(start: RunStart): RunStart {
  const { workspace: _workspace, thread: _thread, continues: _continues, forkedFrom, ...own } = start;
  return { ...own, folder: ELSEWHERE, ...(forkedFrom && { forkedFrom: { ...forkedFrom, run: OTHER_RUN } }) };
}

/** A change of a file names the workspace that it was made in, where it is asked about too. */
function withoutRoots(event: RunEvent): RunEvent {
  const isOfChange =
    event.type === 'intent' ||
    (event.type === 'op' && event.kind === 'preview') ||
    (event.type === 'op-start' && event.op.kind === 'approval');
  return isOfChange ? (withoutRoot(event) as RunEvent) : event;
}

function withoutRoot(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutRoot);
  const isChange = 'root' in value && 'path' in value && 'kind' in value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, isChange && key === 'root' ? ELSEWHERE : withoutRoot(one)]),
  );
}

/** The runs that it waited for before it began have other names, in every event alike. */
function renaming({ run, after }: RunStart): <Event extends RunEvent>(event: Event) => Event {
  const named = [...(after?.runs ?? []), ...Object.values(after?.references ?? {})].map((one) => one.run);
  const others = [...new Set(named)].filter((one) => one !== run);
  if (others.length === 0) return (event) => event;
  const names = new Map(others.map((one, index) => [one, `${OTHER_RUN}-${index + 1}`]));
  return (event) => {
    let text = JSON.stringify(event);
    for (const [from, to] of names) text = text.replaceAll(from, to);
    return JSON.parse(text) as typeof event;
  };
}
