// A command in a sandbox leaves nothing for later that git, an editor, a shell or Cadre would run. Without bubblewrap
// or git, nothing is tried.

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ToolResult } from '../../src/kernel/message.ts';
import { NOTHING_SECRET } from '../../src/kernel/redacted.ts';
import { findSandbox } from '../../src/tools/shell/sandbox.ts';
import { type ShellPlace, shellSource } from '../../src/tools/shell/source.ts';
import { treeOf } from '../support/changing.ts';
import { folderWith, until } from '../support/cli.ts';

const sandbox = await findSandbox(process.env['PATH']);
const why = sandbox.kind === 'none' ? sandbox.why : gitProblem();

function gitProblem(): string | undefined {
  try {
    execFileSync('git', ['--version']);
    return undefined;
  } catch {
    return 'git is not installed';
  }
}

let folder: string;
beforeEach((given) => {
  if (why !== undefined) given.skip(why);
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-sandbox-')));
});
afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

const put = (path: string, text = 'as it was\n'): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const git = (...args: readonly string[]): string => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' });

function repository(): void {
  execFileSync('git', ['init', '-q', '-b', 'main', folder]);
  git('config', 'user.email', 'ann@example.com');
  git('config', 'user.name', 'Ann');
  put('src/a.txt');
  git('add', '.');
  git('commit', '-qm', 'first');
}

async function run(command: string, place: Partial<ShellPlace> = {}): Promise<string> {
  const [tool] = await shellSource(
    { sandbox: 'required', network: false },
    { workspace: folder, guarded: [], ...place },
  ).tools();
  const context = {
    signal: new AbortController().signal,
    callKey: 'r/0',
    timeoutMs: 60_000,
    progress() {},
    redactor: NOTHING_SECRET,
  };
  return ((await tool!.execute({ command }, context)) as ToolResult).text;
}

/** Tries to put each path, whatever it takes. */
const attacks = (...paths: readonly string[]): string =>
  paths
    .map(
      (path) =>
        `(mkdir -p '${dirname(path)}' && echo evil >> '${path}') 2>/dev/null && echo "wrote ${path}"; ` +
        `(rm -rf '${path}' && echo evil > '${path}') 2>/dev/null && echo "replaced ${path}"; ` +
        `(echo evil > x.tmp && mv -f x.tmp '${path}') 2>/dev/null && echo "moved to ${path}"`,
    )
    .join('; ') + '; rm -f x.tmp';

/** Renames, and does not copy as mv does. */
const moves = (...paths: readonly string[]): string =>
  `${process.execPath} -e "const fs = require('fs'); for (const p of '${paths.join(' ')}'.split(' ')) { try { fs.renameSync(p, 'x2'); console.log('moved to x2', p); } catch {} }"`;

const OF_GIT = [
  'config',
  'config.worktree',
  'hooks/pre-commit',
  'info/attributes',
  'modules/sub/config',
  'worktrees/w/gitdir',
  'objects/info/alternates',
  'branches/x',
  'remotes/origin',
];

test('a file that git runs or is configured by is written neither in its place nor by moving a folder', async () => {
  repository();
  const before = treeOf(join(folder, '.git'));
  const text = await run(
    `${attacks(...OF_GIT.map((name) => `.git/${name}`))}; ${moves('.git', '.git/hooks', '.git/objects')}; git config core.fsmonitor evil; ` +
      'exit 0',
  );
  expect(text).not.toMatch(/wrote|replaced|moved to/);
  expect(treeOf(join(folder, '.git'))).toEqual(before);
  expect(git('status', '--short')).toBe('');
});

test('git add, commit, switch and stash work, and nothing of the guards is left', async () => {
  repository();
  const text = await run(
    'set -e; echo 2 > src/b.txt; git add -A; git commit -qm second; git switch -qc feature; echo 3 >> src/a.txt; git stash -q; ' +
      'git stash pop -q; git commit -qam third; git switch -q main; git merge -q feature; git log --oneline | wc -l; git status --short --ignored; git rebase -q feature',
  );
  expect(text).toMatch(/^exit code 0, .*\n3$/m);
  expect(git('log', '--format=%s')).toBe('third\nsecond\nfirst\n');
  expect(git('status', '--short')).toBe('');
  expect(git('ls-files')).toBe('src/a.txt\nsrc/b.txt\n');
  expect(git('fsck')).not.toContain('error');
  for (const name of ['commondir', 'config.worktree', 'modules', 'worktrees', 'remotes'])
    expect(existsSync(join(folder, '.git', name)), name).toBe(false);
  for (const name of ['node_modules', '.envrc', '.env', '.vscode', '.github', '.husky', '.cadre'])
    expect(existsSync(join(folder, name)), name).toBe(false);
});

