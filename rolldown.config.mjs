// The bundle of the CLI and the public entries. Each dynamic import stays a chunk of its own, so that what a command
// does not use is never loaded. Packages become part of the bundle: an install then brings a tenth of their files, and what
// is loaded together is one file. Only what package.json names under dependencies and peerDependencies stays outside.
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { build } from 'vite';
import { notices } from './scripts/build/notices.mjs';
import exported from './web/export/vite.config.mjs';
import page from './web/vite.config.mjs';

const cli = 'dist/cli/main.js';

const { dependencies = {}, peerDependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8'));
const outside = Object.keys({ ...dependencies, ...peerDependencies });
const external = (id) => isBuiltin(id) || outside.some((name) => id === name || id.startsWith(`${name}/`));

/** Names stay as they are, for the stack of an error: shorter ones save no time that could be measured. */
const minify = { compress: false, mangle: false, codegen: { removeWhitespace: false } };

/**
 * A file takes longer to find and open than to compile, so what is needed together is one. A group takes in all that its
 * members import, but not what they import when they use it: providers, MCP, telemetry, the other commands.
 */
const groups = [
  // What every command and every program needs, and nothing that runs anything.
  {
    name: 'base',
    test: /[\\/]src[\\/](?:kernel[\\/]|cli[\\/](?:screen[\\/](?:escape-control|output|terminal)|render[\\/]width)\.ts$)|rolldown[\\/]runtime/,
  },
  { name: 'run', test: /[\\/]src[\\/]cli[\\/]commands[\\/]run\.ts$/ },
  { name: 'scripted', test: /[\\/]src[\\/]models[\\/]scripted[\\/]/ },
  // What the library has beyond a run.
  {
    name: 'library',
    test: /[\\/]src[\\/](?:views[\\/]|engine[\\/](?:assembly|spawned)\.ts$|journal[\\/]stores[\\/]memory\.ts$)/,
  },
].map((group, index, { length }) => ({ ...group, priority: length - index }));

/** A chunk that consists of packages is named for the last one, which imports the others. */
function packageOf(moduleIds) {
  if (moduleIds.some((id) => !id.includes('node_modules'))) return undefined;
  const [, name] = /.*[\\/]node_modules[\\/](@[^\\/]+[\\/][^\\/]+|[^\\/]+)/.exec(moduleIds.at(-1) ?? '') ?? [];
  return name?.replace('@', '').replace(/[\\/]/, '-');
}

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

/** Node prints the line that made an error before its message, unless the line says this. The message of a fault says more. */
const messageFirst = {
  name: 'message-first',
  writeBundle({ dir }, bundle) {
    for (const [file, { type }] of Object.entries(bundle)) {
      if (type !== 'chunk') continue;
      const code = readFileSync(`${dir}/${file}`, 'utf8');
      const marked = code.replaceAll(
        /^[^`\n]*\bnew FaultError\((?:[^`\n]|`[^`\n]*`)*\);$/gm,
        '$& // node-do-not-add-exception-line',
      );
      if (marked !== code) writeFileSync(`${dir}/${file}`, marked);
    }
  },
};

/** What is loaded by `require` is a file beside the chunks: see src/base/yaml/package.ts and src/base/schema/ajv.ts. */
const required = {
  yaml: { in: /src[\\/]base[\\/]yaml[\\/]package\.ts$/, file: 'yaml' },
  ajv: { in: /src[\\/]base[\\/]schema[\\/]ajv\.ts$/, file: 'ajv' },
  'ajv/dist/2020.js': { in: /src[\\/]base[\\/]schema[\\/]ajv\.ts$/, file: 'ajv-2020' },
  'ajv-formats': { in: /src[\\/]base[\\/]schema[\\/]ajv\.ts$/, file: 'ajv-formats' },
};

const besideChunks = {
  name: 'beside-chunks',
  transform(code, id) {
    const here = Object.entries(required).filter(([, { in: file }]) => file.test(id));
    if (here.length === 0) return undefined;
    const changed = here.reduce((text, [name, { file }]) => {
      if (!text.includes(`('${name}')`)) throw new Error(`${id} no longer says ('${name}'): see besideChunks`);
      return text.replace(`('${name}')`, `('./${file}.cjs')`);
    }, code);
    return { code: changed, map: null };
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

/** Source maps lead into our own files. The texts of packages would be half of what an install brings. */
const leanMaps = {
  name: 'lean-maps',
  writeBundle({ dir }, bundle) {
    for (const file of Object.keys(bundle).filter((name) => name.endsWith('.map'))) {
      const map = JSON.parse(readFileSync(`${dir}/${file}`, 'utf8'));
      const texts = map.sourcesContent?.map((text, index) =>
        map.sources[index].includes('node_modules') ? null : text,
      );
      writeFileSync(`${dir}/${file}`, JSON.stringify({ ...map, sourcesContent: texts }));
    }
  },
};

/** The page and what draws a run as a file are built in this process too, so that the list of packages holds those that it is made of. */
const pageBesideCli = {
  name: 'page-beside-cli',
  async closeBundle() {
    await build({ ...page, configFile: false });
    await build({ ...exported, configFile: false });
  },
};

/** A machine that is slow for a moment is no news to who installs from a clone. */
const checks = { bundlerTimings: false };

const cadre = {
  input: {
    'cli/main': 'src/cli/main.ts',
    index: 'src/index.ts',
    'server/index': 'src/server/index.ts',
    'testing/index': 'src/testing/index.ts',
    'tools/page-reader': 'src/tools/web/page-reader.ts', // a thread, started by its path
    'base/measure-file': 'src/base/media/measure-file.ts', // a thread too
  },
  platform: 'node',
  checks,
  external,
  plugins: [freshDist, noSubprograms, besideChunks, messageFirst, executableCli, leanMaps, notices, pageBesideCli],
  output: {
    dir: 'dist',
    format: 'esm',
    sourcemap: true,
    minify,
    entryFileNames: '[name].js',
    chunkFileNames: ({ name, moduleIds }) => `chunks/${packageOf(moduleIds) ?? name}-[hash].js`,
    codeSplitting: { groups },
  },
};

const besides = {
  input: Object.fromEntries(Object.entries(required).map(([name, { file }]) => [file, name])),
  platform: 'node',
  checks,
  plugins: [notices],
  output: {
    dir: 'dist/chunks',
    format: 'cjs',
    minify,
    entryFileNames: '[name].cjs',
    chunkFileNames: 'required-[hash].cjs',
  },
};

/** One file, which a browser loads as it is. */
const client = {
  input: 'src/client/index.ts',
  platform: 'browser',
  checks,
  plugins: [leanMaps, notices],
  output: { dir: 'dist/client', format: 'esm', sourcemap: true, minify },
};

export default [cadre, besides, client];
