// The bundle of the CLI and the public entries. Each dynamic import stays a chunk of its own, so that what a command
// does not use is never loaded. Dependencies stay external, but for those that stand on the start path, or next to it:
// as one file, without blanks and comments, they load in a third of the time.
import { chmodSync, readFileSync, rmSync } from 'node:fs';

const cli = 'dist/cli/main.js';

const onStartPath = ['commander', 'fast-string-truncated-width', 'fast-string-width', 'tokenx'];

/** Names stay as they are, for the stack of an error: shorter ones save no time that could be measured. */
const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

/**
 * A file takes longer to find and open than to compile, so what is needed together is one. A group takes in all that its
 * members import, but not what they import when they use it: providers, MCP, telemetry, the other commands.
 */
const groups = [
  // What every command and every program needs, and nothing that runs anything.
  {
    name: 'base',
    test: /[\\/]src[\\/](?:kernel[\\/]|cli[\\/](?:harmless|out|terminal|render[\\/]width)\.ts$)|rolldown[\\/]runtime/,
  },
  { name: 'run', test: /[\\/]src[\\/]cli[\\/]commands[\\/]run\.ts$/ },
  { name: 'scripted', test: /[\\/]src[\\/]models[\\/]scripted[\\/]/ },
  // What the library has beyond a run.
  {
    name: 'library',
    test: /[\\/]src[\\/](?:views[\\/]|engine[\\/](?:assembly|spawned)\.ts$|journal[\\/]stores[\\/]memory\.ts$)/,
  },
].map((group, index, { length }) => ({ ...group, priority: length - index }));

const freshDist = {
  name: 'fresh-dist',
  buildStart() {
    rmSync('dist', { recursive: true, force: true });
  },
};

/** commander starts other programs only for commands that live in files of their own, and we have none. */
const noSubprograms = {
  name: 'no-subprograms',
  transform(code, id) {
    if (!/commander[\\/]lib[\\/]command\.js$/.test(id)) return undefined;
    const needed = "require('node:child_process')";
    if (!code.includes(needed)) throw new Error(`commander no longer says ${needed}: see noSubprograms`);
    return { code: code.replace(needed, '{}'), map: null };
  },
};

/** Chunks take yaml from the file beside them: see src/yaml/package.ts. */
const yamlBesideChunks = {
  name: 'yaml-beside-chunks',
  transform(code, id) {
    if (!/src[\\/]yaml[\\/]package\.ts$/.test(id)) return undefined;
    const needed = "('yaml')";
    if (!code.includes(needed)) throw new Error(`src/yaml/package.ts no longer says ${needed}: see yamlBesideChunks`);
    return { code: code.replace(needed, "('./yaml.cjs')"), map: null };
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

const cadre = {
  input: {
    'cli/main': 'src/cli/main.ts',
    index: 'src/index.ts',
    'testing/index': 'src/testing/index.ts',
  },
  platform: 'node',
  external: (id) => !id.startsWith('.') && !id.startsWith('/') && !onStartPath.includes(id),
  plugins: [freshDist, noSubprograms, yamlBesideChunks, executableCli],
  output: {
    dir: 'dist',
    format: 'esm',
    sourcemap: true,
    minify,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: { groups },
  },
};

const yaml = {
  input: 'yaml',
  platform: 'node',
  output: { file: 'dist/chunks/yaml.cjs', format: 'cjs', minify },
};

export default [cadre, yaml];
