// Guards a resumed run against its own store. A run pins its cadre.yaml, and anyone who can write the store could pin
// one that starts programs, reads variables or calls addresses. What today's cadre.yaml does not have is listed, and
// used only when the user says so.

import { join } from 'node:path';
import { isInside } from '../../base/disk/paths.ts';
import { readRegularText } from '../../base/disk/regular.ts';
import type { CadreConfig, CadreDefinition, TemplatedText } from '../../definition/definition.ts';
import { CONFIG_FILE } from '../../definition/definition.ts';
import { readConfig } from '../../definition/read/config/config.ts';
import { MAX_FILE_BYTES } from '../../definition/read/folder.ts';
import { fail } from '../../kernel/fault.ts';

/** The folders that may be the workspace of a resumed run. All are absolute. */
interface Workspaces {
  /** The one that the run recorded. */
  readonly recorded?: string | undefined;
  /** The one that the user names now. */
  readonly given?: string | undefined;
  /** The folder where the user works: a folder below it was not only named by the store. */
  readonly here?: string;
}

/** Throws `config/pinned-only` with the list. */
export function refusePinnedOnly({ config, folder }: CadreDefinition, workspaces: Workspaces = {}): void {
  const today = todaysConfig(folder);
  const only = [...pinnedOnly(config, today), ...pinnedWorkspace({ config, folder }, today, workspaces)];
  if (only.length === 0) return;
  fail(
    'config/pinned-only',
    `The run was begun with parts of ${CONFIG_FILE} that ${join(folder, CONFIG_FILE)} does not have today:\n` +
      `${only.map((one) => `- ${one}`).join('\n')}\n` +
      'If you know that they are yours, add --pinned-config to use them as the run recorded them.',
    { only },
  );
}

/** A store must not decide which folder the tools see: it lies below the cadre or below here, or cadre.yaml names it. */
function pinnedWorkspace(
  { config, folder }: Pick<CadreDefinition, 'config' | 'folder'>,
  today: CadreConfig | undefined,
  { recorded, given, here }: Workspaces,
): readonly string[] {
  const used = recorded ?? config.workspace;
  if (given !== undefined || used === undefined || used === today?.workspace) return [];
  if ([folder, here].some((one) => one !== undefined && isInside(one, used))) return [];
  return [`workspace: its tools work in ${used}; --workspace ${used} says yes to that`];
}

function todaysConfig(folder: string): CadreConfig | undefined {
  try {
    const text = readRegularText(join(folder, CONFIG_FILE), { maxBytes: MAX_FILE_BYTES, within: folder });
    return readConfig({ file: CONFIG_FILE, text }, folder, () => {}).config;
  } catch {
    return undefined; // no readable file confirms what was pinned
  }
}

/** The parts that reach out of the process and that today's configuration does not have, one line each. */
function pinnedOnly(pinned: CadreConfig, today: CadreConfig | undefined): readonly string[] {
  const { providers, mcpServers, restTools, telemetry, functions = [] } = pinned;
  return [
    ...missing('mcpServers', mcpServers, today?.mcpServers, ({ command, args, url }) =>
      command === undefined ? `calls ${url?.template}` : `starts ${[command, ...args].join(' ')}`,
    ),
    ...missing('restTools', restTools, today?.restTools, ({ method, url }) => `calls ${method} ${url.template}`),
    ...missing('providers', providers, today?.providers, ({ kind, baseUrl, script, recording, ...more }) =>
      more.package === undefined
        ? [kind, baseUrl?.template, script, recording].filter((part) => part !== undefined).join(' ')
        : `runs the package ${more.package}${options(more.options)}`,
    ),
    ...functions.filter((file) => today?.functions?.includes(file) !== true).map((file) => `functions: runs ${file}`),
    ...missing(
      'telemetry',
      telemetry?.otlp === undefined ? {} : { otlp: telemetry.otlp },
      today?.telemetry?.otlp === undefined ? {} : { otlp: today.telemetry.otlp },
      ({ endpoint }) => `sends to ${endpoint.template}`,
    ),
  ];
}

/** All options in one line, because together they say what the package does: some are addresses or variables. */
const options = (given: object | undefined): string => (given === undefined ? '' : ` with ${told(given)}`);

function missing<Part>(
  key: string,
  pinned: Readonly<Record<string, Part>>,
  today: Readonly<Record<string, Part>> | undefined,
  tell: (part: Part) => string,
): readonly string[] {
  return Object.entries(pinned)
    .filter(([name, part]) => today?.[name] === undefined || told(today[name]) !== told(part))
    .map(([name, part]) => `${key}.${name}: ${tell(part)}`);
}

/** Ignores where a value stands in the file. */
const told = (part: unknown): string =>
  JSON.stringify(part, (_key, value: unknown) => (isTemplated(value) ? value.template : value));

const isTemplated = (value: unknown): value is TemplatedText =>
  typeof value === 'object' && value !== null && 'template' in value && 'line' in value;
