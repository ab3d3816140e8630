// The bundle of the CLI and the public entries. Each dynamic import stays a chunk of its own, so that what a command
// does not use is never loaded. Dependencies stay external, but for three that stand on the start path: as one file
// each, without blanks and comments, they load in half the time.
import { chmodSync, readFileSync, rmSync } from 'node:fs';

const cli = 'dist/cli/main.js';

const onStartPath = ['commander', 'tokenx', 'yaml'];

const freshDist = {
  name: 'fresh-dist',
  buildStart() {
    rmSync('dist', { recursive: true, force: true });
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
  external: (id) => !id.startsWith('.') && !id.startsWith('/') && !onStartPath.includes(id),
  plugins: [freshDist, executableCli],
  output: {
    dir: 'dist',
    format: 'esm',
    sourcemap: true,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  },
};
