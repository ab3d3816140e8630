// The definition of an agent, checked and resolved: the contract between the files and everything that runs them.
// Durations are milliseconds, references are agent names, defaults are filled in.

import type { AgentName, ModelSettings } from '../kernel/effect.ts';
import type { FileKind } from '../kernel/file-ref.ts';
import type { ModelAlias, ProviderSettings } from '../kernel/provider-settings.ts';
import type { InputContract, JsonSchema, OutputContract } from '../kernel/schema.ts';
import type { CircleLimits } from '../kernel/session/circles.ts';
import type { CompactRules } from '../kernel/session/compact-rules.ts';
import type { PatternUse } from '../patterns/record.ts';

/** The file of a folder that says what its agents share. */
export const CONFIG_FILE = 'cadre.yaml';

export interface Budget {
  readonly usd?: number;
  readonly tokens?: number;
  readonly timeMs?: number;
  readonly sessions?: number;
  readonly depth?: number;
  /** `allowUnpriced: true`: models without a price may run under a `usd` budget, uncounted. */
  readonly allowUnpriced?: boolean;
}

/** The skills of an agent, as its file says it. */
export interface SkillsUse {
  /** `*` for `true`, paths below the workspace (they begin with `./`), and names, in the order of the list. */
  readonly use: readonly string[];
  /** The names of those whose text stands in the prompt. */
  readonly preload: readonly string[];
}

export interface AgentDefinition {
  readonly name: AgentName;
  /** Relative to the cadre's folder, with forward slashes. */
  readonly file: string;
  /** The file's whole text: what a run pins. */
  readonly text: string;
  /** The body: the system prompt. */
  readonly system: string;
  readonly description?: string;
  readonly usage?: string;
  readonly models: readonly string[];
  readonly settings: ModelSettings;
  /** Names of tool sources and single tools, as written. */
  readonly tools: readonly string[];
  readonly approve: readonly string[];
  /** Tools that ask by default and run without asking here, as written. */
  readonly trust: readonly string[];
  /** Texts of the workspace that stand in its prompt: paths below it, in their shortest form. */
  readonly projectFiles: readonly string[];
  /** Absent: none. */
  readonly skills?: SkillsUse;
  /** Calls that are never made, as written: by `limits` and `defaults` of cadre.yaml, and by the file. */
  readonly deny: readonly string[];
  readonly input: InputContract;
  /** The kinds of files that it takes. Absent: those that a model of its list sees. */
  readonly accepts?: readonly FileKind[];
  readonly output: OutputContract;
  /** False where the file leaves `output` to its default. */
  readonly outputDeclared: boolean;
  /** The uses of patterns. `configOf` finds that of one. */
  readonly patterns: readonly PatternUse[];
  readonly maxTurns: number;
  readonly maxToolCallsPerTurn: number;
  readonly maxRetries: number;
  readonly timeoutMs?: number;
  readonly modelTimeoutMs: number;
  readonly toolTimeoutMs: number;
  readonly budget?: Budget;
  /** The guard against going in circles. Absent: off. */
  readonly stuck?: CircleLimits;
  /** Absent: a session without room takes its final turn. */
  readonly compact?: Pick<CompactRules, 'keep'> & { readonly model?: string };
}

/** A value of cadre.yaml that may hold `${VAR}`, resolved only when the part that holds it is used. */
export interface TemplatedText {
  readonly template: string;
  readonly file: string;
  readonly line: number;
}

/** An option for the factory of a package: JSON whose texts may hold `${VAR}`. */
export type PackageOption = TemplatedText | number | boolean | null | readonly PackageOption[] | PackageOptions;
export interface PackageOptions {
  readonly [name: string]: PackageOption;
}

