// Measures the requests that a model server on loopback gets. For each kind of agent: the tokens that Cadre adds to the first request, beside the
// agent's own text and the user's, estimated as sessions estimate them; and how much of a session of six turns repeats, at
// its beginning, the request before, which is what providers read from their caches. Exits with 1 if a request does not
// begin with the whole of the one before where it should. Prints a table. Needs a build: npm run prompt-tokens [-- --write]

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { estimateTokenCount } from 'tokenx';
import { commandLine } from './command-line.mjs';

const { values } = commandLine(import.meta.url, { options: { write: { type: 'boolean' } } });
const cli = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const page = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url));
const OWN = 'You keep the light.';
const ASKED = 'What do you see?';

/**
 * The keys of the agent that is asked, and those of the other agent of its folder. `calls` are made in its first turns. Then it
 * looks into files, until its last turn. `breaks` is where a request begins otherwise, by its nature.
 */
const KINDS = {
  plain: {},
  '`output` as JSON': { keys: 'output: { schema: { type: object, properties: { seen: { type: string } } } }' },
  '`router` with one destination': { keys: 'router: { destinations: [other] }', breaks: 'last turn: two exits' },
  'member of a team': { keys: '', team: true, calls: [() => ({ team_broadcast: { message: 'A ship.' } })] },
  '`agents` with one': { keys: 'agents: [other]', calls: [askOther, askOther] },
  '`agents` with one that can be asked again': {
    keys: 'agents: [other]',
    other: 'chat: true',
    calls: [askOther, askAgain, askOther, dismiss],
  },
  '`subagent`': { keys: 'subagent: true', calls: [() => ({ subagent: { task: 'Look.' } })] },
  '`files`': { keys: 'tools: [files]' },
  '`spawn`': {
    keys: 'spawn: true',
    calls: [() => ({ sessions_spawn: { task: 'Look.', agent: 'other' } }), () => ({ sessions_wait: {} })],
  },
};

