// Prints what `cadre import` makes of folders of agents of another tool, as a table of counts in Markdown. Reads the folders,
// writes to a temporary one, and needs a build: node scripts/import-figures.mjs <folder>...
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine, refuse } from './command-line.mjs';

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const { positionals: folders } = commandLine(import.meta.url, { most: Infinity });
if (folders.length === 0) refuse(import.meta.url, 'No folder is named.');

const all = folders.map((folder) => ({ name: basename(resolve(folder)), ...imported(resolve(folder)) }));
const sum = (name, of) => [name, ...all.map(of), all.reduce((total, one) => total + of(one), 0)];
const count = (list, holds) => list.filter(holds).length;
const losing = (what) => (one) => count(one.agents, ({ loses }) => loses.some((loss) => loss.what === what));
const mapped = (source) => (one) => count(one.agents, ({ tools }) => tools.some((tool) => tool.startsWith(source)));
const model = (name) => (one) => count(one.agents, ({ models }) => (models[0] ?? 'inherit') === name);
const others = (kind) => (one) => count(one.others, (other) => other.kind === kind);

const names = (of) => [...new Set(all.flatMap(({ agents }) => agents.flatMap(of)))];
const most = (list, of) => list.toSorted((a, b) => total(of(b)) - total(of(a)));
const total = (of) => all.reduce((all, one) => all + of(one), 0);

const rows = [
  sum('agent files found', ({ agents }) => agents.length),
  sum('written as agents', ({ agents }) => count(agents, ({ state }) => state === 'new')),
  sum('pass `cadre check` as written', ({ check }) => check.canRun),
  sum('wait for an MCP server in `cadre.yaml`', ({ check }) => check.cannot.length),
  sum('the same as another, not written', ({ agents }) => count(agents, ({ state }) => state === 'same')),
  sum('could not be read', ({ unreadable }) => unreadable.length),
  sum('got another name', ({ agents }) =>
    count(agents, ({ changed }) => changed.some(({ what }) => what !== 'frontmatter')),
  ),
  sum('frontmatter that is not YAML', ({ agents }) =>
    count(agents, ({ changed }) => changed.some(({ what }) => what === 'frontmatter')),
  ),
  ...most(
    names(({ models }) => [models[0] ?? 'inherit']),
    model,
  ).map((name) => sum(`model ${name}`, model(name))),
  sum('named no tools: all', ({ agents }) => count(agents, ({ hasAllTools }) => hasAllTools)),
  ...['files', 'files:write', 'shell', 'web', 'mcp:'].map((source) =>
    sum(
      `have \`${source}\``,
      source === 'files' ? (one) => count(one.agents, ({ tools }) => tools.includes('files')) : mapped(source),
    ),
  ),
  sum('have a `deny`', ({ agents }) => count(agents, ({ deny }) => deny.length > 0)),
  ...['tool', 'restriction', 'reference', 'schema'].map((about) =>
    sum(`lose a ${about}`, ({ agents }) => count(agents, ({ loses }) => loses.some((loss) => loss.about === about))),
  ),
  ...most(
    names(({ loses }) => loses.map(({ what }) => what)),
    losing,
  ).map((what) => sum(`lose \`${what}\``, losing(what))),
  sum('commands, not agents', others('command')),
  sum('files of skills, not agents', others('skill')),
  sum('other Markdown and links, not agents', (one) => others('markdown')(one) + others('link')(one)),
];
console.log(`| | ${all.map(({ name }) => name).join(' | ')} | all |`);
console.log(`|---|${all.map(() => '---:|').join('')}---:|`);
for (const row of rows) console.log(`| ${row.join(' | ')} |`);

function imported(folder) {
  const to = mkdtempSync(join(tmpdir(), 'cadre-figures-'));
  try {
    const ran = spawnSync(process.execPath, [main, 'import', folder, '--json'], {
      cwd: to,
      encoding: 'utf8',
      maxBuffer: 64 * 1_048_576,
    });
    if (ran.stdout === '') throw new Error(ran.stderr);
    return JSON.parse(ran.stdout);
  } finally {
    rmSync(to, { recursive: true, force: true });
  }
}
