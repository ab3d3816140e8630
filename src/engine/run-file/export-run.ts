// A run as one file: collected, drawn, and made to fit. What no replay reads is left out first, and named; then fewer rows
// are drawn.

import type { RunId } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';
import { bytes as bytesText } from '../../views/amounts.ts';
import { type ExportedRun, exportedName, type LeftOutBlob } from '../../views/exported-run.ts';
import { startOf } from '../pinned.ts';
import { type CollectedRun, collectRun } from './collect-run.ts';
import { drawnRun } from './draw-run.ts';
import { runDocument } from './run-document.ts';

interface RunFile {
  /** A name for it. */
  readonly name: string;
  readonly html: string;
  readonly bytes: number;
  readonly leftOut: readonly LeftOutBlob[];
}

const MOST_FILE_BYTES = 20 * 1024 * 1024;

/** The most rows of each table that are drawn: as many as fit. */
const ROWS = [2000, 500, 100, 10] as const;

interface ExportOptions {
  readonly store: RunStore;
  /** The version of Cadre. */
  readonly version: string;
  readonly now: () => number;
}

/** Throws `run/unknown`, `journal/corrupt`, and `usage` for a run that is too large for a file. */
export async function exportRun(id: RunId, { store, version, now }: ExportOptions): Promise<RunFile> {
  const collected = await collectRun(id, store, { version, at: now() });
  const spare = spareBlobs(collected);
  let least = 0;
  for (const rows of ROWS) {
    let leftOut: readonly LeftOutBlob[] = [];
    for (;;) {
      const run = withoutBlobs(collected, leftOut, rows);
      const html = runDocument(run, await drawnRun(run), collected.pictures);
      const bytes = Buffer.byteLength(html);
      if (bytes <= MOST_FILE_BYTES) return { name: exportedName(startOf(run.events)), html, bytes, leftOut };
      least = bytes;
      const next = largest(spare, bytes - MOST_FILE_BYTES + sum(leftOut));
      if (next.length === leftOut.length) break;
      leftOut = next;
    }
  }
  return fail(
    'usage',
    `Run ${id} makes a file of ${bytesText(least)} even where few of its rows are drawn, and ${bytesText(MOST_FILE_BYTES)} is the most. ` +
      `"cadre show ${id} --json" prints all of it.`,
  );
}

/** The largest first. */
function spareBlobs({ run, spare, pictures }: CollectedRun): readonly LeftOutBlob[] {
  const texts = [...spare].flatMap((digest) => {
    const text = run.texts[digest];
    return text === undefined ? [] : [{ digest, bytes: Buffer.byteLength(text) }];
  });
  const drawn = [...pictures].map(([digest, { bytes }]) => ({ digest, bytes: bytes.length }));
  return [...texts, ...drawn].toSorted((one, other) => other.bytes - one.bytes);
}

/** So many of them, from the largest on, that they have this size. */
function largest(blobs: readonly LeftOutBlob[], size: number): readonly LeftOutBlob[] {
  const taken: LeftOutBlob[] = [];
  for (const blob of blobs) {
    if (sum(taken) >= size) break;
    taken.push(blob);
  }
  return taken;
}

const sum = (blobs: readonly LeftOutBlob[]): number => blobs.reduce((size, { bytes }) => size + bytes, 0);

function withoutBlobs({ run, pictures }: CollectedRun, leftOut: readonly LeftOutBlob[], rows: number): ExportedRun {
  const gone = new Set(leftOut.map(({ digest }) => digest));
  return {
    ...run,
    texts: Object.fromEntries(Object.entries(run.texts).filter(([digest]) => !gone.has(digest))),
    pictures: [...pictures.keys()].filter((digest) => !gone.has(digest)),
    leftOut,
    rows,
  };
}
