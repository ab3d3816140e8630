// cadre.yaml: providers, model aliases, defaults, limits, tool sources. It is read like an agent file; what it
// says about agents (`defaults`, `aliases`) is kept beside the configuration until the agents are linked.

import { resolve } from 'node:path';
import type { MapNode } from '../../../base/yaml/node.ts';
import type { CadreConfig, Limits } from '../../definition.ts';
import { CONFIG_FILE } from '../../definition.ts';
import type { ReportFinding } from '../../diagnostic.ts';
import type { Source } from '../../source.ts';
import { globsShape } from '../agent-choice.ts';
import { type AgentKeys, DEFAULT_KEYS, EDGE_KEYS } from '../keys.ts';
import { choice, integer, list, type Ref, ref, reportAt, text } from '../shape.ts';
import { key, object, record, refineShape } from '../shape-object.ts';
import { tolerant } from '../tolerant.ts';
import { literal, templatedText } from '../variables.ts';
import { yamlTree } from '../yaml-tree.ts';
import { filesShape } from './config-files.ts';
import { functionsShape } from './config-functions.ts';
import { modelsShape, providersShape } from './config-providers.ts';
import { serverShape } from './config-server.ts';
import { shellShape } from './config-shell.ts';
import { telemetryShape } from './config-telemetry.ts';
import { mcpServersShape, restToolsShape } from './config-tools.ts';
import { variablesShape } from './config-variables.ts';
import { webShape } from './config-web.ts';

export const DEFAULT_LIMITS: Limits = { maxDepth: 8, maxTurns: 100, concurrency: 16, deny: [] };

const EDGE_REFUSED = 'It refers to other agents, so it belongs in the file of one agent.';

const limitsShape = object({
  maxDepth: key(integer(1, 64), 'Levels of agents below the one that a run starts with.', {
    fallback: DEFAULT_LIMITS.maxDepth,
  }),
  maxTurns: key(integer(1, 10_000), 'The largest maxTurns that an agent may have.', {
    fallback: DEFAULT_LIMITS.maxTurns,
  }),
  concurrency: key(integer(1, 10_000), 'Model calls at the same time.', { fallback: DEFAULT_LIMITS.concurrency }),
  deny: key(list(text()), 'Calls that no agent ever makes, in the form of deny in an agent file.', {
    fallback: DEFAULT_LIMITS.deny,
  }),
});

const storeShape = refineShape(
  object({
    dir: key(literal, 'The folder that runs are kept in.'),
    url: key(
      templatedText,
      'Where runs are kept, if not in a folder: postgres://user:password@host:5432/database or restate://host:8080?admin=9070.',
    ),
    fsync: key(choice(['never', 'batch']), 'batch: a folder survives a power loss too.', {
      fallback: 'never' as const,
    }),
  }),
  (store, node, path, reading) => {
    if (store.dir === undefined || store.url === undefined) return store;
    reportAt(node, reading, {
      code: 'config/store',
      message: `\`${path}\` has both dir and url`,
      help: 'Runs are kept in one place: write dir for a folder, or url for a database.',
    });
    return store;
  },
);

const engineShape = object({
  label: key(literal, 'Runs are left to workers that have this label.'),
  writeLabel: key(literal, 'The same, for runs whose agents have files:write or shell.'),
});

export const configShape = object(
  {
    providers: key(providersShape, 'Who serves models.'),
    models: key(modelsShape, 'Aliases of models, with window and price.'),
    defaults: key(
      object(DEFAULT_KEYS, {
        refused: {
          ...Object.fromEntries(EDGE_KEYS.map((name) => [name, EDGE_REFUSED])),
          name: 'Every agent has a name of its own.',
        },
      }),
      'Any frontmatter key that is not an edge, for the agents that do not set it.',
    ),
    limits: key(limitsShape, 'Hard caps that no agent can exceed.'),
    mcpServers: key(mcpServersShape, 'Tool servers, offered as mcp:<name>.'),
    restTools: key(restToolsShape, 'Tools over HTTP, offered as rest:<name>.'),
    aliases: key(record(ref, /^[a-z][a-z0-9_-]{0,63}$/, 'like the name of an agent'), 'Further names of agents.'),
    store: key(storeShape, 'Where runs are kept.'),
    agents: key(globsShape, 'Globs of the files that are agents; every Markdown file with frontmatter without it.'),
    ignore: key(globsShape, 'Globs of the files that are no agents, whatever agents says.'),
    workspace: key(literal, 'The folder that files and the other tools of this machine see. Default: this folder.'),
    variables: key(variablesShape, 'The texts that {{name}} in a prompt stands for.'),
    shell: key(shellShape, 'Settings of the source shell.'),
    web: key(webShape, 'Settings of the source web.'),
    functions: key(functionsShape, 'Files in the folder whose exports are tools that agents list by name.'),
    files: key(filesShape, 'Settings of the source files:write.'),
    engine: key(engineShape, 'The workers that take the runs, where a store has workers.'),
    server: key(serverShape, 'The address of cadre serve, its limits and its tokens.'),
    telemetry: key(telemetryShape, 'Where spans and metrics go.'),
  },
  {
    hints: {
      mcp: 'Did you mean "mcpServers"?',
      rest: 'Did you mean "restTools"?',
      env: 'Put variables into a .env file beside cadre.yaml.',
    },
  },
);

