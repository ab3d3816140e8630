// Collects what a run as a file holds: its events, the texts and pictures that they name, and the marks of people. Secrets
// that are known today are taken out once more.

import type { RunEvent, RunId } from '../../journal/event.ts';
import { projectFileOf, skillTextOf } from '../../journal/given.ts';
import type { RunStore } from '../../journal/store.ts';
import type { RunInput } from '../../kernel/effect.ts';
import type { FileRef } from '../../kernel/file-ref.ts';
import { filesWithin, type Message, type ToolResult } from '../../kernel/message.ts';
import { redactedValue } from '../../secrets/redacted-value.ts';
import type { ExportedRun } from '../../views/exported-run.ts';
import { readAll, secretsOfRun, startOf } from '../pinned.ts';
import { withoutPlaces } from './without-places.ts';

export interface CollectedRun {
  readonly run: Omit<ExportedRun, 'rows' | 'leftOut' | 'pictures'>;
  /** The digests of texts that no replay reads. */
  readonly spare: ReadonlySet<string>;
  readonly pictures: ReadonlyMap<string, Picture>;
}

export interface Picture {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The largest picture that stands in the file. */
const MOST_PICTURE_BYTES = 2 * 1024 * 1024;

/** Throws `run/unknown`, and `journal/corrupt` for a run whose first event or pinned configuration is gone. */
export async function collectRun(
  id: RunId,
  store: RunStore,
  written: Pick<ExportedRun, 'version' | 'at'>,
): Promise<CollectedRun> {
  const { state } = await store.summary(id);
  const recorded = await readAll(id, store);
  const start = startOf(recorded);
  const secrets = await secretsOfRun(start, store);
  const events = redactedValue(withoutPlaces(recorded), secrets);
  const needed = neededTexts(recorded);
  const spare = new Set(recorded.flatMap(handlesIn).filter((digest) => !needed.has(digest)));
  const texts: Record<string, string> = {};
  let redactedLate = JSON.stringify(events) !== JSON.stringify(withoutPlaces(recorded));
  for (const digest of [...needed, ...spare]) {
    const bytes = await store.blobs.get(digest);
    if (bytes === undefined) continue;
    const text = new TextDecoder().decode(bytes);
    texts[digest] = secrets.redact(text);
    redactedLate ||= texts[digest] !== text;
  }
  const notes = (await store.notes.list(id)).map(({ run: _run, ...note }) => redactedValue(note, secrets));
  const whole = { events, notes, texts };
  return {
    run: {
      ...written,
      ...whole,
      state: state === 'running' ? 'live' : state,
      secrets: marksIn(JSON.stringify(whole)),
      redactedLate,
    },
    spare,
    pictures: await picturesOf(recorded, store),
  };
}

/** The texts that a replay reads: those that the run pinned, and those that its agents were given. */
function neededTexts(events: readonly RunEvent[]): ReadonlySet<string> {
  const start = startOf(events);
  const given = events.flatMap((event) => {
    if (event.type !== 'fact' || (projectFileOf(event) ?? skillTextOf(event)) === undefined) return [];
    const { digest } = event.value as { readonly digest?: unknown };
    return typeof digest === 'string' ? [digest] : [];
  });
  return new Set([...Object.values(start.texts), ...given]);
}

/** Long results, of which the model saw a part. */
function handlesIn(event: RunEvent): readonly string[] {
  const result = toolResultIn(event);
  return result?.handle === undefined ? [] : [result.handle];
}

const toolResultIn = (event: RunEvent): ToolResult | undefined =>
  event.type === 'op-end' && event.kind === 'tool' && event.result.ok ? (event.result.value as ToolResult) : undefined;

const PICTURE = /^image\/(?:png|jpeg|gif|webp)$/;

async function picturesOf(
  events: readonly RunEvent[],
  store: Pick<RunStore, 'blobs'>,
): Promise<ReadonlyMap<string, Picture>> {
  const pictures = new Map<string, Picture>();
  for (const { digest, type, bytes: size } of events.flatMap(filesIn)) {
    if (!PICTURE.test(type) || size > MOST_PICTURE_BYTES || pictures.has(digest)) continue;
    const bytes = await store.blobs.get(digest);
    if (bytes !== undefined) pictures.set(digest, { type, bytes });
  }
  return pictures;
}

/** The files that a message or an input came with. */
function filesIn(event: RunEvent): readonly FileRef[] {
  if (event.type === 'run-start') return filesOfInput(event.input);
  if (event.type === 'op-start' && event.op.kind === 'run') return event.op.input.files ?? [];
  if (event.type === 'op-start' && event.op.kind === 'model')
    return event.op.added.flatMap((message) => ('op' in message ? [] : filesWithin(message)));
  if (event.type === 'op' && event.kind === 'take')
    return (event.value as { readonly messages: readonly Message[] }).messages.flatMap(filesWithin);
  return toolResultIn(event)?.shown?.files ?? [];
}

const filesOfInput = ({ files = [], originFiles = [], history = [] }: RunInput): readonly FileRef[] => [
  ...files,
  ...originFiles,
  ...history.flatMap((message) => message.files ?? []),
];

/** The names of secrets that were taken out. */
const marksIn = (text: string): readonly string[] =>
  [...new Set(Array.from(text.matchAll(/\[redacted:([^\]\n"\\]{1,200})\]/g), ([, name = '']) => name))].toSorted();
