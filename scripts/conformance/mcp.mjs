// The official conformance suite of MCP against the built command line: the scenarios that are neither draft nor extension.

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { node22 } from '../node-of.mjs';
import { judged } from './expected.mjs';
import { served } from './served.mjs';

const require = createRequire(import.meta.url);
const suite = join(dirname(require.resolve('@modelcontextprotocol/conformance/package.json')), 'dist/index.js');
const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The client: an agent that calls the tool of each scenario. */
export function mcpClient(only) {
  const command = `${process.execPath} ${pathOf('./mcp-client.mjs')}`;
  const ways = (scenario) => ['client', '--command', command, '--scenario', scenario, '--timeout', '90000'];
  return judgedScenarios('mcp-client', ways, only);
}

/** The server: agents that have the names of the tools which the scenarios call, behind `cadre serve`. */
export function mcpServer(only) {
  return served(pathOf('./server'), (url) =>
    judgedScenarios('mcp-server', (scenario) => ['server', '--url', `${url}mcp`, '--scenario', scenario], only),
  );
}

async function judgedScenarios(name, ways, only) {
  const all = await scenariosOf(name.slice('mcp-'.length));
  if (all.length === 0) throw new Error('The suite lists no scenario.');
  const cases = [];
  for (const scenario of all.filter((one) => only.length === 0 || only.includes(one)))
    cases.push({ name: scenario, failure: failureIn(await ran(ways(scenario))) });
  return judged(name, cases, { isPart: only.length > 0 });
}

async function scenariosOf(side) {
  const { out } = await ran(['list', `--${side}`]);
  return [...out.matchAll(/^ {2}- (\S+) \[([^\]]+)\]/gm)]
    .filter(([, , versions]) => !/draft|extension/.test(versions))
    .map(([, name]) => name);
}

/** A scenario that checked nothing has not passed. */
function failureIn({ status, out }) {
  const [, passed] = /Passed: (\d+)\/\d+/.exec(out) ?? [];
  if (status === 0 && Number(passed) > 0) return undefined;
  return /^ *Error: (.*)$/m.exec(out)?.[1] ?? (status === 0 ? 'nothing was checked' : out.slice(-2000));
}

/** The server of `mcpServer` runs beside it, so this must not block. */
function ran(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(node22(), [suite, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const parts = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => parts.push(part));
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, out: Buffer.concat(parts).toString() }));
  });
}
