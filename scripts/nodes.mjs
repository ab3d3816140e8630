// npm run test:nodes: the tests on each version of Node that `engines` allows, fetched from npm: the oldest, and the newest of each
// line that is kept up. Needs a build, which every version runs.
//   npm run test:nodes                               the whole suite on each, a quarter of an hour each
//   npm run test:nodes -- src/kernel test/stories    the test files whose names begin so
//   npm run test:nodes -- --node 22 src/kernel       on one of them
//   npm run test:nodes -- --node 22 --write          writes its row of docs/nodes.md, and leaves the others as they are

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine } from './command-line.mjs';
import { nodeOf } from './node-of.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const [oldest] = /\d+\.\d+/.exec(engines.node);

const { values, positionals } = commandLine(import.meta.url, {
  most: Infinity,
  options: { node: { type: 'string', multiple: true }, write: { type: 'boolean', default: false } },
});

const rows = [];
for (const version of values.node ?? [oldest, '20', '22', '24', 'latest']) {
  const row = tested(version);
  rows.push(row);
  if (values.write) writePage(row);
  console.log(`Node ${row.version}: ${row.passed} passed, ${row.skipped} skipped, ${row.failed.length} failed`);
  for (const { file, name } of row.failed) console.log(`    ${file} ${name}`);
}
process.exitCode = rows.every(({ failed }) => failed.length === 0) ? 0 : 1;

/** Everything that the tests start is this Node too: it stands first in PATH. */
function tested(version) {
  const program = nodeOf(version);
  const folder = mkdtempSync(join(tmpdir(), 'cadre-nodes-'));
  const report = join(folder, 'report.json');
  try {
    const PATH = `${dirname(program)}${delimiter}${process.env.PATH}`;
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', `--outputFile=${report}`, ...positionals];
    const { stderr } = spawnSync(program, args, { cwd: root, env: { ...process.env, PATH }, encoding: 'utf8' });
    return countsOf(spawnSync(program, ['-p', 'process.versions.node'], { encoding: 'utf8' }), report, stderr);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countsOf({ stdout }, report, said) {
  const { testResults, numPassedTests, numPendingTests } = readReport(report, said);
  const failed = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const tests = assertionResults
      .filter((one) => one.status === 'failed')
      .map(({ fullName }) => ({ file, name: fullName }));
    return status === 'failed' && tests.length === 0 ? [{ file, name: `did not start: ${message}` }] : tests;
  });
  return {
    version: stdout.trim(),
    files: testResults.length,
    passed: numPassedTests,
    skipped: numPendingTests,
    failed,
  };
}

function readReport(report, said) {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch (thrown) {
    throw new Error(`The tests did not run to their end: ${said}`, { cause: thrown });
  }
}

/** A version takes a quarter of an hour, so each is written as soon as it is known, with its day. */
function writePage(row) {
  const page = join(root, 'docs/nodes.md');
  const tests = positionals.length === 0 ? 'all' : `\`${positionals.join(' ')}\``;
  const day = new Date().toISOString().slice(0, 10);
  const cells = [row.version, day, tests, row.files, row.passed, row.skipped, row.failed.length];
  const others = readFileSync(page, 'utf8')
    .split('\n')
    .filter((line) => /^(\| \d+\.|- \d+\.)/.test(line) && /[\d.]+/.exec(line)[0] !== row.version);
  const failures = row.failed.map(({ file, name }) => `- ${row.version}: \`${file}\`, ${name}`);
  const lines = [...others, `| ${cells.join(' | ')} |`, ...failures].sort((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  );
  const table = [
    '| Node | measured on | tests | test files | passed | skipped | failed |',
    '|---|---|---|---:|---:|---:|---:|',
  ];
  const text = [
    '# Versions of Node',
    '<!-- Written by: npm run test:nodes -- --write … -->',
    `\`engines\` of the package says \`${engines.node}\`. The tests on the oldest version that it allows and on the newest of each line\n(\`npm run test:nodes\`):`,
    [...table, ...lines.filter((line) => line.startsWith('|'))].join('\n'),
    ...lines.filter((line) => line.startsWith('-')),
  ];
  writeFileSync(page, `${text.join('\n\n')}\n`);
}
