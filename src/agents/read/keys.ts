// The frontmatter: every key of an agent file, described once. Validation, the JSON Schema for editors and the template
// are made from this table, so a key that is not here does not exist. References are read here, and linked later.

import type { Pattern } from '../../patterns/record.ts';
import { keysOf, writtenPatterns } from '../keys-forms.ts';
import { chainShape, handoffShape } from './keys-chain.ts';
import { advisorsShape, routerShape, teamShape } from './keys-patterns.ts';
import { byForm, choice, duration, flag, integer, list, matching, number, ref, text } from './shape.ts';
import { jsonSchema, type Keys, key, type ObjectShape, object, type Values } from './shape-object.ts';

/** The name of an agent. As a tool it is `agent__<name>`. */
export const AGENT_NAME = /^[a-z][a-z0-9_-]{0,63}$/;

/** Names that have another meaning: `supervisor: self`, the tool `agent__ask_clarification`. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(['self', 'ask_clarification', 'dismiss']);

/** Keys that refer to other agents. They cannot be defaults: they belong to one agent. */
export const EDGE_KEYS = ['agents', 'next', 'handoff', 'router', 'advisors', 'team'] as const;

export const MAX_TURNS = 10_000;
const turns = integer(1, MAX_TURNS);
const nameList = list(text());
/** A text with commas is a list too: tolerant.ts has made it one when this is read. */
const names = { ...nameList, schema: { anyOf: [nameList.schema, { type: 'string', minLength: 1 }] } };
const refs = { ...list(ref), schema: { anyOf: [list(ref).schema, { type: 'string', minLength: 1 }] } };

const modelsShape = byForm({
  scalar: text('a model: provider/model or an alias'),
  list: list(text('provider/model or an alias'), { min: 1 }),
});

export const inputShape = object({
  format: key(choice(['text', 'markdown', 'json']), 'text, markdown, or json with a schema.'),
  schema: key(jsonSchema, 'JSON Schema of the input, written out here. It implies format: json.'),
});

export const outputShape = object({
  format: key(choice(['markdown', 'text', 'json']), 'markdown, text, or json with a schema.'),
  schema: key(jsonSchema, 'JSON Schema of the answer, written out here. It implies format: json.'),
});

export const budgetShape = object({
  usd: key(number({ min: 0, max: 1_000_000, above: true }), 'US dollars.'),
  tokens: key(integer(1, 1_000_000_000_000), 'Tokens, input and output together.'),
  time: key(duration, 'Time from the start of this agent.'),
  sessions: key(integer(1, 1_000_000), 'Sessions opened below this agent.'),
  depth: key(integer(0, 64), 'Levels of agents below this one.'),
  allowUnpriced: key(flag, 'Lets models without a known price run under a usd budget, uncounted.', { fallback: false }),
});

const ARTIFACTS = ['note', 'path', 'diff', 'json'] as const;

export const subagentShape = object({
  enabled: key(flag, 'false keeps the tool, and answers every call that it is not enabled.', { fallback: true }),
  maxDepth: key(integer(1, 8), 'How deep such helpers may nest.', { fallback: 1 }),
  maxIterations: key(integer(1, 100), 'Model turns of one helper.', { fallback: 8 }),
  timeoutSeconds: key(number({ min: 0, max: 3600, above: true }), 'Deadline of one helper, in seconds.', {
    fallback: 120,
  }),
  maxOutputBytes: key(integer(256, 16_777_216), 'A longer result is cut, and says so.', { fallback: 65_536 }),
  maxInputBytes: key(integer(256, 16_777_216), 'A longer task, context and files together are refused.', {
    fallback: 262_144,
  }),
  artifactKinds: key(list(choice(ARTIFACTS), { min: 1 }), 'What a helper may hand back.', { fallback: ARTIFACTS }),
  runner: key(choice(['in-process', 'subprocess']), 'Where a helper runs.', { fallback: 'in-process' as const }),
});

export const spawnShape = object({
  maxDepth: key(integer(1, 64), 'How deep spawned runs may spawn.', { fallback: 3 }),
  maxChildren: key(integer(1, 1000), 'Children of one session that are not finished.', { fallback: 5 }),
  maxTotal: key(integer(1, 100_000), 'Spawned runs in the whole run.', { fallback: 50 }),
  maxConcurrent: key(integer(1, 1000), 'Spawned runs that work at the same time.', { fallback: 8 }),
  agents: key(list(ref, { min: 1 }), 'Who may be spawned. Without it: every agent of the folder.'),
});

