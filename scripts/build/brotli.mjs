// Writes the files of the page a second time, compressed as small as Brotli can make them: that takes a second, which a
// server must not take for each of its starts. They lie in a folder of their own, by the same names.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

/** A plugin for the bundle of the page. */
export const brotli = {
  name: 'brotli',
  writeBundle({ dir }, bundle) {
    for (const file of Object.keys(bundle)) {
      const small = join(dir, 'brotli', file);
      mkdirSync(dirname(small), { recursive: true });
      writeFileSync(small, brotliCompressSync(readFileSync(join(dir, file))));
    }
  },
};
