// npm run conformance: suites that others wrote, against the build or the source. Each has a file of failures that are expected,
// with their reasons; the command fails if a case fails that is not listed, and if one that is listed passes.
//   npm run conformance                      all of them
//   npm run conformance -- yaml mcp-server   some of them
//   npm run conformance -- mcp-client auth/scope-step-up    one scenario
//   npm run conformance -- --write           all of them, and writes docs/conformance.md; with names, these anew and the others
//                                            as they were the last time here (coverage/conformance.json)

import { commandLine, refuse } from '../command-line.mjs';
import { jsonSchema, yaml } from './in-tests.mjs';
import { mcpClient, mcpServer } from './mcp.mjs';
import { officialClients } from './official-clients.mjs';
import { openapi } from './openapi.mjs';
import { keep, writePage } from './page.mjs';
import { skills } from './skills.mjs';

/** Each gives the results of its parts: {suite, cases, passed, expected, wrong}. */
const SUITES = {
  'mcp-client': mcpClient,
  'mcp-server': mcpServer,
  'json-schema': jsonSchema,
  yaml,
  openapi,
  skills,
  'official-clients': officialClients,
};

const { values, positionals } = commandLine(import.meta.url, {
  most: Infinity,
  options: { write: { type: 'boolean', default: false } },
});

const names = positionals.filter((name) => Object.hasOwn(SUITES, name));
const only = positionals.filter((name) => !Object.hasOwn(SUITES, name));
if (only.length > 0 && names.length !== 1)
  refuse(import.meta.url, `There is no suite ${only.join(', ')}. Known are: ${Object.keys(SUITES).join(', ')}.`);

const results = [];
for (const name of names.length === 0 ? Object.keys(SUITES) : names) {
  for (const result of [await SUITES[name](only)].flat()) {
    results.push(result);
    const listed = result.cases - result.passed - result.wrong.length;
    const expected = listed > 0 ? `, ${listed} expected to fail` : '';
    console.log(`${result.suite.padEnd(24)} ${result.passed} of ${result.cases} passed${expected}`);
    for (const line of result.wrong) console.log(`    ${line}`);
  }
}
const wrong = results.flatMap((one) => one.wrong);
const kept = only.length > 0 ? new Map() : keep(results);
if (values.write && wrong.length === 0) writePage(kept);
process.exitCode = wrong.length === 0 ? 0 : 1;
