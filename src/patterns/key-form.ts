// The form of a pattern's key, as data. A reader makes of it the check of a file with its places, the JSON Schema, the
// template and the links between agents. It knows no file.

import type { AgentName } from '../kernel/effect.ts';
import type { JsonSchema } from '../kernel/schema.ts';

/** A reference to one agent. It reaches the pattern as a name; a key with one that is not resolved has no value. */
export interface AgentForm {
  readonly kind: 'agent';
  readonly role: string;
  /** It is asked what its agent was asked, as text, so it cannot take JSON. */
  readonly gets?: 'request';
  /** `self`, and the name of the file's own agent, mean that agent, and lead nowhere. */
  readonly orSelf?: true;
  /** The place that findings name, within the key. Default: where the reference stands. */
  readonly shownAs?: string;
}

/** References to several agents: by name, `*`, or a folder. Those that are not resolved are left out. */
export interface AgentsForm {
  readonly kind: 'agents';
  readonly role: string;
  readonly gets?: 'request';
  readonly min?: number;
  readonly shownAs?: string;
  /** A text with commas is a list too. */
  readonly orText?: true;
  /** They are no level below the agent, and may lead back to it: background runs. */
  readonly isAside?: true;
}

export interface NumberForm {
  readonly kind: 'integer' | 'number';
  readonly min: number;
  readonly max: number;
  /** The lower end is left out. */
  readonly above?: true;
  /** A word that may stand in its place. */
  readonly orWord?: string;
  /** The limit of `cadre.yaml` that caps it. */
  readonly cap?: 'maxTurns' | 'maxDepth';
}

export interface KeysForm {
  readonly kind: 'keys';
  readonly keys: Readonly<Record<string, PatternKey>>;
  /** Words that people write as a key here, and the hint to what they mean. */
  readonly hints?: Readonly<Record<string, string>>;
  /** Keys that do not go together, where each of them is right. */
  problem?(written: readonly string[], path: string): KeyProblem | undefined;
}

export type PatternForm =
  | AgentForm
  | AgentsForm
  | NumberForm
  | KeysForm
  | { readonly kind: 'text' }
  | { readonly kind: 'flag' }
  /** Reaches the pattern in milliseconds. */
  | { readonly kind: 'duration' }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  | { readonly kind: 'list'; readonly of: PatternForm; readonly min?: number }
  /** A list of which the first entry counts. `ignored` is the warning about each of the others. */
  | { readonly kind: 'first'; readonly of: PatternForm; ignored(text: string): KeyProblem }
  /** Names of the user's own, each with a value of one form. Reaches the pattern as a list of `NamedValue`. */
  | { readonly kind: 'named'; readonly of: PatternForm; readonly min?: number }
  /** `~` is a value too, and reaches the pattern as null. Nothing at all is a missing value. */
  | { readonly kind: 'or-none'; readonly of: PatternForm }
  /** The first of these keys that is written decides the form; without any of them it is the plain one. */
  | {
      readonly kind: 'by-key';
      readonly signed: readonly { readonly sign: string; readonly form: KeysForm }[];
      readonly plain: KeysForm;
    }
  /** The form depends on what the value is in YAML. */
  | {
      readonly kind: 'by-value';
      readonly scalar?: PatternForm;
      readonly list?: PatternForm;
      readonly map?: PatternForm;
    };

/** One entry under a form of the kind `named`. */
export interface NamedValue {
  readonly name: string;
  readonly value: unknown;
}

export interface PatternKey {
  readonly form: PatternForm;
  readonly guidance: string;
  readonly required?: true;
  readonly fallback?: unknown;
}

export interface KeyProblem {
  readonly code: string;
  readonly message: string;
  readonly help: string;
}

/** The key of a pattern: `Config` is what the pattern gets of it. */
export interface KeySpec<Config = unknown> {
  readonly form: PatternForm;
  /** The template and the JSON Schema show this. */
  readonly guidance: string;
  /** Frontmatter that uses it. A key without a fallback needs one. */
  readonly example?: string;
  /** Words that people write as a key, and the hint to what they mean. */
  readonly hints?: Readonly<Record<string, string>>;
  /** The value of a key that no file sets. */
  readonly fallback?: unknown;
  /** It may stand under `defaults` in `cadre.yaml`. */
  readonly mayBeDefault?: true;
  /**
   * Makes the config from the value, with agents as names. Undefined: the pattern does nothing here. Default: the value
   * itself.
   */
  configOf?(value: unknown, folder: FolderNames): Config | undefined;
}

export interface FolderNames {
  /** The agent whose file has the key. */
  readonly agent: AgentName;
  /** Every agent of the folder, in alphabetical order. */
  readonly all: readonly AgentName[];
  /** The schema of an agent's answer, if its file has one. */
  answerOf(agent: AgentName): JsonSchema | undefined;
}

/** The values that hold for keys which a file does not set. */
export function fallbacksOf({ keys }: KeysForm): Readonly<Record<string, unknown>> {
  const known = Object.entries(keys).filter(([, { fallback }]) => fallback !== undefined);
  return Object.fromEntries(known.map(([name, { fallback }]) => [name, fallback]));
}