export interface ConfigFile {
  readonly config: CadreConfig;
  readonly defaults: AgentKeys;
  readonly aliases: ReadonlyMap<string, Ref>;
  /** Absent without a cadre.yaml. */
  readonly source?: Source;
  readonly tree?: MapNode;
}

const NO_CONFIG: CadreConfig = {
  providers: {},
  models: {},
  limits: DEFAULT_LIMITS,
  mcpServers: {},
  restTools: {},
  store: { fsync: 'never' },
};

export const withoutConfig: ConfigFile = { config: NO_CONFIG, defaults: {}, aliases: new Map() };

/** `folder` is the absolute path of the file's folder. Never throws: mistakes are reported, and the rest is used. */
export function readConfig(source: Source, folder: string, report: ReportFinding): ConfigFile {
  const text = source.text.replace(/^\uFEFF/, '');
  const offset = source.text.length - text.length;
  const tree = yamlTree(source, text, offset, report);
  const file = resolve(folder, source.file);
  const unread: ConfigFile = { ...withoutConfig, config: { ...NO_CONFIG, file }, source };
  if (tree === undefined || (tree.kind === 'scalar' && tree.value === null)) return unread;
  if (tree.kind !== 'map') {
    report({
      code: 'config/not-keys',
      source,
      at: tree,
      message: `${CONFIG_FILE} holds ${tree.kind === 'list' ? 'a list' : 'a text'}, but takes keys and values`,
      help: `Known keys: ${Object.keys(configShape.keys).join(', ')}.`,
    });
    return unread;
  }
  const meant = withTolerantDefaults(tree, source, report);
  const read = configShape.readMap(meant, '', { source, folder, report });
  return {
    config: configOf(read, folder, file),
    defaults: read.defaults ?? {},
    aliases: new Map(Object.entries(read.aliases ?? {})),
    source,
    tree: meant,
  };
}

/** `defaults` is written like the frontmatter of an agent. */
function withTolerantDefaults(tree: MapNode, source: Source, report: ReportFinding): MapNode {
  const defaults = tree.entries.get('defaults');
  if (defaults?.value.kind !== 'map') return tree;
  const value = tolerant(defaults.value, source, report);
  return value === defaults.value
    ? tree
    : { ...tree, entries: new Map(tree.entries).set('defaults', { ...defaults, value }) };
}

function configOf(read: ReturnType<typeof configShape.readMap>, folder: string, file: string): CadreConfig {
  const {
    providers = {},
    models = {},
    limits = {},
    mcpServers = {},
    restTools = {},
    store = {},
    workspace,
    variables,
    shell,
    web,
    functions,
    files,
    engine,
    server,
    telemetry,
  } = read;
  return {
    file,
    providers,
    models,
    limits: { ...DEFAULT_LIMITS, ...limits },
    mcpServers,
    restTools,
    store: {
      fsync: store.fsync ?? 'never',
      ...(store.dir === undefined ? {} : { dir: resolve(folder, store.dir) }),
      ...(store.url === undefined ? {} : { url: store.url }),
    },
    ...(workspace === undefined ? {} : { workspace: resolve(folder, workspace) }),
    ...(variables === undefined ? {} : { variables }),
    ...(shell === undefined ? {} : { shell }),
    ...(web === undefined ? {} : { web }),
    ...(functions === undefined ? {} : { functions }),
    ...(files?.write?.allow === undefined ? {} : { writable: files.write.allow }),
    ...(engine === undefined ? {} : { engine }),
    ...(server === undefined ? {} : { server }),
    ...(telemetry === undefined ? {} : { telemetry }),
  };
}
