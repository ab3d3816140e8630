// Verifies a run that stands in a file: whether the file is as it was written, and whether the kernel does the same on the
// recorded answers. The file may come from anyone: nothing that it names is read from the disk, and none of its code runs.

import { createHash } from 'node:crypto';
import { cadreFromTexts } from '../../definition/load.ts';
import type { RunEvent } from '../../journal/event.ts';
import { eventProblem } from '../../journal/event-shape.ts';
import { upcaster } from '../../journal/upcast.ts';
import { fail } from '../../kernel/fault.ts';
import { services } from '../../run/services.ts';
import type { ExportedRun } from '../../views/exported-run.ts';
import { type Replay, replay } from '../history/replay.ts';
import { recordedTools } from '../history/replay-run.ts';
import { startOf } from '../pinned.ts';
import { drawnRun } from './draw-run.ts';
import { runDocument, runInDocument } from './run-document.ts';

/** Throws `usage` for a text that is no run of Cadre, and the fault of a run that this version cannot replay. */
export async function verifyRun(
  html: string,
  {
    name,
    version,
  }: {
    /** The name of the file. */
    readonly name: string;
    /** The version of Cadre. */
    readonly version: string;
  },
): Promise<
  /** The file is not as it was written. */
  | { readonly kind: 'changed'; readonly what: string }
  | {
      readonly kind: 'replayed';
      readonly result: Replay;
      readonly events: readonly RunEvent[];
      readonly state: ExportedRun['state'];
      readonly redactedLate: boolean;
      /** Another version wrote it, so that only its record was looked at, not what it shows. */
      readonly otherVersion: string | undefined;
    }
> {
  const read = runInDocument(html, name);
  if ('what' in read) return { kind: 'changed', ...read };
  const { run } = read;
  const text = run.redactedLate ? undefined : changedText(run);
  if (text !== undefined) return { kind: 'changed', what: text };
  const events = wholeEvents(run.events, name);
  const isOther = run.version !== version;
  if (!isOther && !(await showsItsRecord(html, run)))
    return { kind: 'changed', what: 'what it shows: that is not what its record says' };
  const result = await replayed(events, run);
  const { redactedLate, state } = run;
  return { kind: 'replayed', result, events, state, redactedLate, otherVersion: isOther ? run.version : undefined };
}

/** The first text that does not have the digest that it is named by. */
function changedText({ events, texts }: ExportedRun): string | undefined {
  const pinned = Object.entries(startOf(events).texts);
  for (const [digest, text] of Object.entries(texts)) {
    if (sha256(text) === digest) continue;
    const file = pinned.find(([, one]) => one === digest)?.[0];
    return file === undefined ? `the text ${digest}` : `the text of ${file}`;
  }
  return undefined;
}

const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function wholeEvents(events: readonly RunEvent[], name: string): readonly RunEvent[] {
  const lift = upcaster();
  return events.map((written, seq) => {
    const event = lift(written);
    const problem = event.seq === seq ? eventProblem(event) : 'it is not in its place';
    return problem === undefined
      ? event
      : fail('journal/corrupt', `Event ${seq} in ${name} cannot be read: ${problem}.`);
  });
}

/** Draws it again. A picture is what its digest says. */
async function showsItsRecord(html: string, run: ExportedRun): Promise<boolean> {
  const pictures = new Map(
    Array.from(html.matchAll(/"data:(image\/[a-z]+);base64,([A-Za-z0-9+/=]+)"/g), ([, type = '', data = '']) => {
      const bytes = Buffer.from(data, 'base64');
      return [sha256(bytes), { type, bytes }] as const;
    }),
  );
  return runDocument(run, await drawnRun(run), pictures) === html;
}

/** The texts of the file are all that there is. Tools and providers are known by name, and none of them is called. */
async function replayed(events: readonly RunEvent[], run: ExportedRun): Promise<Replay> {
  const start = startOf(events);
  const texts = new Map(
    Object.entries(start.texts).map(([file, digest]) => [
      file,
      run.texts[digest] ??
        fail('journal/corrupt', `The text of ${file} (${digest}) was gone when the run was exported.`),
    ]),
  );
  const known = { knownTools: recordedTools(events), knownProviders: 'any', workspace: 'unread' } as const;
  const cadre = cadreFromTexts(start.folder, texts, known);
  const blobs = {
    get: (digest: string) =>
      Promise.resolve(run.texts[digest] === undefined ? undefined : new TextEncoder().encode(run.texts[digest])),
  };
  return replay(events, cadre, services, { store: { blobs } });
}
