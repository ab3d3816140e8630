// A pattern is one record that says everything the rest of Cadre has to know about it. The code that reads agent files,
// checks and draws them, counts calls, shows a tree or builds a program uses the record and knows no pattern by name.

import type { AgentName, Trigger, TriggerTraits } from '../kernel/effect.ts';
import type { InputContract, JsonSchema, OutputContract } from '../kernel/schema.ts';
import type { SessionTool } from '../kernel/session/session-tool.ts';
import type { Cost, PatternBounds } from './bounds.ts';
import type { KeySpec } from './key-form.ts';
import type { PatternContext, PatternToolContext, Wrap } from './pattern.ts';
import type { Fit, PatternFinding, ReviewedEdge, ReviewedPlace } from './review.ts';
import { triggerTraits } from './trigger-traits.ts';

/** The time at which the pattern acts in a run of the agent that declares it. The words are in the order of time. */
export type Layer =
  /** It acts before the agent's session begins. */
  | 'before'
  /** It replaces the session. */
  | 'instead'
  /** While the session works: the pattern gives it tools. */
  | 'within'
  /** It acts on the outcome of the session, or of what replaces it, and may begin that again. */
  | 'again'
  /** It acts on the outcome of the session. */
  | 'after'
  /** It acts on the outcome of all of the above. */
  | 'last';

/** One agent that a declared pattern may lead to. */
export interface PatternEdge {
  readonly to: AgentName;
  readonly role: string;
  /** The kind of trigger that runs it. */
  readonly trigger: string;
  /** The label of the line in the graph. Default: the pattern's key. */
  readonly label?: string;
  /** It is optional, or happens beside the rest: the graph draws a dashed line. */
  readonly isDashed?: true;
  /** It does not count as a level from agent to agent: a background run, or a helper that has no file. */
  readonly isAside?: true;
  /** The agent may ask it again, if its file says `chat`. */
  readonly isAskedAgain?: true;
  /** The most times that it runs for one run of the agent: `cadre check` counts this. Default: once. */
  readonly times?: number;
}

export type PatternSeat =
  /** `else` is the agent that would answer in its place. A member does not answer, so that is an error. */
  | { readonly kind: 'passed'; readonly to: AgentName; readonly else?: AgentName }
  /** The agent cannot be a member. `why` follows its name in the message. */
  | { readonly kind: 'undefined'; readonly why: string; readonly help: string };

export interface DescribedTool {
  readonly name: string;
  /** The key that brings it. */
  readonly source: string;
  readonly description?: string;
}

export interface PatternAgents {
  get(
    name: AgentName,
  ):
    | (PatternFields & { readonly name: AgentName; readonly description?: string; readonly output?: OutputContract })
    | undefined;
}

/** `Config` is what the key says once it has been read. */
export interface Pattern<Config = unknown> {
  /** The key in an agent's file. */
  readonly key: string;
  /** The form of the key. */
  readonly keySpec: KeySpec<Config>;
  readonly layer: Layer;
  /** The traits of its triggers, by their kind. */
  readonly triggers: Readonly<Record<string, TriggerTraits>>;
  /** Names of tools that it gives to sessions. No tool of an agent's own can have them. */
  readonly reserves?: readonly string[];
  /** Keys that cannot stand beside this one, each with the way out. */
  readonly excludes?: Readonly<Record<string, string>>;
  /** The graph does not list this pattern at the agent. */
  readonly isPlain?: true;
  /** The agents that it leads to from the agent of this name, in the order in which the form has them. */
  edges(config: Config, agent: AgentName): readonly PatternEdge[];
  /**
   * The agents that may give the answer where this pattern hands it on. Default: the agents whose trigger answers. Only
   * for the layer `last`.
   */
  answerers?(config: Config): readonly AgentName[];
  /**
   * The schema of the answers that it leaves as they are, of all that the file's schema allows. Undefined: it hands every
   * answer on. Only for the layer `last`.
   */
  standing?(config: Config, schema: JsonSchema): JsonSchema | undefined;
  /** The schema of the answer, where the pattern makes it and no agent writes it. Only for the layer `last`. */
  made?(config: Config): JsonSchema | undefined;
  /** The agents that sit in a team that has this agent as a member. Default: the agent itself. */
  seat?(config: Config): PatternSeat | undefined;
  /** Its own rules. `config` is absent where the key has errors; the references that were resolved are there. */
  check?(config: Config | undefined, review: Review): void;
  /** Describes the agent that uses it, for graphs and lists of tools. `agents` are those of the folder. */
  describe?(
    config: Config,
    agent: AgentName,
    agents: PatternAgents,
  ): {
    /** A word behind the agent's name in a tree of text. */
    readonly mark?: string;
    /** Nodes of the graph that no file declares. */
    readonly helpers?: readonly { readonly name: AgentName; readonly description: string }[];
    /** The tools that the session has from it. Default: those that it reserves, unless it replaces the session. */
    readonly tools?: readonly DescribedTool[];
  };
  /** The bound of the pattern around what is further inside. Default: that, and every edge as often as it runs. */
  bound?(config: Config, inner: Cost, bounds: PatternBounds): Cost;
  /** Replaces `bound` for a pattern that gives tools: the most that one of their calls can add. */
  callBound?(config: Config, bounds: PatternBounds): Cost;
  /** The background runs that it may start in a whole run, and the agents that they may run. */
  background?(config: Config, agent: AgentName): { readonly most: number; readonly agents: readonly AgentName[] };
  /** The tools that it gives to the session. Of two with one name, the first one counts. */
  tools?(config: Config, context: PatternToolContext): readonly SessionTool[];
  /** Their results may be longer than what is shown of them: the session gets `read_result` too. */
  hasLongResults?(config: Config): boolean;
  /** Sources whose tools it calls itself, whether the agent has them or not. */
  sources?(config: Config): readonly string[];
  /** Sources whose tools its helpers use, whether the agent has them or not. */
  readonly helperSources?: readonly string[];
  /** Wraps the bare session, also for further messages to it. */
  wrapSession?(config: Config, context: PatternContext): Wrap;
  /** Wraps the session of every agent, because the pattern may have run any of them. */
  wrapEvery?(context: PatternContext): Wrap;
  /** Wraps the session, together with the patterns further inside. */
  wrap?(config: Config, context: PatternContext): Wrap;
  /** Wraps all of these: what has to be settled before anything of the agent begins. */
  gate?(config: Config, context: PatternContext): Wrap;
}

