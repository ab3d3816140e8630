// Programs that start what a file in their folder says: an MCP server that is one of them is as much that file as its
// arguments.

import { basename } from 'node:path';

const OF_NPM = ['package.json'];
const OF_PYTHON = ['pyproject.toml'];
const OF_DOCKER = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml', 'Dockerfile'];

const STARTS: Readonly<Record<string, readonly string[]>> = {
  npm: OF_NPM, // npm run mcp
  npx: OF_NPM, // a bin of this package comes before one of the registry
  pnpm: OF_NPM,
  yarn: OF_NPM,
  bun: [...OF_NPM, 'bunfig.toml'],
  bunx: OF_NPM,
  deno: ['deno.json', 'deno.jsonc', ...OF_NPM],
  uv: [...OF_PYTHON, 'uv.toml'],
  uvx: ['uv.toml'],
  poetry: OF_PYTHON,
  pdm: OF_PYTHON,
  hatch: OF_PYTHON,
  pipenv: ['Pipfile'],
  docker: OF_DOCKER,
  podman: OF_DOCKER,
  'docker-compose': OF_DOCKER,
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml'],
  bundle: ['Gemfile'],
  rake: ['Rakefile'],
  cargo: ['Cargo.toml', 'build.rs'],
  mvn: ['pom.xml'],
  gradle: ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
};

/** The names of files in the folder of the program. */
export const startFiles = (program: string): readonly string[] =>
  STARTS[
    basename(program)
      .replace(/\.(?:exe|cmd|bat)$/i, '')
      .toLowerCase()
  ] ?? [];

const ALL: ReadonlySet<string> = new Set(Object.values(STARTS).flat());

export const isStartFile = (path: string): boolean => ALL.has(basename(path));
