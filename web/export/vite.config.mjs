// Builds the thread that draws a run as a file into dist/export: the page's parts as text, for Node. The page itself loads
// none of it.
import { fileURLToPath } from 'node:url';
import { notices } from '../../scripts/build/notices.mjs';

export default {
  root: fileURLToPath(new URL('.', import.meta.url)),
  logLevel: 'warn',
  publicDir: false,
  plugins: [notices],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  ssr: { noExternal: true },
  build: {
    ssr: fileURLToPath(new URL('./thread.tsx', import.meta.url)),
    outDir: fileURLToPath(new URL('../../dist/export', import.meta.url)),
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      output: { entryFileNames: 'thread.js', codeSplitting: false },
    },
  },
};