test('a .git/commondir and the to-do list of a rebase are set aside, and the repository works', async () => {
  repository();
  mkdirSync(join(folder, '.git/rebase-merge'));
  const text = await run(
    'mkdir other; echo ../other > .git/commondir; echo "exec evil" > .git/rebase-merge/git-rebase-todo; mkdir .git/sequencer; echo x > .git/sequencer/todo',
  );
  expect(text).toMatch(/Commands do not change \.git\/commondir, .*git-rebase-todo.*set aside/);
  expect(existsSync(join(folder, '.git/commondir'))).toBe(false);
  expect(existsSync(join(folder, '.git/rebase-merge/git-rebase-todo'))).toBe(false);
  rmSync(join(folder, '.git/rebase-merge'), { recursive: true });
  expect(git('log', '--format=%s')).toBe('first\n');
});

test('a file that a server of CI or an assistant would run is set aside where it was missing', async () => {
  repository();
  const text = await run(
    'echo evil > .gitlab-ci.yml; mkdir .circleci .claude; echo evil > .circleci/config.yml; echo "{}" > .claude/settings.json; echo evil > Jenkinsfile; echo fine > README',
  );
  expect(text).toMatch(/Commands do not change .*\.gitlab-ci\.yml.*set aside/);
  for (const name of ['.gitlab-ci.yml', '.circleci', '.claude/settings.json', 'Jenkinsfile'])
    expect([name, existsSync(join(folder, name)), existsSync(join(folder, `${name}.set-aside`))]).toEqual([
      name,
      false,
      true,
    ]);
  expect(readFileSync(join(folder, 'README'), 'utf8')).toBe('fine\n');
});

test('a rebase that a person began keeps its to-do list', async () => {
  repository();
  put('.git/rebase-merge/git-rebase-todo', 'pick 1\n');
  await run(`${attacks('.git/rebase-merge/git-rebase-todo')}; ${moves('.git/rebase-merge')}`);
  expect(readFileSync(join(folder, '.git/rebase-merge/git-rebase-todo'), 'utf8')).toBe('pick 1\n');
});

const BY_ITSELF = [
  '.envrc',
  '.vscode/tasks.json',
  '.github/workflows/ci.yml',
  '.husky/pre-commit',
  'node_modules/a/index.js',
  '.mcp.json',
];

test.each([
  ['is there', true],
  ['is missing', false],
])('a file that runs later stays as it is where it %s', async (_, isThere) => {
  repository();
  if (isThere) for (const path of BY_ITSELF) put(path);
  const before = treeOf(folder);
  const text = await run(
    `${attacks(...BY_ITSELF)}; ${moves('.vscode', '.github', 'node_modules')}; ls -d .vscode .github node_modules; exit 0`,
  );
  expect(text).not.toMatch(/wrote|replaced|moved to/);
  expect(treeOf(folder)).toEqual(before);
});

test('nested repositories, hooks elsewhere, names of secrets and Cadre’s own files are guarded, with the folders above them', async () => {
  repository();
  execFileSync('git', ['init', '-q', join(folder, 'deep/er/repo')]);
  git('config', 'core.hooksPath', 'tools/hooks');
  const paths = [
    'tools/hooks/pre-commit',
    'agents/deep/one.md',
    'agents/lib/part.mjs',
    'deep/.envrc',
    'deep/server.key',
    'team/cadre.yaml',
  ];
  for (const path of paths) put(path);
  const guarded = ['agents/deep/one.md', 'agents/lib/part.mjs', 'agents/later/server.mjs'].map((path) =>
    join(folder, path),
  );
  const before = treeOf(folder);
  const all = [
    ...paths,
    'deep/er/repo/.git/config',
    'deep/er/repo/.git/hooks/x',
    'agents/later/server.mjs',
    'tools/hooks/post-merge',
  ];
  const text = await run(
    `${attacks(...all)}; ${moves('agents', 'agents/deep', 'deep', 'deep/er', 'tools', 'team')}; exit 0`,
    { guarded },
  );
  expect(text).not.toMatch(/wrote|replaced|moved to/);
  expect(treeOf(folder)).toEqual(before);
});

