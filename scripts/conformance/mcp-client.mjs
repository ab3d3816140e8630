// The client that the official conformance suite of MCP tries: the built command line, as a user runs it. A folder with one
// agent and the suite's server is made, and the agent calls the tool of the scenario. What waits for a person is answered with
// the commands that a person would use.
//
// Started by the suite: node client.mjs <server-url>, with MCP_CONFORMANCE_SCENARIO and MCP_CONFORMANCE_CONTEXT.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const browser = fileURLToPath(new URL('./browser.mjs', import.meta.url));
const url = process.argv[2] ?? '';
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

/** The document that the suite takes for one of a client. */
const CLIENT_METADATA = 'https://conformance-test.local/client-metadata.json';

const CALLS = {
  tools_call: { add_numbers: { a: 5, b: 3 } },
  'elicitation-sep1034-client-defaults': { test_client_elicitation_defaults: {} },
  'sse-retry': { test_reconnection: {} },
};

function auth() {
  if (!scenario.startsWith('auth/')) return undefined;
  if (scenario === 'auth/basic-cimd') return { clientMetadataUrl: CLIENT_METADATA };
  const { client_id: clientId, client_secret: clientSecret } = context;
  return clientId === undefined ? 'oauth' : { clientId, ...(clientSecret !== undefined && { clientSecret }) };
}

const folder = mkdtempSync(join(tmpdir(), 'cadre-conformance-'));
const call = CALLS[scenario] ?? { 'test-tool': {} };
const steps = scenario === 'initialize' ? [{ answer: 'done' }] : [{ call }, { answer: '{{last}}' }];
const files = {
  'cadre.yaml': {
    providers: { demo: { kind: 'scripted', script: './script.yaml' } },
    mcpServers: { suite: { url, ...(auth() !== undefined && { auth: auth() }) } },
  },
  'script.yaml': { agents: { agent: steps } },
};
for (const [name, value] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(value));
writeFileSync(
  join(folder, 'agent.md'),
  '---\ndescription: d\nmodels: [demo/m]\ntools: [mcp:suite]\n---\nYou call the tool.\n',
);

function cadre(...args) {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [cli, ...args],
      { cwd: folder, env: { ...process.env, BROWSER: browser } },
      (error, stdout, stderr) => {
        process.stderr.write(stderr);
        resolve({ exit: error === null ? 0 : error.code, stdout });
      },
    );
  });
}

/** A person who says yes to what comes: signs in, and takes the defaults of a form. */
async function answer({ run, path, about }) {
  if (about?.kind !== 'sign-in') return cadre('approve', run, path, '--answer', '{}');
  const { exit } = await cadre('sign-in', about.server);
  return exit === 0 ? undefined : cadre('approve', run, path, '--deny', '--note', 'The sign-in failed.');
}

try {
  const run = (await cadre('run', 'agent', 'go', '--detach')).stdout.trim();
  let ended;
  for (;;) {
    const [status] = JSON.parse((await cadre('runs', 'status', run, '--json')).stdout);
    ended = status?.state === 'ended' || status?.outcome !== undefined ? status : undefined;
    if (ended !== undefined) break;
    const waiting = JSON.parse((await cadre('approvals', '--json')).stdout).filter((one) => one.verdict === undefined);
    for (const one of waiting) await answer(one);
    if (waiting.length === 0) await setTimeout(50);
  }
  const { stdout, exit } = await cadre('show', run);
  process.stdout.write(stdout);
  process.exitCode = exit;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
