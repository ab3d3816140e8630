// The frontmatter: every key of an agent file, described once. Validation, the JSON Schema for editors and the template
// are made from this table, so a key that is not here does not exist. References are read here, and linked later.

import { FILE_KINDS } from '../../kernel/file-ref.ts';
import { USUAL_CIRCLES } from '../../kernel/session/circles.ts';
import { USUAL_KEEP } from '../../kernel/session/compact-rules.ts';
import type { Pattern } from '../../patterns/record.ts';
import { keysOf, mayBeDefault, withCatalog } from './keys-forms.ts';
import { projectFilesShape } from './project-files.ts';
import { byForm, choice, durationShape, flag, integer, list, matchingText, number, text } from './shape.ts';
import { jsonSchema, type Keys, key, type ObjectShape, object, type Values } from './shape-object.ts';
import { skillsShape } from './skills.ts';

/** The name of an agent. As a tool it is `agent__<name>`. */
export const AGENT_NAME = /^[a-z][a-z0-9_-]{0,63}$/;

/** Names that have another meaning: `supervisor: self`, the tool `agent__ask_clarification`. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(['self', 'ask_clarification', 'dismiss']);

const MAX_TURNS = 10_000;
const turns = integer(1, MAX_TURNS);
const nameList = list(text());
/** A text with commas is a list too: tolerant.ts has made it one when this is read. */
const names = { ...nameList, schema: { anyOf: [nameList.schema, { type: 'string', minLength: 1 }] } };

const modelsShape = byForm({
  scalar: text('a model: provider/model or an alias'),
  list: list(text('provider/model or an alias'), { min: 1 }),
});

const inputShape = object({
  format: key(choice(['text', 'markdown', 'json']), 'text, markdown, or json with a schema.'),
  schema: key(jsonSchema, 'JSON Schema of the input, written out here. It implies format: json.'),
  accepts: key(
    list(choice(FILE_KINDS)),
    'The files that it takes beside texts: image (PNG, JPEG, GIF, WebP) and pdf. Without it those that one of its models sees.',
  ),
});

const outputShape = object({
  format: key(choice(['markdown', 'text', 'json']), 'markdown, text, or json with a schema.'),
  schema: key(jsonSchema, 'JSON Schema of the answer, written out here. It implies format: json.'),
});

const budgetShape = object({
  usd: key(number({ min: 0, max: 1_000_000, above: true }), 'US dollars.'),
  tokens: key(integer(1, 1_000_000_000_000), 'Tokens, input and output together.'),
  time: key(durationShape, 'Time from the start of this agent.'),
  sessions: key(integer(1, 1_000_000), 'Sessions opened below this agent.'),
  depth: key(integer(0, 64), 'Levels of agents below this one.'),
  allowUnpriced: key(flag, 'Lets models without a known price run under a usd budget, uncounted.', { fallback: false }),
});

/** The keys of one agent that no pattern reads. */
const OWN_KEYS = {
  name: key(
    matchingText(AGENT_NAME, 'a name: a lower-case letter, then up to 63 of a-z, 0-9, _ and -'),
    'The agent is called agent__<name> as a tool. Without it the file name without .md.',
  ),
  description: key(
    text(),
    'The sentence that other agents and routers read about it. Required for any agent that another one refers to.',
  ),
  usage: key(text(), 'Advice on the input: shown in help, and as the description of the input in the tool schema.'),
  models: key(modelsShape, 'provider/model or an alias of cadre.yaml, in order of preference.'),
  temperature: key(
    number({ min: 0, max: 2 }),
    'The chance in the model’s choice of words, from 0 to 2. Sent only when set.',
  ),
  topP: key(number({ min: 0, max: 1 }), 'The share of likely words to choose from, up to 1. Sent only when set.'),
  maxOutputTokens: key(integer(1, 10_000_000), 'Tokens that one reply may have. Sent only when set.'),
  reasoning: key(
    choice(['none', 'low', 'medium', 'high']),
    'The effort of a model that can think: none, low, medium or high. Sent only when set.',
  ),
  tools: key(
    names,
    'Tool sources or single tools: files, files:write, shell, web, person, mcp:<server>, mcp:<server>/<tool>, rest:<name>.',
    {
      fallback: [],
    },
  ),
  approve: key(
    names,
    'Those of the tools that wait for a person to say yes; mcp:mail/send(to=*@example.com) for these calls alone.',
    { fallback: [] },
  ),
  trust: key(
    names,
    'Calls that run without asking, of tools that ask a person: files:write, shell, or shell(npm test) for these words alone.',
    { fallback: [] },
  ),
  deny: key(
    names,
    'Calls that are never made: shell, read_file(path=secrets/**). Those that cadre.yaml denies under defaults and limits are added.',
    { fallback: [] },
  ),
  input: key(
    inputShape,
    'The input that this agent takes: {format: text | markdown | json, schema, accepts: [image, pdf]}. Without it any, in the form in which it comes.',
  ),
  output: key(outputShape, 'The form of its answer: {format: markdown | text | json, schema}. Markdown by default.'),
  projectFiles: key(
    projectFilesShape,
    'Texts of the workspace that stand in its prompt, such as AGENTS.md: the conventions of the project that it works on.',
    { fallback: [] },
  ),
  skills: key(
    skillsShape,
    'The skills that it may use: true for those of skills/, .agents/skills/, .claude/skills/ and .github/skills/ in the workspace, a list of names and folders, or {use, preload: [pdf]} for bodies in the prompt.',
  ),
};