function askOther() {
  return { agent__other: { input: 'What is there?', reason: 'It is dark.' } };
}
function idIn(body) {
  return /id `([^`]+)`/.exec(JSON.stringify(body.messages))?.[1];
}
function askAgain(body) {
  return { agent__ask_clarification: { id: idIn(body), question: 'Are you sure?' } };
}
function dismiss(body) {
  return { agent__dismiss: { id: idIn(body) } };
}

const TURNS = 6;
let requests = [];
let plan = [];
const server = createServer((request, response) => {
  let text = '';
  request.on('data', (part) => (text += part));
  request.on('end', () => {
    const body = JSON.parse(text);
    requests.push(body);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of reply(body)) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
try {
  const rows = [];
  for (const [name, kind] of Object.entries(KINDS)) rows.push(await rowOf(name, kind));
  const table = [
    '| agent | tools | tokens that Cadre adds | requests of a session | tokens sent | of them a repeated beginning | breaks |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
  process.stdout.write(`${table}\n`);
  if (values.write) write(table);
} finally {
  server.close();
}

async function rowOf(name, { keys = '', other = '', team = false, calls = [], breaks = 'none' }) {
  const [first] = await played({ keys, other, team, calls: [] });
  const looking = keys.includes('tools: [files]') ? keys : `${keys}\ntools: [files]`;
  const session = await played({ keys: `${looking}\nmaxTurns: ${TURNS}`, other, team, calls });
  let sent = 0;
  let repeated = 0;
  const broken = [];
  for (const [index, body] of session.entries()) {
    const before = session[index - 1];
    sent += tokensIn(body);
    if (before === undefined) continue;
    if (beginsWith(body, before)) repeated += tokensIn(before);
    else broken.push(index + 1);
  }
  if (broken.join() !== (breaks === 'none' ? '' : String(TURNS))) {
    process.stderr.write(`${name}: these requests do not begin with the one before: ${broken.join(', ') || 'none'}\n`);
    process.exitCode = 1;
  }
  const added = tokensIn(first) - estimateTokenCount(OWN) - estimateTokenCount(ASKED);
  const share = `${Math.round((repeated / sent) * 100)}%`;
  return `| ${[name, first.tools?.length ?? 0, added, session.length, sent, share, breaks].join(' | ')} |`;
}

/** The requests of the keeper's session. */
async function played({ keys, other, team, calls }) {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-prompt-'));
  const agent = (name, text, more) =>
    writeFileSync(join(folder, `${name}.md`), `---\ndescription: Keeps.\n${more}\n---\n${text}\n`);
  try {
    const { port } = server.address();
    writeFileSync(
      join(folder, 'cadre.yaml'),
      `providers:\n  here: { kind: anthropic, baseUrl: "http://127.0.0.1:${port}/v1", apiKey: none }\ndefaults: { models: [here/any], maxRetries: 1, compact: off }\n`,
    );
    agent('keeper', OWN, keys);
    agent('other', 'You keep watch.', other);
    if (team) agent('lead', 'You lead.', 'team: { members: [keeper], supervisor: self }');
    requests = [];
    plan = calls;
    await run(folder, team ? 'lead.md' : 'keeper.md');
    return requests.map(plainBody).filter((body) => isKeeper(body));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function systemOf({ system }) {
  return typeof system === 'string' ? system : (system ?? []).map(({ text }) => text).join('\n');
}

function isKeeper(body) {
  return systemOf(body).endsWith(OWN);
}

function turnOf({ messages }) {
  return messages.filter(({ role }) => role === 'assistant').length + 1;
}

/** The marks by which Anthropic is told where to cache move on with each request. */
function plainBody(body) {
  return JSON.parse(JSON.stringify(body, (key, value) => (key === 'cache_control' ? undefined : value)));
}

function beginsWith(body, before) {
  const same = (left, right) => JSON.stringify(left) === JSON.stringify(right);
  if (!same([body.system, body.tools], [before.system, before.tools])) return false;
  return same(partsOf(body).slice(0, partsOf(before).length), partsOf(before));
}

/** All that was said as one row of parts: a message of the wire may go on where the one before ended. */
function partsOf({ messages }) {
  return messages.flatMap(({ role, content }) =>
    (typeof content === 'string' ? [{ type: 'text', text: content }] : content).map((part) => ({ role, ...part })),
  );
}

/** Answers as a model: with a call that is planned, a look into a file, and on the last turn the exit that it is told. */
function reply(body) {
  const say = (text) => events({ type: 'text', text: '' }, { type: 'text_delta', text }, 'end_turn');
  const call = ([name, input]) =>
    events(
      { type: 'tool_use', id: `c${turnOf(body)}`, name, input: {} },
      { type: 'input_json_delta', partial_json: JSON.stringify(input) },
      'tool_use',
    );
  const turn = turnOf(body);
  const names = (body.tools ?? []).map(({ name }) => name);
  if (!isKeeper(body)) {
    const leads = names.includes('team_broadcast') && turn < TURNS / 2;
    return leads ? call(['team_broadcast', { message: `Go on, ${turn}.` }]) : say('All is calm.');
  }
  const planned = plan[turn - 1];
  if (planned !== undefined) return call(Object.entries(planned(body))[0]);
  if (turn < TURNS && names.includes('search_files')) return call(['search_files', { query: `ship ${turn}` }]);
  if (names.includes('team_broadcast')) return call(['team_broadcast', { message: 'A ship.', then: 'leave-success' }]);
  return body.tool_choice?.name === 'final_report'
    ? call(['final_report', { content: 'A ship.', seen: 'a ship' }])
    : say('{}');
}

function events(block, delta, reason) {
  const usage = { input_tokens: 20, output_tokens: 5 };
  return [
    { type: 'message_start', message: { id: 'm', model: 'm', usage } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: reason }, usage },
    { type: 'message_stop' },
  ];
}

function run(folder, file) {
  const env = { PATH: process.env.PATH, HOME: folder };
  const child = spawn(process.execPath, [cli, 'run', file, ASKED, '--quiet'], { cwd: folder, env, stdio: 'ignore' });
  return new Promise((resolve) => child.once('close', resolve));
}

function tokensIn(body) {
  const said = partsOf(body).map(({ text, ...part }) => text ?? JSON.stringify(part));
  const tools = (body.tools ?? []).map(({ name, description, input_schema: parameters }) => ({
    name,
    description,
    parameters,
  }));
  return (
    estimateTokenCount([systemOf(body), ...said].join('\n')) +
    (tools.length === 0 ? 0 : estimateTokenCount(JSON.stringify(tools)))
  );
}

function write(table) {
  const text = readFileSync(page, 'utf8');
  writeFileSync(page, text.replace(/(<!-- prompt -->\n).*?(<!-- \/prompt -->)/s, `$1${table}\n$2`));
}
