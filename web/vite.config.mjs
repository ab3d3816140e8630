// Builds the page into dist/page: one HTML file with the shell, one stylesheet, one script, and what is loaded only when a
// screen needs it, with a stylesheet of its own. Everything comes from this server; nothing is inlined into the HTML, because the page's policy forbids it.
import { fileURLToPath } from 'node:url';
import { brotli } from '../scripts/build/brotli.mjs';
import { notices } from '../scripts/build/notices.mjs';

export default {
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  logLevel: 'warn',
  publicDir: false,
  plugins: [notices, brotli],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('../dist/page', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    cssCodeSplit: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    sourcemap: false,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      output: {
        // All that the first script imports is in it, also what a later one shares: one request, and compressed together.
        codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] },
      },
    },
  },
};
