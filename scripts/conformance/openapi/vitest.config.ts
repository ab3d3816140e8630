import { fileURLToPath } from 'node:url';
import { defineConfig, mergeConfig } from 'vitest/config';
import base from '../../../vitest.config.ts';

/** The tests as they are; each answer that a test gets leaves its status in a file. */
export default mergeConfig(
  base,
  defineConfig({
    root: fileURLToPath(new URL('../../../', import.meta.url)),
    test: { setupFiles: [fileURLToPath(new URL('./statuses.ts', import.meta.url))] },
  }),
);
