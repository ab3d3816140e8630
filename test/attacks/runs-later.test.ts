// An agent that may change files does not decide what runs later without a person.

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { folderWith } from '../support/cli.ts';
import { type Writing, writingIn } from '../support/writing.ts';

let at: Writing | undefined;
afterEach(() => at?.remove());

const hasGit = (): boolean => {
  try {
    execFileSync('git', ['--version']);
    return true;
  } catch {
    return false;
  }
};

test('node_modules is closed in any folder, and can be opened by name', async () => {
  at = writingIn({ 'node_modules/a/index.js': 'a' });
  for (const path of ['node_modules/a/index.js', 'sub/Node_Modules/b.js', 'node_modules/.bin/tool'])
    expect(await at.call('write_file', { path, content: 'x', overwrite: true })).toMatch(/node_modules run later/);
  expect(await at.call('delete_file', { path: 'node_modules/a/index.js' })).toMatch(/node_modules run later/);
  expect(await at.call('move_file', { path: 'node_modules/a/index.js', to: 'b.js' })).toMatch(/run later/);
  at.remove();
  at = writingIn({}, { allow: ['node_modules/mine/**'] });
  expect(await at.call('write_file', { path: 'node_modules/mine/b.js', content: 'x' })).toMatch(/^Made/);
  expect(await at.call('write_file', { path: 'node_modules/b.js', content: 'x' })).toMatch(/run later/);
});

const BY_ITSELF = [
  '.github/workflows/ci.yml',
  '.github/actions/setup/action.yml',
  '.vscode/tasks.json',
  'sub/.VSCODE/Tasks.json',
  '.husky/pre-commit',
  'Jenkinsfile',
  '.circleci/config.yml',
  '.yarnrc.yml',
];

test.each(BY_ITSELF)('a change of %s asks with its diff, and is made only as it was seen', async (path) => {
  at = writingIn({ [path]: 'run: test\n' });
  const edit = { path, old_text: 'test', new_text: 'evil' };
  const write = { path, content: 'evil', overwrite: true };
  const moved = { path, to: 'elsewhere.txt' };
  const calls = [
    ['edit_file', edit],
    ['write_file', write],
    ['delete_file', { path }],
    ['move_file', moved],
  ] as const;
  for (const [name, input] of calls) {
    const shown = await at.preview(name, input);
    expect(shown).toMatchObject({ kind: 'diff', always: true, rest: { words: 'with exactly this change' } });
    expect(await at.output(name, input)).toEqual({ asks: shown });
    expect(await at.call(name, input, { basis: 'another state' })).toMatch(/has changed since a person approved/);
  }
  expect(at.intents).toEqual([]);
  const { basis } = (await at.preview('edit_file', edit)) as { readonly basis: string };
  expect(await at.call('edit_file', edit, { basis })).toMatch(/^Edited/);
});

test('a link to it asks too, and so does a move to its place', async () => {
  at = writingIn({ '.github/workflows/ci.yml': 'a', 'x.yml': 'b' });
  symlinkSync('.github/workflows/ci.yml', join(at.path, 'innocent.yml'));
  symlinkSync('.github', join(at.path, 'docs'));
  for (const path of ['innocent.yml', 'docs/workflows/ci.yml', 'docs/workflows/new.yml'])
    expect(await at.output('write_file', { path, content: 'x', overwrite: true })).toMatchObject({
      asks: { always: true },
    });
  expect(await at.output('move_file', { path: 'x.yml', to: 'docs/workflows/x.yml' })).toMatchObject({ asks: {} });
  expect(await at.call('write_file', { path: 'x.yml', content: 'x', overwrite: true })).toMatch(/^Replaced/);
});

test('.envrc is a name of secrets: it is closed, and once it is opened it asks', async () => {
  at = writingIn({});
  expect(await at.call('write_file', { path: '.envrc', content: 'x' })).toMatch(/may hold secrets/);
  at.remove();
  at = writingIn({}, { allow: ['.envrc'] });
  expect(await at.output('write_file', { path: '.envrc', content: 'x' })).toMatchObject({ asks: { always: true } });
});

test('the folder that core.hooksPath names asks, and files that the settings of git include are closed', async (given) => {
  if (!hasGit()) given.skip('git is not installed');
  at = writingIn({ 'tools/hooks/pre-commit': 'x', 'team.gitconfig': '[core]\nhooksPath = tools/hooks\n' });
  execFileSync('git', ['init', '-q', at.path]);
  execFileSync('git', ['-C', at.path, 'config', 'include.path', '../team.gitconfig']);
  const { path } = at;
  expect(await at.output('write_file', { path: 'tools/hooks/post-merge', content: 'x' })).toMatchObject({
    asks: { always: true },
  });
  expect(await at.call('write_file', { path: 'team.gitconfig', content: 'x', overwrite: true })).toMatch(
    /never changed/,
  );
  expect(await at.call('write_file', { path: 'tools/other', content: 'x' })).toMatch(/^Made/);
  mkdirSync(join(path, 'sub'));
});