/** A pattern, and what one agent's file says of it. */
export interface PatternUse<Config = unknown> {
  readonly pattern: Pattern<Config>;
  readonly config: Config;
}

/** The patterns in the definition of an agent, in the order of the catalog. */
export interface PatternFields {
  readonly patterns: readonly PatternUse[];
}

/** An agent as the check sees it. */
interface ReviewedAgent extends PatternFields {
  readonly name: AgentName;
  readonly file: string;
  readonly input: InputContract;
  readonly output: OutputContract;
  /** False where the file leaves `output` to its default. */
  readonly outputDeclared: boolean;
}

/** The check of a pattern gets this. */
export interface Review {
  /** The agent that has the key. */
  readonly agent: ReviewedAgent;
  /** The agents of the folder. */
  readonly agents: { get(name: AgentName): ReviewedAgent | undefined };
  /** The references of the key, in the order of its form. */
  readonly edges: readonly ReviewedEdge[];
  fit(given: JsonSchema, taken: JsonSchema): Fit;
  /** A fixed value against a schema, which is a part of `whole`. */
  constantFits(value: unknown, schema: JsonSchema, whole: JsonSchema): Fit;
  /** The reason why the agent could never run this command: `shell.allow`, or an entry of `deny`. */
  commandProblem(command: string): { readonly message: string; readonly help: string } | undefined;
  /** The words for a place in a message: `a.md:4`. */
  placeText(place: ReviewedPlace): string;
  report(finding: PatternFinding): void;
}

/** The config of one pattern in an agent's file, if it uses it. */
export const configOf = <Config>({ patterns }: PatternFields, of: Pattern<Config>): Config | undefined =>
  patterns.find(({ pattern }) => pattern === of)?.config as Config | undefined;

/** True if other agents work in the place of the agent's session. */
export const isReplaced = ({ patterns }: PatternFields): boolean =>
  patterns.some(({ pattern }) => pattern.layer === 'instead');

/** Results of the pattern's tools may be longer than what is shown of them. */
export const hasLongResults = ({ pattern, config }: PatternUse): boolean => pattern.hasLongResults?.(config) === true;

/** The sources whose tools are called in a run of an agent: its own, and those that its patterns call. */
export const sourcesUsed = ({ tools, patterns }: PatternFields & { readonly tools: readonly string[] }) => [
  ...tools,
  ...patterns.flatMap(({ pattern, config }) => pattern.sources?.(config) ?? []),
];

/** Each edge with its pattern and the meaning of its trigger. */
export const edgesOf = (agent: PatternFields & { readonly name: AgentName }) =>
  agent.patterns.flatMap(({ pattern, config }) =>
    pattern.edges(config, agent.name).map((edge) => ({ ...edge, pattern, means: traitsIn(pattern, edge.trigger) })),
  );

const traitsIn = ({ triggers, key }: Pattern, kind: string): TriggerTraits =>
  triggers[kind] ?? triggerTraits({ kind: key });

/** The description of one use, in full. */
export function describeUse({ pattern, config }: PatternUse, agent: AgentName, agents: PatternAgents) {
  const { key, layer, reserves = [], describe } = pattern;
  const usual = layer === 'instead' ? [] : reserves.map((name): DescribedTool => ({ name, source: key }));
  return { mark: undefined, helpers: [], tools: usual, ...describe?.(config, agent, agents) };
}

/** The trigger of a pattern that is not built in. It carries its own meaning. */
export function triggerOf({ key, triggers }: Pick<Pattern, 'key' | 'triggers'>, kind: string): Trigger {
  const means = triggers[kind];
  if (means === undefined) throw new Error(`The pattern ${key} has no trigger "${kind}".`);
  return { kind, means };
}

export const IN_TIME: readonly Layer[] = ['before', 'instead', 'within', 'again', 'after', 'last'];

const FROM_INSIDE: readonly Layer[] = ['within', 'instead', 'again', 'after', 'before', 'last'];

export const fromInside = (uses: readonly PatternUse[]): readonly PatternUse[] =>
  FROM_INSIDE.flatMap((layer) => uses.filter(({ pattern }) => pattern.layer === layer));
