// npm run conformance: the client scenarios of the official conformance suite of MCP, those that are neither draft nor
// extension, against the built command line. The suite needs Node 22, which is fetched from npm where this one is older.
//
// `-- auth/scope-step-up …` runs these scenarios alone.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const suite = join(dirname(require.resolve('@modelcontextprotocol/conformance/package.json')), 'dist/index.js');
const client = fileURLToPath(new URL('./client.mjs', import.meta.url));

/** A Node that the suite starts on. */
function node22() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(tmpdir(), 'cadre-conformance-node22');
  const program = join(folder, 'node_modules', name, 'bin/node');
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    const { status } = spawnSync(
      'npm',
      ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, `${name}@22`],
      { stdio: 'inherit' },
    );
    if (status !== 0) throw new Error(`npm has no ${name}@22.`);
  }
  return program;
}

const program = node22();
const run = (args) => spawnSync(program, [suite, ...args], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

const listed = [...run(['list', '--client']).stdout.matchAll(/^ {2}- (\S+) \[([^\]]+)\]/gm)].map(
  ([, name, versions]) => ({ name, versions }),
);
const stable = listed.filter(({ versions }) => !/draft|extension/.test(versions)).map(({ name }) => name);
const asked = process.argv.slice(2);
const scenarios = asked.length === 0 ? stable : asked;
if (scenarios.length === 0) throw new Error('The suite lists no scenario.');

let failed = 0;
for (const scenario of scenarios) {
  const { status, stdout, stderr } = run([
    'client',
    '--command',
    `${process.execPath} ${client}`,
    '--scenario',
    scenario,
    '--timeout',
    '90000',
  ]);
  const [sum = ''] = /Passed: \d+\/\d+[^\n]*/.exec(stdout + stderr) ?? [];
  console.log(`${status === 0 ? 'passed' : 'FAILED'}  ${scenario.padEnd(42)} ${sum}`);
  if (status === 0) continue;
  failed++;
  console.log(`${stdout}\n${stderr}`.replaceAll(/^/gm, '    '));
}
console.log(`\n${scenarios.length - failed} of ${scenarios.length} scenarios passed.`);
process.exitCode = failed === 0 ? 0 : 1;
