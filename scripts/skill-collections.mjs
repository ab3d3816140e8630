// Holds Cadre's reading of skills to the format's own validator, over packages of the npm registry that hold skills: prints a
// table of how many each of the two passes. Exits with 1 if Cadre refuses a skill that the validator passes, or has no finding
// about one that it refuses. Only counts and sizes are kept; --list prints names as well. Needs a build and the registry.
//   npm run skill-collections -- [package@version …] [--write] [--list]
// A folder in place of a package is read as it is.

import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { validate } from 'skills-ref';
import { commandLine } from './command-line.mjs';

const { values, positionals } = commandLine(import.meta.url, {
  most: Infinity,
  options: { write: { type: 'boolean', default: false }, list: { type: 'boolean', default: false } },
});

const PACKAGES = [
  'claude-code-skills@0.5.0',
  'bmad-method@6.12.0',
  'claude-flow@3.43.0',
  'claude-skills@1.0.2',
  '@google/gemini-cli@0.61.0',
];
/** An agent lists so many entries of skills. */
const MOST_ENTRIES = 100;
/** Findings about the file itself. Those about names that two have, or tools of an agent, say nothing about the format. */
const ABOUT_THE_FILE = new Set(['skill/invalid', 'skill/key', 'skill/yaml']);

const cli = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const page = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'cadre-collections-'));
try {
  const rows = [];
  for (const [index, name] of (positionals.length > 0 ? positionals : PACKAGES).entries()) {
    const folder = join(home, String(index));
    rows.push({ name, skills: await judged(fetched(name, folder), folder) });
  }
  const table = tableOf(rows);
  process.stdout.write(`${table}\n`);
  if (values.list)
    for (const { name, skills } of rows) for (const one of skills) process.stdout.write(lineOf(name, one));
  if (values.write) write(table);
  const wrong = rows.flatMap(({ name, skills }) => skills.filter(isWrong).map((one) => lineOf(name, one)));
  for (const line of wrong) process.stderr.write(`not as it should be: ${line}`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** The files of a package, in `package` below the folder. */
function fetched(name, folder) {
  const target = join(folder, 'package');
  mkdirSync(folder, { recursive: true });
  if (existsSync(name)) cpSync(resolve(name), target, { recursive: true });
  else {
    const file = ran('npm', ['pack', '--silent', name], folder).trim().split('\n').at(-1) ?? '';
    ran('tar', ['xzf', file, '--no-same-owner'], folder);
  }
  return target;
}

function ran(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Each skill of the package with both verdicts. */
async function judged(root, folder) {
  const skills = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => basename(path) === 'SKILL.md')
    .map((path) => dirname(path))
    .toSorted();
  writeAgents(folder, skills);
  const found = findingsOf(folder);
  const all = [];
  for (const path of skills) {
    const violations = await validate(join(root, path));
    const codes = found.get(join('package', path, 'SKILL.md')) ?? [];
    const bytes = statSync(join(root, path, 'SKILL.md')).size;
    all.push({
      path,
      bytes,
      passes: violations.length === 0,
      violations,
      codes,
      isUsed: !codes.includes('skill/invalid'),
    });
  }
  return all;
}

function writeAgents(folder, skills) {
  writeFileSync(join(folder, 'cadre.yaml'), 'workspace: ./package\nagents: ["agent*.md"]\n');
  for (let at = 0; at < skills.length; at += MOST_ENTRIES) {
    const entries = skills.slice(at, at + MOST_ENTRIES).map((path) => JSON.stringify(`./${path}`));
    const keys = `description: Has skills.\nmodels: openai/any\nskills: [${entries.join(', ')}]`;
    writeFileSync(join(folder, `agent${at}.md`), `---\n${keys}\n---\nYou have skills.\n`);
  }
}

/** The codes of what the check says about each SKILL.md. A refusal stands at the entry and names the file. */
function findingsOf(folder) {
  const { stdout, stderr } = spawnSync(process.execPath, [cli, 'check', '--json'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (stdout === '') throw new Error(stderr);
  const found = new Map();
  for (const { code, file, message } of JSON.parse(stdout)) {
    const about = /^(.*SKILL\.md):\d+:\d+: /.exec(message)?.[1] ?? file;
    if (ABOUT_THE_FILE.has(code)) found.set(about, [...(found.get(about) ?? []), code]);
  }
  return found;
}

function isWrong({ passes, isUsed, codes }) {
  return passes ? !isUsed : codes.length === 0;
}

function lineOf(name, { path, bytes, passes, violations, codes }) {
  const verdicts = passes ? 'passes' : violations.map((text) => text.replace(/\s+/g, ' ').slice(0, 60)).join('; ');
  return `${name} ${path} ${bytes} B · validator: ${verdicts} · cadre: ${codes.join(', ') || 'nothing'}\n`;
}

function tableOf(rows) {
  const lines = rows.map(({ name, skills }) => {
    const count = (holds) => String(skills.filter(holds).length);
    const size = skills.reduce((sum, { bytes }) => sum + bytes, 0);
    return [
      existsSync(name) ? basename(resolve(name)) : name.replace(/^(.+)@([^@]+)$/, '`$1` $2'),
      count(() => true),
      size < 1 << 20 ? `${Math.round(size / 1024)} KiB` : `${(size / (1 << 20)).toFixed(1)} MiB`,
      count(({ passes }) => passes),
      count(({ isUsed }) => isUsed),
      count(({ passes, isUsed }) => passes && !isUsed),
      count(({ passes, codes }) => !passes && codes.length === 0),
    ];
  });
  return [
    '| package | skills | `SKILL.md` in all | the validator passes | Cadre uses | refused here that it passes | refused by it without a finding here |',
    '|---|---|---|---|---|---|---|',
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');
}

function write(table) {
  const text = readFileSync(page, 'utf8');
  writeFileSync(page, text.replace(/(<!-- collections -->\n).*?(<!-- \/collections -->)/s, `$1${table}\n$2`));
}