export const KEYS = {
  name: key(
    matching(AGENT_NAME, 'a name: a lower-case letter, then up to 63 of a-z, 0-9, _ and -'),
    'The agent is called agent__<name> as a tool. Without it the file name without .md.',
  ),
  description: key(
    text(),
    'What other agents and routers are told. Required for any agent that another one refers to.',
  ),
  usage: key(text(), 'How to phrase the input: shown in help, and as the description of the input in the tool schema.'),
  models: key(modelsShape, 'provider/model or an alias of cadre.yaml, in order of preference.'),
  temperature: key(
    number({ min: 0, max: 2 }),
    'How freely the model chooses its words, from 0 to 2. Sent only when set.',
  ),
  topP: key(number({ min: 0, max: 1 }), 'The share of likely words to choose from, up to 1. Sent only when set.'),
  maxOutputTokens: key(integer(1, 10_000_000), 'Tokens that one reply may have. Sent only when set.'),
  reasoning: key(
    choice(['none', 'low', 'medium', 'high']),
    'How long a model that can may think: none, low, medium or high. Sent only when set.',
  ),
  tools: key(
    names,
    'Tool sources or single tools: files, files:write, shell, web, person, mcp:<server>, mcp:<server>/<tool>, rest:<name>.',
    {
      fallback: [],
    },
  ),
  approve: key(names, 'Those of the tools that wait for a person to say yes.', { fallback: [] }),
  trust: key(
    names,
    'What runs without asking, of the tools that ask a person by default: files:write, shell, or shell(npm test) for these words alone.',
    { fallback: [] },
  ),
  agents: key(
    refs,
    'Sub-agents offered as tools. Each of them needs a description. A folder stands for the agents in it, and "*" for every ' +
      'other agent that has a description and does not lead to an agent with "*".',
    { fallback: [] },
  ),
  input: key(
    inputShape,
    'What this agent takes: {format: text | markdown | json, schema}. Without it whatever comes, in the form in which it comes.',
  ),
  output: key(outputShape, 'What it answers: {format: markdown | text | json, schema}. Markdown by default.'),
  next: key(
    chainShape,
    'The agent that always runs on this one’s answer; nothing can skip it, and its answer is the result. ' +
      'It needs a description, a model, and an input that the answer can satisfy: this agent must answer in the format that it takes, for json with its schema. ' +
      'Also {to: a, else: b} and {sequence: [a, b]}.',
  ),
  handoff: key(
    handoffShape,
    'Hands the answer on, and nothing but its body, to an agent that owns the final answer. Not together with next. ' +
      'Also {to: a, pass: answer | request+answer, else: b}.',
  ),
  router: key(
    routerShape,
    'Offers handoff-to with these destinations: {destinations: [a, b]}. Each needs a description. Not together with team.',
  ),
  advisors: key(
    advisorsShape,
    'Asked first, all at the same time; what they answer goes into the request. Also {agents, timeout, policy}.',
  ),
  team: key(
    teamShape,
    'Members work in parallel and talk; the supervisor alone answers. The body below is the charter of the team.',
  ),
  chat: key(flag, 'true: may be asked for clarification after it answered.', { fallback: false }),
  subagent: key(
    byForm({ scalar: flag, map: subagentShape }),
    'Offers the bounded subagent tool. Also an object of its guardrails.',
    { fallback: false },
  ),
  spawn: key(
    byForm({ scalar: flag, map: spawnShape }),
    'Offers sessions_spawn: background runs with dependencies. Also an object of its limits.',
    { fallback: false },
  ),
  maxTurns: key(turns, 'Model turns in the session’s life.', { fallback: 10 }),
  maxToolCallsPerTurn: key(integer(1, 1000), 'Calls beyond it get an error result; they are not run.', {
    fallback: 10,
  }),
  maxRetries: key(integer(1, 100), 'Attempts per model and turn.', { fallback: 3 }),
  timeout: key(duration, 'For the whole session. None by default.'),
  modelTimeout: key(duration, 'For one model call.', { fallback: 600_000 }),
  toolTimeout: key(duration, 'For one tool call.', { fallback: 300_000 }),
  budget: key(budgetShape, 'For everything below this agent: {usd, tokens, time, sessions, depth}.'),
};

/** Words that people write in frontmatter, and the hint to what they mean. */
const HINTS: Readonly<Record<string, string>> = {
  system: 'The system prompt is the body of the file, below the second ---.',
  prompt: 'The system prompt is the body of the file, below the second ---.',
  instructions: 'The system prompt is the body of the file, below the second ---.',
  subagents: 'Did you mean "agents"? It lists the sub-agents that are offered as tools.',
  mcpServers: 'MCP servers are declared in cadre.yaml; an agent names them as tools: [mcp:<server>].',
  schema: 'A schema belongs to input or output: input: {format: json, schema: {…}}.',
  supervisor: 'It belongs to team: team: {members: […], supervisor: …}.',
  members: 'It belongs to team: team: {members: […], supervisor: …}.',
  destinations: 'It belongs to router: router: {destinations: […]}.',
};

/** The patterns of the catalog that describe their key in their record. */
const WRITTEN = writtenPatterns([]);

/** Every key, with those of the catalog's patterns. */
export const ALL_KEYS: Keys = { ...KEYS, ...keysOf(WRITTEN) };

/** Keys that cannot be defaults, with those of the catalog's patterns. */
export const ALL_EDGE_KEYS: readonly string[] = [...EDGE_KEYS, ...WRITTEN.map((pattern) => pattern.key)];

export const frontmatterShape: ObjectShape<Fields> = object(ALL_KEYS, { hints: HINTS });

/** With the keys of patterns that a program brings. */
export const frontmatterShapeFor = (brought: readonly Pattern[]): ObjectShape<Fields> =>
  brought.length === 0
    ? frontmatterShape
    : object({ ...KEYS, ...keysOf(writtenPatterns(brought)) } satisfies Keys, { hints: HINTS });

/** What an agent file says, before defaults and before references are linked. */
export type Fields = Values<typeof KEYS>;