export interface McpServerConfig {
  readonly command?: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, TemplatedText>>;
  readonly cwd?: string;
  readonly url?: TemplatedText;
  readonly headers: Readonly<Record<string, TemplatedText>>;
  readonly auth?: McpAuthConfig;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** The way to a token of an MCP server that wants a sign-in. */
export interface McpAuthConfig {
  readonly grant: 'authorization_code' | 'client_credentials';
  readonly clientId?: TemplatedText;
  readonly clientSecret?: TemplatedText;
  readonly clientMetadataUrl?: string;
  readonly scopes?: readonly string[];
}

export interface RestToolConfig {
  readonly description: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: TemplatedText;
  readonly headers: Readonly<Record<string, TemplatedText>>;
  readonly input: { readonly schema: JsonSchema };
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly allowPrivate?: boolean;
}

export interface ShellConfig {
  /** Patterns of the commands that may be run. Absent: any. */
  readonly allow?: readonly string[];
  readonly sandbox: 'auto' | 'required' | 'off';
  readonly network: boolean;
}

export const USUAL_SHELL: ShellConfig = { sandbox: 'auto', network: false };

export interface WebConfig {
  readonly allowPrivate: boolean;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export const USUAL_WEB: WebConfig = { allowPrivate: false, timeoutMs: 30_000, maxBytes: 2 * 1024 * 1024 };

export interface TelemetryConfig {
  /** A collector that takes OTLP over HTTP. */
  readonly otlp?: { readonly endpoint: TemplatedText; readonly headers: Readonly<Record<string, TemplatedText>> };
}

/**
 * A right of a token's holder: to read; to start runs and write to them; to decide on calls that wait; to take up runs.
 */
export type Permission = 'see' | 'run' | 'approve' | 'manage';

export interface ServerToken {
  readonly token: TemplatedText;
  /** The agents that it may use. Absent: all. */
  readonly agents?: readonly string[];
  readonly may: readonly Permission[];
}

export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  /** Names that it is reached by, beside its address. */
  readonly hosts: readonly string[];
  /** Origins of other front ends, as a browser writes them, whose pages may use the API and the heads. */
  readonly cors: readonly string[];
  readonly maxBodyBytes: number;
  readonly maxRuns: number;
  readonly maxWaiting: number;
  readonly requestsPerMinute: number;
  readonly graceMs: number;
  readonly tokens: Readonly<Record<string, ServerToken>>;
}

export interface Limits {
  readonly maxDepth: number;
  readonly maxTurns: number;
  readonly concurrency: number;
  /** Calls that no agent makes. */
  readonly deny: readonly string[];
}

export interface CadreConfig {
  /** Absolute path of cadre.yaml, where there is one. */
  readonly file?: string;
  readonly providers: Readonly<Record<string, ProviderSettings<TemplatedText>>>;
  readonly models: Readonly<Record<string, ModelAlias>>;
  readonly limits: Limits;
  readonly mcpServers: Readonly<Record<string, McpServerConfig>>;
  readonly restTools: Readonly<Record<string, RestToolConfig>>;
  /** A folder, or the address of a database. */
  readonly store: { readonly dir?: string; readonly url?: TemplatedText; readonly fsync: 'never' | 'batch' };
  readonly shell?: ShellConfig;
  readonly web?: WebConfig;
  readonly telemetry?: TelemetryConfig;
  /** The root of `files` and of the other tools of this machine. Absolute. Absent: the cadre's folder. */
  readonly workspace?: string;
  /** The values that `{{name}}` in a prompt stands for. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Files whose exports are tools, relative to the folder, with forward slashes. */
  readonly functions?: readonly string[];
  /** Paths that `files:write` may change although it would refuse them, as patterns in the workspace. */
  readonly writable?: readonly string[];
  /** The labels of the workers that take the runs: all of them, and those that may write files or start programs. */
  readonly engine?: { readonly label?: string; readonly writeLabel?: string };
  readonly server?: ServerConfig;
  /** Further names of agents, each mapped to the agent's own name. */
  readonly aliases?: Readonly<Record<string, AgentName>>;
}

/** A checked cadre: nothing in it is unresolved. */
export interface CadreDefinition {
  /** Absolute. */
  readonly folder: string;
  readonly config: CadreConfig;
  readonly agents: ReadonlyMap<AgentName, AgentDefinition>;
  /** Agents of the folder that cannot run, each with the file whose errors are the reason. They are not in `agents`. */
  readonly faulty?: ReadonlyMap<AgentName, string>;
  /** Every text the definition was made from, by path relative to `folder`: agent files, cadre.yaml and files of functions. */
  readonly texts: ReadonlyMap<string, string>;
}

/** The root of the tools of this machine, if the caller names no other. Absolute. */
export const workspaceOf = ({ folder, config }: Pick<CadreDefinition, 'folder' | 'config'>): string =>
  config.workspace ?? folder.replace(AGENT_FOLDER, '');

/** Folders of agents inside a project: the project itself is what they work on. */
const AGENT_FOLDER = /[\\/]\.(?:claude|cadre)[\\/]agents$/;
