// What a pattern is: one record that says everything the rest of Cadre has to know about it. The code that reads agent
// files, draws the graph, counts levels, shows a tree or builds a program uses the record and knows no pattern by name.

import type { AgentName, Trigger, TriggerMeaning } from '../kernel/effect.ts';
import type { AdvisorsConfig, ChainConfig, RouterConfig, SpawnConfig, TeamConfig } from './config.ts';
import type { PatternContext, Wrap } from './pattern.ts';

/** When the pattern acts in a run of the agent that declares it. The words are in the order of time. */
export type Moment =
  /** It acts before the agent's session begins. */
  | 'before'
  /** It replaces the session. */
  | 'instead'
  /** While the session works: the pattern gives it tools. */
  | 'within'
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
  /**
   * How often it runs at most for one run of the agent: what `cadre check` counts. Default: once. Cadre's own patterns
   * leave it out where the bound has a formula for them.
   */
  readonly times?: number;
}

/** Describes the value of a key. References to agents are resolved, and reach the pattern as names. */
export type PatternForm =
  /** One agent. `gets: 'request'`: it is asked what its agent was asked, as text, so it cannot take JSON. */
  | { readonly kind: 'agent'; readonly role: string; readonly gets?: 'request' }
  | { readonly kind: 'agents'; readonly role: string; readonly gets?: 'request'; readonly min?: number }
  | { readonly kind: 'text' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  /** Reaches the pattern in milliseconds. */
  | { readonly kind: 'duration' }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  | { readonly kind: 'keys'; readonly keys: Readonly<Record<string, PatternKey>> };

export interface PatternKey {
  readonly form: PatternForm;
  readonly guidance: string;
  readonly required?: true;
}

/** How its key is written. Absent for the keys of Cadre itself, whose forms the table of keys in agents/ has. */
export interface PatternWriting {
  readonly form: PatternForm;
  /** For the template and the JSON Schema. */
  readonly guidance: string;
  /** A line of frontmatter that uses it. */
  readonly example: string;
}

/** `Config` is what the key says once it has been read: for a pattern with a form, its value with agents as names. */
export interface Pattern<Config = unknown> {
  /** The key in an agent's file. */
  readonly key: string;
  readonly writing?: PatternWriting;
  readonly at: Moment;
  /** What its triggers mean, by their kind. */
  readonly triggers: Readonly<Record<string, TriggerMeaning>>;
  /** Names of tools that it gives to sessions. No tool of an agent's own can have them. */
  readonly reserves?: readonly string[];
  /** The graph does not list this pattern at the agent. */
  readonly isPlain?: true;
  /** Reads it from a field of the definition. Without this the definition keeps it under `patterns`. */
  configIn?(agent: Declared): Config | undefined;
  /** The agents that it leads to from the agent of this name. */
  edges(config: Config, agent: AgentName): readonly PatternEdge[];
  /** Wraps the session, together with the patterns further inside. */
  wrap?(config: Config, context: PatternContext): Wrap;
}

/** What the definition of an agent says of its patterns. */
export interface Declared {
  readonly agents?: readonly AgentName[];
  readonly chain?: ChainConfig;
  readonly router?: RouterConfig;
  readonly advisors?: AdvisorsConfig;
  readonly team?: TeamConfig;
  readonly chat?: boolean;
  readonly subagent?: { readonly enabled: boolean };
  readonly spawn?: SpawnConfig;
  readonly patterns?: readonly Use[];
}

/** A pattern, and what one agent's file says of it. */
export interface Use<Config = unknown> {
  readonly pattern: Pattern<Config>;
  readonly config: Config;
}

/** The trigger of a pattern that a program brings. It carries its own meaning. */
export function triggerOf({ key, triggers }: Pick<Pattern, 'key' | 'triggers'>, kind: string): Trigger {
  const means = triggers[kind];
  if (means === undefined) throw new Error(`The pattern ${key} has no trigger "${kind}".`);
  return { kind, means };
}