const stuckShape = byForm({
  scalar: choice(['on', 'off']),
  map: object({
    warn: key(integer(2, 1000), 'The count from which on the model is told instead of given the result.', {
      fallback: USUAL_CIRCLES.warn,
    }),
    stop: key(integer(2, 1000), 'The count that ends the session.', { fallback: USUAL_CIRCLES.stop }),
    except: key(names, 'Tools that are left out: a tool, mcp:<server>/<tool>, or a source.', { fallback: [] }),
  }),
});

const compactShape = byForm({
  scalar: choice(['auto', 'off']),
  map: object({
    keep: key(integer(2, 50), 'The turns that stay word for word.', { fallback: USUAL_KEEP }),
    model: key(
      text('provider/model or an alias'),
      'The model that writes the summary: provider/model or a name from cadre.yaml. The agent’s own by default.',
    ),
  }),
});

/** The keys of one agent's limits, which follow those of its patterns. */
const LIMIT_KEYS = {
  maxTurns: key(turns, 'Model turns in the session’s life.', { fallback: 10 }),
  maxToolCallsPerTurn: key(integer(1, 1000), 'Calls beyond it get an error result; they are not run.', {
    fallback: 10,
  }),
  maxRetries: key(integer(1, 100), 'Attempts per model and turn.', { fallback: 3 }),
  timeout: key(durationShape, 'For the whole session. None by default.'),
  modelTimeout: key(durationShape, 'For one model call.', { fallback: 600_000 }),
  toolTimeout: key(durationShape, 'For one tool call.', { fallback: 300_000 }),
  budget: key(budgetShape, 'For everything below this agent: {usd, tokens, time, sessions, depth}.'),
  stuck: key(
    stuckShape,
    'The guard against going in circles: off, or {warn: 3, stop: 5, except: [mcp:ci/status]}. It counts calls with the same arguments and the same result.',
    { fallback: 'on' },
  ),
  compact: key(
    compactShape,
    'A summary where the context window is full: auto, off, or {keep: 4, model: fast}. It needs a window that is known.',
    { fallback: 'auto' },
  ),
};

/** Words that people write in frontmatter, and the hint to what they mean. */
const HINTS: Readonly<Record<string, string>> = {
  system: 'The system prompt is the body of the file, below the second ---.',
  prompt: 'The system prompt is the body of the file, below the second ---.',
  instructions: 'The system prompt is the body of the file, below the second ---.',
  mcpServers: 'MCP servers are declared in cadre.yaml; an agent names them as tools: [mcp:<server>].',
  schema: 'A schema belongs to input or output: input: {format: json, schema: {…}}.',
};

/** The keys that no pattern reads. */
export const KEYS = { ...OWN_KEYS, ...LIMIT_KEYS };

/** The keys of agent files, with those of these patterns in their midst. */
const withPatterns = (patterns: readonly Pattern[]): Keys => ({ ...OWN_KEYS, ...keysOf(patterns), ...LIMIT_KEYS });

const CATALOG = withCatalog([]);

/** Every key, with those of the catalog's patterns. */
export const ALL_KEYS: Keys = withPatterns(CATALOG);

/** The keys under `defaults` of cadre.yaml. */
export const DEFAULT_KEYS = withoutKey(
  { ...OWN_KEYS, ...keysOf(CATALOG.filter(mayBeDefault)), ...LIMIT_KEYS } as typeof KEYS,
  'name',
);

/** Keys that refer to other agents. They cannot be defaults: they belong to one agent. */
export const EDGE_KEYS: readonly string[] = CATALOG.filter((pattern) => !mayBeDefault(pattern)).map(
  ({ key: name }) => name,
);

const shapeWith = (patterns: readonly Pattern[]): ObjectShape<AgentKeys> =>
  object(withPatterns(patterns) as typeof KEYS, {
    hints: Object.assign({}, HINTS, ...patterns.map(({ keySpec: { hints } }) => hints)) as typeof HINTS,
  });

export const frontmatterShape: ObjectShape<AgentKeys> = shapeWith(CATALOG);

/** The shape with the keys of patterns that a program brings. */
export const frontmatterShapeFor = (brought: readonly Pattern[]): ObjectShape<AgentKeys> =>
  brought.length === 0 ? frontmatterShape : shapeWith(withCatalog(brought));

/**
 * The fields of an agent file, before defaults and before references are linked. The keys of patterns are read by their
 * forms.
 */
export type AgentKeys = Values<typeof KEYS>;

function withoutKey<Of extends Keys, Name extends keyof Of>(keys: Of, name: Name): Omit<Of, Name> {
  const { [name]: _, ...others } = keys;
  return others;
}