test('files.write.allow opens what is closed, and not what runs by itself nor git', async () => {
  repository();
  for (const path of ['node_modules/a.js', 'agents/draft.md', '.envrc', '.github/workflows/ci.yml']) put(path);
  const all = ['node_modules/a.js', 'agents/draft.md', '.envrc', '.github/workflows/ci.yml', '.git/config'];
  const place = {
    guarded: [join(folder, 'agents/draft.md')],
    allow: ['node_modules/**', 'agents/draft.md', '.envrc', '.github/**'],
  };
  const text = await run(`for f in ${all.join(' ')}; do (echo mine > $f) 2>/dev/null && echo "wrote $f"; done`, place);
  expect(text.match(/wrote .*/g)).toEqual(['wrote node_modules/a.js', 'wrote agents/draft.md']);
});

test('a guarded name that is a link leads where it led', async () => {
  repository();
  put('shared/agent.md');
  mkdirSync(join(folder, 'agents'));
  symlinkSync('../shared/agent.md', join(folder, 'agents/one.md'));
  const text = await run('rm agents/one.md; echo evil > agents/one.md; echo evil > shared/agent.md; exit 0', {
    guarded: [join(folder, 'agents/one.md')],
  });
  expect(text).toContain('agents/one.md');
  expect(readlinkSync(join(folder, 'agents/one.md'))).toBe('../shared/agent.md');
  expect(readFileSync(join(folder, 'shared/agent.md'), 'utf8')).toBe('as it was\n');
});

test('a cadre.yaml and a .env that a command makes where there are none are set aside, and a recording is not', async () => {
  repository();
  const guarded = ['cadre.yaml', '.env', 'kept.recording.jsonl'].map((name) => join(folder, name));
  const text = await run('for f in cadre.yaml .env kept.recording.jsonl; do echo x > $f; done', { guarded });
  expect(text).toContain('Commands do not change cadre.yaml, .env,');
  expect(existsSync(join(folder, 'cadre.yaml'))).toBe(false);
  expect(existsSync(join(folder, '.env'))).toBe(false);
  expect(existsSync(join(folder, 'kept.recording.jsonl'))).toBe(true);
});

test('the last of two commands at once takes the placeholders away, and neither can write to them', async () => {
  repository();
  const long = run(
    'echo > begun; while [ ! -e go ]; do sleep 0.05; done; (mkdir node_modules/x || echo evil > .envrc) 2>/dev/null && echo wrote; exit 0',
  );
  await until(() => existsSync(join(folder, 'begun')));
  await run('true');
  expect(lstatSync(join(folder, 'node_modules')).isDirectory()).toBe(true);
  put('go');
  expect(await long).not.toContain('wrote');
  for (const name of ['node_modules', '.envrc', '.vscode']) expect(existsSync(join(folder, name))).toBe(false);
});

test('a workspace without a repository gets none', async () => {
  put('a.txt');
  const text = await run('git init -q . && echo made; exit 0');
  expect(text).not.toMatch(/^made/m);
  expect(existsSync(join(folder, '.git'))).toBe(false);
});

test('after a kill nothing of the guards is left either', async () => {
  const made = folderWith({
    'cadre.yaml': 'providers: { demo: { kind: scripted, script: ./s.yaml } }\ndefaults: { models: [demo/m] }\n',
    's.yaml': JSON.stringify({
      agents: { runner: [{ call: { run_command: { command: 'echo x > .git/commondir; echo > begun; sleep 600' } } }] },
    }),
    'runner.md': '---\ntools: [shell]\ntrust: [shell]\n---\nYou run.\n',
  });
  try {
    execFileSync('git', ['init', '-q', made.path]);
    const child = made.start(['run', 'runner', 'go']);
    await until(() => made.has('begun'));
    expect(made.has('node_modules')).toBe(true);
    child.kill('SIGKILL');
    await until(() => !made.has('node_modules') && !made.has('.envrc') && !made.has('.git/commondir'));
    expect(execFileSync('git', ['-C', made.path, 'status', '--short'], { encoding: 'utf8' })).toContain('begun');
  } finally {
    made.remove();
  }
});
