// The bundle of the CLI and the public entries. Dependencies stay external, and each dynamic import stays a chunk
// of its own, so that what a command does not use is never loaded.
import { chmodSync, readFileSync, rmSync } from 'node:fs';

const cli = '/tmp/v/bundled/cli/main.js';

const freshDist = {
  name: 'fresh-dist',
  buildStart() {
    rmSync('/tmp/v/bundled', { recursive: true, force: true });
  },
};

const executableCli = {
  name: 'executable-cli',
  writeBundle() {
    if (!readFileSync(cli, 'utf8').startsWith('#!')) {
      throw new Error('src/cli/main.ts does not open with "#!/usr/bin/env node": npm could not link it as a command.');
    }
    chmodSync(cli, 0o755);
  },
};

export default {
  input: {
    'cli/main': 'src/cli/main.ts',
    index: 'src/index.ts',
    'testing/index': 'src/testing/index.ts',
  },
  platform: 'node',
  external: (id) => !id.startsWith('.') && !id.startsWith('/') && !['commander','tokenx','yaml'].includes(id),
  plugins: [freshDist, executableCli],
  output: {
    dir: '/tmp/v/bundled',
    format: 'esm',
    sourcemap: true, minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  },
};
