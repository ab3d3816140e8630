import { join } from 'node:path';
import { defineConfig, mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';
import { root } from '../house/files.mjs';

interface Mistake {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const mistake = JSON.parse(process.env['MUTATION'] ?? 'null') as Mistake | null;

/** The tests as they are, on source in which one place reads otherwise. */
export default mergeConfig(
  base,
  defineConfig({
    root,
    plugins: [
      {
        name: 'mutation',
        enforce: 'pre',
        transform(code, id) {
          if (mistake === null || id !== join(root, mistake.file)) return undefined;
          return code.slice(0, mistake.start) + mistake.text + code.slice(mistake.end);
        },
      },
    ],
  }),
);
