// The files of a run in the folder of its test, with the names that its models were told. Whoever sent a file chose its
// name, so one that would be more than a picture or a document there gets another: `x.md` would be an agent.

import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { RunStore } from '../journal/store.ts';
import { fail } from '../kernel/fault.ts';
import type { FileRef } from '../kernel/file-ref.ts';

/** The folder of the files of a test. */
export const filesBeside = (test: string): string => join(dirname(test), `${basename(test, '.test.yaml')}.files`);

/** Reads them all before the first is written. Throws `usage` if the store lacks one. */
export async function copiesOf(
  files: readonly FileRef[],
  { blobs }: Pick<RunStore, 'blobs'>,
): Promise<
  readonly {
    readonly name: string;
    readonly bytes: Uint8Array;
  }[]
> {
  return Promise.all(
    files.map(async (file, index) => {
      const bytes = await blobs.get(file.digest);
      if (bytes === undefined)
        return fail('usage', `The store has no bytes of ${JSON.stringify(file.name)} any more, and a test needs them.`);
      return { name: nameOnDisk(file, index), bytes };
    }),
  );
}

export function writeCopies(copies: Awaited<ReturnType<typeof copiesOf>>, folder: string): void {
  if (copies.length === 0) return;
  mkdirSync(folder, { recursive: true });
  for (const { name, bytes } of copies) writeFileSync(join(folder, name), bytes, { flag: 'wx' });
}

const ENDINGS: Readonly<Record<FileRef['type'], readonly [string, ...string[]]>> = {
  'image/png': ['.png'],
  'image/jpeg': ['.jpg', '.jpeg'],
  'image/gif': ['.gif'],
  'image/webp': ['.webp'],
  'application/pdf': ['.pdf'],
};

/** File systems take no longer one. */
const LONGEST_NAME_BYTES = 255;

function nameOnDisk({ name, type }: FileRef, index: number): string {
  const endings = ENDINGS[type];
  const isPlain = !/[\0/\\]/.test(name) && Buffer.byteLength(name) <= LONGEST_NAME_BYTES;
  return isPlain && endings.includes(extname(name).toLowerCase()) ? name : `file-${index + 1}${endings[0]}`;
}
