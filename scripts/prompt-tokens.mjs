// The tokens that Cadre adds to the first request of an agent: what a model server on loopback is sent beside the agent's own text
// and the user's, estimated as sessions estimate them. Prints a table. Needs a build: npm run prompt-tokens [-- --write]

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { estimateTokenCount } from 'tokenx';

const cli = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const page = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url));
const OWN = 'You keep the light.';
const ASKED = 'What do you see?';

/** The keys of the agent that is asked, and the other agents of its folder. */
const KINDS = {
  plain: {},
  '`output` as JSON': { keys: 'output: { schema: { type: object, properties: { seen: { type: string } } } }' },
  '`router` with one destination': { keys: 'router: { destinations: [other] }' },
  'member of a team': { keys: '', team: true },
  '`agents` with one': { keys: 'agents: [other]' },
  '`agents` with one that can be asked again': { keys: 'agents: [other]', other: 'chat: true' },
  '`subagent`': { keys: 'subagent: true' },
  '`files`': { keys: 'tools: [files]' },
  '`spawn`': { keys: 'spawn: true' },
};

const requests = [];
const server = createServer((request, response) => {
  let text = '';
  request.on('data', (part) => (text += part));
  request.on('end', () => {
    requests.push(JSON.parse(text));
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: 'This request was only looked at.' } }));
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
try {
  const rows = [];
  for (const [name, kind] of Object.entries(KINDS)) rows.push(rowOf(name, await firstRequest(kind)));
  const table = ['| agent | tools | tokens that Cadre adds |', '|---|---|---|', ...rows].join('\n');
  process.stdout.write(`${table}\n`);
  if (process.argv.includes('--write')) write(table);
} finally {
  server.close();
}

async function firstRequest({ keys = '', other = '', team = false }) {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-prompt-'));
  const agent = (name, more) =>
    writeFileSync(join(folder, `${name}.md`), `---\ndescription: Keeps.\n${more}\n---\n${OWN}\n`);
  try {
    const { port } = server.address();
    writeFileSync(
      join(folder, 'cadre.yaml'),
      `providers:\n  here: { kind: openai-compatible, baseUrl: "http://127.0.0.1:${port}/v1" }\ndefaults: { models: [here/any], maxRetries: 1, compact: off }\n`,
    );
    agent('keeper', keys);
    agent('other', other);
    if (team) agent('lead', 'team: { members: [keeper], supervisor: self }');
    requests.length = 0;
    await run(folder, team ? 'lead.md' : 'keeper.md');
    const found = requests.find((one) => !team || JSON.stringify(one.messages).includes('YOUR PART'));
    return found ?? requests[0];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(folder, file) {
  const env = { PATH: process.env.PATH, HOME: folder };
  const child = spawn(process.execPath, [cli, 'run', file, ASKED, '--quiet'], { cwd: folder, env, stdio: 'ignore' });
  return new Promise((resolve) => child.once('close', resolve));
}

function rowOf(name, { messages, tools = [] }) {
  const said = messages
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    .join('\n');
  const own = estimateTokenCount(OWN) + estimateTokenCount(ASKED);
  const all =
    estimateTokenCount(said) +
    (tools.length === 0 ? 0 : estimateTokenCount(JSON.stringify(tools.map((tool) => tool.function))));
  return `| ${name} | ${tools.length} | ${all - own} |`;
}

function write(table) {
  const text = readFileSync(page, 'utf8');
  writeFileSync(page, text.replace(/(<!-- prompt -->\n).*?(<!-- \/prompt -->)/s, `$1${table}\n$2`));
}