test('through the command line: what functions import and MCP servers start is closed, and trust does not cover hooks', async () => {
  const tries = [
    'package.json',
    'mapped.mjs',
    'mcp/server.py',
    'mcp/helper.py',
    'mcp/json.py',
    'mcp/parts/deep.py',
    'served/__main__.py',
    'scripts/own.mjs',
    'compose.yaml',
    'lib/deep.mjs',
    'lib/required.cjs',
    'server.mjs',
    'parts/server-part.mjs',
    'preload.mjs',
    'made-later.mjs',
    'installed_module/__main__.py',
    'mcp/json/__init__.py',
    'lib/required',
    'lib/required.js',
    'in-a-line.mjs',
    'by-variable.mjs',
    'modules/on_path.py',
    'shared_name/part.py',
    'typed/part.ts',
    'open.txt',
    '.github/workflows/ci.yml',
  ];
  const folder = folderWith({
    'cadre.yaml': `providers: { demo: { kind: scripted, script: ./s.yaml } }
defaults: { models: [demo/m] }
functions: ./tools.mjs
mcpServers:
  own: { command: node, args: ["--import=./preload.mjs", server.mjs] }
  later: { command: node, args: [./made-later.mjs] }
  python: { command: python3, args: [mcp/server.py] }
  module: { command: python3, args: [-m, served] }
  package: { command: npm, args: [run, mcp] }
  installed: { command: python3, args: [-m, installed_module] }
  parted: { command: python3, args: [-m, shared_name.part] }
  line: { command: sh, args: [-c, "cd . && node in-a-line.mjs"] }
  variable: { command: node, args: [server.mjs], env: { NODE_OPTIONS: "--import ./by-variable.mjs" } }
  path: { command: python3, args: [-m, on_path], env: { PYTHONPATH: modules } }
  typed: { command: npx, args: [tsx, typed/main.ts] }
  contained: { command: docker, args: [compose, run, mcp] }
`,
    'package.json': JSON.stringify({
      imports: { '#mapped': './mapped.mjs' },
      scripts: { mcp: 'node scripts/own.mjs' },
    }),
    'mapped.mjs': '',
    'mcp/server.py': 'import json, os\nfrom helper import *\nimport parts.deep as deep\n',
    'mcp/helper.py': '',
    'mcp/parts/deep.py': '',
    'served/__main__.py': '',
    'scripts/own.mjs': '',
    'tools.mjs': `import './lib/first.mjs';\nimport '#mapped';\nexport const t = { name: 't', description: 't', parameters: {}, run: () => '' };\n`,
    'lib/first.mjs': `const deep = await import('./deep.mjs');\nexport { deep };\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\nrequire('./required');\n`,
    'lib/deep.mjs': 'export {};\n',
    'lib/required.cjs': '',
    'server.mjs': `import * as part from "./parts/server-part.mjs";\n`,
    'parts/server-part.mjs': '',
    'preload.mjs': '',
    'typed/main.ts': `import './part.js';\n`,
    's.yaml': JSON.stringify({
      agents: {
        fixer: [
          ...tries.map((path) => ({ call: { write_file: { path, content: 'x', overwrite: true } } })),
          { answer: 'done' },
        ],
      },
    }),
    'fixer.md': '---\ntools: ["files:write"]\ntrust: ["files:write"]\nmaxTurns: 40\n---\nYou fix.\n',
  });
  try {
    const { stdout, stderr } = await folder.cadre(['run', 'fixer', 'go']);
    expect(stdout, stderr).toContain('done');
    const { stdout: shown } = await folder.cadre(['show', 'last', '--changes', '--json']);
    const { changes } = JSON.parse(shown) as { readonly changes: readonly { readonly path: string }[] };
    expect(changes.map(({ path }) => path)).toEqual(['open.txt']);
    expect(stderr).toMatch(/denied: fixer wants to call write_file \(files:write\/write_file\)/);
    expect(stderr).not.toContain('trust: [files:write]');
    const { stdout: tree } = await folder.cadre(['show', 'last', '--tree']);
    expect(tree).toMatch(/write_file +asks first/); // it did nothing, so it is not `ok`
    expect(tree).toMatch(/a person asked about write_file +denied/);
    expect((await folder.cadre(['replay'])).stdout).toContain('identical');
    const again = await folder.cadre(['run', 'fixer', 'go', '--approve', 'files:write']);
    expect(again.stderr).not.toContain('denied');
    expect(folder.read('.github/workflows/ci.yml')).toBe('x');
    expect(folder.read('server.mjs')).toContain('part');
  } finally {
    folder.remove();
  }
}, 60_000);
